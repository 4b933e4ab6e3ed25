/** Owns the words of the feed's filter. */
import type { Told } from "./told.ts";

type Test = (told: Told) => boolean;

/** Slower than this is slow on a developer's machine, where nothing is far away. */
const SLOW_MS = 200;
const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };
const NONE: Test = () => false;

const IS: Readonly<Record<string, Test>> = {
  failed: ({ failed }) => failed,
  empty: ({ empty }) => empty,
  slow: ({ ms = 0 }) => ms >= SLOW_MS,
  event: ({ kind }) => kind === "change" || kind === "broadcast" || kind === "presence",
};

/** A word whose names begin with the value, so that a list narrows. */
const begun =
  (of: (told: Told) => readonly (string | undefined)[]) =>
  (value: string): Test =>
  (told) =>
    of(told).some((one) => one?.toLowerCase().startsWith(value));

/** By word, with a value in lower case and the time of now. */
const WORDS: Readonly<Record<string, (value: string, now: number) => Test>> = {
  user: begun(({ who }) => who),
  // `4` and `4xx` stand for all of them.
  status: (value) => begun(({ status }) => [status?.toString()])(value.replace(/x+$/, "")),
  table: begun(({ table }) => [table]),
  function: begun((told) => [told.function]),
  channel: begun(({ channel }) => [channel]),
  service: (value) => (told) => told.service === value,
  job: (value) => (told) => told.job === value,
  is: (value) => (Object.hasOwn(IS, value) ? (IS[value] ?? NONE) : ({ kind }) => kind === value),
  since: (value, now) => {
    const begin = sinceOf(value, now);
    return begin === undefined ? NONE : ({ at }) => at >= begin;
  },
};

/** Whether a line meets each word of a filter; free text is looked for in path, error, subject, message and id. */
export function filterOf(text: string, now = Date.now()): Test {
  const tests = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "")
    .map((word): Test => {
      const [, name = "", value = ""] = /^([a-z]+):(.+)$/.exec(word) ?? [];
      if (Object.hasOwn(WORDS, name)) return WORDS[name]?.(value, now) ?? NONE;
      return ({ text, id }) => text.toLowerCase().includes(word) || id.startsWith(word);
    });
  return (told) => tests.every((test) => test(told));
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
