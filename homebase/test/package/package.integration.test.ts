/** The package as other people install it: outside the repository, with only npm, on foreign projects. */
import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Installed, weigh } from "../../build/installed.ts";
import { Cluster } from "../../src/postgres/cluster/cluster.ts";
import { inspectDataFolder } from "../../src/postgres/cluster/data-folder.ts";
import { PREBUILT_FOLDER, prebuiltName, unpackCluster } from "../../src/postgres/cluster/prebuilt.ts";
import { prebuiltBase } from "../../src/postgres/cluster/template-databases.ts";
import { leasePorts } from "../port-lease.ts";

const root = join(import.meta.dirname, "..", "..", "..");
const manifest = (file: string) =>
  JSON.parse(readFileSync(join(root, file), "utf8")) as {
    version: string;
    devDependencies: Record<string, string>;
  };

/** An app's repository: the package is in its node_modules, and `supabase/` is next to the current folder. */
const NOTES = {
  "supabase/config.toml": 'project_id = "notes"\n[functions.hello]\nverify_jwt = false\n',
  "supabase/migrations/20260101000000_notes.sql":
    "create table public.notes (id int primary key, body text);\nalter table public.notes enable row level security;\ncreate policy everyone on public.notes using (true) with check (true);\n",
  "supabase/seed.sql":
    "insert into public.notes values (1, 'seeded');\ninsert into storage.buckets (id, name, public) values ('files', 'files', true);\n",
  "supabase/functions/hello/index.ts":
    "Deno.serve(async (request: Request) => Response.json({ hello: (await request.json()).name }));\n",
  "src/keep": "",
  "call.mjs": `import { createClient } from "@supabase/supabase-js";
const [url, key, secret] = process.argv.slice(2);
const anyone = createClient(url, key);
const notes = await anyone.from("notes").select();
const signedUp = await anyone.auth.signUp({ email: "ana@example.test", password: "correct horse" });
const server = createClient(url, secret);
const uploaded = await server.storage.from("files").upload("a/b.txt", "stored", { contentType: "text/plain" });
const stored = await (await fetch(server.storage.from("files").getPublicUrl("a/b.txt").data.publicUrl)).text();
const called = await anyone.functions.invoke("hello", { body: { name: "Ana" } });
console.log(JSON.stringify({
  notes: notes.data, email: signedUp.data.user?.email, uploaded: uploaded.data?.path, stored, called: called.data,
  errors: [notes, signedUp, uploaded, called].map(({ error }) => error?.message).filter(Boolean),
}));
`,
  "notes.test.ts": `import { expect } from "vitest";
import { test } from "homebase-stack/testing/vitest";
test("a fresh Backend has the seed", async ({ backend }) => {
  expect(await backend.sql("select body from notes")).toEqual([{ body: "seeded" }]);
  await backend.sql("insert into notes values (2, 'mine')");
});
test("and nothing of another test", async ({ backend }) => {
  const answer = await fetch(backend.url + "/rest/v1/notes?select=id", { headers: { apikey: backend.publishableKey } });
  expect(await answer.json()).toEqual([{ id: 1 }]);
});
`,
  "vitest.config.ts":
    'export default { test: { globalSetup: ["homebase-stack/testing/global-setup"], hookTimeout: 180_000 } };\n',
  "stack.mjs": `import { startStack } from "homebase-stack/stack";
await using stack = await startStack({ portOffset: Number(process.argv[2]) });
const answer = await fetch(stack.url + "/rest/v1/notes?select=id", { headers: { apikey: stack.publishableKey } });
console.log(JSON.stringify({ notes: await answer.json(), failed: stack.migrated.failed }));
`,
  "typed.ts": `import { createBackend, type TestBackend } from "homebase-stack/testing";
import { type Stack, startStack } from "homebase-stack/stack";
import { coverage, explain, judge, type KeyVerdicts, parts } from "homebase-stack/explain";
import { readProject } from "homebase-stack/project";
import { freePort } from "homebase-stack/ports";
import { test } from "homebase-stack/testing/vitest";
test("typed", async ({ backend }) => { const url: string = backend.url; url.at(0); });
export const made: Promise<TestBackend> = createBackend({ config: { auth: { site_url: "http://a.test" } } });
export const started: Promise<Stack> = startStack({ portOffset: 1 });
export const ports: { api: number } = readProject().ports;
export const port: Promise<number> = freePort();
declare const client: { query(text: string): Promise<unknown>; on(event: string, listener: () => void): unknown };
export const verdicts: Promise<KeyVerdicts> = judge(client, { role: "anon" }, "public.notes", [1, [2]]);
export const texts: Promise<string[]> = parts(client).then((all) => Object.values(all.parts).map(({ text }) => text));
export const kinds: Promise<string[]> = explain(client, { method: "GET", path: "/rest/v1/notes" }).then((all) => all.sentences.map(({ kind }) => kind));
export const percent: number = coverage.read().percent;
`,
  "tsconfig.json": JSON.stringify({
    compilerOptions: { module: "nodenext", target: "es2024", strict: true, noEmit: true, types: [] },
    files: ["typed.ts"],
  }),
};
const OFFSET = leasePorts();

