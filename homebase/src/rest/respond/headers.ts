/** Owns the response headers derived from the request and its result (docs/compat/rest.md 16). */

import { encodeStrict } from "../../core/percent.ts";
import { restErrors } from "../errors.ts";
import { HEADER_NAME, wireText } from "../header-text.ts";
import type { WritePlan } from "../plan/plan.ts";
import type { RestRequest } from "../request/parsed-request.ts";
import { preferencesApplied } from "../request/preferences.ts";

type Headers = Record<string, string | string[]>;

/** `first-last/total`; `*` for an unknown part. */
export function contentRange(offset: number, rows: number, total: number | undefined): string {
  const range = rows === 0 || total === 0 ? "*" : `${offset}-${offset + rows - 1}`;
  return `${range}/${total ?? "*"}`;
}

/** Together with the other headers 16 KB, which is all that Node's fetch reads (PostgREST sends any length). */
const LONGEST_LOCATION = 8 * 1024;

/** `/table?a=b` with keys in order, the values of a repeated key joined by commas; undefined when it is too long. */
export function contentLocation(request: RestRequest): string | undefined {
  const name = request.resource.kind === "table" ? request.resource.name : "";
  const given = request.parameters.pairs;
  const values = new Map<string, string[]>();
  for (const [key, value] of given) values.set(key, [...(values.get(key) ?? []), encode(value)]);
  const keys = [...values.keys()].sort();
  const query = keys.map((key) => `${encode(key)}=${values.get(key)?.join(",")}`).join("&");
  const location = `/${headerText(name)}${query ? `?${query}` : ""}`;
  return location.length > LONGEST_LOCATION ? undefined : location;
}

/** Encodes any text for a header: its UTF-8 bytes, without control characters. */
export function headerText(text: string): string {
  return Buffer.from(text.replace(/\p{Cc}/gu, "?")).toString("latin1");
}

const UNRESERVED = /^[\w.~-]*$/;

function encode(text: string): string {
  return UNRESERVED.test(text) ? text : encodeStrict(text);
}

/** The Location of the one inserted row; `key` is a JSON array of its primary key's values as text. */
export function insertLocation(plan: WritePlan, key: string): string {
  const values = JSON.parse(key) as (string | null)[];
  const filters = plan.location.map((name, at) => {
    const value = values[at] ?? null;
    return `${encode(name)}=${value === null ? "is.null" : `eq.${encode(value)}`}`;
  });
  return `/${encodeURIComponent(plan.table.name)}?${filters.join("&")}`;
}

/**
 * @param timezone whether the time zone was applied.
 * @param plan undefined for reads and calls.
 */
export function applied(
  request: RestRequest,
  plan: WritePlan | undefined,
  txOverride: boolean,
): string | undefined {
  const { preferences, action } = request;
  const inserts = plan?.action === "insert";
  const conflict = inserts && plan.conflict !== undefined;
  const strict = preferences.handling === "strict";
  const limited = action === "update" || action === "delete" || action === "call";
  return preferencesApplied({
    ...(conflict ? { resolution: preferences.resolution } : {}),
    ...(inserts || plan?.action === "update" ? { missing: preferences.missing } : {}),
    ...(plan ? { return: preferences.return } : {}),
    count: preferences.count,
    ...(txOverride ? { tx: preferences.tx } : {}),
    handling: preferences.handling,
    timezone: preferences.timezone,
    ...(strict && limited ? { maxAffected: preferences.maxAffected } : {}),
  });
}

/** Headers that the database may not set, because a wrong length would hang the client. */
const FRAMING = new Set(["content-length", "transfer-encoding", "connection"]);

/**
 * Adds `response.headers`: they replace generated ones of the same name; repeats are kept.
 * @throws RestError PGRST111.
 */
export function addSettingHeaders(headers: Headers, setting: string | undefined): void {
  if (!setting) return;
  const given = new Map<string, string[]>();
  for (const [name, value] of parseHeaders(setting)) {
    const key = name.toLowerCase();
    if (FRAMING.has(key)) continue;
    if (!HEADER_NAME.test(key)) throw restErrors.headersSetting();
    given.set(key, [...(given.get(key) ?? []), wireText(value)]);
  }
  for (const [name, values] of given)
    headers[name] = values.length === 1 && values[0] !== undefined ? values[0] : values;
}

function parseHeaders(setting: string): [string, string][] {
  let list: unknown;
  try {
    list = JSON.parse(setting);
  } catch {
    throw restErrors.headersSetting();
  }
  if (!Array.isArray(list)) throw restErrors.headersSetting();
  return list.map((one: unknown) => {
    const entries = typeof one === "object" && one !== null ? Object.entries(one) : [];
    const [entry, other] = entries;
    if (!entry || other || typeof entry[1] !== "string") throw restErrors.headersSetting();
    return [entry[0], entry[1]];
  });
}

/** @throws RestError PGRST112. */
export function statusSetting(setting: string | undefined): number | undefined {
  if (!setting) return undefined;
  // Statuses below 200 are interim responses.
  if (!/^[2-9]\d\d$/.test(setting)) throw restErrors.statusSetting();
  return Number(setting);
}
