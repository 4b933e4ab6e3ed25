/** Owns the errors of a project's SQL files: the file, the position, Postgres's message, and advice. */
import pg from "pg";
import { type FileStatement, firstWord } from "../statements/split.ts";
import { databaseOutage } from "../trouble.ts";
import { adviceFor } from "./advice.ts";
import { placeIn, type SqlFile } from "./sql-file.ts";

/** The fault of the folder, for programs and in words. */
export interface Breakage {
  kind:
    | "created-nowhere"
    | "not-a-migration"
    | "extension-missing"
    | "wrong-order"
    | "dropped-before"
    | "created-twice"
    | "follows";
  text: string;
  /** What is missing, or there already; `kind` as in Postgres's messages, a table being a relation. */
  object: { kind: string; name: string; table?: string };
  /** The file that creates it, if one does. */
  creator?: string;
  /** Where in the file itself a statement creates it, as an offset. */
  createdAt?: number;
}

/** A statement that has to stand further up in its file. */
export interface Move {
  line: number;
  /** The line of the statement that it goes before. */
  above: number;
}

/** The error of a file as data. */
export interface FileProblem {
  file: string;
  message: string;
  line?: number;
  column?: number;
  /** The place in the file that a command of psql in this one names, as path, line and column. */
  included?: string;
  /** The statement's first line. */
  statement?: string;
  /** SQLSTATE. */
  code?: string;
  detail?: string;
  hint?: string;
  /** Advice. */
  advice?: string;
  /** The kind of the folder's fault, if known, and of what. */
  fault?: Breakage["kind"];
  object?: Breakage["object"];
  /** The file that creates that object, if one does. */
  creator?: string;
  /** The moves with which the file's statements are in order, as far as they are known. */
  moves?: readonly Move[];
}

/** A file of the project that cannot be applied. */
export abstract class ProjectFileError extends Error {
  abstract readonly file: string;
  /** Several lines for a terminal: position, error, advice. */
  abstract describe(): string;
  abstract problem(): FileProblem;
}

/** Whether an error says that the connection ended: of Postgres, or of a socket that it closed. */
export function isLost(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return code === "EPIPE" || code === "ECONNRESET" || databaseOutage(error) !== undefined;
}

/** An SQL file that Postgres rejected. Nothing of the file is applied unless `partial`. */
export class SqlFileError extends ProjectFileError {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** The place in the file that a command of psql in this one names, as path, line and column. */
  readonly included: string | undefined;
  readonly statement: string;
  readonly code: string | undefined;
  readonly detail: string | undefined;
  readonly hint: string | undefined;
  readonly advice: string | undefined;
  /** The fault of the folder behind it, which applying the folder's files finds. */
  breakage: Breakage | undefined;
  /** The moves with which the file's statements are in order, which trying them finds. */
  moves: readonly Move[] | undefined;
  /** The file's text with all of them, and these; absent where parts of it are another file's. */
  reordered: { moves: readonly Move[]; sql: string } | undefined;
  /** Where the statement begins in the file's text, as an offset. */
  readonly offset: number;
  /** Whether earlier statements stay applied, because the file's statements cannot share a transaction. */
  readonly partial: boolean;

  /** Whether the connection ended with it. */
  readonly connectionLost: boolean;

  /**
   * @param cause Postgres's error, or that of a connection that ended.
   * @param verbatim whether the statement was run as written: only then is Postgres's position valid in the
   * file.
   */
  constructor(
    file: SqlFile,
    statement: FileStatement,
    cause: Error,
    { partial, verbatim }: { partial: boolean; verbatim: boolean },
  ) {
    const known: Partial<pg.DatabaseError> = cause instanceof pg.DatabaseError ? cause : {};
    const lost = isLost(cause);
    super(cause instanceof pg.DatabaseError ? cause.message : "the connection to the database ended", {
      cause,
    });
    const { line, column, inner } = placeIn(file, offsetOf(statement, known, verbatim));
    this.file = file.path;
    this.offset = statement.offset;
    this.line = line;
    this.column = column;
    this.included = inner;
    this.statement = statement.text.slice(firstWord(statement) - statement.offset);
    this.code = known.code;
    this.detail = known.detail ?? (statement.data && known.where);
    this.hint = known.hint;
    this.connectionLost = lost;
    this.advice = adviceFor(this.statement, {
      code: lost ? (known.code ?? CONNECTION_LOST) : known.code,
      message: this.message,
    });
    this.partial = partial;
  }