let installed: Installed;
const running: ChildProcess[] = [];

beforeAll(async () => {
  const { devDependencies } = manifest("package.json");
  const supabaseJs = manifest("homebase/package.json").devDependencies["@supabase/supabase-js"];
  installed = await Installed.make([
    `@supabase/supabase-js@${supabaseJs}`,
    `vitest@${devDependencies.vitest}`,
  ]);
}, 300_000);

afterAll(async () => {
  for (const child of running) child.kill("SIGKILL");
  await installed?.remove();
}, 300_000);

/** Starts the stack; resolves with the variables in its ready message. */
async function start(cwd: string, ...options: string[]): Promise<Record<string, string>> {
  const child = spawn(
    join(installed.folder, "node_modules", ".bin", "homebase"),
    ["start", "--json", "--port-offset", String(OFFSET), ...options],
    { cwd, env: installed.environment, stdio: ["ignore", "pipe", "pipe"] },
  );
  running.push(child);
  const { promise, resolve, reject } = Promise.withResolvers<Record<string, string>>();
  let output = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    const ready = output.split("\n").find((line) => line.includes('"kind":"ready"'));
    if (ready?.endsWith("}")) resolve((JSON.parse(ready) as { variables: Record<string, string> }).variables);
  });
  child.once("close", () => reject(new Error(`The stack ended before it was ready:\n${output}`)));
  return promise;
}

test("the install is smaller than 250 MB, a Node of its own included", async () => {
  const own = process.versions.node;
  const fetched = await installed.node(
    installed.folder,
    "--input-type=module",
    "-e",
    `const { fetchRuntime } = await import(${JSON.stringify(join(installed.folder, "node_modules/homebase-stack/lib/runtime.js"))});
     console.log(await fetchRuntime("node", (text) => console.error(text)));`,
  );
  const said = fetched.stderr.trim().split("\n");
  expect(said[0]).toBe(`Fetching node ${own} from npm: about 55 MB, 202 MB unpacked (once for this machine)`);
  const [, unpacked] = /^Fetched node: (\d+) MB$/.exec(said.at(-1) ?? "") ?? [];
  expect(Math.abs(Number(unpacked) - 202), said.at(-1)).toBeLessThan(10);
  const progress = said
    .slice(1, -1)
    .map((line) => Number(/^Fetching node: (\d+) of about 202 MB$/.exec(line)?.[1]));
  expect(progress.length).toBeGreaterThan(0);
  expect(progress).toEqual(progress.toSorted((a, b) => a - b));
  const version = await installed.node(
    installed.folder,
    "-e",
    `console.log(require("node:child_process").execFileSync(${JSON.stringify(fetched.stdout.trim())}, ["-v"], { encoding: "utf8" }))`,
  );
  expect(version.stdout.trim()).toBe(`v${own}`);
  const node = await weigh(join(installed.folder, "cache"));
  console.log(`install ${installed.megabytes.toFixed(0)} MB, Node ${node.toFixed(0)} MB where it is fetched`);
  expect(installed.megabytes + node).toBeLessThan(250);
}, 300_000);

test("without npm in PATH a command says that it needs npm to fetch a Node", async (context) => {
  const system = await installed.run("sh", ["-c", "command -v node && node -v"], installed.folder, {});
  const [node = "", version = ""] = system.stdout.trim().split("\n");
  context.skip(
    !/^v2[0-3]\./.test(version),
    `the system's Node is ${version || "missing"}: nothing is fetched`,
  );
  const command = join(installed.folder, "node_modules", "homebase-stack", "bin", "homebase.mjs");
  const cache = join(installed.folder, "empty-cache");
  const refused = await installed.run(node, [command, "status"], installed.folder, {
    PATH: "/nonexistent",
    HOMEBASE_CACHE: cache,
  });
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("there is no npm in PATH. Install npm, or add its folder to PATH.");
  expect(readdirSync(cache)).toEqual([]);
});

