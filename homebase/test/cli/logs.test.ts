/** `homebase logs --follow` while the stack's log is written and rotated. */
import { spawn } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import type { LogEntry } from "../../src/core/log.ts";
import { logFile } from "../../src/developer/log-file.ts";
import { claimStateFolder } from "../../src/postgres/cluster/state-folder.ts";
import { COMMAND } from "../command.ts";

const entry = (number: number, service = "rest"): LogEntry => ({
  time: new Date(0).toISOString(),
  level: "info",
  service,
  message: `entry ${number} ${"x".repeat(200)}`,
});

test("following shows every entry once, in order, also when the file is set aside", async () => {
  const project = mkdtempSync(join(tmpdir(), "homebase-logs-"));
  mkdirSync(join(project, "supabase"));
  writeFileSync(join(project, "supabase", "config.toml"), 'project_id = "logs"\n');
  claimStateFolder(project);
  const path = join(project, ".homebase", "logs", "homebase.jsonl");
  const log = logFile(path, { maxBytes: 2_000 });
  log.sink(entry(0));
  await log.end();

  const command = spawn(
    process.execPath,
    [COMMAND, "logs", "rest", "--follow", "--json", "--workdir", project],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const shown: string[] = [];
  createInterface({ input: command.stdout }).on("line", (line) => {
    shown.push((JSON.parse(line) as LogEntry).message.split(" ", 2).join(" "));
  });
  onTestFinished(async () => {
    command.kill();
    await log.end();
    rmSync(project, { recursive: true, force: true });
  });

  await expect.poll(() => shown).toEqual(["entry 0"]);
  for (let number = 1; number < 25; number++) {
    log.sink(entry(number));
    log.sink(entry(number, "auth"));
    await expect.poll(() => shown.at(-1)).toBe(`entry ${number}`);
  }
  expect(shown).toEqual(Array.from({ length: 25 }, (_, number) => `entry ${number}`));
});

test("an entry whose line is written in two pieces is shown when it is whole", async () => {
  const project = mkdtempSync(join(tmpdir(), "homebase-logs-"));
  const folder = join(project, ".homebase", "logs");
  mkdirSync(join(project, "supabase"));
  writeFileSync(join(project, "supabase", "config.toml"), 'project_id = "logs"\n');
  claimStateFolder(project);
  mkdirSync(folder, { recursive: true });
  const line = JSON.stringify(entry(1));
  const path = join(folder, "homebase.jsonl");
  writeFileSync(path, `${JSON.stringify(entry(0))}\n${line.slice(0, 50)}`);

  const command = spawn(process.execPath, [COMMAND, "logs", "-f", "--json", "--workdir", project], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const shown: string[] = [];
  createInterface({ input: command.stdout }).on("line", (text) => shown.push(text));
  onTestFinished(() => {
    command.kill();
    rmSync(project, { recursive: true, force: true });
  });

  await expect.poll(() => shown.length).toBe(1);
  appendFileSync(path, `${line.slice(50)}\n`);
  await expect.poll(() => shown.at(-1)).toBe(line);
});
