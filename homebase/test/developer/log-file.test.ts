/** The log file: limited in size while the stack runs, and not required for the stack to continue. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { LogEntry } from "../../src/core/log.ts";
import { logFile } from "../../src/developer/log-file.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "homebase-log-"));
  path = join(folder, "logs", "homebase.jsonl");
});
afterEach(() => rmSync(folder, { recursive: true }));

const entry = (message: string): LogEntry => ({
  time: "2026-01-01T00:00:00.000Z",
  level: "info",
  service: "homebase",
  message,
});

test("a running log is set aside when it is full: two files at most, the newest entries in them, in order", async () => {
  const { sink, end } = logFile(path, { maxBytes: 10_000 });
  for (let count = 0; count < 500; count += 1) {
    sink(entry(`entry ${count} ${"x".repeat(100)}`));
    if (count % 20 === 19) await end();
  }
  await end();
  expect(readdirSync(join(folder, "logs")).sort()).toEqual(["homebase.jsonl", "homebase.jsonl.1"]);
  const text = readFileSync(`${path}.1`, "utf8") + readFileSync(path, "utf8");
  const numbers = text
    .trim()
    .split("\n")
    .map((line) => Number(/entry (\d+)/.exec((JSON.parse(line) as LogEntry).message)?.[1]));
  expect(numbers.at(-1)).toBe(499);
  expect(numbers).toEqual(numbers.map((_, index) => 500 - numbers.length + index));
  for (const name of readdirSync(join(folder, "logs"))) {
    expect(statSync(join(folder, "logs", name)).size).toBeLessThan(20_000);
    expect(statSync(join(folder, "logs", name)).mode & 0o077).toBe(0);
  }
});

test("a place that cannot be written is told once, and entries flow again when it can", async () => {
  mkdirSync(path, { recursive: true });
  const onFailure = vi.fn();
  const { sink, end } = logFile(path, { onFailure });
  sink(entry("lost"));
  await end();
  sink(entry("lost too"));
  await end();
  expect(onFailure).toHaveBeenCalledTimes(1);
  rmSync(path, { recursive: true });
  sink(entry("kept"));
  await end();
  expect(readFileSync(path, "utf8")).toContain("kept");
});

test("a file in the place of the folder is told, not thrown", () => {
  writeFileSync(join(folder, "logs"), "");
  const onFailure = vi.fn();
  logFile(path, { onFailure });
  expect(onFailure).toHaveBeenCalledTimes(1);
});