test("--help and --version answer on whatever Node the system has", async () => {
  const help = await installed.homebase(installed.folder, "--help");
  expect([help.code, help.stdout]).toEqual([0, expect.stringContaining("Usage: homebase <command>")]);
  const version = await installed.homebase(installed.folder, "--version");
  expect(version.stdout.trim()).toBe(manifest("homebase/package.json").version);
}, 300_000);

test("a project with migrations, seed and function: supabase-js meets the whole stack", async () => {
  const folder = await installed.project("notes", NOTES);
  const variables = await start(join(folder, "src"));
  const called = await installed.node(
    folder,
    "call.mjs",
    variables.API_URL ?? "",
    variables.PUBLISHABLE_KEY ?? "",
    variables.SECRET_KEY ?? "",
  );
  expect([called.stderr, JSON.parse(called.stdout || "{}")]).toEqual([
    "",
    {
      notes: [{ id: 1, body: "seeded" }],
      email: "ana@example.test",
      uploaded: "a/b.txt",
      stored: "stored",
      called: { hello: "Ana" },
      errors: [],
    },
  ]);
  const status = await installed.homebase(folder, "status", "--json");
  expect(JSON.parse(status.stdout)).toMatchObject({ API_URL: variables.API_URL, DB_URL: variables.DB_URL });
  expect((await installed.homebase(folder, "stop")).stdout).toBe("Stopped.\n");
  expect((await installed.homebase(folder, "status")).code).toBe(1);
}, 360_000);

