/** `homebase deploy` and `homebase hosted` as commands: output, confirmation, exit codes. */
import { type ExecFileException, execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, expect, test } from "vitest";
import { COMMAND } from "../../../test/command.ts";
import { useOwnCluster } from "../../../test/own-cluster.ts";
import { leaseHostedPorts } from "../../../test/port-lease.ts";
import { type Hosted, startHosted } from "../../hosted/index.ts";
import { REF, type TestProject, testProject } from "./project.ts";

await useOwnCluster();

let hosted: Hosted;
let project: TestProject;
beforeEach(async () => {
  // A separate Postgres: roles belong to the whole server, and the command compares with another one.
  hosted = await startHosted({ projectFolder: process.cwd(), ref: REF });
  project = testProject();
});
afterEach(async () => {
  project?.drop();
  await hosted?.close();
});

function homebase(args: string[], environment: Record<string, string> = {}) {
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    execFile(
      process.execPath,
      [COMMAND, ...args],
      { env: { ...process.env, SUPABASE_ACCESS_TOKEN: hosted.management.accessToken, ...environment } },
      (error: ExecFileException | null, stdout, stderr) =>
        resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
}
const deploy = (args: string[] = [], environment?: Record<string, string>) =>
  homebase(
    [
      ...["deploy", "--project-ref", REF, "--workdir", project.folder, "--api-url", hosted.management.url],
      ...["--project-url", hosted.project.url, "--db-url", hosted.databaseUrl, ...args],
    ],
    environment,
  );
const changed = () =>
  hosted.management.received.some(({ call }) => /^(PATCH|PUT)|secrets/.test(call) && !call.startsWith("GET"));

test("without anybody to ask it changes nothing; with --yes it deploys what the dry run said", async () => {
  project.write("supabase/functions/.env.production", "WHO=a person\n");
  // It takes no preflight, and throws: it runs all the same.
  project.write(
    "supabase/functions/strict/index.ts",
    "Deno.serve(async (request) => Response.json(await request.json()));\n",
  );
  const asked = await deploy();
  expect(asked).toMatchObject({ code: 1, stderr: expect.stringContaining("There is no terminal to ask") });
  const dry = await deploy(["--dry-run"]);
  expect(dry.code).toBe(0);
  expect(dry.stdout).toContain("apply supabase/migrations/20260101000000_notes.sql");
  expect(dry.stdout).toContain("Nothing was changed.");
  expect(changed()).toBe(false);
  const done = await deploy(["--yes"]);
  expect(done.stderr).toBe("");
  expect(done.code).toBe(0);
  expect(done.stdout).toContain("checked: the function hello starts");
  expect(done.stdout).toContain("checked: the function strict starts");
  expect(done.stdout).not.toContain("a person");
  const again = await deploy(["--yes", "--json"]);
  expect(JSON.parse(again.stdout)).toMatchObject({ outcome: "nothing to do" });
}, 300_000);

test("a switch that the platform has the other way round is shown as config.toml has it, and a missing secret each time", async () => {
  project.write(
    "supabase/config.toml",
    readFileSync(join(project.folder, "supabase/config.toml"), "utf8").replace(
      "[remotes.production.auth]",
      "[remotes.production.auth]\nenable_signup = false",
    ),
  );
  const dry = await deploy(["--dry-run"]);
  expect(dry.stdout).toContain("auth.enable_signup: true becomes false");
  const missing =
    "! config.toml uses the secret WHO, which is neither set on the project nor in the secrets file.";
  expect(dry.stdout).toContain(missing);
  expect((await deploy(["--yes", "--skip-smoke"])).code).toBe(0);
  const again = await deploy(["--yes", "--skip-smoke"]);
  expect([again.code, again.stdout]).toEqual([0, expect.stringContaining("nothing to do")]);
  expect(again.stdout).toContain(missing);
}, 180_000);

test("without a client library for the smoke test nothing is changed", async () => {
  project.remove("node_modules");
  const { code, stderr } = await deploy(["--yes"]);
  expect([code, stderr]).toEqual([1, expect.stringContaining("The smoke test needs @supabase/supabase-js")]);
  expect(changed()).toBe(false);
  expect((await deploy(["--dry-run", "--skip-smoke"])).code).toBe(0);
}, 180_000);

test("a failed step ends it with 1 and with what is done and what is not", async () => {
  hosted.management.failures.push({ call: "PATCH /v1/projects/{ref}/config/storage" });
  const { code, stdout } = await deploy(["--yes"]);
  expect(code).toBe(1);
  expect(stdout).toContain("The deploy stopped in: configuration.");
  expect(stdout).toContain("answered 500");
  expect(stdout).toContain('done: auth.site_url: "http://localhost:3000" becomes "https://notes.example"');
  expect(stdout).toContain("not known to be done: storage.file_size_limit");
  expect(stdout).toContain("buckets: not reached");
}, 180_000);

test("a function whose imports stand in the folder's deno.json, or in no file, is refused", async () => {
  project.write("supabase/functions/deno.json", "{}");
  const { code, stderr } = await deploy(["--dry-run"]);
  project.remove("supabase/functions/deno.json");
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining("from supabase/functions/deno.json, which is for development only"),
  ]);
  const config = join(project.folder, "supabase", "config.toml");
  const named = '[functions.hello]\nimport_map = "./functions/hello/lost.json"';
  project.write("supabase/config.toml", readFileSync(config, "utf8").replace("[functions.hello]", named));
  expect(await deploy(["--dry-run"])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      "The import_map of the function hello, supabase/functions/hello/lost.json, does not exist.",
    ),
  });
  expect(changed()).toBe(false);
}, 180_000);

