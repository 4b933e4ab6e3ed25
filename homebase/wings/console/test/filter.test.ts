/** The words of the feed's filter. */
import { describe, expect, test } from "vitest";
import type { RequestSummary } from "../../../src/http/records.ts";
import { filterOf } from "../server/filter.ts";
import { toldOf } from "../server/told.ts";

const NOON = new Date(2026, 4, 1, 12).getTime();
const record = (one: Partial<RequestSummary>): RequestSummary => ({
  id: "5f0c",
  at: new Date(NOON).toISOString(),
  milliseconds: 3,
  service: "rest",
  method: "GET",
  path: "/rest/v1/notes",
  query: "done=is.true",
  status: 200,
  rows: 2,
  bytes: 2,
  code: undefined,
  error: undefined,
  parent: undefined,
  role: "authenticated",
  caller: ["eve@example.com", "7d1f"],
  replayable: true,
  ...one,
});
const empty = record({ rows: 0 });
const unknown = record({
  path: "/rest/v1/nothing",
  status: 404,
  error: { message: "No such table" },
  caller: [],
});
const settings = record({
  service: "auth",
  path: "/auth/v1/settings",
  query: "",
  role: undefined,
  caller: [],
});
const rpc = record({ path: "/rest/v1/rpc/count_notes", role: "service_role", caller: [], milliseconds: 200 });
const edge = record({
  service: "functions",
  path: "/functions/v1/hello/more",
  at: new Date(NOON - 600_000).toISOString(),
});
const all = { empty, unknown, settings, rpc, edge };

describe("the filter", () => {
  test.each([
    ["", ["empty", "unknown", "settings", "rpc", "edge"]],
    ["user:eve", ["empty", "edge"]],
    ["user:7D1F", ["empty", "edge"]],
    ["user:secret", ["rpc"]],
    ["status:4", ["unknown"]],
    ["status:4xx", ["unknown"]],
    ["status:404", ["unknown"]],
    ["service:auth", ["settings"]],
    ["table:no", ["empty", "unknown"]],
    ["table:rpc", []],
    ["function:hello", ["edge"]],
    ["function:count", ["rpc"]],
    ["is:failed", ["unknown"]],
    ["is:empty", ["empty"]],
    ["is:slow", ["rpc"]],
    ["is:else", []],
    ["is:empty service:auth", []],
    ["NO SUCH", ["unknown"]],
    ["DONE=is.true", ["empty", "unknown", "rpc", "edge"]],
    ["5f0", ["empty", "unknown", "settings", "rpc", "edge"]],
    ["since:5m", ["empty", "unknown", "settings", "rpc"]],
    ["since:1h", ["empty", "unknown", "settings", "rpc", "edge"]],
    ["since:11:55", ["empty", "unknown", "settings", "rpc"]],
    ["since:11:50:01", ["empty", "unknown", "settings", "rpc"]],
    [`since:${new Date(NOON).toISOString()}`, ["empty", "unknown", "settings", "rpc"]],
    ["since:never", []],
    ["unknown:word", []],
    ["constructor:x", []],
  ])("%s", (text, found) => {
    const matches = filterOf(text, NOON);
    expect(Object.entries(all).flatMap(([name, one]) => (matches(toldOf(one)) ? [name] : []))).toEqual(found);
  });
});
