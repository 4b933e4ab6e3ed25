/** A `.homebase/` that this user's commands have not made on this machine is not used before it is signed. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { lockHolder } from "../../src/developer/data-lock.ts";
import { claimStateFolder, isTrusted, UntrustedFolder } from "../../src/postgres/cluster/state-folder.ts";
import { hasWing } from "../has-wing.ts";
import { Project } from "./project.ts";
import { snapshot } from "./snapshot.ts";

const folders: string[] = [];
const elsewhere = mkdtempSync(join(tmpdir(), "homebase-elsewhere-"));
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function projectFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "homebase-trust-"));
  folders.push(folder);
  mkdirSync(join(folder, "supabase"));
  return folder;
}

test("a missing or empty folder is made and signed, and stays so", () => {
  for (const prepare of [() => {}, (folder: string) => mkdirSync(join(folder, ".homebase"))]) {
    const folder = projectFolder();
    prepare(folder);
    expect(isTrusted(folder)).toBe(false);
    claimStateFolder(folder);
    writeFileSync(join(folder, ".homebase", "more"), "");
    expect(claimStateFolder(folder)).toBe(join(folder, ".homebase"));
    expect(isTrusted(folder)).toBe(true);
  }
});

/** What a repository may bring in place of the folder. */
const brought: Record<string, (folder: string) => void> = {
  "a program": (folder) => {
    mkdirSync(join(folder, ".homebase", "postgres-17.10-8", "bin"), { recursive: true });
    writeFileSync(join(folder, ".homebase", "postgres-17.10-8", "bin", "postgres"), "#!/bin/sh\n", {
      mode: 0o755,
    });
  },
  "a database": (folder) => {
    mkdirSync(join(folder, ".homebase", "data"), { recursive: true });
    writeFileSync(join(folder, ".homebase", "data", "PG_VERSION"), "17\n");
  },
  "another one's signature": (folder) => {
    const other = projectFolder();
    claimStateFolder(other);
    cpSync(join(other, ".homebase"), join(folder, ".homebase"), { recursive: true });
  },
  "a signature that is a link": (folder) => {
    mkdirSync(join(folder, ".homebase"));
    symlinkSync("/dev/zero", join(folder, ".homebase", "made-here"));
  },
  "a signature without an end": (folder) => {
    mkdirSync(join(folder, ".homebase"));
    writeFileSync(join(folder, ".homebase", "made-here"), "x".repeat(1_000_000));
  },
  "a link": (folder) => symlinkSync(elsewhere, join(folder, ".homebase")),
  "a link to nothing": (folder) => symlinkSync("/nothing/there", join(folder, ".homebase")),
  "a file": (folder) => writeFileSync(join(folder, ".homebase"), ""),
};

test.each(Object.keys(brought))("%s is refused, and left as it is", (what) => {
  const folder = projectFolder();
  brought[what]?.(folder);
  const before = snapshot(folder);
  expect(() => claimStateFolder(folder)).toThrow(UntrustedFolder);
  expect(snapshot(folder)).toEqual(before);
});

test("a folder that moves with its project is another one", () => {
  const folder = projectFolder();
  claimStateFolder(folder);
  renameSync(folder, `${folder}-moved`);
  folders.push(`${folder}-moved`);
  expect(() => claimStateFolder(`${folder}-moved`)).toThrow("homebase trust");
});

test("files that git tracks are refused, signed or not", () => {
  const folder = projectFolder();
  claimStateFolder(folder);
  const git = (...args: string[]) => execFileSync("git", ["-C", folder, ...args], { stdio: "ignore" });
  git("init");
  expect(() => claimStateFolder(folder)).not.toThrow();
  writeFileSync(join(folder, ".homebase", "x"), "");
  git("add", "--force", ".homebase/x");
  expect(() => claimStateFolder(folder)).toThrow("Git tracks files");
  // With most of the index in a file of its own.
  git("update-index", "--split-index");
  expect(() => claimStateFolder(folder)).toThrow("Git tracks files");
});

test("files that git tracks in a linked worktree are refused, and an index that cannot be read is too", () => {
  const folder = projectFolder();
  const git = (...args: string[]) => execFileSync("git", ["-C", folder, ...args], { stdio: "ignore" });
  git("init");
  mkdirSync(join(folder, ".homebase"));
  writeFileSync(join(folder, ".homebase", "x"), "");
  git("add", "--force", ".homebase/x");
  git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-m", "one");
  const tree = `${folder}-tree`;
  folders.push(tree);
  git("worktree", "add", tree);
  expect(() => claimStateFolder(tree)).toThrow("Git tracks files");

  const other = projectFolder();
  claimStateFolder(other);
  execFileSync("git", ["-C", other, "init"], { stdio: "ignore" });
  writeFileSync(join(other, ".git", "index"), "broken");
  expect(() => claimStateFolder(other)).toThrow("git's index cannot be read");
});