  describe(): string {
    const lines = [`${this.file}:${this.line}:${this.column}: ${this.message}`];
    if (this.code) lines[0] += ` (${this.code})`;
    if (this.included) lines.push(`  in ${this.included}`);
    if (this.detail) lines.push(`  detail: ${this.detail}`);
    if (this.hint) lines.push(`  hint: ${this.hint}`);
    const statement = this.statement.split("\n");
    lines.push(...statement.slice(0, 8).map((text) => `  | ${text}`));
    if (statement.length > 8) lines.push(`  | ... ${statement.length - 8} more lines`);
    if (this.breakage) lines.push(`  ${this.breakage.text}`);
    if (this.moves) lines.push(`  Move ${movesText(this.moves)}.`);
    if (this.advice) lines.push(`  What to do: ${this.advice}`);
    if (this.partial) {
      lines.push(
        "  The statements before it stay: this file manages transactions itself, or cannot run in one.",
      );
    }
    return lines.join("\n");
  }

  problem(): FileProblem {
    const { file, message, line, column, included, code, detail, hint, breakage, moves } = this;
    const advice = this.advice ?? breakage?.text;
    const statement = this.statement.split("\n", 1)[0] ?? "";
    return {
      file,
      message,
      line,
      column,
      included,
      statement,
      code,
      detail,
      hint,
      advice,
      fault: breakage?.kind,
      object: breakage?.object,
      creator: breakage?.creator,
      moves,
    };
  }
}

/**
 * The statement of a function or block that an error is about, by the cause. Postgres gives it where it has a position in
 * it, and else in the context.
 */
export function innerStatement(cause: unknown): string | undefined {
  const { internalQuery, where = "" } = (cause ?? {}) as Partial<pg.DatabaseError>;
  return internalQuery ?? /^SQL statement "(.*?)"\nPL\/pgSQL function /s.exec(where)?.[1];
}

/** The moves in words, in the order in which they are made. */
export const movesText = (moves: readonly Move[]) =>
  moves.map(({ line, above }) => `line ${line} above line ${above}`).join(", ");

/** SQLSTATE of a connection that ended (PostgreSQL documentation, appendix A). */
const CONNECTION_LOST = "08006";

/** Where in the file's text an error is. */
function offsetOf(statement: FileStatement, cause: Partial<pg.DatabaseError>, verbatim: boolean): number {
  // Postgres counts characters from 1; without a position, the error is shown at the statement's beginning.
  if (verbatim && cause.position) return statement.offset + Number(cause.position) - 1;
  const row = statement.data && /^COPY .*?, line (\d+)/.exec(cause.where ?? "")?.[1];
  if (!statement.data || row === undefined) return firstWord(statement);
  const before = statement.data.text.split("\n").slice(0, Number(row) - 1);
  return statement.data.offset + before.reduce((sum, one) => sum + one.length + 1, 0);
}

/** An error of a file as a whole. */
export abstract class WholeFileError extends ProjectFileError {
  readonly file: string;

  constructor(file: string, message: string) {
    super(message);
    this.file = file;
  }

  describe(): string {
    return `${this.file}: ${this.message}`;
  }

  problem(): FileProblem {
    return { file: this.file, message: this.message };
  }
}

/** A project file that cannot be read, e.g. a broken link. Nothing of it is applied. */
export class UnreadableFile extends WholeFileError {
  /** @param cause a system error, or a text. */
  constructor(file: string, cause: unknown) {
    super(
      file,
      typeof cause === "string"
        ? cause
        : `It cannot be read: ${READ_FAILURES[(cause as NodeJS.ErrnoException).code ?? ""] ?? String(cause)}.`,
    );
  }
}

const READ_FAILURES: Record<string, string> = {
  ENOENT: "it is a link that leads nowhere, or has just been removed",
  EISDIR: "it is a folder",
  ENOTDIR: "it is no folder",
  EACCES: "its permissions do not allow it",
  ELOOP: "its links lead in a circle",
};
