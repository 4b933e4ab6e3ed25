/**
 * The platform's contract with functions and their callers, point by point (Supabase's guides to Edge
 * Functions).
 */
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createClient, FunctionsHttpError } from "@supabase/supabase-js";
import pg from "pg";
import { expect, test } from "vitest";
import { silentLog } from "../../src/core/log.ts";
import { findFunction } from "../../src/functions/project-functions.ts";
import { Supervisor } from "../../src/functions/supervisor.ts";
import { hostedLimits } from "../../src/functions/worker.ts";
import { createBackend } from "../../src/testing/index.ts";
import { folderForThisFile, forThisFile, writeFiles } from "../for-this-file.ts";

/** Returns the code's result; an error as its name and message. */
const answer = (code: string) =>
  `const tried = async (work) => { try { return await work(); } catch (error) { return error.name + ": " + error.message; } };
   Deno.serve(async (req, info) => Response.json(await (async () => { ${code} })()));`;

const FILES: Record<string, string> = {
  "functions/.env": [
    "# a comment",
    "export PLAIN=one",
    'LINES="first\\nsecond"',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: dotenv's own expansion.
    "JOINED=${PLAIN}-two",
    "SUPABASE_OWN=never",
    "OVERRIDDEN=by the file",
  ].join("\n"),
  "functions/headers/index.ts": answer(
    "return { headers: Object.fromEntries(req.headers), search: new URL(req.url).search, scheme: new URL(req.url).origin, cloned: new URL(req.clone().url).origin, remote: typeof info.remoteAddr.hostname };",
  ),
  "functions/env/index.ts": answer(`
    Deno.env.set("MINE", "set"); process.env.OTHER = "too";
    const before = Deno.env.has("PLAIN"); Deno.env.delete("PLAIN");
    return { all: Deno.env.toObject(), mine: process.env.MINE, other: Deno.env.get("OTHER"), before, after: Deno.env.has("PLAIN"), path: process.env.PATH ?? null };`),
  "functions/agent/index.ts": answer(`
    const seen = async (...args) => { const { headers } = await (await fetch(...args)).json(); return [headers["user-agent"], headers["x-own"] ?? null]; };
    const url = Deno.env.get("SUPABASE_URL") + "/functions/v1/headers";
    return [await seen(url), await seen(new Request(url, { headers: { "x-own": "1" } })), await seen(url, { headers: { "User-Agent": "mine" } })];`),
  "functions/redirects/index.ts": `Deno.serve(() => Response.redirect("http://127.0.0.1:1/elsewhere", 307));`,
  "functions/page/index.ts": `Deno.serve(() => new Response("<p>hi</p>", { headers: { "content-type": "text/html" } }));`,
  "functions/options/index.ts": `const server = Deno.serve({ port: 9999, hostname: "0.0.0.0", onError: (error) => new Response("mine: " + error.message, { status: 418 }),
      handler: (req) => { if (req.url.endsWith("throw")) throw new Error("oops"); return new Response([typeof server.finished.then, typeof server.shutdown, typeof server.ref, typeof server.unref].join(" ")); } });`,
  "functions/both/index.ts": `Deno.serve({ port: 1 }, () => new Response("options first"));`,
  "functions/slowly/index.ts": `await new Promise((later) => setTimeout(later, 300)); Deno.serve(() => new Response("registered late"));`,
  "functions/unawaited/index.ts": `setTimeout(() => Deno.serve(() => new Response("registered at last")), 300);`,
  "functions/badfetch/index.ts": `export default { fetch: "no function" };`,
  "functions/older/index.ts": `const listener = Deno.listen({ port: 8000 });
    for await (const connection of listener) (async () => { for await (const event of Deno.serveHttp(connection)) event.respondWith(new Response("older " + new URL(event.request.url).pathname)); })();`,
  "functions/common/main.cjs": `const { createServer } = require("node:http"); createServer((req, res) => res.end("common " + require("./part.cjs").word)).listen(3000);`,
  "functions/common/part.cjs": `exports.word = "js";`,
  "functions/plain/main.js": `import settings from "./settings.json" with { type: "json" }; Deno.serve(() => new Response(settings.word));`,
  "functions/plain/settings.json": `{ "word": "from json" }`,
  "functions/mapped/index.ts": `import { word } from "own/word.ts"; Deno.serve(() => new Response(word));`,
  "functions/mapped/lib/word.ts": `export const word = "through a map";`,
  "functions/mapped/deno.json": `{ "importMap": "./map.json" }`,
  "functions/mapped/map.json": `{ "imports": { "own/": "./lib/" } }`,
  "functions/deprecated/index.ts": `import { word } from "word"; Deno.serve(() => new Response(word));`,
  "functions/deprecated/word.ts": `export const word = "old map";`,
  "functions/deprecated/import_map.json": `{ "imports": { "word": "./word.ts" } }`,
  "functions/declared/index.ts": `import { word } from "word"; Deno.serve(() => new Response(word + Deno.env.get("ONLY_MINE") + Deno.env.get("BESIDE") + Deno.env.get("PLAIN")));`,
  "functions/declared/.env": "BESIDE=' beside '\nPLAIN=own\n",
  "elsewhere/word.ts": `export const word = "declared ";`,
  "elsewhere/map.json": `{ "imports": { "word": "./word.ts" } }`,
  "functions/globals/index.ts": answer(`
    Deno.exit(3); Deno.kill(1, "SIGTERM"); Deno.addSignalListener("SIGINT", () => {});
    return { keys: Object.keys(EdgeRuntime), same: EdgeRuntime.waitUntil(5), ai: await tried(() => new Supabase.ai.Session("gte-small").run("a text")),
      shared: SharedArrayBuffer === ArrayBuffer,
      buffer: Buffer.from("x").length, error: new Deno.errors.WorkerRequestCancelled("x").name, execution: Deno.env.get("SB_EXECUTION_ID") };`),
  "functions/saved/index.ts": `let caught = 0; addEventListener("unhandledrejection", (event) => { event.preventDefault(); caught += 1; });
    Deno.serve(async () => { Promise.reject(new Error("nobody waits")); await new Promise((later) => setTimeout(later, 20)); return new Response("caught " + caught); });`,
  "functions/lost/index.ts": `Deno.serve(async () => { Promise.reject(new Error("nobody waits")); await new Promise((later) => setTimeout(later, 500)); return new Response("never"); });`,
  "functions/farewell/index.ts": `for (const name of ["load", "beforeunload", "unload"]) addEventListener(name, (event) => console.log("event " + name + " " + (event.detail?.reason ?? "")));
    Deno.serve(() => new Response("here"));`,
  "functions/types/index.ts": `Deno.serve(async (req) => {
      const kind = new URL(req.url).searchParams.get("kind");
      if (kind === "json") return Response.json({ type: req.headers.get("content-type"), body: await req.text() });
      if (kind === "bytes") return new Response(new Uint8Array([1, 2, 3]), { headers: { "content-type": "application/octet-stream" } });
      if (kind === "form") { const form = new FormData(); form.set("a", "b"); return new Response(form); }
      if (kind === "events") return new Response("data: 1\\n\\n", { headers: { "content-type": "text/event-stream" } });
      if (kind === "failed") return new Response("teapot", { status: 418, headers: { "x-own": "1" } });
      return new Response("text");
    });`,
  "functions/burns/index.ts": `const id = crypto.randomUUID();
    Deno.serve(async (req) => {
      if (req.url.endsWith("wait")) await fetch(req.headers.get("x-gate"));
      else for (const began = performance.now(); performance.now() - began < 120; );
      return new Response(id);
    });`,
  "functions/silent/index.ts": `console.log("nothing to serve");`,
  "functions/statuses/index.ts": `Deno.serve((req) => new Response(null, { status: Number(new URL(req.url).searchParams.get("status")) }));`,
};
const DECLARED = `
[edge_runtime.secrets]
FROM_CONFIG = "config"
OVERRIDDEN = "by config"
UNRESOLVED = "env(NOT_ANYWHERE_AT_ALL)"
[functions.common]
entrypoint = "./functions/common/main.cjs"
[functions.plain]
entrypoint = "./functions/plain/main.js"
[functions.declared]
import_map = "./elsewhere/map.json"
[functions.declared.env]
ONLY_MINE = "mine"
`;

