/** Owns what a failed test asks first: its last requests, and why the last one to REST or Storage was answered as it was. */
import type { Backend } from "../backend/backend.ts";
import type { Config } from "../config/config.ts";
import { ExplainError, explanationText, lastAsked } from "../explain/index.ts";
import type { RequestSummary } from "../http/records.ts";
import { whyRequest } from "../tools/why-request.ts";

const SHOWN = 5;

/** @param options `row`: the primary key of the row in question. */
export async function why(backend: Backend, config: Config, options: { row?: string } = {}): Promise<string> {
  const requests = backend.requests.list({ limit: SHOWN }).records.map(line);
  const summary = lastAsked(backend.requests.list().records);
  const last = summary && backend.requests.withValues(summary.id);
  if (!last) return [...requests, "No request to REST or Storage has asked the database."].join("\n");
  try {
    const explanation = await whyRequest(backend, config, last, options);
    return `${requests.join("\n")}\n\n${explanationText(explanation)}`;
  } catch (error) {
    if (!(error instanceof ExplainError)) throw error;
    return [...requests, error.message].join("\n");
  }
}

function line({ method, path, query, status, code, rows }: RequestSummary): string {
  const address = query === "" ? path : `${path}?${query}`;
  const count = rows === undefined ? "" : `, ${rows} row${rows === 1 ? "" : "s"}`;
  return `${method} ${address}: ${status}${code === undefined ? "" : ` ${code}`}${count}`;
}
