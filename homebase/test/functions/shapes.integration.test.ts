/** Functions in the shapes that upstream runs: imports of all functions in one deno.json, CommonJS, a model's session. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
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
      const { text = "a text", model } = Object.fromEntries(new URL(req.url).searchParams);
      const used = model ? new Supabase.ai.Session(model) : session;
      try { return Response.json(await used.run(text, { mean_pool: true, normalize: true })); }
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

describe("where a start asks for the stand-in of gte-small", () => {
  let standIn: TestBackend;
  beforeAll(async () => {
    standIn = await createBackend({
      projectFolder: project,
      bare: true,
      modelStandIn: true,
      config: { functions: { model: { verify_jwt: false } } },
    });
  });
  afterAll(() => standIn?.drop());
  const asked = (search: string) => fetch(`${standIn.url}/functions/v1/model?${search}`);
  const run = async (text: string) => {
    const answer = await asked(String(new URLSearchParams({ text })));
    return (await answer.json()) as number[];
  };
  const nearness = (one: number[], other: number[]) =>
    one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);

  test("it gives 384 numbers of the length 1, the same for the same text, near where words are shared", async () => {
    const [fish, again, near, far, empty] = await Promise.all(
      ["Fresh fish, grilled", "fresh FISH grilled", "grilled fish and rice", "a bicycle shop", ""].map(run),
    );
    for (const one of [fish, near, far, empty]) {
      expect(one).toHaveLength(384);
      expect(nearness(one ?? [], one ?? [])).toBeCloseTo(1, 6);
    }
    expect(again).toEqual(fish);
    expect(nearness(fish ?? [], near ?? [])).toBeGreaterThan(nearness(fish ?? [], far ?? []) + 0.2);
  });

  test("each run says in the log what it is, and no other model runs", async () => {
    await run("a text");
    await expect
      .poll(() => standIn.logs.map(({ message }) => message))
      .toContainEqual(expect.stringContaining("these 384 numbers are hashed words, not gte-small's"));
    const other = await asked("model=llama3.2");
    expect([other.status, await other.text()]).toEqual([
      501,
      "Supabase.ai cannot run llama3.2 here: Homebase has no models.",
    ]);
  });
});