test("projects with other conventions start without an error, and their API responds", async () => {
  const projects = join(root, "homebase", "test", "projects");
  const names = readdirSync(projects, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  for (const name of names) cpSync(join(projects, name), join(installed.folder, name), { recursive: true });
  await installed.project(".", {
    "projects.mjs": `import { createBackend, startTestCluster } from "homebase-stack/testing";
const run = await startTestCluster(process.argv[2]);
const statuses = {};
for (const name of process.argv.slice(2)) {
  await using backend = await createBackend({ projectFolder: name });
  const headers = { apikey: backend.secretKey };
  const api = await (await fetch(backend.url + "/rest/v1/", { headers })).json();
  const found = [];
  for (const path of Object.keys(api.paths).filter((path) => path !== "/" && !path.startsWith("/rpc/"))) {
    const answer = await fetch(backend.url + "/rest/v1" + path, { headers });
    await answer.arrayBuffer();
    found.push(answer.status);
  }
  statuses[name] = found;
}
console.log(JSON.stringify(statuses));
await run.stop();
process.exit(0);
`,
  });
  const { stdout, stderr, code } = await installed.node(installed.folder, "projects.mjs", ...names);
  expect([code, stderr]).toEqual([0, ""]);
  const statuses = JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as Record<string, number[]>;
  expect(Object.keys(statuses)).toEqual(names);
  expect(Object.values(statuses).flat().length).toBeGreaterThan(names.length);
  expect(Object.entries(statuses).filter(([, found]) => found.some((status) => status >= 500))).toEqual([]);
}, 300_000);

test("its tests run on fresh Backends under its own vitest, and its types hold", async () => {
  const folder = await installed.project("notes", NOTES);
  const vitest = join(installed.folder, "node_modules", "vitest", "vitest.mjs");
  const report = join(folder, "report.json");
  const tested = await installed.node(folder, vitest, "run", "--reporter=json", `--outputFile=${report}`);
  expect([tested.code, tested.stderr]).toEqual([0, ""]);
  expect(JSON.parse(readFileSync(report, "utf8"))).toMatchObject({ numPassedTests: 2, numFailedTests: 0 });
  writeFileSync(
    join(folder, "failing.test.ts"),
    NOTES["notes.test.ts"].replace("[{ id: 1 }]", "[{ id: 1 }, { id: 2 }]"),
  );
  const failed = await installed.node(folder, vitest, "run", "failing.test.ts");
  expect(failed.code).toBe(1);
  expect(failed.stderr).toContain("GET /rest/v1/notes?select=id: 200, 1 row\n");
  expect(failed.stderr).toContain("Visible: row security lets anon see 1 of 1 row of notes.");
  const typed = await installed.node(folder, join(root, "node_modules", "typescript", "bin", "tsc"));
  expect(typed).toEqual({ code: 0, stdout: "", stderr: "" });
}, 360_000);

test("the test in the README passes on the project that init makes", async () => {
  const folder = await installed.project("first", {});
  expect((await installed.homebase(folder, "init", "--workdir", folder)).code).toBe(0);
  const readme = readFileSync(join(root, "homebase", "README.md"), "utf8");
  const [, config = "", example = ""] =
    /```ts\n\/\/ vitest.config.ts: ([^\n]*)\n(.*?)```/s.exec(readme) ?? [];
  expect(example).toContain('from "homebase-stack/testing/vitest"');
  writeFileSync(join(folder, "vitest.config.mjs"), `export default { ${config} };\n`);
  writeFileSync(join(folder, "notes.test.mjs"), example);
  const vitest = join(installed.folder, "node_modules", "vitest", "vitest.mjs");
  const report = join(folder, "report.json");
  const tested = await installed.node(folder, vitest, "run", "--reporter=json", `--outputFile=${report}`);
  expect([tested.code, tested.stderr]).toEqual([0, ""]);
  expect(JSON.parse(readFileSync(report, "utf8"))).toMatchObject({ numPassedTests: 1, numFailedTests: 0 });
}, 300_000);

test("a program starts the stack by itself", async () => {
  const folder = await installed.project("notes", NOTES);
  const done = await installed.node(folder, "stack.mjs", String(OFFSET));
  expect([done.stderr, JSON.parse(done.stdout || "{}")]).toEqual(["", { notes: [{ id: 1 }] }]);
}, 300_000);

test("a folder without a project is said, a monorepo's root starts its only one, and of several one is chosen", async () => {
  const bare = await installed.project("bare", { "index.html": "<p>An app.</p>" });
  const refused = await installed.homebase(bare, "start");
  expect([refused.code, refused.stdout]).toEqual([1, ""]);
  expect(refused.stderr).toContain(`There is no project in ${bare}, nor above it`);
  expect(existsSync(join(bare, ".homebase"))).toBe(false);
  const files = { "apps/web/supabase/migrations/1_t.sql": "create table public.t (id int primary key);\n" };
  const mono = await installed.project("mono", {
    "package.json": "{}",
    "packages/ui/index.js": "",
    ...files,
  });
  const variables = await start(mono);
  expect(variables.API_URL).toBeDefined();
  expect(existsSync(join(mono, "apps", "web", ".homebase"))).toBe(true);
  expect((await installed.homebase(mono, "stop")).stdout).toBe("Stopped.\n");
  await installed.project("mono", { "apps/shop/supabase/config.toml": "" });
  const several = await installed.homebase(mono, "start");
  expect([several.code, several.stderr]).toEqual([
    1,
    expect.stringContaining(
      "several projects: apps/shop, apps/web. Say which one: homebase start --workdir apps/shop",
    ),
  ]);
}, 300_000);

test("a first start unpacks the package's cluster, which has no key of its own, and runs no initdb", async () => {
  const brought = join(installed.folder, "node_modules", "homebase-stack", "src");
  const archive = join(
    brought,
    relative(join(root, "homebase", "src"), PREBUILT_FOLDER),
    prebuiltName("17.10", prebuiltBase()),
  );
  const laid = await installed.project("laid", {});
  unpackCluster(archive, laid, undefined);
  expect(inspectDataFolder(laid)).toBe("present");
  expect(readdirSync(laid).filter((name) => /homebase|postmaster/.test(name))).toEqual([]);
  expect(readdirSync(join(laid, "pg_wal")).filter((name) => /^[0-9A-F]{24}$/.test(name))).toHaveLength(1);
  const folder = await installed.project("first", { "supabase/config.toml": "" });
  await start(folder);
  // initdb gives each cluster another identifier, which pg_control begins with.
  const identifier = (data: string) => readFileSync(join(data, "global", "pg_control")).readBigUInt64LE();
  expect(identifier(Cluster.dataFolder(folder))).toBe(identifier(laid));
  expect((await installed.homebase(folder, "stop")).stdout).toBe("Stopped.\n");
}, 300_000);