const project = folderForThisFile("contract");
writeFiles(join(project, "supabase"), { ...FILES, "config.toml": `project_id = "contract"\n${DECLARED}` });
const names = new Set(
  Object.keys(FILES).flatMap((path) => (path.startsWith("functions/.") ? [] : [path.split("/")[1] ?? ""])),
);
const backend = await forThisFile(
  createBackend({
    projectFolder: project,
    bare: true,
    config: {
      functions: Object.fromEntries([...names].map((name) => [name, { verify_jwt: false }])),
    },
  }),
);

const call = (path: string, init: RequestInit = {}) => fetch(`${backend.url}/functions/v1/${path}`, init);
const json = async (path: string, init: RequestInit = {}) =>
  (await (await call(path, init)).json()) as Record<string, unknown>;
const text = async (path: string) => (await call(path)).text();
const logged = (part: string) => backend.logs.filter(({ message }) => message.includes(part));

test("every method of hosted passes, any other is 405", async () => {
  const status = (method: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      request(`${backend.url}/functions/v1/headers`, { method }, (incoming) => {
        incoming.resume();
        resolve(incoming.statusCode);
      })
        .on("error", reject)
        .end();
    });
  for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
    expect(await status(method), method).toBe(200);
  for (const method of ["TRACE", "PROPFIND", "SEARCH"]) expect(await status(method), method).toBe(405);
});

