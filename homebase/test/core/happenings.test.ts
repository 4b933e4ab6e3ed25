/** The ring of what happened: its bounds, its cursor, and that a flood of alike entries does not push others out. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  type BroadcastHappening,
  HAPPENING_KINDS,
  Happenings,
  type MailHappening,
} from "../../src/core/happenings.ts";

beforeEach(() => void vi.useFakeTimers({ now: Date.parse("2026-01-01T10:00:00Z") }));
afterEach(() => void vi.useRealTimers());

const mail = (to: string, request = "r1"): MailHappening => ({ kind: "mail", to, subject: "Hello", request });
const broadcast = (topic: string, more: Partial<BroadcastHappening> = {}): BroadcastHappening => ({
  kind: "broadcast",
  topic,
  private: false,
  event: "moved",
  origin: "client",
  bytes: 2,
  told: false,
  joined: 1,
  sent: 1,
  hidden: 0,
  refused: [],
  otherway: 0,
  ...more,
});

test("entries are listed in order, with their time, by kind and by the request that caused them", () => {
  const ring = new Happenings();
  ring.happened(mail("ana@example.com"));
  vi.setSystemTime(Date.parse("2026-01-01T10:00:01Z"));
  ring.happened(broadcast("room"));
  ring.happened(mail("ben@example.com", "r2"));
  expect(ring.list().happenings.map(({ kind, at }) => [kind, at])).toEqual([
    ["mail", "2026-01-01T10:00:00.000Z"],
    ["broadcast", "2026-01-01T10:00:01.000Z"],
    ["mail", "2026-01-01T10:00:01.000Z"],
  ]);
  expect(ring.list({ kinds: ["broadcast"] }).happenings).toHaveLength(1);
  expect(ring.list({ request: "r2" }).happenings).toMatchObject([{ to: "ben@example.com", times: 1 }]);
  expect(ring.list({ limit: 1 }).happenings).toMatchObject([{ to: "ben@example.com" }]);
});

test("a cursor gives what came since, and counts what has given way meanwhile", () => {
  const ring = new Happenings();
  ring.happened(mail("first"));
  const { cursor } = ring.list();
  expect(ring.list({ after: cursor })).toEqual({ happenings: [], cursor, lost: 0 });
  for (let number = 0; number < 2_500; number += 1) ring.happened(mail(String(number)));
  const { happenings, lost } = ring.list({ after: cursor });
  expect(happenings).toHaveLength(2_000);
  expect(happenings.at(-1)).toMatchObject({ to: "2499" });
  expect(lost).toBe(500);
});

test("long texts are cut, and large entries give way by their size", () => {
  const ring = new Happenings();
  const large = "x".repeat(100_000);
  for (let number = 0; number < 1_000; number += 1)
    ring.happened({ ...mail(large), subject: large, failure: large });
  const { happenings } = ring.list();
  expect(JSON.stringify(happenings[0])).toHaveLength(
    6_000 + JSON.stringify({ ...happenings[0], to: "…", subject: "…", failure: "…" }).length,
  );
  expect(happenings.length * 2 * 6_000).toBeLessThanOrEqual(2 * 1024 ** 2);
  expect(happenings.length).toBeGreaterThan(100);
});

test("a flood of one topic takes twenty entries a second, and the last one counts the rest", () => {
  const ring = new Happenings();
  ring.happened(mail("ana@example.com"));
  for (let number = 0; number < 10_000; number += 1) ring.happened(broadcast("flooded"));
  ring.happened(broadcast("quiet"));
  ring.happened(broadcast("flooded", { failure: "unauthorized", sent: 0 }));
  const { happenings } = ring.list();
  expect(happenings).toHaveLength(1 + 20 + 2);
  expect(happenings.reduce((sum, { times }) => sum + times, 0)).toBe(10_003);
  vi.setSystemTime(Date.now() + 1_000);
  ring.happened(broadcast("flooded"));
  expect(ring.list().happenings).toHaveLength(24);
});

test("the log's entries are kept from info on, with the request of a function", () => {
  const ring = new Happenings();
  ring.logged({ time: "", level: "debug", service: "rest", message: "no" });
  ring.logged({ time: "", level: "info", service: "functions", message: "hello", fields: { request: "r1" } });
  expect(ring.list({ request: "r1" }).happenings).toMatchObject([{ kind: "log", message: "hello" }]);
  expect(ring.list({ kinds: HAPPENING_KINDS }).happenings).toHaveLength(1);
});

test("a follower gets batches until its signal", async () => {
  vi.useRealTimers();
  const ring = new Happenings();
  const ending = new AbortController();
  const found: string[] = [];
  const following = (async () => {
    for await (const { happenings } of ring.follow({ kinds: ["mail"] }, ending.signal))
      for (const one of happenings) if (one.kind === "mail") found.push(one.to);
  })();
  ring.happened(mail("ana@example.com"));
  ring.happened(broadcast("room"));
  await expect.poll(() => found).toEqual(["ana@example.com"]);
  ending.abort();
  await following;
});
