/** Postgres's data on another disk than the project, as root's is where only root can enter the project's folder. */
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Cluster } from "../../../src/postgres/cluster/cluster.ts";
import { Project, removeServerFolder } from "../../../test/cli/project.ts";
import { canMount, mountDisk, unmountDisk } from "./small-disk.ts";
import { change, SNAPSHOTS_PROJECT, stateOf } from "./state.ts";

const SIZE_MEGABYTES = 400;
let disk: string;
let project: Project;

beforeAll(async () => {
  if (!canMount) return;
  disk = mountDisk(SIZE_MEGABYTES);
  mkdirSync(join(disk, "closed"), { mode: 0o700 });
  project = new Project({}, join(disk, "closed", "app"));
  for (const [path, text] of Object.entries(SNAPSHOTS_PROJECT)) project.write(path, text);
  await project.start();
}, 120_000);
afterAll(async () => {
  if (!canMount) return;
  await project.stop();
  removeServerFolder(project.folder);
  unmountDisk(disk);
}, 60_000);

test.skipIf(!canMount)(
  "a state is saved and restored across disks, and so is what a restore replaces",
  async () => {
    expect(statSync(Cluster.dataFolder(project.folder)).dev).not.toBe(statSync(project.folder).dev);
    const done = async (...args: string[]) =>
      expect(await project.run("snapshot", ...args)).toMatchObject({ code: 0, stderr: "" });
    await change(project, "n2");
    const two = await stateOf(project);
    await done("save", "two");
    await change(project, "n3");
    const three = await stateOf(project);
    await done("restore", "two");
    expect(await stateOf(project)).toEqual(two);
    await done("restore", "before-restore");
    expect(await stateOf(project)).toEqual(three);
    await project.stop();
    await done("restore", "before-restore");
    await project.start();
    expect(await stateOf(project)).toEqual(two);
  },
  180_000,
);
