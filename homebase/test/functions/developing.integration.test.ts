/**
 * Functions during development: errors with their position, log lines, reload on save, imports from
 * elsewhere.
 */
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createBackend, type TestBackend } from "../../src/testing/index.ts";

const project = mkdtempSync(join(tmpdir(), "homebase-developing-"));
const cache = mkdtempSync(join(tmpdir(), "homebase-deno-"));
let backend: TestBackend;
let origin: string;
/** The registry answers /held once this is resolved. */
const held = Promise.withResolvers<void>();

const FUNCTIONS: Record<string, string> = {
  typed: `const count: number = "many";\nDeno.serve(() => new Response(count));`,
  toplevel: `const settings = undefined;\n\nconst name = settings.name;\nDeno.serve(() => new Response(name));`,
  handler: `Deno.serve((req) => {\n  const missing = req.nothing;\n  return new Response(missing.text);\n});`,
  unparsed: `Deno.serve(() => {\n  return new Response("x";\n});`,
  logs: `import { createServer } from "node:http";
    Deno.serve(async (req) => {
      const word = new URL(req.url).searchParams.get("word");
      console.log(word, { nested: [1, 2] });
      console.warn(word + " line one\\nline two");
      console.error(new Error(word + " failed"));
      console.debug(word + " debugged");
      await new Promise((later) => setTimeout(later, Math.random() * 50));
      console.log(word + " later");
      EdgeRuntime.waitUntil(new Promise((later) => setTimeout(() => { console.log(word + " after the answer"); later(); }, 50)));
      return new Response(req.headers.get("sb-request-id"));
    });`,
  nodelogs: `import { createServer } from "node:http";
    createServer((req, res) => { console.log("node " + req.url); res.end("ok"); }).listen(8000);`,
  works: `Deno.serve(() => {
      EdgeRuntime.waitUntil(new Promise((later) => setTimeout(() => { console.log("work of the first"); later(); }, 700)));
      return new Response("first");
    });`,
  changing: `Deno.serve(() => new Response("old"));`,
  remote: "",
  packaged: "",
};

const fileOf = (name: string) => join(project, "supabase", "functions", name, "index.ts");
const write = (name: string, code: string) => {
  mkdirSync(dirname(fileOf(name)), { recursive: true });
  writeFileSync(fileOf(name), code);
};

const GREET = `export const greet = (): string => "from jsr";`;
const MODULES: Record<string, [type: string, body: string]> = {
  "/word.ts": [
    "application/typescript",
    `import { inner } from "./inner.ts"; export const word: string = "from " + inner;`,
  ],
  "/inner.ts": ["application/typescript", `export const inner = "elsewhere";`],
  "/@nosh/greet/meta.json": [
    "application/json",
    JSON.stringify({ scope: "nosh", name: "greet", latest: "1.2.3", versions: { "1.2.3": {} } }),
  ],
  "/@nosh/greet/1.2.3_meta.json": [
    "application/json",
    JSON.stringify({
      manifest: {
        "/mod.ts": {
          size: GREET.length,
          checksum: `sha256-${createHash("sha256").update(GREET).digest("hex")}`,
        },
      },
      exports: { ".": "./mod.ts" },
    }),
  ],
  "/@nosh/greet/1.2.3/mod.ts": ["application/typescript", GREET],
};

