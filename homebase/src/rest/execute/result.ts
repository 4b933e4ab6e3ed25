/** Owns the decoding of Postgres's answer to a request's statement into a named result. */
import type { BatchRows } from "../../postgres/pipeline/connection.ts";
import { ANSWER } from "../sql/statement.ts";

/** What a statement has done. */
export interface StatementResult {
  /** How many rows there are beside the page; undefined when they were not counted. */
  total: number | undefined;
  /** How many rows the page has. */
  rows: number;
  body: Buffer | undefined;
  /** The settings `response.headers` and `response.status`, where a function has set them. */
  headers: string | undefined;
  status: string | undefined;
  /** How many of the written rows are new. */
  inserted: number;
  /** The primary key of a written row, as a JSON array of texts. */
  location: string | undefined;
}

/** @param answers the rows of the request's statement, and of the one that explains it for a count. */
export function decodeResult([main]: BatchRows): StatementResult {
  const row = main?.[0];
  const total = row?.text(ANSWER.total);
  return {
    total: total === null || total === undefined ? undefined : Number(total),
    rows: Number(row?.text(ANSWER.rows)),
    body: row?.bytes(ANSWER.body) ?? undefined,
    headers: row?.text(ANSWER.headers) ?? undefined,
    status: row?.text(ANSWER.status) ?? undefined,
    inserted: Number(row?.text(ANSWER.inserted) ?? 0),
    location: row?.text(ANSWER.location) ?? undefined,
  };
}

/** How many rows the planner expects; undefined when it was not asked. */
export function decodePlannedRows([, explained]: BatchRows): number | undefined {
  if (!explained) return undefined;
  const [plan] = JSON.parse(String(explained[0]?.text(0))) as { Plan?: { "Plan Rows"?: number } }[];
  return plan?.Plan?.["Plan Rows"];
}

/** The text of an explained statement. */
export function decodeExplanation([main = []]: BatchRows): string {
  return main.map((row) => row.text(0)).join("\n");
}
