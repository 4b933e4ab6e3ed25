/** Functions in the shapes that upstream runs: imports of all functions in one deno.json, CommonJS, a model's session. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createBackend, type TestBackend } from "../../src/testing/index.ts";

const project = mkdtempSync(join(tmpdir(), "homebase-shapes-"));
let backend: TestBackend;

const FILES: Record<string, string> = {
  "deno.jsonc": '{ // Of all functions\n "imports": { "#u/": "./_u/" }, }',
  "_u/m.ts": "export const u = 1;",
  "shared/index.ts": 'import { u } from "#u/m.ts"; Deno.serve(() => new Response(String(u)));',
  "own/deno.json": '{ "imports": { "#u/": "./" } }',
  "own/m.ts": "export const u = 2;",
  "own/index.ts": 'import { u } from "#u/m.ts"; Deno.serve(() => new Response(String(u)));',
  "common/package.json": '{ "type": "commonjs" }',
  "common/words.js": 'const { join } = require("node:path"); module.exports = { word: join("a", "b") };',
  "common/index.ts": 'const { word } = require("./words.js"); Deno.serve(() => new Response(word));',
  "package.json": '{ "dependencies": { "nowhere-to-be-found": "1.0.0" }, "type": "commonjs" }',
  "model/index.ts": `const session = new Supabase.ai.Session("gte-small");
    Deno.serve(async (req) => {
      if (req.method === "OPTIONS") return new Response("ok");
      try { return Response.json(await session.run("a text")); }
      catch (error) { return new Response(error.message, { status: 501 }); }
    });`,
};

beforeAll(async () => {
  for (const [name, text] of Object.entries(FILES)) {
    const path = join(project, "supabase", "functions", name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  const names = ["shared", "own", "common", "model"];
  const functions = Object.fromEntries(names.map((name) => [name, { verify_jwt: false }]));
  backend = await createBackend({ projectFolder: project, bare: true, config: { functions } });
});
afterAll(async () => {
  await backend?.drop();
  rmSync(project, { recursive: true });
});

async function call(name: string, method = "GET"): Promise<[number, string]> {
  const answer = await fetch(`${backend.url}/functions/v1/${name}`, { method });
  return [answer.status, await answer.text()];
}

test("a deno.json of all functions counts where a function has none, and a deploy's lack of it is said", async () => {
  expect(await call("shared")).toEqual([200, "1"]);
  expect(await call("own")).toEqual([200, "2"]);
  const warned = backend.logs.filter(({ message }) => message.includes("a deploy needs one"));
  expect(warned.map(({ fields }) => fields)).toMatchObject([{ function: "shared" }]);
});

test("a function whose package.json says CommonJS may require; one above it counts for nothing", async () => {
  expect(await call("common")).toEqual([200, "a/b"]);
});

test("a function that makes a model's session starts, and only running the model is refused", async () => {
  expect(await call("model", "OPTIONS")).toEqual([200, "ok"]);
  expect(await call("model")).toEqual([501, expect.stringContaining("cannot run gte-small here")]);
});
