/** Owns checks of functions that statements ask for with plpgsql_check: their answer in its words (format.c of plpgsql_check 2). */
import type { Issue } from "../plpgsql/findings.ts";
import { connected, releasedClient } from "../postgres/connected.ts";
import type { Database } from "../postgres/database.ts";

/** A question of a statement whose role may do what role postgres may. */
export interface AskedCheck {
  /** Object ids. The table of a trigger; 0 for other functions. */
  function: string;
  relation: string;
  /** The search path of the statement. */
  path: string;
  format: "text" | "json";
  fatal_errors: boolean;
  other_warnings: boolean;
  extra_warnings: boolean;
}

/** Lines of the format, and rows of the table function. */
interface CheckAnswer {
  lines: string[];
  rows: Record<string, string | undefined>[];
}

/** A check parses what may be code of the project's, e.g. of a domain. */
const LONGEST_STATEMENT_MS = 30_000;

/**
 * Checks the function as role postgres, in a session of its own. @param ending no longer waits for it.
 * @throws what the parser says of the body
 */
export async function answerCheck(
  asked: AskedCheck,
  database: Database,
  ending: AbortSignal,
): Promise<CheckAnswer> {
  const { checkFunction } = await import("../plpgsql/checked-functions.ts");
  const login = { ...database.connection("postgres"), statement_timeout: LONGEST_STATEMENT_MS };
  const checking = connected(login, (client) => {
    releasedClient(client);
    return checkFunction(client, asked.function, asked.relation, asked.path);
  });
  const found = await unlessEnding(checking, ending);
  const issues = chosen(found, asked);
  return { lines: linesOf(issues, asked), rows: issues.map(rowOf) };
}

/** The work's result, unless the signal is given before. */
async function unlessEnding<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const end = () => reject(new Error("The stack is ending."));
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", end);
  }
}

/** Those of the levels that are asked for; with `fatal_errors` none after the first error. */
function chosen(
  issues: readonly Issue[],
  { fatal_errors, other_warnings, extra_warnings }: AskedCheck,
): Issue[] {
  const first = issues.findIndex(({ level }) => level === "error");
  const wanted = { error: true, warning: other_warnings, "warning extra": extra_warnings };
  return issues
    .slice(0, fatal_errors && first >= 0 ? first + 1 : undefined)
    .filter(({ level }) => wanted[level]);
}

function linesOf(issues: readonly Issue[], { format, function: oid }: AskedCheck): string[] {
  if (format === "text") return issues.flatMap(textLines);
  return issues.length > 0 ? [JSON.stringify({ function: oid, issues }, undefined, 1)] : [];
}

function textLines({ level, message, sqlState = "00000", hint, detail, statement, query }: Issue): string[] {
  const place = statement ? [statement.lineNumber, statement.text] : [];
  return [
    [level, sqlState, ...place, message].join(":"),
    ...(query ? queryLines(query.text, Number(query.position)) : []),
    ...(detail ? [`Detail: ${detail}`] : []),
    ...(hint ? [`Hint: ${hint}`] : []),
  ];
}

/** The lines of a statement, with a mark under the character at `position`, which counts from 1. */
function queryLines(text: string, position: number): string[] {
  let before = 0;
  return text.split("\n").flatMap((line, index) => {
    const column = position - before;
    const length = [...line].length;
    before += length + 1;
    const mark = column > 0 && column <= length + 1 ? [`--     ${"^".padStart(column)}`] : [];
    return [`${index === 0 ? "Query: " : "       "}${line}`, ...mark];
  });
}

function rowOf({ level, message, sqlState = "00000", hint, detail, statement, query }: Issue) {
  return {
    lineno: statement?.lineNumber,
    statement: statement?.text,
    sqlstate: sqlState,
    message,
    detail,
    hint,
    level,
    position: query?.position,
    query: query?.text,
  };
}
