/** Owns small disks for tests. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Only root can mount, and only Linux has this file system. */
export const canMount = process.platform === "linux" && process.getuid?.() === 0 && mountable();

/** @returns its folder. */
export function mountDisk(megabytes: number): string {
  const disk = mkdtempSync(join(tmpdir(), "homebase-disk-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=755`, "tmpfs", disk], {
    stdio: "ignore",
  });
  chmodSync(disk, 0o755);
  return disk;
}

export function unmountDisk(disk: string): void {
  execFileSync("umount", ["-l", disk]);
  rmSync(disk, { recursive: true });
}

function mountable(): boolean {
  try {
    unmountDisk(mountDisk(1));
    return true;
  } catch {
    return false;
  }
}
