/**
 * Kills at random moments of a save and a restore: the next start has the state from before or the one that was asked for,
 * whole, and never a snapshot with half of its files. SNAPSHOT_ROUNDS=20 runs more rounds than the 3 of `npm test`;
 * SNAPSHOT_SEED=n repeats another run's.
 */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { kill } from "../../../test/chaos/kills.ts";
import { seeded } from "../../../test/chaos/random.ts";
import { Project } from "../../../test/cli/project.ts";
import { change, SNAPSHOTS_PROJECT, stateOf } from "./state.ts";

const ROUNDS = Number(process.env.SNAPSHOT_ROUNDS ?? 3);
const SEED = Number(process.env.SNAPSHOT_SEED ?? Date.now() % 1_000_000);
const random = seeded(SEED);
const project = new Project(SNAPSHOTS_PROJECT);
const home = join(project.folder, ".homebase");
let base: Record<string, unknown>;
/** How long the two commands take here, undisturbed. */
const lasts: Record<string, number> = {};

async function timed(command: string, name: string): Promise<void> {
  const began = performance.now();
  expect(await project.run("snapshot", command, name)).toMatchObject({ code: 0 });
  lasts[command] = performance.now() - began;
}

beforeAll(async () => {
  await project.start();
  await change(project, "n2");
  base = await stateOf(project);
  await timed("save", "base");
  await timed("restore", "base");
}, 120_000);
afterAll(() => project.remove(), 60_000);

/** Ends the stack at a moment of the command's time, in one of three ways. */
async function killDuring(command: string, name: string): Promise<string> {
  const running = project.run("snapshot", command, name);
  const moment = random() * (lasts[command] ?? 0);
  const way = Math.floor(random() * 2);
  await pause(moment);
  if (way === 0) await project.killTree();
  else {
    kill(project.pid, "SIGKILL");
    await project.ended();
  }
  const { code } = await running;
  return `${command} killed after ${Math.round(moment)} ms (${way === 0 ? "tree" : "stack"}), exit ${code}`;
}

test.each(Array.from({ length: ROUNDS }, (_, at) => at + 1))(
  `round %i of seed ${SEED}`,
  async (round) => {
    await change(project, `n${round + 2}`);
    const before = await stateOf(project);
    const names = readdirSync(join(home, "snapshots")).filter((name) => !name.includes("."));

    const first = await killDuring("save", `round${round}`);
    await project.start();
    expect(await stateOf(project), first).toEqual(before);
    const listed = await project.run("snapshot", "list", "--json");
    const found = (JSON.parse(listed.stdout) as { name: string }[]).map(({ name }) => name).sort();
    // The save has ended before the kill, or it has left nothing.
    expect([[...names].sort(), [...names, `round${round}`].sort()], first).toContainEqual(found);

    const second = await killDuring("restore", "base");
    await project.start();
    const after = await stateOf(project);
    expect([before, base], `${first}; ${second}`).toContainEqual(after);
    expect((await project.run("storage", "check")).stdout, second).toContain("No faults");
    const left = readdirSync(home).filter((name) => /restoring|replac/.test(name));
    expect(left, second).toEqual([]);
    // Every snapshot that is there is whole.
    if (found.includes(`round${round}`)) {
      await timed("restore", `round${round}`);
      expect(await stateOf(project), first).toEqual(before);
      await project.run("snapshot", "delete", `round${round}`);
    }
    await timed("restore", "base");
    expect(await stateOf(project)).toEqual(base);
    expect(existsSync(join(home, "replacing.json"))).toBe(false);
  },
  180_000,
);
