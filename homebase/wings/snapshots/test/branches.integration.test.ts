/** `homebase snapshot branch`: each git branch has its state, which git's own checkouts switch by the hook. */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { NOTES_PROJECT } from "../../../test/cli/notes-project.ts";
import { Project } from "../../../test/cli/project.ts";
import { branchSnapshot } from "../branch-states.ts";

const root = mkdtempSync(join(tmpdir(), "homebase-branches-"));
const project = new Project(NOTES_PROJECT, join(root, "repo", "apps", "it's one"));
const hook = join(root, "repo", ".git", "hooks", "post-checkout");
const bin = join(root, "bin");
const meanwhile = join(root, "meanwhile");

/** Runs git in the project as its developer does; the hook finds the command of this checkout as npx. */
function git(...args: string[]): string {
  const identity = ["-c", "user.name=Ben", "-c", "user.email=ben@example.com", "-c", "commit.gpgsign=false"];
  return execFileSync("git", [...identity, ...args], {
    cwd: args[0] === "bisect" ? join(root, "repo") : project.folder,
    encoding: "utf8",
    env: { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}`, GIT_CONFIG_GLOBAL: "/dev/null" },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

const branch = async (...args: string[]) => {
  const { code, stdout, stderr } = await project.run("snapshot", "branch", ...args, "--json");
  return { code, stderr, ...(code === 0 ? JSON.parse(stdout) : {}) };
};
const notes = async () => {
  const answer = await project.rest("notes?select=body&order=id");
  return ((await answer.json()) as { body: string }[]).map(({ body }) => body);
};
const add = async (id: number, body: string) => {
  const answer = await project.rest("notes", { method: "POST", body: JSON.stringify({ id, body }) });
  expect(answer.status).toBe(201);
};
const columns = async () => {
  const answer = await project.rest("notes?limit=1");
  return Object.keys(((await answer.json()) as object[])[0] ?? {}).sort();
};

beforeAll(async () => {
  mkdirSync(bin);
  const shim = `#!/bin/sh\n[ "$1 $2" = "--no-install homebase" ] || exit 9\nshift 2\nexec '${process.execPath}' '${project.command}' "$@" --port-offset ${project.offset}\n`;
  writeFileSync(join(bin, "npx"), shim);
  chmodSync(join(bin, "npx"), 0o755);
  // The stack's git, after which another branch is checked out once where a test asks for that.
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  const switched = `'${real}' -C '${join(root, "repo")}' -c core.hooksPath=/dev/null switch --quiet Feature/Tags`;
  mkdirSync(join(root, "own"));
  writeFileSync(
    join(root, "own", "git"),
    `#!/bin/sh\n'${real}' "$@"\ncode=$?\ncase "$*" in *BISECT_LOG*) rm '${meanwhile}' 2>/dev/null && ${switched} ;; esac\nexit $code\n`,
  );
  chmodSync(join(root, "own", "git"), 0o755);
  project.environment = { PATH: `${join(root, "own")}${delimiter}${process.env.PATH}` };
  git("-c", "init.defaultBranch=main", "init", join(root, "repo"));
  git("add", ".");
  git("commit", "-m", "one");
  await project.start();
}, 120_000);
afterAll(async () => {
  await project.remove();
  rmSync(root, { recursive: true, force: true });
}, 60_000);

test("it installs a hook, which is asked for once; one that is there stays", async () => {
  expect(await branch("--install")).toMatchObject({ code: 0, outcome: "begun", branch: "main" });
  expect(await branch("--install")).toMatchObject({ code: 0, outcome: "same", branch: "main" });
  const written = readFileSync(hook, "utf8");
  writeFileSync(hook, "#!/bin/sh\n");
  const { code, stderr } = await branch("--install");
  expect(code).toBe(1);
  expect(stderr).toContain("There is a hook already.");
  expect(stderr).toContain("npx --no-install homebase snapshot branch");
  expect(readFileSync(hook, "utf8")).toBe("#!/bin/sh\n");
  writeFileSync(hook, written);
}, 60_000);

test("a new branch goes on with a copy, and each has its own rows and schema from then on", async () => {
  git("switch", "--create", "Feature/Tags");
  expect(await notes()).toEqual(["seeded"]);
  project.write("migrations/20260201000000_tags.sql", "alter table public.notes add column tags text[];");
  await expect.poll(columns).toContain("tags");
  await add(2, "on the branch");
  git("add", ".");
  git("commit", "-m", "tags");
  git("switch", "main");
  expect(await columns()).not.toContain("tags");
  expect(await notes()).toEqual(["seeded"]);
  await add(3, "on main");
  git("switch", "-");
  expect(await notes()).toEqual(["seeded", "on the branch"]);
  expect(await columns()).toContain("tags");
  git("switch", "main");
  expect(await notes()).toEqual(["seeded", "on main"]);
}, 120_000);

test("a checkout of files, a commit without a branch, and a bisect switch nothing", async () => {
  git("checkout", "Feature/Tags", "--", "supabase/migrations");
  git("reset", "--hard");
  git("checkout", "--detach");
  expect(await branch()).toMatchObject({ outcome: "no branch" });
  git("switch", "main");
  git("bisect", "start");
  git("checkout", "Feature/Tags");
  expect(await branch()).toMatchObject({ outcome: "no branch" });
  git("checkout", "main");
  git("bisect", "reset");
  expect(await notes()).toEqual(["seeded", "on main"]);
}, 60_000);

test("a branch that is checked out while the files are read is not applied to this one's data", async () => {
  writeFileSync(meanwhile, "");
  for (const command of ["migrate", "reset"]) {
    const { code, stderr } = await project.run(command);
    expect(code).toBe(1);
    expect(stderr).toContain("The local data is that of branch main, and git has Feature/Tags checked out.");
    expect(existsSync(meanwhile)).toBe(false);
    expect(await columns()).not.toContain("tags");
    git("switch", "main");
    writeFileSync(meanwhile, "");
  }
  rmSync(meanwhile);
  expect(await notes()).toEqual(["seeded", "on main"]);
}, 60_000);

test("a rebase, and one that ends on another branch, apply nothing to this one's data until it is switched", async () => {
  git("commit", "--allow-empty", "-m", "two");
  git("rebase", "main", "Feature/Tags");
  expect(git("branch", "--show-current")).toBe("Feature/Tags\n");
  const { code, stderr } = await project.run("migrate");
  expect(code).toBe(1);
  expect(stderr).toContain("The local data is that of branch main, and git has Feature/Tags checked out.");
  expect(await columns()).not.toContain("tags");
  expect(await branch()).toMatchObject({ outcome: "switched", from: "main" });
  expect(await notes()).toEqual(["seeded", "on the branch"]);
}, 60_000);

test("a restore keeps the state with its branch", async () => {
  expect(await project.run("snapshot", "restore", "branch-main")).toMatchObject({ code: 0 });
  expect(await branch()).toMatchObject({ outcome: "same", branch: "Feature/Tags" });
  expect(await notes()).toEqual(["seeded", "on main"]);
  expect(await project.run("snapshot", "restore", "before-restore")).toMatchObject({ code: 0 });
}, 60_000);

test("without a running stack it is switched too, and a start on another branch's data applies nothing to it", async () => {
  await project.stop();
  git("switch", "main");
  git("symbolic-ref", "HEAD", "refs/heads/Feature/Tags");
  git("checkout", "HEAD", "--", ".");
  await project.start();
  expect(project.output).toContain("Switch the data too: homebase snapshot branch");
  expect(await columns()).not.toContain("tags");
  expect(await notes()).toEqual(["seeded", "on main"]);
  expect(await branch("--off")).toMatchObject({ outcome: "off" });
  expect(existsSync(hook)).toBe(true);
}, 120_000);

test("names that are no plain ones, and long ones, have snapshots of their own", () => {
  const names = ["main", "Main", "a/b", "a-b", "ä", "x".repeat(200), `${"x".repeat(199)}y`];
  const snapshots = names.map(branchSnapshot);
  expect(snapshots[0]).toBe("branch-main");
  expect(new Set(snapshots.map((name) => name.toLowerCase())).size).toBe(names.length);
  for (const name of snapshots) expect(name).toMatch(/^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$/);
});
