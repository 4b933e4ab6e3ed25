/** A disk on which a copy of the state has no room: save and restore are refused in words, and the stack goes on. */
import { readdirSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Project } from "../../../test/cli/project.ts";
import { canMount, mountDisk, unmountDisk } from "./small-disk.ts";
import { change, SNAPSHOTS_PROJECT, stateOf } from "./state.ts";

const SIZE_MEGABYTES = 320;
const LEFT_BYTES = 24 * 1024 ** 2;

let disk: string;
let project: Project;

beforeAll(async () => {
  if (!canMount) return;
  disk = mountDisk(SIZE_MEGABYTES);
  project = new Project({}, join(disk, "app"));
  for (const [path, text] of Object.entries(SNAPSHOTS_PROJECT)) project.write(path, text);
  await project.start();
  await change(project, "n2");
}, 120_000);
afterAll(async () => {
  if (!canMount) return;
  await project.stop();
  unmountDisk(disk);
}, 60_000);

test.skipIf(!canMount)(
  "where the disk has no room for a copy, a save and a restore say so, and nothing is changed",
  async () => {
    expect(await project.run("snapshot", "save", "one")).toMatchObject({ code: 0, stderr: "" });
    const state = await stateOf(project);
    const { bavail, bsize } = statfsSync(disk);
    writeFileSync(join(disk, "ballast"), Buffer.alloc(bavail * bsize - LEFT_BYTES));
    for (const args of [
      ["save", "two"],
      ["restore", "one"],
    ]) {
      const { code, stderr } = await project.run("snapshot", ...args);
      expect([args, code, stderr]).toEqual([
        args,
        1,
        expect.stringMatching(/The copy takes \d+ MB, and \d+ MB are free on its disk/),
      ]);
      expect(await stateOf(project)).toEqual(state);
    }
    const folder = join(project.folder, ".homebase");
    expect(readdirSync(folder).filter((name) => /restoring|replac/.test(name))).toEqual([]);
    expect(readdirSync(join(folder, "snapshots"))).toEqual(["one"]);
  },
  120_000,
);
