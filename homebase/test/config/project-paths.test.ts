/** What commands write stays in the repository, links resolved, also those to nothing. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { writeEnvFile } from "../../src/cli/commands/start/env-file.ts";
import { main } from "../../src/cli/main.ts";
import { loadConfig } from "../../src/config/config.ts";
import { PathLeaves, staysWithin, writeProjectFile } from "../../src/config/project-paths.ts";
import { migrationOf, writeMigration } from "../../src/tools/history/new-migration.ts";
import { sourcesWith } from "../sources.ts";

let root: string;
let project: string;
let outside: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "homebase-paths-"));
  project = join(root, "project");
  outside = join(root, "outside");
  mkdirSync(join(project, "supabase/migrations"), { recursive: true });
  mkdirSync(join(project, "supabase/tests"));
  mkdirSync(outside);
});
afterEach(() => rmSync(root, { recursive: true }));

const link = (target: string, path: string) => symlinkSync(target, join(project, path));

test("links to nothing, in a row and below folders are followed by name", () => {
  link(join(outside, "absent"), "one");
  link("one", "two");
  link("../outside", "folder");
  link("supabase/absent", "inner");
  link("round", "round");
  const stays = (path: string) => staysWithin(project, join(project, path));
  expect(["one", "two", "folder/x", "folder/x/y", "round"].map(stays)).toEqual(Array(5).fill(false));
  expect(["inner", "inner/x", "absent/x", "supabase"].map(stays)).toEqual(Array(4).fill(true));
});

test.each(["there", "absent"])(
  "a migration, .env.local and a file are not written through a link to what is %s",
  (name) => {
    const target = join(outside, name);
    if (name === "there") writeProjectFile(outside, target, "kept");
    const config = loadConfig({ from: project, environment: {} });
    const migration = migrationOf(config, "20260101000000", "remote", "select 1;\n");
    link(target, migration.path);
    link(target, ".env.local");
    link(target, "file");
    expect(() => writeMigration(config, migration)).toThrow(PathLeaves);
    expect(() =>
      writeEnvFile(project, { url: "", publishableKey: "", anonKey: "", secretKey: "", serviceRoleKey: "" }),
    ).toThrow(PathLeaves);
    expect(() => writeProjectFile(project, "file", "x")).toThrow(PathLeaves);
    expect(existsSync(target) && readFileSync(target, "utf8")).toBe(name === "there" && "kept");
  },
);

test("test new and init write nothing through a link", async () => {
  link(join(outside, "absent"), "supabase/tests/made_test.sql");
  expect(await main(["test", "new", "made", "--workdir", project], [])).toBe(1);
  rmSync(join(project, "supabase"), { recursive: true });
  link(outside, "supabase");
  expect(await main(["init", "--workdir", project], [])).toBe(1);
  expect(readdirSync(outside)).toEqual([]);
});

const SIGNED = "in the signed .homebase";
const NAMED = "to the file that the user has named";
const CACHE = "in the user's own cache or state folder";
const TEMPORARY = "in a new temporary folder";
const DATA = "in the server's data, which only the signed .homebase holds";

/** What writes a file by another way, with the reason. */
const WRITERS: Record<string, string> = {
  "developer/data-lock.ts": SIGNED,
  "developer/log-file.ts": SIGNED,
  "developer/port-choice.ts": SIGNED,
  "developer/state-swap.ts": SIGNED,
  "developer/storage-folder.ts": SIGNED,
  "wings/console/build.ts": CACHE,
  "wings/copy/pull-command.ts": SIGNED,
  "cli/commands/db/dump.ts": NAMED,
  "wings/policies/coverage-command.ts": NAMED,
  "config/project-paths.ts": "implements it",
  "core/runtime.ts": CACHE,
  "core/user-folders.ts": CACHE,
  "explain/coverage/counts.ts": SIGNED,
  "functions/worker.ts": TEMPORARY,
  "wings/hosted/uploaded-functions.ts": "in the stand-in's own folder",
  "wings/hosted/stand-in.ts": "in the stand-in's own folder",
  "wings/hosted/supabase-cli.ts": "in the stand-in's own folder",
  "mail/store.ts": SIGNED,
  "postgres/cluster/login-access.ts": DATA,
  "postgres/cluster/binaries.ts": CACHE,
  "postgres/cluster/cluster.ts": DATA,
  "postgres/cluster/server-process.ts": DATA,
  "postgres/cluster/state-folder.ts": "signs .homebase",
  "postgres/cluster/vault-key.ts": DATA,
  "storage/disk/disk.ts": SIGNED,
  "storage/disk/stored-bodies.ts": SIGNED,
  "storage/disk/url-signer.ts": SIGNED,
  "storage/resumable/pending-uploads.ts": SIGNED,
  "tokens/other-issuer.ts": SIGNED,
  "wings/policies/mutation.ts": SIGNED,
  "wings/snapshots/branch-command.ts": "the hook of git that the user asks for, where there is none",
  "wings/snapshots/snapshot-folder.ts": SIGNED,
  "wings/snapshots/tree-copy.ts": SIGNED,
};

/** What names a project's `.homebase/`, with what keeps one that came with the repository from being read. */
const STATE: Record<string, string> = {
  "wings/console/server/stack/live.ts": "a start has claimed it; only sizes are read",
  "developer/data-lock.ts": "claimed by take; the others read only a signed one",
  "developer/developer-stack.ts": "after the lock was taken",
  "developer/port-choice.ts": "read only when signed, claimed before it is written",
  "developer/state-swap.ts": "the lock guards it; listing snapshots refuses another one",
  "cli/commands/trust/trust.ts": "shows names and sizes, and signs",
  "cli/commands/doctor/doctor.ts": "asks only whether it could be written, and reads nothing in it",
  "cli/commands/token/token.ts": "refuses another one",
  "cli/kit/state.ts": "refuses another one",
  "explain/coverage/counts.ts":
    "refuses another one before reading and removing, claimed before it is written",
  "postgres/cluster/state-folder.ts": "decides",
  "postgres/cluster/system-user.ts": "the name of the data folder, which the lock guards",
};

test("every file that a command writes in a project goes this way", () => {
  const writes = /\b(?:writeFile(?:Sync)?|createWriteStream|appendFile(?:Sync)?|copyFile(?:Sync)?|cpSync)\(/;
  expect(sourcesWith(writes)).toEqual(Object.keys(WRITERS).sort());
});

test("every place that names .homebase refuses one that is not signed", () => {
  expect(sourcesWith(/\bstateFolderOf\(/)).toEqual(Object.keys(STATE).sort());
});
