/**
 * Owns running a script with its temporary files in memory. A test run creates and removes hundreds of data folders of
 * 1,500 files each, which on a disk takes half of its processor time. No test simulates a power failure of the machine.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { privateFolder } from "../homebase/src/core/private-folder.ts";
import { SYSTEM_FOLDER } from "../homebase/src/core/user-folders.ts";
import { PORT_LEASES } from "../homebase/test/port-lease.ts";
import { node, nodeFlags, run } from "./process.ts";

/** Set in the script that has its files in memory. */
const MARK = "NOSH_IN_MEMORY";
const LIMIT_GIB = 6;
/** With less than that, the browsers and servers of a run may need what the files take. */
const NEEDED_BYTES = (LIMIT_GIB + 4) * 2 ** 30;

/** The exit code where a mount was refused, which no script has. */
const REFUSED = 117;
/** The mounts of a namespace are seen by its own processes only, and end with the last of them. */
const NAMESPACE = ["--mount", "--propagation", "private"];
/**
 * Root's servers have their data in a system folder. Temporary files are below it, because the stack renames between both,
 * which takes one file system. The clusters that were built for this machine and the leases of ports stay on the disk: all
 * runs have them in common.
 */
const MOUNTS = `mount --bind "$1/clusters" "$4" &&
mount -t tmpfs -o mode=755,size=${LIMIT_GIB}g tmpfs "$1" &&
mkdir "$1/clusters" "$1/tmp" &&
chmod 1777 "$1/tmp" &&
mkdir "$1/tmp/$3" &&
mount --move "$4" "$1/clusters" &&
mount --bind "$2/$3" "$1/tmp/$3" || exit ${REFUSED}
export TMPDIR="$1/tmp" ${MARK}=yes
shift 4
exec "$@"`;

/**
 * Runs this process's script again with its temporary files in memory, where that is possible: by root on Linux, with
 * enough memory. Everybody else runs it on the disk.
 * @returns its exit code; undefined when the script is to go on in this process
 */
export async function againInMemory(): Promise<number | undefined> {
  if (process.env[MARK] !== undefined || process.platform !== "linux" || process.getuid?.() !== 0) return;
  if (process.availableMemory() < NEEDED_BYTES) return;
  // An empty folder, in which the clusters are mounted while the system folder is covered.
  const meanwhile = privateFolder(join(tmpdir(), "nosh-clusters"), { mode: 0o755 });
  for (const common of [join(SYSTEM_FOLDER, "clusters"), join(tmpdir(), PORT_LEASES)])
    mkdirSync(common, { recursive: true });
  try {
    // Some containers' root may not mount.
    execFileSync("unshare", [...NAMESPACE, "mount", "-t", "tmpfs", "tmpfs", meanwhile], { stdio: "ignore" });
  } catch {
    return;
  }
  const ended = await run("unshare", [
    ...NAMESPACE,
    ...["sh", "-c", MOUNTS, "sh", SYSTEM_FOLDER, tmpdir(), PORT_LEASES, meanwhile],
    ...[node, ...nodeFlags, ...process.argv.slice(1)],
  ]);
  return ended === REFUSED ? undefined : ended;
}
