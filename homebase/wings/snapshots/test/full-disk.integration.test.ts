/** A disk on which a copy of the state has no room: save and restore are refused in words, and the stack goes on. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Project } from "../../../test/cli/project.ts";
import { change, SNAPSHOTS_PROJECT, stateOf } from "./state.ts";

const SIZE_MEGABYTES = 320;
const LEFT_BYTES = 24 * 1024 ** 2;

// Only root can mount, and only Linux has this file system.
const able = process.platform === "linux" && process.getuid?.() === 0 && mountable();
let disk: string;
let project: Project;

function mountable(): boolean {
  const folder = mkdtempSync(join(tmpdir(), "homebase-mount-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], { stdio: "ignore" });
    execFileSync("umount", [folder]);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

beforeAll(async () => {
  if (!able) return;
  disk = mkdtempSync(join(tmpdir(), "homebase-disk-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${SIZE_MEGABYTES}m,mode=755`, "tmpfs", disk]);
  chmodSync(disk, 0o755);
  project = new Project({}, join(disk, "app"));
  for (const [path, text] of Object.entries(SNAPSHOTS_PROJECT)) project.write(path, text);
  await project.start();
  await change(project, "n2");
}, 120_000);
afterAll(async () => {
  if (!able) return;
  await project.stop();
  execFileSync("umount", ["-l", disk]);
  rmSync(disk, { recursive: true });
}, 60_000);

test.skipIf(!able)(
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
