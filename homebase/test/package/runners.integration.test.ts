/**
 * Other runners and Nodes than the pinned one: each installs the packed package beside its runner, runs a test on a
 * Backend, and ends; and the commands run on each Node that they are promised for. One of both runs always;
 * PACKAGE_MATRIX=1 runs all.
 */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { Installed, npmInstall } from "../../build/installed.ts";
import { leasePorts } from "../port-lease.ts";

vi.setConfig({ testTimeout: 360_000, hookTimeout: 180_000 });

const PROJECT = {
  "supabase/migrations/1_notes.sql": "create table public.notes (id int primary key, body text);\n",
  "supabase/seed.sql": "insert into public.notes values (1, 'seeded');\n",
};
const PLAIN = `import { createBackend } from "homebase-stack/testing";
test("a Backend has the seed", async () => {
  const backend = await createBackend();
  try { expect(await backend.sql("select body from notes")).toEqual([{ body: "seeded" }]); } finally { await backend.drop(); }
}, 180_000);
`;
const VITEST = {
  "notes.test.ts": `import { expect } from "vitest";
import { test } from "homebase-stack/testing/vitest";
test("a Backend has the seed", async ({ backend }) => {
  expect(await backend.sql("select body from notes")).toEqual([{ body: "seeded" }]);
});
`,
  "vitest.config.ts":
    'export default { test: { globalSetup: ["homebase-stack/testing/global-setup"], hookTimeout: 180_000 } };\n',
};
const PLAYWRIGHT = {
  "notes.spec.ts": `import { expect, test } from "homebase-stack/testing/playwright";
test("a Backend has the seed", async ({ backend }) => {
  expect(await backend.sql("select body from notes")).toEqual([{ body: "seeded" }]);
});
`,
};

interface Runner {
  packages: string[];
  files: Record<string, string>;
  /** Below `node_modules`, or an option of Node; run with the case's Node. */
  command: string[];
}