const registry = createServer((request, response) => {
  if (request.url === "/held") return void held.promise.then(() => response.end());
  const [type, body] = MODULES[request.url ?? ""] ?? [];
  if (body === undefined) response.writeHead(404).end();
  else response.writeHead(200, { "content-type": type }).end(body);
});
beforeAll(async () => {
  await new Promise<void>((resolve) => registry.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(registry.address() as AddressInfo).port}`;
  for (const [name, code] of Object.entries(FUNCTIONS)) write(name, code);
  const open = [...Object.keys(FUNCTIONS), "outside"].map(
    (name) => `[functions.${name}]\nverify_jwt = false`,
  );
  writeFileSync(join(project, "supabase", "config.toml"), `project_id = "developing"\n${open.join("\n")}`);
  backend = await createBackend({
    projectFolder: project,
    bare: true,
    config: { environment: { ...process.env, DENO_DIR: cache, JSR_URL: `${origin}/` } },
  });
});
afterAll(async () => {
  await backend?.drop();
  registry?.close();
  for (const folder of [project, cache]) rmSync(folder, { recursive: true, force: true });
});

const call = (path: string) => fetch(`${backend.url}/functions/v1/${path}`);
const bootError = async (name: string) => {
  const response = await call(name);
  return { status: response.status, ...((await response.json()) as { code: string; details: string }) };
};
const logged = (text: string) => backend.logs.filter(({ message }) => message.includes(text));

test("types are stripped and not checked, as on hosted", async () => {
  expect(await (await call("typed")).text()).toBe("many");
});

test("a syntax error is told with file, line and column, in the answer and in the log", async () => {
  const answer = await bootError("unparsed");
  expect([answer.status, answer.code]).toEqual([503, "BOOT_ERROR"]);
  expect(answer.details).toMatch(/unparsed\/index\.ts:2:\d+/);
  expect(logged("unparsed/index.ts:2:").map(({ fields }) => fields?.function)).toContain("unparsed");
});

test("an error while the module is evaluated is told with file and line, in the answer and in the log", async () => {
  const answer = await bootError("toplevel");
  expect(answer.details).toMatch(/TypeError: .*undefined/);
  expect(answer.details).toMatch(/toplevel\/index\.ts:3:\d+/);
  expect(logged("toplevel/index.ts:3:").length).toBeGreaterThan(0);
});

test("an error in a handler is in the log with file, line and request; the answer gives nothing away", async () => {
  const response = await call("handler");
  expect([response.status, await response.text()]).toEqual([500, "Internal Server Error"]);
  const id = response.headers.get("sb-request-id");
  await expect.poll(() => logged("handler/index.ts:3:")).toHaveLength(1);
  expect(logged("handler/index.ts:3:")[0]).toMatchObject({
    level: "error",
    message: expect.stringMatching(/^TypeError: /),
    fields: { function: "handler", request: id },
  });
});

test("each entry bears function, request and time, be there many at once or the answer long given", async () => {
  const words = ["apple", "pear", "quince"];
  const ids = await Promise.all(
    words.map(async (word) => {
      const response = await call(`logs?word=${word}`);
      const seen = await response.text();
      expect(seen).toBe(response.headers.get("sb-request-id"));
      return seen;
    }),
  );
  await expect.poll(() => logged("after the answer")).toHaveLength(3);
  for (const [index, word] of words.entries()) {
    const own = backend.logs.filter(({ message }) => new RegExp(`\\b${word}\\b`).test(message));
    expect(own.map(({ level, message }) => [level, message.split("\n    at")[0]]).sort()).toEqual(
      [
        ["debug", `${word} debugged`],
        ["error", `Error: ${word} failed`],
        ["info", `${word} { nested: [ 1, 2 ] }`],
        ["info", `${word} after the answer`],
        ["info", `${word} later`],
        ["warn", `${word} line one\nline two`],
      ].sort(),
    );
    for (const { fields, time } of own) {
      expect(fields).toEqual({ function: "logs", request: ids[index] });
      expect(Date.parse(time)).toBeGreaterThan(Date.now() - 10_000);
    }
  }
});

test("what a node:http server logs bears its request too", async () => {
  const response = await call("nodelogs/x");
  await expect.poll(() => logged("node /nodelogs/x")).toHaveLength(1);
  expect(logged("node /nodelogs/x")[0]?.fields).toEqual({
    function: "nodelogs",
    request: response.headers.get("sb-request-id"),
  });
});

test("a change on save answers soon, and work that the old code had begun is finished first", async () => {
  write(
    "works",
    `Deno.serve(() => {
      EdgeRuntime.waitUntil(fetch("${origin}/held").then(() => console.log("work of the first")));
      return new Response("first");
    });`,
  );
  expect(await (await call("works")).text()).toBe("first");
  write("works", `Deno.serve(() => new Response("second"));`);
  await expect.poll(async () => (await call("works")).text(), { interval: 10 }).toBe("second");
  expect(logged("work of the first")).toEqual([]);
  held.resolve();
  await expect.poll(() => logged("work of the first")).toHaveLength(1);
});

test("code that is saved while the earlier code starts is what answers", async () => {
  expect(await (await call("changing")).text()).toBe("old");
  for (let version = 0; version < 5; version += 1) {
    write("changing", `Deno.serve(() => new Response("${version}"));`);
    await new Promise((later) => setTimeout(later, 30));
    expect((await call("changing")).status).toBe(200);
  }
  await expect.poll(async () => (await call("changing")).text()).toBe("4");
});

test("who calls while code is saved again and again is answered, whenever it is saved", async () => {
  for (let round = 0; round < 8; round += 1) {
    write("changing", `Deno.serve(() => new Response("round ${round}"));`);
    // From the middle of the start of a process to well behind it.
    const again = new Promise((later) => setTimeout(later, round * 24)).then(() =>
      write("changing", `Deno.serve(() => new Response("again ${round}"));`),
    );
    const answers = await Promise.all(Array.from({ length: 4 }, () => call("changing")));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    await again;
  }
  await expect.poll(async () => (await call("changing")).text()).toBe("again 7");
}, 120_000);

test("a change of a module outside the functions' folder reloads the functions made of it", async () => {
  const shared = join(project, "shared");
  mkdirSync(shared);
  const word = (text: string) => writeFileSync(join(shared, "word.ts"), `export const word = "${text}";`);
  const named = (text: string) => writeFileSync(join(shared, "named.ts"), `export const named = "${text}";`);
  writeFileSync(join(shared, "index.ts"), `export { word } from "./word.ts";`);
  word("one");
  named("a");
  write(
    "outside",
    `import { word } from "../../../shared/index.ts"; import { named } from "shared/named.ts";
     Deno.serve(() => new Response(word + named));`,
  );
  const map = { imports: { "shared/": "../../../shared/" } };
  writeFileSync(join(dirname(fileOf("outside")), "deno.json"), JSON.stringify(map));
  const answer = async () => (await call("outside")).text();
  expect(await answer()).toBe("onea");
  word("two");
  await expect.poll(answer).toBe("twoa");
  named("b");
  await expect.poll(answer).toBe("twob");
  expect(await (await call("typed")).text()).toBe("many");
  expect(logged("Reloading").filter(({ fields }) => fields?.function === "typed")).toEqual([]);
});

test("work that goes on when the stack stops is finished first", async () => {
  write("works", FUNCTIONS.works?.replace("of the first", "at the stop") ?? "");
  const own = await createBackend({ projectFolder: project, bare: true });
  await (await fetch(`${own.url}/functions/v1/works`)).text();
  await own.drop();
  expect(own.logs.filter(({ message }) => message === "work at the stop")).toHaveLength(1);
});

test("an import that cannot be fetched is named in the answer", async () => {
  write("remote", `import "https://127.0.0.1:1/absent.ts";\nDeno.serve(() => new Response("x"));`);
  expect((await bootError("remote")).details).toMatch(
    /https:\/\/127\.0\.0\.1:1\/absent\.ts[\s\S]*index\.ts:1/,
  );
  write("remote", `import "jsr:@nosh/absent@1";\nDeno.serve(() => new Response("x"));`);
  await expect.poll(async () => (await bootError("remote")).details).toContain("@nosh/absent");
  write("remote", `import "npm:@nosh-nobody/absent@1";\nDeno.serve(() => new Response("x"));`);
  await expect
    .poll(async () => (await bootError("remote")).details, { timeout: 20_000 })
    .toContain("@nosh-nobody/absent");
}, 120_000);

test("modules of the web and of JSR work, and out of the cache when their server is gone", async () => {
  const code = (mark: string) =>
    `import { word } from "${origin}/word.ts"; import { greet } from "jsr:@nosh/greet@1";
     Deno.serve(() => new Response([word, greet(), "${mark}"].join(", ")));`;
  write("remote", code("online"));
  await expect
    .poll(async () => (await call("remote")).text(), { timeout: 10_000 })
    .toBe("from elsewhere, from jsr, online");

  // By the names that a package.json beside the entry gives them.
  const manifest = join(dirname(fileOf("packaged")), "package.json");
  write("packaged", `import { greet } from "welcome";\nDeno.serve(() => new Response(greet()));`);
  writeFileSync(manifest, JSON.stringify({ dependencies: { welcome: "jsr:@nosh/greet@1" } }));
  expect(await (await call("packaged")).text()).toBe("from jsr");
  writeFileSync(manifest, "{ not json");
  await expect.poll(async () => (await bootError("packaged")).details).toContain("package.json");

  registry.closeAllConnections();
  await new Promise((resolve) => registry.close(resolve));
  write("remote", code("offline"));
  await expect
    .poll(async () => (await call("remote")).text(), { timeout: 10_000 })
    .toBe("from elsewhere, from jsr, offline");
  write("remote", `import "jsr:@nosh/unknown@1";\nDeno.serve(() => new Response("x"));`);
  await expect
    .poll(async () => (await bootError("remote")).details, { timeout: 20_000 })
    .toContain("@nosh/unknown");
}, 120_000);
