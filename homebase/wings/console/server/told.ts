/** Owns what the feed's filter sees of a request, and of what happened besides. */
import { percentDecoded } from "../../../src/core/percent.ts";
import type { RequestSummary } from "../../../src/http/records.ts";
import type { Kind } from "./api.ts";
import { isEmpty } from "./gates.ts";

export interface Told {
  kind: Kind;
  id: string;
  /** Milliseconds since 1970. */
  at: number;
  /** The text that free text is looked for in. */
  text: string;
  /** Of a request alone. */
  status?: number | undefined;
  service?: string | undefined;
  table?: string | undefined;
  function?: string | undefined;
  channel?: string | undefined;
  job?: string | undefined;
  /** Email, phone, id and role. */
  who: readonly string[];
  ms?: number | undefined;
  failed: boolean;
  empty: boolean;
}

const FAILED = 400;

export function toldOf(record: RequestSummary): Told {
  const { id, path, status, service, caller = [], callerRole: role = record.role ?? "" } = record;
  return {
    kind: "request",
    id,
    at: Date.parse(record.at),
    text: `${record.method} ${percentDecoded(path)}?${record.query} ${record.error?.message ?? ""}`,
    status,
    service,
    table: percentDecoded(/^\/rest\/v1\/(?!rpc\/)([^/]+)/.exec(path)?.[1] ?? "") || undefined,
    function: /^\/(?:functions\/v1|rest\/v1\/rpc)\/([^/]+)/.exec(path)?.[1],
    who: [...caller, role, role === "service_role" ? "secret" : ""],
    ms: record.milliseconds,
    failed: status >= FAILED,
    empty: isEmpty(record),
  };
}
