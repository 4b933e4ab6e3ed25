/** Owns decoding the rows of a request's statement into a named result. */
import type { BatchRows } from "../../postgres/pipeline/connection.ts";
import { ANSWER } from "../sql/statement.ts";

/** The result of a statement. */
export interface StatementResult {
  /** Number of rows in total; undefined when they were not counted. */
  total: number | undefined;
  /** Number of rows in the page. */
  rows: number;
  body: Buffer | undefined;
  /** The settings `response.headers` and `response.status`, if a function has set them. */
  headers: string | undefined;
  status: string | undefined;
  /** Number of written rows that were inserted. */
  inserted: number;
  /** The primary key of a written row, as a JSON array of texts. */
  location: string | undefined;
}

/** @param answers the rows of the request's statement, and of the EXPLAIN for a count. */
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

/** The planner's estimate of the row count; undefined without an EXPLAIN. */
export function decodePlannedRows([, explained]: BatchRows): number | undefined {
  if (!explained) return undefined;
  const [plan] = JSON.parse(String(explained[0]?.text(0))) as { Plan?: { "Plan Rows"?: number } }[];
  return plan?.Plan?.["Plan Rows"];
}

/** The text of an EXPLAIN. */
export function decodeExplanation([main = []]: BatchRows): string {
  return main.map((row) => row.text(0)).join("\n");
}
