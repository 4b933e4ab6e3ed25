/** A function's own /tmp through `node:fs`: the one Deno's file functions see (docs/compat/functions.md 6). */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createBackend } from "../../src/testing/index.ts";
import { folderForThisFile, forThisFile, writeFiles } from "../for-this-file.ts";

const own = `homebase-${process.pid}`;

const FILES: Record<string, string> = {
  "module/index.ts": `import fs from "node:fs"; import promises from "node:fs/promises"; import os from "node:os"; import path from "node:path";
    fs.mkdirSync("/tmp/${own}"); fs.writeFileSync("/tmp/${own}/early", "at its start");
    const streamed = () => new Promise((resolve, reject) => fs.createWriteStream("/tmp/streamed").on("error", reject)
      .end("in parts", () => fs.createReadStream("/tmp/streamed").on("error", reject).on("data", (part) => resolve(String(part)))));
    const called = () => new Promise((resolve, reject) => fs.mkdtemp("/tmp/called-", (error, made) => error ? reject(error) : resolve(made)));
    Deno.serve(async () => {
      await promises.writeFile("/tmp/a.txt", "by node");
      await promises.writeFile(path.join(os.tmpdir(), "b.txt"), "below os.tmpdir()");
      await Deno.writeTextFile("/tmp/c.txt", "by deno");
      return Response.json({
        early: await promises.readFile("/tmp/${own}/early", "utf8"),
        a: await Deno.readTextFile("/tmp/a.txt"), b: await Deno.readTextFile("/tmp/b.txt"), tmpdir: os.tmpdir(),
        c: await promises.readFile(new URL("file:///tmp/c.txt"), "utf8"), size: (await fs.promises.stat("/tmp/c.txt")).size,
        streamed: await streamed(), called: await called(), made: await promises.mkdtemp("/tmp/made-"),
        real: await promises.realpath("/tmp/a.txt"), names: (await promises.readdir("/tmp")).filter((name) => /^[abc].txt$/.test(name)).sort(),
        gone: await promises.unlink("/tmp/a.txt").then(() => fs.existsSync("/tmp/a.txt")),
        other: await promises.readFile("/etc/passwd").then(() => "read", (error) => error.name),
      });
    });`,
  "named/index.ts": `import { createReadStream, existsSync, mkdirSync, writeFileSync } from "node:fs"; import { readFile, writeFile } from "node:fs/promises"; import * as all from "fs";
    mkdirSync("/tmp/${own}"); writeFileSync("/tmp/${own}/early", "early");
    Deno.serve(async () => {
      await writeFile("/tmp/a.txt", "named");
      const parts = await Array.fromAsync(createReadStream("/tmp/a.txt", "utf8"));
      return Response.json([await readFile("/tmp/${own}/early", "utf8"), await Deno.readTextFile("/tmp/a.txt"), parts.join(""), existsSync("/tmp/a.txt"), all.readFileSync("/tmp/a.txt", "utf8")]);
    });`,
  "required/main.cjs": `const { readFileSync, writeFileSync } = require("node:fs");
    require("node:http").createServer((req, res) => { writeFileSync("/tmp/a.txt", "required"); res.end(readFileSync("/tmp/a.txt", "utf8")); }).listen(3000);`,
};

const project = folderForThisFile("node-files", {
  "supabase/config.toml": `project_id = "node-files"\n[functions.required]\nentrypoint = "./functions/required/main.cjs"\n`,
});
writeFiles(join(project, "supabase", "functions"), FILES);
const open = { verify_jwt: false };
const config = { functions: { module: open, named: open, required: open } };
const backend = await forThisFile(createBackend({ projectFolder: project, bare: true, config }));

const call = (name: string) => fetch(`${backend.url}/functions/v1/${name}`);

test("the module's object, its promises and its streams", async () => {
  expect(await (await call("module")).json()).toEqual({
    early: "at its start",
    a: "by node",
    b: "below os.tmpdir()",
    tmpdir: "/tmp",
    c: "by deno",
    size: 7,
    streamed: "in parts",
    called: expect.stringMatching(/^\/tmp\/called-\w+$/),
    made: expect.stringMatching(/^\/tmp\/made-\w+$/),
    real: "/tmp/a.txt",
    names: ["a.txt", "b.txt", "c.txt"],
    gone: false,
    other: "NotCapable",
  });
  expect(existsSync(`/tmp/${own}`)).toBe(false);
});

test("functions imported by name", async () => {
  expect(await (await call("named")).json()).toEqual(["early", "named", "named", true, "named"]);
  expect(existsSync(`/tmp/${own}`)).toBe(false);
});

test("what a CommonJS function takes from require", async () => {
  expect(await (await call("required")).text()).toBe("required");
});