const vitest = (version: string): Runner => ({
  packages: [`vitest@${version}`],
  files: VITEST,
  command: ["node_modules/vitest/vitest.mjs", "run"],
});
const playwright = (version: string): Runner => ({
  packages: [`@playwright/test@${version}`],
  files: PLAYWRIGHT,
  command: ["node_modules/@playwright/test/cli.js", "test"],
});
const nodeTest: Runner = {
  packages: [],
  files: {
    "notes.test.mjs": `import { test } from "node:test";
import { deepEqual } from "node:assert/strict";
import { createBackend } from "homebase-stack/testing";
test("a Backend has the seed", async () => {
  const backend = await createBackend();
  try { deepEqual(await backend.sql("select body from notes"), [{ body: "seeded" }]); } finally { await backend.drop(); }
});
`,
  },
  command: ["--test", "notes.test.mjs"],
};
const jest: Runner = {
  packages: ["jest@30"],
  files: {
    "notes.test.mjs": PLAIN,
    "jest.config.mjs": 'export default { testMatch: ["**/*.test.mjs"], transform: {} };\n',
  },
  command: ["--experimental-vm-modules", "node_modules/jest/bin/jest.js"],
};
const jestByRequire: Runner = {
  packages: ["jest@30"],
  files: {
    "first.test.cjs": `const { createBackend } = require("homebase-stack/testing");
const mailed = async (mails) => { while (!mails[0]) await new Promise((resolve) => setTimeout(resolve, 20)); };
test("a Backend has the seed, a clock, mails and errors with their code", async () => {
  const backend = await createBackend({ config: { auth: { email: { enable_confirmations: true } } } });
  try {
    expect(await backend.sql("select body from notes where id = $1", [1])).toEqual([{ body: "seeded" }]);
    await expect(backend.sql("select nope")).rejects.toMatchObject({ code: "42703" });
    const headers = { apikey: backend.publishableKey };
    const body = JSON.stringify({ email: "ana@example.test", password: "correct horse" });
    expect((await fetch(backend.url + "/auth/v1/signup", { method: "POST", headers, body })).status).toBe(200);
    await mailed(backend.mails);
    expect(backend.mails[0].to[0].address).toBe("ana@example.test");
    await backend.clock.advance(3_600_000);
    await backend.reset();
    expect(backend.mails).toEqual([]);
    expect(await backend.sql("select count(*)::int as count from auth.users")).toEqual([{ count: 0 }]);
  } finally { await backend.drop(); }
}, 180_000);
`,
    // It drops nothing, and Jest ends.
    "second.test.cjs": `const { createBackend } = require("homebase-stack/testing");
test("another file has a Backend too", async () => {
  const backend = await createBackend();
  expect((await fetch(backend.url + "/rest/v1/notes", { headers: { apikey: backend.publishableKey } })).status).toBe(200);
}, 180_000);
`,
    "setup.cjs": `const { startTestCluster } = require("homebase-stack/testing");
module.exports = async () => { globalThis.run = await startTestCluster(); };
`,
    "teardown.cjs": "module.exports = () => globalThis.run.stop();\n",
    "jest.config.cjs":
      'module.exports = { testMatch: ["**/*.test.cjs"], globalSetup: "./setup.cjs", globalTeardown: "./teardown.cjs" };\n',
  },
  command: ["node_modules/jest/bin/jest.js"],
};
/** @param module of TypeScript: "commonjs" does not read `exports` of a package.json, "node16" does. */
const tsJest = (module: string): Runner => ({
  packages: ["jest@30", "ts-jest@29", "typescript@5", "@types/jest@30"],
  files: {
    "package.json": '{"private":true}',
    "notes.test.ts": `import { createBackend, type TestBackend } from "homebase-stack/testing";
let backend: TestBackend;
beforeAll(async () => { backend = await createBackend(); }, 180_000);
afterAll(() => backend.drop());
test("a Backend has the seed", async () => {
  expect(await backend.sql<{ body: string }>("select body from notes")).toEqual([{ body: "seeded" }]);
  // @ts-expect-error The types are known, and are not any.
  const sql: number = backend.sql;
  expect(typeof sql).toBe("function");
});
`,
    "tsconfig.json": JSON.stringify({
      compilerOptions: { target: "es2022", module, esModuleInterop: true, strict: true },
    }),
    "jest.config.js": 'module.exports = { preset: "ts-jest" };\n',
  },
  command: ["node_modules/jest/bin/jest.js"],
});
const bun: Runner = {
  packages: ["bun@1"],
  files: { "notes.test.mjs": `import { expect, test } from "bun:test";\n${PLAIN}` },
  command: ["node_modules/bun/bin/bun.exe", "test"],
};

/** Node's own number, or "bun" for a runner that is no Node. */
const CASES: [node: string, runner: string, how: Runner, always?: boolean][] = [
  ["20", "vitest 3", vitest("3")],
  ["20", "node:test", nodeTest, true],
  ["22", "vitest 4", vitest("4")],
  ["22", "node:test", nodeTest],
  ["24", "vitest 3", vitest("3")],
  ["24", "vitest 5", vitest("5")],
  ["24", "node:test", nodeTest],
  ["26", "vitest 5", vitest("5")],
  ["26", "node:test", nodeTest],
  ["22", "jest 30", jest],
  ["26", "jest 30", jest],
  ["20", "jest 30 by require", jestByRequire],
  ["24", "jest 30 by require", jestByRequire],
  ["24", "ts-jest 29, commonjs", tsJest("commonjs")],
  ["24", "ts-jest 29, node16", tsJest("node16")],
  ["bun", "bun", bun],
  ["24", "Playwright 1.40", playwright("1.40")],
  ["26", "Playwright 1.50", playwright("1.50")],
  ["26", "Playwright 1.65", playwright("1.65")],
];
const whole = process.env.PACKAGE_MATRIX !== undefined;

const installed = await Installed.make([]);
afterAll(() => installed.remove());

const nodes = new Map<string, Promise<string>>();

