/** Owns the order of the statements in one file: which ones have to stand further up, found by applying it so. */
import { type Move, ProjectFileError, SqlFileError } from "../postgres/files/errors.ts";
import type { Migration } from "../postgres/files/project-files.ts";
import { placeIn } from "../postgres/files/sql-file.ts";
import {
  type FileStatement,
  firstWord,
  recordedText,
  splitStatements,
} from "../postgres/statements/split.ts";

/** A file with statements that need later ones of the same file. */
export interface Reordered {
  moves: Move[];
  /** The file's text with them. */
  sql: string;
  /** Why the file cannot be applied with them; absent where it is applied. */
  left?: ProjectFileError;
}

/**
 * Moves statements up as long as one needs a later one of its file, and applies the file after each move.
 * @param error with which the file as it is was refused, and undone
 * @param apply throws a ProjectFileError and leaves nothing of the file
 * @returns undefined where the order is not at fault, or statements need each other
 */
export async function reordered(
  migration: Migration,
  error: ProjectFileError,
  apply: (file: Migration) => Promise<unknown>,
): Promise<Reordered | undefined> {
  const order = splitStatements(migration.sql);
  const moves: Move[] = [];
  const done = new Set<string>();
  let last: ProjectFileError | undefined = error;
  let starts = order.map(({ offset }) => offset);
  while (last instanceof SqlFileError && !last.partial) {
    const move = moveFor(starts, last);
    if (move === undefined) break;
    const [from, to] = move;
    const [moved, before] = [order[from], order[to]];
    if (!moved || !before) return undefined;
    const pair = `${moved.offset} ${before.offset}`;
    if (done.has(pair)) return undefined;
    done.add(pair);
    moves.push({ line: lineOf(migration, moved), above: lineOf(migration, before) });
    order.splice(from, 1);
    order.splice(to, 0, moved);
    starts = startsOf(order);
    last = await failureOf(() => apply({ ...migration, sql: textOf(order) }));
  }
  if (moves.length === 0 || moves.some(({ line, above }) => line === above)) return undefined;
  const sql = textInOrder(migration.sql, order);
  if (last === undefined) return { moves, sql };
  // Once more, so that the error names the lines of the file as it is.
  const pieces = order.map((statement, at) => ({
    from: starts[at] ?? 0,
    place: (offset: number) => placeIn(migration, statement.offset + offset),
  }));
  const left = await failureOf(() => apply({ ...migration, sql: textOf(order), pieces }));
  return { moves, sql, ...(left && { left }) };
}

async function failureOf(work: () => Promise<unknown>): Promise<ProjectFileError | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof ProjectFileError) return error;
    throw error;
  }
}

/**
 * A file's text with its statements in another order. A comment goes with the statement below it; blank lines and the
 * comment at the head of the file stay.
 */
function textInOrder(sql: string, order: readonly FileStatement[]): string {
  let end = 0;
  const parts = splitStatements(sql).map((statement, at) => {
    const from = end;
    end = endOf(sql, statement);
    const text = sql.slice(from, end);
    const head = at === 0 ? (/^(?:[ \t]*(?:--.*)?\r?\n)*[ \t]*\r?\n/.exec(text)?.[0].length ?? 0) : 0;
    const blank = head + (/^\s*?(?=[^\s]|[ \t]+\S)/.exec(text.slice(head))?.[0].length ?? 0);
    return { offset: statement.offset, gap: text.slice(0, blank), text: text.slice(blank) };
  });
  const ended = (text: string) => {
    const whole = /;\s*(?:--.*)?\s*$|\\\.\s*$|^\\/.test(text) ? text : `${text.trimEnd()};`;
    return whole.endsWith("\n") ? whole : `${whole}\n`;
  };
  const moved = order.map(({ offset }) => parts.find((part) => part.offset === offset)?.text ?? "");
  return parts.map(({ gap }, at) => gap + ended(moved[at] ?? "")).join("") + sql.slice(end);
}

/** The end of a statement, of its semicolon and data, and of its line where nothing else stands there. */
function endOf(sql: string, { text, offset, data }: FileStatement): number {
  const after = offset + text.length;
  const end = data
    ? data.offset +
      data.text.length +
      (/^\\\./.exec(sql.slice(data.offset + data.text.length))?.[0].length ?? 0)
    : after + (/^\s*;/.exec(sql.slice(after))?.[0].length ?? 0);
  return end + (/^[ \t]*(?:--.*)?\r?(?:\n|$)/.exec(sql.slice(end))?.[0].length ?? 0);
}

const AFTER = "\n;\n";
const written = (statement: FileStatement) => recordedText(statement) + (statement.data ? "\n" : AFTER);
const textOf = (order: readonly FileStatement[]) => order.map(written).join("");

/** The offsets at which the statements begin in the text. */
function startsOf(order: readonly FileStatement[]): number[] {
  let at = 0;
  return order.map((statement) => {
    const from = at;
    at += written(statement).length;
    return from;
  });
}

const lineOf = (file: Migration, statement: FileStatement) => placeIn(file, firstWord(statement)).line;

/**
 * The indexes of the statement that makes what is missing, and of the one that needs it.
 * @param starts where the statements begin in the text that was refused
 */
function moveFor(
  starts: readonly number[],
  { breakage, offset }: SqlFileError,
): [from: number, to: number] | undefined {
  const { kind, createdAt } = breakage ?? {};
  if (kind !== "wrong-order" || createdAt === undefined) return undefined;
  const to = starts.indexOf(offset);
  const from = starts.findLastIndex((start) => start <= createdAt);
  return to >= 0 && from > to ? [from, to] : undefined;
}
