/**
 * Owns the frame of an explanation: the answer that the request had, and the result of its statement today. The
 * explanation never contradicts them.
 */
import { ANSWER } from "../rest/sql/statement.ts";
import type { Asked, Resolved } from "./asked-tables.ts";
import { readTable } from "./database/before-policies.ts";
import type { Caller } from "./database/explained-caller.ts";
import type { Ran, Session } from "./database/explanation-transaction.ts";
import { idOf } from "./database/policy-parts.ts";
import { judgedRows, type TableExplanation } from "./explanation.ts";
import { judgeRows } from "./judge.ts";
import type { Sentence } from "./verdicts.ts";
import { rows as counted, pretty } from "./words.ts";
import { refusedTable } from "./written.ts";

/** Whether a request fails: as its record says, or, where it did not run, as Postgres says today. */
export function fails({ status }: Asked, today: Ran): boolean {
  return status === undefined ? today.error !== undefined : status >= 400;
}

/** Whether the record says that nothing refused it. */
export function wentThrough({ status }: Asked): boolean {
  return status !== undefined && status < 400;
}

/** Of a request that nothing refused: a row that is judged today may be another than the one that went through. */
export function believing(asked: Asked, sentences: readonly Sentence[]): Sentence[] {
  if (!wentThrough(asked)) return [...sentences];
  const told = (text: string) =>
    text
      .replace(/^Refused: /, `It was answered with ${asked.status}, and would be refused now: `)
      .replace(
        /^Refused with \d+, code 42501/,
        `It was answered with ${asked.status}; judged by its values, it would be refused now`,
      );
  return sentences.map((one) =>
    one.kind === "refused" ? { ...one, kind: "changed", text: told(one.text) } : one,
  );
}

/**
 * Postgres's errors before it looks at a row: missing grants, impossible policies, the pre-request's refusal. The
 * statement is not run.
 */
export function plannedToday(
  session: Session,
  caller: Caller,
  { text, values }: Resolved["statement"],
): Promise<Ran> {
  const explain = /^explain\b/i.test(text) ? text : `explain ${text}`;
  return session.ran({ text: explain, values, writes: !reads(caller) }, caller);
}

/** The statement's error today, or its number of rows; undefined for what may write, and where time is over. */
export async function answeredToday(
  session: Session,
  caller: Caller,
  statement: Resolved["statement"],
): Promise<Pick<Ran, "error" | "cut"> & { rows?: number }> {
  if (!reads(caller)) return {};
  const { error, cut, rows } = await session.ran(statement, caller);
  const found = rows[0]?.[ANSWER.rows];
  return { error, cut, rows: found == null ? undefined : Number(found) };
}

function reads({ method }: Caller): boolean {
  return method === "GET" || method === "HEAD";
}

/**
 * The sentences that come first. @param own the request's own table. @param told what the explanation says without them.
 * @param replay whether a write was run again.
 */
export function frame(
  { role, status, code, error }: Asked,
  today: Ran,
  { own, told, replay }: { own: string | undefined; told: readonly Sentence[]; replay: boolean },
): Sentence[] {
  const failed =
    status === undefined ? today.error : status >= 400 ? { code, message: error?.message } : undefined;
  if (!failed) return [];
  // A request that did not run has no answer beside the reason.
  if (status === undefined && told.some(({ text }) => text.includes(failed.message ?? ""))) return [];
  const message = failed.message ?? "without a message";
  const where = today.before && today.error?.where ? ` (${today.error.where.split("\n")[0]})` : "";
  if (failed.code !== "42501") {
    const head =
      status === undefined
        ? `Fails with code ${failed.code}`
        : `Answered with ${status}${failed.code === undefined ? "" : `, code ${failed.code}`}`;
    return [{ text: `${head}: ${ended(message)}${where}`, kind: "answer" }];
  }
  const head = `Refused with ${status ?? (role === "anon" ? 401 : 403)}, code 42501`;
  const table = refusedTable(message);
  const refused = (text: string, does?: string): Sentence[] => [
    {
      text: `${head}${text}`,
      kind: "refused",
      further: replay || does === undefined ? undefined : { option: "--replay", does },
    },
  ];
  if (told[0]?.text.startsWith("Refused: ")) return [];
  if (table === undefined) return refused(`: ${ended(message)}${where}`);
  if (table === own) {
    if (told.some(({ text }) => text.startsWith(head))) return [];
    const why = replay
      ? "Run again, the row meets them: rows or policies have changed since."
      : "What refused the row is not seen without running it, or has changed since.";
    return refused(`, by the policies of ${table}: ${why}`, "it is run again and undone.");
  }
  const beside = own === undefined ? "" : `, not by those of ${own}`;
  const writer = own === undefined ? "a statement inside" : "a trigger or a function";
  const judged = "it is run again and undone, and that row is judged.";
  return refused(`, by the policies of ${table}${beside}: ${writer} wrote there.`, judged);
}

function ended(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}

/** How today differs from the answer that the request had; undefined where that is not known. */
export function changedSince(
  { status, rows }: Asked,
  planned: Ran,
  today: Awaited<ReturnType<typeof answeredToday>>,
): string | undefined {
  if (status === undefined) return undefined;
  const since = "the rows, policies or grants have changed since";
  const error = planned.error ?? today.error;
  if (status < 400 && error)
    return `It was answered with ${status}, and would fail now with code ${error.code} (${error.message}): ${since}.`;
  if (status >= 400 && today.rows !== undefined)
    return `It would be answered with ${counted(today.rows)} now: ${since}.`;
  if (rows === undefined || today.rows === undefined || today.rows === rows) return undefined;
  return `The request returned ${counted(rows)}, and would return ${today.rows} now: the rows or policies have changed since.`;
}

/** Whether a policy asks for the login, which is another when a statement is run again. */
export function asksForLogin(tables: readonly TableExplanation[]): boolean {
  return tables
    .flatMap((one) => judgedRows(one))
    .flatMap(({ explained }) => explained.judgement.groups)
    .some(({ parts }) => parts.some(({ part }) => /\bSESSION_USER\b/.test(part.text)));
}

/** Which parts of the tables' policies raise the error that ends the request before there is a row to judge. */
export async function raisingParts(
  session: Session,
  caller: Caller,
  tables: readonly TableExplanation[],
  { error }: Ran,
): Promise<Sentence[]> {
  if (!error) return [];
  const told: Sentence[] = [];
  for (const { table: name, explained } of tables) {
    if (!explained || explained.judgement.candidates > 0) continue;
    const { columns } = await readTable(session, name);
    const nothing = `(${",".repeat(Math.max(0, columns.length - 1))})`;
    const { groups } = await judgeRows(session, caller, name, { rows: [nothing] });
    for (const { part, error: raised } of groups.flatMap(({ parts }) => parts)) {
      if (raised !== error.message) continue;
      const text = `Policy "${part.policy}" of ${name.name} asks for ${pretty(part.text)}, which raises it for any row.`;
      told.push({ text, kind: "answer", table: name, policy: part.policy, part: idOf(part) });
    }
  }
  return told;
}
