/** The checks run again with their temporary files in memory where the system lets them, and on the disk elsewhere. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { SYSTEM_FOLDER } from "../../homebase/src/core/user-folders.ts";
import { root } from "../../scripts/process.ts";

// Not below the temporary files of this test's own run, which another run in memory covers.
const folder = mkdtempSync("/tmp/nosh-in-memory-");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a script says that has run, and its exit code. */
function runScript(before: readonly string[], variables: Record<string, string>) {
  const script = join(folder, "script.ts");
  writeFileSync(
    script,
    `import { appendFileSync, readFileSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SYSTEM_FOLDER } from "${root}/homebase/src/core/user-folders.ts";
import { PORT_LEASES } from "${root}/homebase/test/port-lease.ts";
import { againInMemory } from "${root}/scripts/in-memory.ts";
const ended = await againInMemory();
if (ended !== undefined) process.exit(ended);
const TMPFS = 0x01021994;
const inMemory = (path: string) => statfsSync(path).type === TMPFS;
const mounted = readFileSync("/proc/self/mountinfo", "utf8").split("\\n").map((line) => line.split(" ")[4]);
const places = { files: tmpdir(), servers: SYSTEM_FOLDER, clusters: join(SYSTEM_FOLDER, "clusters"), leases: join(tmpdir(), PORT_LEASES) };
appendFileSync("${folder}/said", JSON.stringify({
  argument: process.argv[2],
  files: places.files,
  memory: inMemory(places.files),
  mounted: Object.entries(places).flatMap(([name, path]) => (mounted.includes(path) ? [name] : [])),
}) + "\\n");
process.exit(7);`,
  );
  rmSync(join(folder, "said"), { force: true });
  const [program = "", ...args] = [...before, process.execPath, script, "argument"];
  const { NOSH_IN_MEMORY: _, ...environment } = process.env;
  const { status, stderr } = spawnSync(program, args, {
    env: { ...environment, ...variables },
    encoding: "utf8",
  });
  return { status, stderr, said: readFileSync(join(folder, "said"), "utf8") };
}

/** Whether this user may mount. */
const mounts =
  process.platform === "linux" &&
  process.getuid?.() === 0 &&
  process.availableMemory() > 11 * 2 ** 30 &&
  spawnSync("unshare", ["--mount", "true"]).status === 0;

test.runIf(mounts)("root's files are in memory, and clusters and leases of ports in common", () => {
  expect(runScript([], { TMPDIR: "/tmp" })).toEqual({
    status: 7,
    stderr: "",
    said: `${JSON.stringify({ argument: "argument", files: join(SYSTEM_FOLDER, "tmp"), memory: true, mounted: ["servers", "clusters", "leases"] })}\n`,
  });
});

test.runIf(mounts)("root that may not mount has its files where they were, and the script runs once", () => {
  const { status, said } = runScript(["setpriv", "--bounding-set", "-sys_admin"], { TMPDIR: folder });
  expect([status, JSON.parse(said)]).toEqual([7, expect.objectContaining({ argument: "argument" })]);
  expect(JSON.parse(said).files).toBe(folder);
});

test.runIf(mounts)("where one mount of several is refused, the script has its files where they were", () => {
  const { PATH = "" } = process.env;
  const programs = join(folder, "programs");
  mkdirSync(programs);
  writeFileSync(
    join(programs, "mount"),
    `#!/bin/sh\ncase "$1" in --move) exit 32;; esac\nPATH='${PATH}' exec mount "$@"\n`,
    { mode: 0o755 },
  );
  const { status, said } = runScript([], { TMPDIR: folder, PATH: `${programs}:${PATH}` });
  expect([status, JSON.parse(said)]).toEqual([7, expect.objectContaining({ files: folder })]);
});

test.runIf(process.platform === "linux")("a script that has its files in memory does not run again", () => {
  const { status, said } = runScript([], { NOSH_IN_MEMORY: "yes" });
  expect([status, said.split("\n").length]).toEqual([7, 2]);
});
