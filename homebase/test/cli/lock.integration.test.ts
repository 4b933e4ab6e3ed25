/**
 * Concurrent commands on one project: one does its work, the others name the holder of the lock, and nothing
 * is lost.
 */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { NOTES_PROJECT } from "./notes-project.ts";
import { descendants, Project } from "./project.ts";

let project: Project;
afterEach(() => project.remove(), 120_000);

test("of several first starts one comes up; the others name it with pid, time, folder and the way to stop it", async () => {
  project = new Project(NOTES_PROJECT);
  const racers = [project, ...Array.from({ length: 3 }, () => project.twin())];
  const outcomes = await Promise.all(racers.map((racer) => racer.tryStart()));
  const winner = racers[outcomes.findIndex(({ ready }) => ready)];
  expect(outcomes.filter(({ ready }) => ready)).toHaveLength(1);
  for (const { code, output } of outcomes.filter(({ ready }) => !ready)) {
    expect(code).toBe(1);
    expect(output).toMatch(
      new RegExp(
        `homebase start is already running for this project \\(pid ${winner?.pid}, since \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d, in /.*\\)`,
      ),
    );
    expect(output).toContain(`homebase stop, or: kill ${winner?.pid}`);
  }
  await project.rest("notes", { method: "POST", body: '{"id":2,"body":"kept"}' });

  // With existing data, and after a kill that left the lock's file.
  process.kill(winner?.pid ?? 0, "SIGKILL");
  const others = [0, 1, 2].map(() => project.twin());
  const again = await Promise.all(others.map((racer) => racer.tryStart()));
  expect(again.filter(({ ready }) => ready)).toHaveLength(1);
  const refused = await Promise.all([project.run("start"), project.run("reset", "--port-offset", "9999")]);
  expect(refused[0].code).toBe(1);
  expect((await (await project.rest("notes?select=id&order=id")).json()) as unknown).toEqual(
    refused[1].code === 0 ? [{ id: 1 }] : [{ id: 1 }, { id: 2 }],
  );
  await project.stop();
}, 360_000);

test("reset and storage check wait for no start, and a start that has not come up yet can be stopped", async () => {
  project = new Project(NOTES_PROJECT);
  const starting = project.tryStart();
  await expect
    .poll(() => project.run("status").then(({ stderr }) => stderr), { timeout: 20_000 })
    .not.toContain("is not running");
  const [stopped, outcome] = await Promise.all([project.run("stop"), starting]);
  expect([stopped.code, stopped.stdout]).toEqual([0, "Stopped.\n"]);
  await project.ended();
  expect(outcome.output).not.toMatch(/Error/);
  await expect.poll(() => descendants(project.pid)).toEqual([]);
  await project.start();
  expect(await (await project.rest("notes?select=id")).json()).toEqual([{ id: 1 }]);
}, 300_000);

test("a folder for sockets that is not this user's own is refused with the way on", async () => {
  project = new Project(NOTES_PROJECT);
  const temporary = mkdtempSync(join(tmpdir(), "homebase-tmp-"));
  const elsewhere = join(temporary, "elsewhere");
  mkdirSync(elsewhere);
  symlinkSync(elsewhere, join(temporary, `homebase-${process.getuid?.() ?? "user"}`));
  project.environment = { TMPDIR: temporary };
  const { ready, output } = await project.tryStart();
  expect(ready).toBe(false);
  expect(output).toMatch(/^Error: .* is a link, so its contents may belong to somebody else\. Remove it/m);
  project.environment = {};
  rmSync(temporary, { recursive: true });
}, 300_000);