test("files that git tracks under another case are refused: file systems may not tell the cases apart", () => {
  const folder = projectFolder();
  claimStateFolder(folder);
  const git = (...args: string[]) => execFileSync("git", ["-C", folder, ...args], { stdio: "ignore" });
  git("init");
  git("update-index", "--add", "--cacheinfo", `100644,${"1".repeat(40)},.HomeBase/data/postgresql.conf`);
  expect(() => claimStateFolder(folder)).toThrow("Git tracks files");
});

test("the details of an unsigned folder name no process and no socket", () => {
  const folder = projectFolder();
  mkdirSync(join(folder, ".homebase"));
  writeFileSync(
    join(folder, ".homebase", "state.json"),
    JSON.stringify({ pid: process.ppid, controlSocket: "/run/other.sock" }),
  );
  expect(lockHolder(folder)).toBeUndefined();
});

test.each([
  ...(hasWing("policies") ? ["policies coverage", "policies coverage --forget"] : []),
  "logs",
  "status",
  "stop",
  "requests",
  "storage check",
])("%s reads and removes nothing behind a link in its place", async (command) => {
  const own = new Project();
  const other = mkdtempSync(join(tmpdir(), "homebase-other-"));
  folders.push(other);
  for (const name of ["coverage", "logs"]) {
    mkdirSync(join(other, name));
    writeFileSync(join(other, name, "homebase.jsonl"), '{"message":"of another"}\n');
  }
  symlinkSync(other, join(own.folder, ".homebase"));
  const before = snapshot(other);
  const { code, stdout, stderr } = await own.run(...command.split(" "));
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toContain("was not made by you on this machine");
  expect(snapshot(other)).toEqual(before);
  await own.remove();
});

let project: Project;
beforeAll(() => {
  // One that Postgres's own user can enter, so that the database is in it for root too.
  const open = mkdtempSync(join(tmpdir(), "homebase-trust-"));
  chmodSync(open, 0o755);
  project = new Project({ "config.toml": 'project_id = "trust"\n' }, join(open, "app"));
});
afterAll(async () => {
  await project.remove();
  rmSync(elsewhere, { recursive: true });
});

test("a start refuses a folder of another machine, trust shows and signs it, and its data is there", async () => {
  await project.start();
  await project.stop();
  const other = mkdtempSync(join(tmpdir(), "homebase-machine-"));
  folders.push(other);
  project.environment = { HOMEBASE_STATE: other };
  const { ready, output } = await project.tryStart();
  expect([ready, output]).toEqual([
    false,
    expect.stringContaining("homebase trust shows what is in it and signs it"),
  ]);
  for (const command of [["reset"], ["storage", "check"]]) {
    const refused = await project.run(...command);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("homebase trust")]);
  }
  const looked = await project.run("trust", "--dry-run");
  expect(looked.stdout).toMatch(/^ *data .*\d+ files, .*the database: its functions/m);
  expect(looked.stdout).toMatch(/Postgres 17\.\nIt is not signed\.\n$/);
  expect((await project.tryStart()).ready).toBe(false);
  const signed = await project.run("trust");
  expect([signed.code, signed.stdout]).toEqual([0, expect.stringMatching(/Signed\.\n$/)]);
  // The database's passwords were the other machine's.
  await project.start();
  expect((await project.rest("")).status).toBe(200);
  await project.stop();
}, 300_000);

test("nothing that a repository brings runs before it is refused", async () => {
  const ran = join(elsewhere, "ran");
  const hostile = new Project();
  const home = join(hostile.folder, ".homebase");
  const script = `#!/bin/sh\ntouch ${ran}\n`;
  for (const place of [
    "postgres-17.10-7-f7e6588c/bin/postgres",
    "postgres-17.10-8/bin/initdb",
    "data/PG_VERSION",
    "lock",
  ]) {
    mkdirSync(join(home, place, ".."), { recursive: true });
    writeFileSync(join(home, place), place.includes("bin") ? script : "17\n", { mode: 0o755 });
  }
  writeFileSync(
    join(home, "data", "postgresql.conf"),
    `archive_mode = on\narchive_command = 'touch ${ran}'\n`,
  );
  const before = snapshot(home);
  const { ready, code } = await hostile.tryStart();
  expect([ready, code]).toEqual([false, 1]);
  expect(snapshot(home)).toEqual(before);
  expect(existsSync(ran)).toBe(false);
  await hostile.remove();
}, 180_000);
