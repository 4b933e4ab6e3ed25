/** What a part of the feed has of more than it can hold. */
import { expect, test } from "vitest";
import { Happenings } from "../../../src/core/happenings.ts";
import { silentLog } from "../../../src/core/log.ts";
import { RequestRecords } from "../../../src/http/records.ts";
import { Feed } from "../server/feed.ts";
import type { Source } from "../server/owner-connections.ts";

test("runs of jobs leave room for what else happened, and all that is left out is counted", () => {
  const happenings = new Happenings();
  const requests = new RequestRecords();
  const backend = { happenings, requests, suspensions: { count: 0, now: false }, service: () => undefined };
  const feed = new Feed({ backend } as unknown as Source, silentLog);
  const names = (filter: string) => {
    const { rows, leftOut } = feed.reader(filter)([0, 0]);
    const of = (kind: string) => rows.filter((row) => row.kind === kind).length;
    return { logs: of("log"), jobs: of("job"), leftOut };
  };
  const ran = { kind: "job", job: "1", name: "sweep", role: "postgres", status: "succeeded" } as const;
  for (let at = 0; at < 5; at += 1)
    happenings.happened({ kind: "log", level: "info", service: "functions", message: `line ${at}` });
  for (let at = 0; at < 100; at += 1)
    happenings.happened({ ...ran, run: `${at}`, message: `${at}`, milliseconds: 1 });
  expect(names("")).toEqual({ logs: 5, jobs: 45, leftOut: 55 });
  expect(names("is:job")).toEqual({ logs: 0, jobs: 50, leftOut: 50 });
  for (let at = 5; at < 100; at += 1)
    happenings.happened({ kind: "log", level: "info", service: "functions", message: `line ${at}` });
  expect(names("")).toEqual({ logs: 38, jobs: 12, leftOut: 150 });
});
