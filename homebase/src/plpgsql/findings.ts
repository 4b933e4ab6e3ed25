/** Owns the issues of a function, in the shape and words of plpgsql_check, which the Supabase CLI's `db lint` uses. */
import type { StatementBody } from "./body-tree.ts";

export interface Issue {
  level: "error" | "warning" | "warning extra";
  message: string;
  sqlState?: string;
  hint?: string;
  detail?: string;
  statement?: { lineNumber: string; text: string };
  query?: { position: string; text: string };
}

/** An issue; advice has no SQLSTATE. */
export interface Said {
  message: string;
  sqlState?: string | undefined;
  hint?: string | undefined;
  detail?: string | undefined;
  query?: { text: string; position: number } | undefined;
}

export interface Place {
  line: number;
  /** The statement's name. */
  text: string;
}

/** Names of statements, as plpgsql_stmt_typename has them. */
const NAMES: Record<string, string> = {
  block: "statement block",
  assign: "assignment",
  if: "IF",
  case: "CASE",
  loop: "LOOP",
  while: "WHILE",
  fori: "FOR with integer loop variable",
  fors: "FOR over SELECT rows",
  forc: "FOR over cursor",
  foreach_a: "FOREACH over array",
  return: "RETURN",
  return_next: "RETURN NEXT",
  return_query: "RETURN QUERY",
  raise: "RAISE",
  assert: "ASSERT",
  execsql: "SQL statement",
  dynexecute: "EXECUTE",
  dynfors: "FOR over EXECUTE statement",
  getdiag: "GET DIAGNOSTICS",
  open: "OPEN",
  fetch: "FETCH",
  close: "CLOSE",
  perform: "PERFORM",
  call: "CALL",
};

export function placeOf(kind: string, body: StatementBody): Place {
  const name = kind === "exit" ? (body.is_exit ? "EXIT" : "CONTINUE") : (NAMES[kind] ?? kind);
  return { line: body.lineno ?? 0, text: name };
}

/** The same is said once. */
export class Findings {
  readonly issues: Issue[] = [];
  /** The statement that is looked at. */
  at: Place | undefined;

  add(level: Issue["level"], { message, sqlState = "00000", hint, detail, query }: Said, at = this.at): void {
    const issue: Issue = {
      level,
      message,
      sqlState,
      ...(at ? { statement: { lineNumber: String(at.line), text: at.text } } : {}),
      ...(detail ? { detail } : {}),
      ...(hint ? { hint } : {}),
      ...(query ? { query: { position: String(query.position), text: query.text } } : {}),
    };
    const text = JSON.stringify(issue);
    if (!this.issues.some((one) => JSON.stringify(one) === text)) this.issues.push(issue);
  }
}