/** The path of a Node of that number, from npm. */
function nodeOf(number: string): Promise<string> {
  const name = `${process.platform}-${process.arch}`;
  const known = nodes.get(number);
  const found =
    known ??
    (async () => {
      const folder = await installed.project(`node-${number}`, { "package.json": '{"private":true}' });
      await npmInstall(folder, [`node-${name}@${number}`], installed.environment);
      return join(folder, "node_modules", `node-${name}`, "bin", "node");
    })();
  nodes.set(number, found);
  return found;
}

test.each(CASES.filter(([, , , always]) => whole || always))("Node %s, %s", async (number, name, runner) => {
  const folder = await installed.project(`${name} on ${number}`.replace(/\W+/g, "-"), {
    "package.json": '{"private":true,"type":"module"}',
    ...PROJECT,
    ...runner.files,
  });
  // As a user does: npm's refusal of a peer is a failure.
  await npmInstall(folder, [installed.tarball, ...runner.packages], installed.environment);
  const [program, words] =
    number === "bun"
      ? [join(folder, runner.command[0] ?? ""), runner.command.slice(1)]
      : [await nodeOf(number), runner.command];
  // It ends although nobody stops the Postgres that it has started.
  const { code, stdout, stderr } = await installed.run(program, words, folder, {});
  expect(code, stdout + stderr).toBe(0);
});

test.runIf(whole)("Yarn's Plug'n'Play: a test with a function and a file, and a durable start", async () => {
  const manifest = {
    private: true,
    type: "module",
    devDependencies: { "homebase-stack": `file:${installed.tarball}` },
  };
  const folder = await installed.project("plug-and-play", {
    ...PROJECT,
    "package.json": JSON.stringify(manifest),
    "yarn.lock": "",
    ".yarnrc.yml": "nodeLinker: pnp\nenableTelemetry: false\nenableGlobalCache: false\n",
    "supabase/config.toml": "",
    "supabase/functions/hello/index.ts": 'Deno.serve(() => new Response("hello"));\n',
    "notes.test.mjs": `import { deepEqual } from "node:assert/strict";
import { test } from "node:test";
import { createBackend } from "homebase-stack/testing";
test("a Backend serves a function and keeps a file", async () => {
  await using backend = await createBackend();
  deepEqual(await backend.sql("select body from notes"), [{ body: "seeded" }]);
  const headers = { authorization: "Bearer " + backend.serviceRoleKey };
  deepEqual(await (await fetch(backend.url + "/functions/v1/hello", { headers })).text(), "hello");
  await backend.sql("insert into storage.buckets (id, name, public) values ('b', 'b', true)");
  const file = backend.url + "/storage/v1/object/b/note.txt";
  deepEqual((await fetch(file, { method: "POST", headers, body: "text" })).status, 200);
  deepEqual(await (await fetch(file, { headers })).text(), "text");
});
`,
  });
  const yarnFolder = await installed.project("yarn", { "package.json": '{"private":true}' });
  await npmInstall(yarnFolder, ["@yarnpkg/cli-dist@4"], installed.environment);
  const node = await nodeOf("24");
  const program = join(yarnFolder, "node_modules", "@yarnpkg", "cli-dist", "bin", "yarn.js");
  const yarn = (...words: string[]) => installed.run(node, [program, ...words], folder, fetching());
  for (const words of [["install"], ["node", "--test", "notes.test.mjs"]]) {
    const { code, stdout } = await yarn(...words);
    expect(code, stdout).toBe(0);
  }
  const started = yarn("homebase", "start", "--port-offset", String(leasePorts()));
  await vi.waitUntil(async () => (await yarn("homebase", "status", "--json")).code === 0, 180_000);
  expect(await yarn("homebase", "stop")).toMatchObject({ code: 0, stdout: "Stopped.\n" });
  // Without a word of a disk that cannot be synced.
  expect(await started).toMatchObject({ code: 0, stderr: "" });
});

/** What lets other package managers fetch as npm does here: its registry, and the certificates of this machine. */
function fetching(): NodeJS.ProcessEnv {
  const registry = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim();
  return {
    NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS,
    npm_config_registry: registry,
    YARN_NPM_REGISTRY_SERVER: registry.replace(/\/$/, ""),
    YARN_UNSAFE_HTTP_WHITELIST: "*",
    YARN_ENABLE_IMMUTABLE_INSTALLS: "false",
  };
}

