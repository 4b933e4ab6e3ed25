/**
 * How Postgres's files are copied: by reflink on a file system that can (an XFS made for this test), where a copy takes no
 * space and is a file of its own, and byte by byte on one that cannot (tmpfs), which the command says.
 */
import { statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { Cluster } from "../../../src/postgres/cluster/cluster.ts";
import { Project, removeServerFolder } from "../../../test/cli/project.ts";
import { canMount, mountDisk, mountReflinkDisk, noReflinks, unmountDisk } from "./small-disk.ts";
import { change, SNAPSHOTS_PROJECT, stateOf } from "./state.ts";

const SIZE_MEGABYTES = 400;
const BYTE_BY_BYTE = "The database was copied byte by byte: this file system has no reflinks.";

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const one of undo.splice(0).reverse()) await one();
}, 60_000);

/** A running stack whose project and data are on `disk`. */
async function startOn(disk: string): Promise<Project> {
  undo.push(() => unmountDisk(disk));
  const project = new Project({}, join(disk, "app"));
  undo.push(() => removeServerFolder(project.folder));
  for (const [path, text] of Object.entries(SNAPSHOTS_PROJECT)) project.write(path, text);
  undo.push(() => project.stop());
  await project.start();
  expect(statSync(Cluster.dataFolder(project.folder)).dev).toBe(statSync(disk).dev);
  await change(project, "n2");
  return project;
}

const commandsOf = (project: Project) => ({
  text: async (...args: string[]) => {
    const { code, stdout, stderr } = await project.run("snapshot", ...args);
    expect([code, stderr]).toEqual([0, ""]);
    return stdout;
  },
  json: async (...args: string[]) => {
    const { code, stdout, stderr } = await project.run("snapshot", ...args, "--json");
    expect([code, stderr]).toEqual([0, ""]);
    return JSON.parse(stdout);
  },
});

const freeOn = (disk: string) => {
  const { bavail, bsize } = statfsSync(disk);
  return bavail * bsize;
};

test("by reflink, in a running stack and without one: a copy takes no space, and neither state changes the other", async ({
  skip,
}) => {
  skip(noReflinks !== undefined, `no disk with reflinks can be mounted here: ${noReflinks}`);
  const disk = mountReflinkDisk();
  const project = await startOn(disk);
  const { text, json } = commandsOf(project);
  const two = await stateOf(project);
  expect(await text("save", "first")).not.toContain("byte by byte");
  const free = freeOn(disk);
  const saved = await json("save", "two");
  expect(saved).toMatchObject({ saved: "two", reflink: true });
  // What the running server writes meanwhile is some megabytes; a copy of the bytes would be all of them.
  expect(free - freeOn(disk)).toBeLessThan(saved.bytes / 2);

  await change(project, "n3");
  const three = await stateOf(project);
  expect(await json("restore", "two")).toMatchObject({ restored: "two", reflink: true });
  expect(await stateOf(project)).toEqual(two);
  expect(await json("restore", "before-restore")).toMatchObject({ reflink: true });
  expect(await stateOf(project)).toEqual(three);

  await project.stop();
  expect(await json("save", "three")).toMatchObject({ reflink: true });
  expect(await json("restore", "first")).toMatchObject({ reflink: true });
  await project.start();
  expect(await stateOf(project)).toEqual(two);
}, 240_000);

test("byte by byte where the file system has no reflinks, and the command says so", async ({ skip }) => {
  skip(!canMount, "no disk can be mounted here: that needs Linux and root");
  const disk = mountDisk(SIZE_MEGABYTES);
  const project = await startOn(disk);
  const { text, json } = commandsOf(project);
  const two = await stateOf(project);
  const free = freeOn(disk);
  const saved = await json("save", "two");
  expect(saved).toMatchObject({ reflink: false });
  expect(free - freeOn(disk)).toBeGreaterThan(saved.bytes / 2);
  await change(project, "n3");
  expect(await text("restore", "two")).toContain(BYTE_BY_BYTE);
  expect(await stateOf(project)).toEqual(two);
}, 180_000);