test("headers and query reach the function as they were sent, with the outside's address beside", async () => {
  const { port } = new URL(backend.url);
  const seen = await json("headers?forceFunctionRegion=eu-west-1&a=1", {
    headers: { apikey: backend.publishableKey, "x-region": "eu-west-1", "x-forwarded-host": "forged" },
  });
  expect(seen).toMatchObject({
    search: "?forceFunctionRegion=eu-west-1&a=1",
    scheme: backend.url,
    cloned: backend.url,
    headers: {
      apikey: backend.publishableKey,
      "x-region": "eu-west-1",
      "x-forwarded-host": `127.0.0.1:${port}`,
      "x-forwarded-port": port,
      "x-forwarded-proto": "http",
      "x-forwarded-for": expect.stringContaining("127.0.0.1"),
    },
  });
});

test("what a function fetches is fetched as the edge runtime, unless it says otherwise", async () => {
  const runtime = expect.stringContaining("SupabaseEdgeRuntime/");
  expect(await json("agent")).toEqual([
    [runtime, null],
    [runtime, "1"],
    ["mine", null],
  ]);
});

test("Postgres is where a function's environment says, with its password and not without", async () => {
  const url = backend.databaseUrl;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  expect((await client.query("select current_database() as name")).rows).toEqual([
    { name: backend.database.name },
  ]);
  await client.end();
  const guessing = new pg.Client({ connectionString: url.replace(":postgres@", ":guess@") });
  await expect(guessing.connect()).rejects.toThrow("password authentication failed");
});

test("a redirect is handed to the client", async () => {
  const response = await call("redirects", { redirect: "manual" });
  expect([response.status, response.headers.get("location")]).toEqual([307, "http://127.0.0.1:1/elsewhere"]);
});

test("HTML of a GET stays HTML, with one warning that hosted makes it plain text", async () => {
  for (let round = 0; round < 2; round += 1) {
    const response = await call("page");
    expect(response.headers.get("content-type")).toBe("text/html");
  }
  expect(logged("text/plain").map(({ level, fields }) => [level, fields?.function])).toEqual([
    ["warn", "page"],
  ]);
});

