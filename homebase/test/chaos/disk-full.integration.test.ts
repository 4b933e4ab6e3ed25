/**
 * A full disk under the whole stack: no acknowledged write is lost, and it works again after space is freed.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Project } from "../cli/project.ts";
import { CHAOS_PROJECT, Load } from "./load.ts";

const SIZE_MEGABYTES = 256;
/** Reserved at first, so that space can be freed later. */
const BALLAST_BYTES = 32 * 1024 * 1024;
const FULL_BYTES = 512 * 1024;

// Only root can mount, and only Linux has this file system.
const able = process.platform === "linux" && process.getuid?.() === 0 && mountable();

let disk: string;
let project: Project;
let load: Load;

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
  for (const [path, text] of Object.entries(CHAOS_PROJECT)) project.write(path, text);
  load = new Load(project);
  await project.start();
}, 60_000);
afterAll(async () => {
  if (!able) return;
  await load.close();
  await project.stop();
  execFileSync("umount", ["-l", disk]);
  rmSync(disk, { recursive: true });
}, 60_000);

const free = () => {
  const { bavail, bsize } = statfsSync(disk);
  return bavail * bsize;
};

test.skipIf(!able)(
  "a full disk loses nothing that was acknowledged (needs root and tmpfs)",
  async () => {
    load.start();
    await expect.poll(() => load.acknowledged, { timeout: 30_000 }).toBeGreaterThan(20);
    const ballast = join(disk, "ballast");
    writeFileSync(ballast, Buffer.alloc(BALLAST_BYTES));
    writeFileSync(join(disk, "filler"), Buffer.alloc(Math.max(0, free() - 4 * FULL_BYTES)));
    await expect.poll(free, { timeout: 60_000, interval: 20 }).toBeLessThan(FULL_BYTES);
    // Further attempts while the disk is full.
    const refused = load.refused;
    await expect.poll(() => load.refused - refused, { timeout: 60_000 }).toBeGreaterThan(10);
    await load.stop();
    rmSync(ballast);
    await project.stop();
    await project.start();
    expect(await load.missing(), project.output).toEqual([]);
    const check = await project.run("storage", "check", "--hash");
    expect([check.code, check.stdout]).toEqual([0, expect.stringContaining("No faults")]);
  },
  150_000,
);