/** How each installs without its install scripts, and runs a script of package.json. */
const MANAGERS: [name: string, packages: string[], program: string[]][] = [
  ["pnpm 12", ["pnpm@12"], ["pnpm/bin/pnpm.mjs"]],
  ["Yarn 1", ["yarn@1"], ["yarn/bin/yarn.js"]],
  ["Bun", ["bun@1"], ["bun/bin/bun.exe"]],
];

test.runIf(whole).each(MANAGERS)("link-cli in a project of %s", async (name, packages, [program = ""]) => {
  const cli = await installed.project("cli", {
    "package.json": JSON.stringify({ name: "supabase", version: "2.0.0", bin: { supabase: "cli.js" } }),
    "cli.js": '#!/usr/bin/env node\nconsole.log("real", ...process.argv.slice(2));\n',
  });
  const folder = await installed.project(`linked-by-${name.replace(" ", "-")}`, {
    "supabase/config.toml": "",
    "package.json": JSON.stringify({
      private: true,
      scripts: { link: "homebase link-cli", here: "supabase status", there: "supabase projects list" },
      devDependencies: { supabase: `file:${cli}`, "homebase-stack": `file:${installed.tarball}` },
    }),
  });
  const manager = await installed.project(name.replace(" ", "-"), { "package.json": '{"private":true}' });
  await npmInstall(manager, packages, installed.environment);
  const path = join(manager, "node_modules", program);
  const run = async (...words: string[]) => {
    const [file, all] = program.endsWith(".exe") ? [path, words] : [await nodeOf("24"), [path, ...words]];
    return installed.run(file, all, folder, fetching());
  };
  await run("install");
  expect(await run("run", "link")).toMatchObject({ code: 0 });
  const here = await run("run", "here");
  expect(here.stdout + here.stderr).toContain("The stack of this project is not running.");
  expect((await run("run", "there")).stdout).toContain("real projects list");
});

test.each(["22", "24", "26"].filter((number) => whole || number === "22"))(
  "the commands run on Node %s itself: none is fetched, and nothing is said about it",
  async (number) => {
    const folder = await installed.project(`commands-on-${number}`, {
      ...PROJECT,
      "supabase/config.toml": "",
      "package.json": '{"private":true}',
    });
    await npmInstall(folder, [installed.tarball], installed.environment);
    const node = await nodeOf(number);
    const command = join(folder, "node_modules", "homebase-stack", "bin", "homebase.mjs");
    // Its own: other cases fetch Deno.
    const cache = join(folder, "cache");
    const homebase = (...words: string[]) =>
      installed.run(node, [command, ...words], folder, { HOMEBASE_CACHE: cache });
    const started = homebase("start", "--port-offset", String(leasePorts()));
    const state = await vi.waitUntil(async () => {
      const { code, stdout } = await homebase("status", "--json");
      return code === 0 && (JSON.parse(stdout) as { API_URL: string; PUBLISHABLE_KEY: string });
    }, 60_000);
    const rows = await fetch(`${state.API_URL}/rest/v1/notes`, {
      headers: { apikey: state.PUBLISHABLE_KEY },
    });
    expect(await rows.json()).toEqual([{ id: 1, body: "seeded" }]);
    expect(await homebase("stop")).toEqual({ code: 0, stdout: "Stopped.\n", stderr: "" });
    expect(await started).toEqual({
      code: 0,
      stdout: expect.stringContaining("Homebase is ready"),
      stderr: "",
    });
    expect(existsSync(cache)).toBe(false);
  },
);

test("the commands on Node 18 say which Nodes they need", async () => {
  const folder = await installed.project("commands-on-18", { "package.json": '{"private":true}' });
  await npmInstall(folder, [installed.tarball], installed.environment);
  const node = await nodeOf("18");
  const command = join(folder, "node_modules", "homebase-stack", "bin", "homebase.mjs");
  const { code, stdout, stderr } = await installed.run(node, [command, "start"], folder, {});
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/^Homebase needs Node 20\.19 or newer; this is 18\.[0-9.]+\. [^\n]+\n$/);
});
