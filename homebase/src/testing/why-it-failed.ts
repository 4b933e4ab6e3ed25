/** Owns what a failed test asks first: its last requests, and why the last one to REST or Storage was answered as it was. */
import type { Backend } from "../backend/backend.ts";
import type { Config } from "../config/config.ts";
import { ExplainError, type Explanation, explanationText, lastAsked } from "../explain/index.ts";
import type { RequestSummary } from "../http/records.ts";
import { whyRequest } from "../tools/why-request.ts";

const SHOWN = 5;

interface WhyOptions {
  /** The primary key of the row in question. */
  row?: string;
}

export async function why(backend: Backend, config: Config, options: WhyOptions = {}): Promise<string> {
  const requests = backend.requests.list({ limit: SHOWN }).records.map(line);
  try {
    return `${requests.join("\n")}\n\n${explanationText(await explainLast(backend, config, options))}`;
  } catch (error) {
    if (!(error instanceof ExplainError)) throw error;
    return [...requests, error.message].join("\n");
  }
}

/** The explanation of the last request to REST or Storage that has asked the database. @throws ExplainError */
export async function explainLast(
  backend: Backend,
  config: Config,
  options: WhyOptions = {},
): Promise<Explanation> {
  const summary = lastAsked(backend.requests.list().records);
  const last = summary && backend.requests.withValues(summary.id);
  if (!last) throw new ExplainError("No request to REST or Storage has asked the database.");
  // A test's data are there to be written to: what runs again is undone, and a write is judged as its triggers make it.
  return whyRequest(backend, config, last, { ...options, replay: true });
}

function line({ method, path, query, status, code, rows }: RequestSummary): string {
  const address = query === "" ? path : `${path}?${query}`;
  const count = rows === undefined ? "" : `, ${rows} row${rows === 1 ? "" : "s"}`;
  return `${method} ${address}: ${status}${code === undefined ? "" : ` ${code}`}${count}`;
}