test("the environment is the platform's, the config's and the file's, and nothing else", async () => {
  const { all, ...rest } = (await json("env")) as { all: Record<string, string> } & Record<string, unknown>;
  expect(rest).toEqual({ mine: "set", other: "too", before: true, after: false, path: null });
  expect(all).toMatchObject({
    FROM_CONFIG: "config",
    OVERRIDDEN: "by the file",
    LINES: "first\nsecond",
    JOINED: "one-two",
    SUPABASE_URL: backend.url,
    SUPABASE_ANON_KEY: backend.anonKey,
    SUPABASE_SERVICE_ROLE_KEY: backend.serviceRoleKey,
    SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: backend.publishableKey }),
    SUPABASE_SECRET_KEYS: JSON.stringify({ default: backend.secretKey }),
    SUPABASE_DB_URL: backend.databaseUrl,
    SUPABASE_JWKS: expect.stringMatching(/^\{"keys":\[\{/),
    SB_REGION: "local",
    SB_EXECUTION_ID: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
  for (const name of ["UNRESOLVED", "SUPABASE_OWN", "HOME", "PATH", "PWD", "HOSTNAME"])
    expect(all, name).not.toHaveProperty(name);
  expect(logged("Env name cannot start with SUPABASE_, skipping: SUPABASE_OWN").length).toBeGreaterThan(0);
});

test("Deno.serve in its other shapes, and after top-level await", async () => {
  expect(await text("options")).toBe("function function function function");
  const thrown = await call("options/throw");
  expect([thrown.status, await thrown.text()]).toEqual([418, "mine: oops"]);
  expect(await text("both")).toBe("options first");
  expect(await text("slowly")).toBe("registered late");
});

test("a default export whose fetch is no function does not start", async () => {
  const response = await call("badfetch");
  expect(response.status).toBe(503);
  expect(((await response.json()) as { details: string }).details).toContain(
    "Invalid type for fetch: must be a function with a single or no parameter",
  );
});

test("older servers, CommonJS and other entry files serve too", async () => {
  expect(await text("older/x")).toBe("older /older/x");
  expect(await text("common")).toBe("common js");
  expect(await text("plain")).toBe("from json");
});

test("import maps: through deno.json, beside the entry with a warning, and as declared", async () => {
  expect(await text("mapped")).toBe("through a map");
  expect(await text("deprecated")).toBe("old map");
  expect(logged("import_map.json").map(({ level, fields }) => [level, fields?.function])).toEqual([
    ["warn", "deprecated"],
  ]);
  expect(await text("declared")).toBe("declared mine beside own");
});

test("the globals of the hosted runtime, and what it has not", async () => {
  expect(await json("globals")).toEqual({
    keys: ["waitUntil"],
    same: 5,
    ai: "Error: Supabase.ai cannot run gte-small here: Homebase has no models. On hosted it runs; homebase start --model-stand-in gives numbers made of hashed words.",
    shared: true,
    buffer: 1,
    error: "WorkerRequestCancelled",
    execution: expect.any(String),
  });
});

test("an unhandled rejection ends the worker unless the function prevents it", async () => {
  expect(await text("saved")).toBe("caught 1");
  expect(await text("saved")).toBe("caught 2");
  const response = await call("lost");
  expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([
    500,
    "WORKER_ERROR",
  ]);
});

test("a worker hears that it was loaded and that it is to go", async () => {
  expect(await text("farewell")).toBe("here");
  writeFileSync(
    join(project, "supabase/functions/farewell/index.ts"),
    FILES["functions/farewell/index.ts"] ?? "",
  );
  await expect
    .poll(() => logged("event ").map(({ message }) => message))
    .toEqual(["event load ", "event beforeunload termination", "event unload "]);
});

test("statuses without a body pass", async () => {
  for (const status of [204, 205, 304]) {
    const response = await call(`statuses?status=${status}`);
    expect([response.status, await response.text()]).toEqual([status, ""]);
  }
});

test("supabase-js reads each answer by its type, and an error with its response", async () => {
  const { functions } = createClient(backend.url, backend.publishableKey, {
    auth: { persistSession: false, autoRefreshToken: false },
  });
  const invoke = (kind: string, options = {}) => functions.invoke(`types?kind=${kind}`, options);
  expect((await invoke("json", { body: { a: 1 } })).data).toEqual({
    type: "application/json",
    body: '{"a":1}',
  });
  expect((await invoke("json", { body: "soup" })).data).toEqual({ type: "text/plain", body: "soup" });
  expect((await invoke("json", { body: new Blob(["b"]) })).data).toEqual({
    type: "application/octet-stream",
    body: "b",
  });
  expect(((await invoke("bytes")).data as Blob).size).toBe(3);
  expect(((await invoke("form")).data as FormData).get("a")).toBe("b");
  expect(await ((await invoke("events")).data as Response).text()).toBe("data: 1\n\n");
  expect((await invoke("plain")).data).toBe("text");
  const { error } = await invoke("failed");
  expect(error).toBeInstanceOf(FunctionsHttpError);
  const { context } = error as { context: Response };
  expect([context.status, context.headers.get("x-own"), await context.text()]).toEqual([418, "1", "teapot"]);
});

test("a worker that has used a second takes nothing new, and whoever waits in it is answered", async () => {
  const first = await text("burns");
  // Processor time counts from the oldest request that runs, so this one runs until the worker is spent.
  const came = Promise.withResolvers<ServerResponse>();
  await using gate = createServer((_, response) => came.resolve(response));
  await once(gate.listen(0, "127.0.0.1"), "listening");
  const { port } = gate.address() as AddressInfo;
  const waiting = call("burns?wait", { headers: { "x-gate": `http://127.0.0.1:${port}` } });
  const held = await came.promise;
  const answers: [number, string][] = [];
  // A call burns less of the processor's time than it takes where others use the processor too.
  do {
    const answer = await call("burns");
    answers.push([answer.status, await answer.text()]);
  } while (answers.at(-1)?.[1] === first && answers.length < 200);
  expect(answers.map(([status]) => status)).toEqual(answers.map(() => 200));
  expect(answers[0]?.[1]).toBe(first);
  expect(answers.at(-1)?.[1]).not.toBe(first);
  held.end();
  const late = await waiting;
  expect([late.status, await late.text()]).toEqual([200, first]);
}, 120_000);

test("a handler may be registered by work that the module does not wait for", async () => {
  expect(await (await call("unawaited")).text()).toBe("registered at last");
});

test("a module that registers no handler is told so when nothing is pending that could", async () => {
  const response = await call("silent");
  expect([response.status, ((await response.json()) as { details: string }).details]).toEqual([
    503,
    expect.stringContaining("The function registered no handler"),
  ]);
}, 120_000);

test("a worker takes nothing new at half its life, and is ended at the whole of it", async () => {
  const { config, database, clock, url, storageFolder } = backend;
  const context = { config, keys: backend.backend.keys, database, clock, url, storageFolder, log: silentLog };
  const limits = { ...hostedLimits, wallClockMilliseconds: 4_000 };
  const supervisor = new Supervisor(
    { ...context, sendMail: async () => undefined, happened: () => {} },
    limits,
  );
  try {
    const definition = findFunction(config, "both");
    if (!definition) throw new Error("The function is not there.");
    const first = await supervisor.worker(definition);
    const leave = first.enter();
    expect(await supervisor.worker(definition)).toBe(first);
    await expect.poll(() => supervisor.worker(definition)).not.toBe(first);
    expect(performance.now() - first.startedAt).toBeGreaterThan(1_900);
    expect(first.ended).toBe(false);
    await first.gone;
    expect(performance.now() - first.startedAt).toBeGreaterThan(3_900);
    expect(first.killedFor?.status).toBe(546);
    leave();
  } finally {
    await supervisor.close();
  }
});
