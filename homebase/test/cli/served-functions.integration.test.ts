/** `functions new` and `serve`, `db start`, and `db query` without SQL. */
import { spawn } from "node:child_process";
import { afterEach, expect, test } from "vitest";
import { COMMAND } from "../command.ts";
import { Project } from "./project.ts";

let project: Project;
afterEach(() => project?.remove(), 180_000);

test("a new function is served at once by the running stack, and serve shows its address and log", async () => {
  project = new Project({ "config.toml": "" });
  const none = await project.run("functions", "serve");
  expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining("Start it with: homebase start") });
  await project.start();
  expect(await project.run("functions", "new", "greet")).toMatchObject({
    code: 0,
    stdout: "Created supabase/functions/greet/index.ts\n",
  });
  const serve = spawn(process.execPath, [COMMAND, "functions", "serve", "--workdir", project.folder], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let served = "";
  serve.stdout.setEncoding("utf8").on("data", (text: string) => {
    served += text;
  });
  const address = `${project.url}/functions/v1/greet`;
  await expect.poll(() => served).toBe(`Served by the running stack:\n  ${address}\n`);
  const call = () =>
    fetch(address, { method: "POST", headers: { apikey: project.key }, body: '{"name":"Ana"}' });
  expect(await (await call()).json()).toEqual({ message: "Hello Ana" });
  project.write("functions/greet/index.ts", 'console.log("greeting"); Deno.serve(() => new Response("Hi"));');
  await expect.poll(async () => (await call()).text()).toBe("Hi");
  await expect.poll(() => served).toMatch(/Reloading after a change[\s\S]*greeting/);
  serve.kill();
}, 180_000);

test("functions new takes one valid name, and replaces nothing", async () => {
  project = new Project({ "functions/there/index.ts": "// mine" });
  for (const names of [[], ["1st"], ["_shared"], ["../up"], ["two", "names"]]) {
    expect(await project.run("functions", "new", ...names)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Give the function one name"),
    });
  }
  expect(await project.run("functions", "new", "there")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("There is a function there already"),
  });
});

test("db start runs Postgres with the migrations, and no service", async () => {
  project = new Project({ "migrations/1_t.sql": "create table public.t (id int);" });
  project.starts = ["db", "start"];
  await project.start();
  expect((await project.run("db", "query", "select count(*) from t")).stdout).toContain("(1 row)");
  expect((await project.rest("t")).status).toBe(503);
  expect((await project.run("db", "start", "--from-backup=x")).stderr).toContain(
    "restore the dump with psql",
  );
}, 180_000);

test("db query without SQL says how to give it", async () => {
  project = new Project({});
  for (const args of [[], [""], ["-f", "/dev/null"]]) {
    expect(await project.run("db", "query", ...args)).toEqual({
      code: 2,
      stdout: "",
      stderr:
        'Error: There is no SQL. Give it in quotes (homebase db query "select 1"), by --file, or on standard input.\n',
    });
  }
});
