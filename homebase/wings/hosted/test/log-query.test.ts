/** Bounds of the stand-in's logs: how many rows are kept, and how large a query becomes. */
import { expect, test } from "vitest";
import { silentLog } from "../../../src/core/log.ts";
import { postgresQuery } from "../logs/query.ts";
import { ProjectLogs } from "../logs/store.ts";

test("old rows give way, and the last five thousand stay", () => {
  const logs = new ProjectLogs();
  const log = logs.recording(silentLog).named("auth");
  for (let index = 0; index < 25_000; index += 1) log.info(String(index));
  const kept = logs
    .between(new Date(0), new Date(Date.now() + 60_000))
    .map(({ event_message }) => event_message);
  expect(kept.at(-1)).toBe("24999");
  expect(kept).toContain("20000");
  expect(kept.length).toBeLessThanOrEqual(10_000);
});

test("entries of other services, and of no project, are no rows", () => {
  const logs = new ProjectLogs();
  logs.recording(silentLog).named("management").info("not of the project");
  expect(logs.between(new Date(0), new Date(Date.now() + 60_000))).toEqual([]);
});

test("Postgres's lines about one event are one row", () => {
  const logs = new ProjectLogs();
  const log = logs.recording(silentLog).named("postgres");
  log.debug('ERROR:  23505: duplicate key value violates unique constraint "notes_pkey"');
  log.debug("DETAIL:  Key (id)=(1) already exists.");
  log.debug("STATEMENT:  insert into notes");
  log.debug("\tvalues (1)");
  log.debug("LOG:  00000: checkpoint starting: time");
  const [error, checkpoint, ...others] = logs.between(new Date(0), new Date(Date.now() + 60_000));
  expect(error).toMatchObject({
    severity_text: "ERROR",
    event_message: 'duplicate key value violates unique constraint "notes_pkey"',
    log_attributes: {
      "parsed.sql_state_code": "23505",
      "parsed.detail": "Key (id)=(1) already exists.",
      "parsed.query": "insert into notes\nvalues (1)",
    },
  });
  expect(checkpoint?.event_message).toBe("checkpoint starting: time");
  expect(others).toEqual([]);
});

test("names that stand for each other do not make a query grow without end", () => {
  const chain = [
    "1 as a0",
    ...Array.from({ length: 40 }, (_, index) => `a${index} + a${index} as a${index + 1}`),
  ];
  expect(() => postgresQuery(`select ${chain.join(", ")} from logs`)).toThrow("too large");
  expect(() => postgresQuery("select b as a, a as b from logs")).not.toThrow();
  expect(() => postgresQuery(`select ${"(".repeat(100)}1${")".repeat(100)}`)).toThrow("nested too deeply");
});
