/** Errors outside every boundary: each command that serves, a wing's too, logs them and serves again on its ports. */
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { createBackend } from "../../src/testing/index.ts";
import { leaseHostedPorts, leasePorts } from "../port-lease.ts";
import { Project } from "./project.ts";

const CLI = join(import.meta.dirname, "../../bin/homebase.mjs");
const THROWING = `--import=${join(import.meta.dirname, "throwing.mjs")}`;
const SOURCES = 7;
const ERROR = /An unexpected error; restarting/g;
const cleanUps: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** Throws from every source, one after another; the service must respond within a second after each. */
async function throwFromAll(
  pid: number,
  output: () => string,
  healthy: () => Promise<boolean>,
): Promise<void> {
  for (let count = 1; count <= SOURCES; count += 1) {
    process.kill(pid, "SIGWINCH");
    await expect.poll(() => output().match(ERROR)?.length, { interval: 5 }).toBe(count);
    await expect.poll(() => healthy().catch(() => false), { interval: 10 }).toBe(true);
  }
}

/** Runs a command with the thrower; resolves when it has printed a text. */
async function command(args: string[], ready: RegExp, environment: Record<string, string> = {}) {
  const child: ChildProcess = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", CLI, ...args],
    {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...environment, NODE_OPTIONS: THROWING },
    },
  );
  const output = { text: "" };
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      output.text += text;
    });
  }
  cleanUps.push(async () => {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    if (child.exitCode === null && child.kill("SIGTERM")) await ended;
  });
  await expect.poll(() => output.text, { timeout: 30_000 }).toMatch(ready);
  return { child, output };
}

test("start: what it served is served again, with data and the same process", async () => {
  const project = new Project();
  project.environment = { NODE_OPTIONS: THROWING };
  cleanUps.push(() => project.remove());
  await project.start();
  const pid = project.pid;
  const made = await fetch(`${project.url}/storage/v1/bucket`, {
    method: "POST",
    headers: { authorization: `Bearer ${project.secret}`, apikey: project.secret },
    body: '{"name":"kept"}',
  });
  expect(made.status).toBe(200);
  const headers = { apikey: project.secret };
  await throwFromAll(
    pid,
    () => project.output,
    async () => (await fetch(`${project.url}/auth/v1/health`, { headers })).ok,
  );
  await expect.poll(() => project.output, { timeout: 10_000 }).toMatch(/Restarted after an unexpected error/);
  const buckets = await fetch(`${project.url}/storage/v1/bucket`, { headers });
  expect(await buckets.json()).toMatchObject([{ name: "kept" }]);
  expect((await fetch(`http://127.0.0.1:${54_324 + project.offset}/api/v1/info`)).ok).toBe(true);
  const logged = await project.run("logs");
  expect(logged.stdout).toMatch(/"?id"?[:= ]+"?[0-9a-f-]{36}/);
  expect([project.exitCode, project.pid]).toEqual([null, pid]);
}, 180_000);

test("hosted: API and Management API serve again", async () => {
  const offset = leaseHostedPorts();
  const { child, output } = await command(
    ["hosted", "--json", "--port-offset", String(offset), "--workdir", new Project().folder],
    /"kind":"ready"/,
  );
  const { url, managementUrl, accessToken, secretKey } = JSON.parse(output.text.split("\n")[0] ?? "");
  await throwFromAll(
    child.pid ?? 0,
    () => output.text,
    async () => {
      const answers = await Promise.all([
        fetch(`${url}/auth/v1/health`, { headers: { apikey: secretKey } }),
        fetch(`${managementUrl}/v1/projects`, { headers: { authorization: `Bearer ${accessToken}` } }),
      ]);
      return answers.every(({ ok }) => ok);
    },
  );
  expect(child.exitCode).toBe(null);
}, 180_000);

test("rest: it serves again on its port", async () => {
  const backend = await createBackend({ bare: true });
  cleanUps.push(() => backend.drop());
  await backend.sql("create table public.things (id int); grant select on public.things to anon");
  const port = String(54_320 + leasePorts());
  const { child, output } = await command(["rest"], /API server listening on/, {
    PGRST_DB_URI: backend.databaseUrl.replace("postgres:postgres@", "authenticator:postgres@"),
    PGRST_DB_ANON_ROLE: "anon",
    PGRST_SERVER_PORT: port,
    PGRST_SERVER_HOST: "127.0.0.1",
  });
  await throwFromAll(
    child.pid ?? 0,
    () => output.text,
    async () => (await fetch(`http://127.0.0.1:${port}/things`)).ok,
  );
  expect(child.exitCode).toBe(null);
}, 180_000);
