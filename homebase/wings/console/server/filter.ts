/** Owns the words of the feed's filter. */
import type { RequestSummary } from "../../../src/http/records.ts";
import { isEmpty } from "./gates.ts";

type Test = (record: RequestSummary) => boolean;

/** Slower than this is slow on a developer's machine, where nothing is far away. */
const SLOW_MS = 200;
const FAILED = 400;

const IS: Readonly<Record<string, Test>> = {
  failed: ({ status }) => status >= FAILED,
  empty: isEmpty,
  slow: ({ milliseconds }) => milliseconds >= SLOW_MS,
};

const WORDS: Readonly<Record<string, (value: string) => Test>> = {
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
  is: (value) => IS[value] ?? (() => false),
};

/** Whether a record meets each word of a filter; free text is looked for in path, error and id. */
export function filterOf(text: string): Test {
  const tests = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "")
    .map((word): Test => {
      const [, name = "", value = ""] = /^([a-z]+):(.+)$/.exec(word) ?? [];
      if (Object.hasOwn(WORDS, name)) return WORDS[name]?.(value) ?? (() => false);
      return ({ path, query, error, id, method }) =>
        `${method} ${path}?${query}`.toLowerCase().includes(word) ||
        (error?.message.toLowerCase().includes(word) ?? false) ||
        id.startsWith(word);
    });
  return (record) => tests.every((test) => test(record));
}
