/** Owns the words of the feed's filter. */
import type { RequestSummary } from "../../../src/http/records.ts";
import { isEmpty } from "./gates.ts";

type Test = (record: RequestSummary) => boolean;

/** Slower than this is slow on a developer's machine, where nothing is far away. */
const SLOW_MS = 200;
export const FAILED = 400;
const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };
const NONE: Test = () => false;

const IS: Readonly<Record<string, Test>> = {
  failed: ({ status }) => status >= FAILED,
  empty: isEmpty,
  slow: ({ milliseconds }) => milliseconds >= SLOW_MS,
};

/** By word, with a value in lower case and the time of now. */
const WORDS: Readonly<Record<string, (value: string, now: number) => Test>> = {
  user:
    (value) =>
    ({ caller = [], role = "" }) =>
      [...caller, role, role === "service_role" ? "secret" : ""].some((one) =>
        one.toLowerCase().startsWith(value),
      ),
  // `4` and `4xx` stand for all of them.
  status:
    (value) =>
    ({ status }) =>
      String(status).startsWith(value.replace(/x+$/, "")),
  service:
    (value) =>
    ({ service }) =>
      service === value,
  table: (value) => named(/^\/rest\/v1\/(?!rpc\/)([^/]+)/, value),
  function: (value) => named(/^\/(?:functions\/v1|rest\/v1\/rpc)\/([^/]+)/, value),
  is: (value) => IS[value] ?? NONE,
  since: (value, now) => {
    const begin = sinceOf(value, now);
    return begin === undefined ? NONE : ({ at }) => Date.parse(at) >= begin;
  },
};

/** Whether a record meets each word of a filter; free text is looked for in path, error and id. */
export function filterOf(text: string, now = Date.now()): Test {
  const tests = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "")
    .map((word): Test => {
      const [, name = "", value = ""] = /^([a-z]+):(.+)$/.exec(word) ?? [];
      if (Object.hasOwn(WORDS, name)) return WORDS[name]?.(value, now) ?? NONE;
      return ({ path, query, error, id, method }) =>
        `${method} ${path}?${query}`.toLowerCase().includes(word) ||
        (error?.message.toLowerCase().includes(word) ?? false) ||
        id.startsWith(word);
    });
  return (record) => tests.every((test) => test(record));
}

/** Whether a path's name begins with a value, so that the list narrows while it is typed. */
function named(pattern: RegExp, value: string): Test {
  return ({ path }) => pattern.exec(path)?.[1]?.toLowerCase().startsWith(value) ?? false;
}

/** The time of "90s", "10m", "2h", of "14:20" on this machine's clock, or of an ISO 8601 time. */
function sinceOf(value: string, now: number): number | undefined {
  const [, count, unit = ""] = /^(\d+)([smh])$/.exec(value) ?? [];
  if (count !== undefined) return now - Number(count) * (UNIT_MS[unit] ?? 0);
  const [, hours, minutes, seconds = "0"] = /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/.exec(value) ?? [];
  const time =
    hours === undefined
      ? Date.parse(value.toUpperCase())
      : new Date(now).setHours(Number(hours), Number(minutes), Number(seconds), 0);
  return Number.isNaN(time) ? undefined : time;
}