test("files that are not committed are named, and deployed only when that is asked for", async () => {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: project.folder, stdio: "ignore" });
  git("init");
  git("add", "supabase");
  git("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-m", "all");
  project.write("supabase/migrations/20260102000000_more.sql", "select 1;");
  const refused = await deploy(["--yes"]);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("20260102000000_more.sql");
  expect(changed()).toBe(false);
  expect((await deploy(["--dry-run", "--allow-dirty"])).code).toBe(0);
}, 180_000);

test("what is missing is said in a sentence", async () => {
  expect(await homebase(["deploy"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--project-ref is missing"),
  });
  expect(await deploy([], { SUPABASE_ACCESS_TOKEN: "" })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("SUPABASE_ACCESS_TOKEN is not set"),
  });
  expect(await deploy(["--remote", "staging"])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("has no [remotes.staging]"),
  });
  expect(await deploy(["--secrets-file", "/nowhere"])).toMatchObject({ code: 1 });
  expect(await homebase(["hosted", "--ref", "short"])).toMatchObject({ code: 2 });
});

test("a role that somebody made on the target is named; the platform's own login role is not", async () => {
  expect((await deploy(["--yes", "--skip-smoke"])).code).toBe(0);
  const role = `made_by_hand_${process.pid}`;
  await hosted.project.database.query("postgres", `create role ${role}`);
  try {
    const { code, stderr } = await deploy(["--yes"]);
    expect(code).toBe(1);
    expect(stderr).toContain(`CREATE ROLE "${role}"`);
    expect(stderr).not.toContain("cli_login_");
  } finally {
    await hosted.project.database.query("postgres", `drop role ${role}`);
  }
}, 180_000);

test("the stand-in says where it is, takes a deploy, and lists the calls when it ends", async () => {
  const child = spawn(
    process.execPath,
    [COMMAND, "hosted", "--json", "--ref", REF, "--port-offset", String(leaseHostedPorts())],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const gone = once(child, "exit");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => JSON.parse(String((await lines.next()).value));
  try {
    const ready = await next();
    expect(ready).toMatchObject({
      kind: "ready",
      ref: REF,
      supabaseEnvironment: {
        SUPABASE_PROFILE: expect.stringMatching(/profile\.yaml$/),
        SUPABASE_ACCESS_TOKEN: ready.accessToken,
        HTTPS_PROXY: expect.stringMatching(/^http:/),
        NODE_EXTRA_CA_CERTS: expect.stringMatching(/\.pem$/),
      },
    });
    const done = await homebase(
      [
        ...["deploy", "--project-ref", REF, "--workdir", project.folder, "--api-url", ready.managementUrl],
        ...["--project-url", ready.url, "--db-url", ready.databaseUrl, "--yes"],
      ],
      { SUPABASE_ACCESS_TOKEN: ready.accessToken },
    );
    expect(done).toMatchObject({ code: 0, stderr: "" });
    await fetch(`${ready.managementUrl}/v1/projects/${REF}/upgrade/status`, {
      headers: { authorization: `Bearer ${ready.accessToken}` },
    });
    child.kill("SIGINT");
    const ended = await next();
    expect(ended.calls).toContainEqual({ call: "PATCH /v1/projects/{ref}/config/auth", status: 200 });
    expect(ended.unknown).toEqual([`GET /v1/projects/${REF}/upgrade/status`]);
    // It removes its Postgres and its files.
    await gone;
  } finally {
    child.kill("SIGKILL");
  }
}, 180_000);

test("a rehearsal in one command: a stand-in, two deploys, the second finds nothing to do; also without a section and a client", async () => {
  const offset = String(leaseHostedPorts());
  const rehearse = (...args: string[]) =>
    homebase(["deploy", "--rehearse", "--workdir", project.folder, "--port-offset", offset, ...args], {
      SUPABASE_ACCESS_TOKEN: "",
    });
  const done = await rehearse();
  expect([done.code, done.stderr]).toEqual([0, expect.stringMatching(/^New tables are open here [^\n]*\n$/)]);
  expect(done.stdout).toMatch(
    /^Deploy to abcdefghijklmnopqrst[\s\S]*Deployed to [\s\S]*nothing to do\.\n! config\.toml uses the secret WHO[^\n]*\nRequests are not compared with hosted's PostgREST [^\n]*\n$/,
  );
  expect(changed()).toBe(false);
  expect(await rehearse("--db-url", hosted.databaseUrl)).toMatchObject({
    code: 2,
    stderr: "Error: --rehearse takes no --db-url.\n",
  });
  const config = readFileSync(join(project.folder, "supabase", "config.toml"), "utf8");
  project.write("supabase/config.toml", config.slice(0, config.indexOf("[remotes.production]")));
  project.remove("node_modules");
  const bare = await rehearse();
  expect(bare.code, bare.stderr).toBe(0);
  expect(bare.stdout).toContain("nothing to do.");
  expect(bare.stderr).toContain("Rehearsing with example values, which a deploy does not take.");
  expect(bare.stderr).toContain('[remotes.production]\nproject_id = "abcdefghijklmnopqrst"');
  expect(bare.stderr).toContain("The smoke test is left out.");
  expect(bare.stderr).toContain("npm install @supabase/supabase-js");
  project.write("supabase/migrations/20260103000000_wrong.sql", "select wrong;");
  const failed = await rehearse();
  expect([failed.code, failed.stdout]).toEqual([
    1,
    expect.stringContaining("The deploy stopped in: migrations."),
  ]);
}, 300_000);
