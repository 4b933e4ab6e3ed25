/** Functions behind the gateway, in real Deno processes, called as a client calls them. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createFunctionsService } from "../../src/functions/service.ts";
import { Gateway } from "../../src/gateway/gateway.ts";
import { createBackend } from "../../src/testing/index.ts";
import { folderForThisFile, forThisFile, writeFiles } from "../for-this-file.ts";

const project = folderForThisFile("functions");

const functions: Record<string, string> = {
  hello: `Deno.serve(async (req) => {
    const { pathname, search } = new URL(req.url);
    return Response.json({ pathname, search, method: req.method, body: await req.text() });
  });`,
  modern: `export default { fetch: (req) => new Response("modern " + req.headers.get("authorization")) };`,
  env: `const names = Object.keys(Deno.env.toObject()).sort();
    Deno.serve(() => Response.json({ names, secret: Deno.env.get("PIE"), url: Deno.env.get("SUPABASE_URL"), home: Deno.env.get("HOME") ?? null }));`,
  broken: `import "./nowhere.ts"; Deno.serve(() => new Response("never"));`,
  unmapped: `Deno.serve(() => new Response("never"));`,
  syntax: `Deno.serve(() => new Response("x")`,
  throws: `let calls = 0; Deno.serve(() => { if (++calls === 1) throw new Error("kaboom"); return new Response("call " + calls); });`,
  nothing: `Deno.serve(() => undefined);`,
  dies: `Deno.serve(() => { setTimeout(() => { throw new Error("outside the handler"); }, 0); return new Promise(() => {}); });`,
  loops: `Deno.serve(() => { for (;;); });`,
  eats: `Deno.serve(() => { const all = []; for (;;) all.push(new Array(1e6).fill(all.length)); });`,
  breaks: `Deno.serve(async (req) => { const body = await req.text(); return new Response(new ReadableStream({ start(controller) {
    controller.enqueue(new TextEncoder().encode("first" + body)); setTimeout(() => { throw new Error("in the middle"); }, 200); } })); });`,
  state: `let count = 0; Deno.serve(() => new Response(String(++count)));`,
  reads: `Deno.serve(async (req) => {
    const path = new URL(req.url).searchParams.get("path");
    try { return new Response(await Deno.readTextFile(path)); } catch (e) { return new Response(e.name, { status: 403 }); }
  });`,
  runs: `Deno.serve(() => { try { new Deno.Command("/usr/bin/id").outputSync(); return new Response("ran"); } catch (e) { return new Response(e.name); } });`,
  streams: `let go; const asked = new Promise((r) => { go = r; });
  Deno.serve((req) => { if (req.url.endsWith("?go")) { go(); return new Response("going"); }
    let n = 0; return new Response(new ReadableStream({ async pull(c) {
      if (n === 1) await asked; c.enqueue(new TextEncoder().encode("data: " + n + "\\n\\n")); if (++n === 3) c.close(); } }, { highWaterMark: 0 }),
    { headers: { "content-type": "text/event-stream" } }); });`,
  cookies: `Deno.serve(() => { const h = new Headers(); h.append("set-cookie", "a=1"); h.append("set-cookie", "b=2"); return new Response(null, { status: 204, headers: h }); });`,
  later: `Deno.serve(() => { EdgeRuntime.waitUntil(new Promise((r) => setTimeout(() => { console.log("later done"); r(); }, 50))); return new Response("now"); });`,
  socket: `Deno.serve((req) => { const { socket, response } = Deno.upgradeWebSocket(req); socket.onmessage = (e) => socket.send("echo " + e.data); return response; });`,
  node: `import { createServer } from "node:http"; createServer((req, res) => res.end("node " + req.url)).listen(3000);`,
  mapped: `import { greet } from "greeting"; Deno.serve(() => new Response(greet()));`,
  echo: `Deno.serve((req) => new Response(req.body));`,
  waits: `Deno.serve((req) => new Promise(() => { console.log("waiting"); req.signal.addEventListener("abort", () => console.log("aborted")); }));`,
  calls: `Deno.serve(() => fetch(Deno.env.get("SUPABASE_URL") + "/rest/v1/", { headers: { apikey: Deno.env.get("SUPABASE_ANON_KEY") } }));`,
  shared: `import { word } from "../_shared/word.ts"; Deno.serve(() => new Response(word));`,
};

const open = Object.keys(functions).filter((name) => name !== "modern");
const settings = open.map((name) => `[functions.${name}]\nverify_jwt = false\n`).join("\n");
for (const [name, code] of Object.entries({ ...functions, hidden: functions.hello ?? "" }))
  writeFiles(project, { [`supabase/functions/${name}/index.ts`]: code });
writeFiles(join(project, "supabase"), {
  "functions/_shared/word.ts": `export const word = "first";`,
  "functions/mapped/deno.json": JSON.stringify({ imports: { greeting: "./greet.ts" } }),
  "functions/mapped/greet.ts": `export const greet = () => "mapped hello";`,
  "functions/env/private.txt": "only env may read this",
  "functions/.env": "PIE=cherry\nSUPABASE_URL=http://evil\n",
  "config.toml": `project_id = "functions"\n${settings}\n[functions.hidden]\nenabled = false\n`.replace(
    "[functions.unmapped]",
    '$&\nimport_map = "./functions/unmapped/deno.json"',
  ),
});
const backend = await forThisFile(createBackend({ projectFolder: project, bare: true }));

const call = (path: string, init: RequestInit = {}) => fetch(`${backend.url}/functions/v1/${path}`, init);

test("the function sees its name in the path, the query, the method and the body", async () => {
  const response = await call("hello/a%2Fb//c/?x=1&y=%20", { method: "POST", body: "soup" });
  expect(await response.json()).toEqual({
    pathname: "/hello/a%2Fb//c/",
    search: "?x=1&y=%20",
    method: "POST",
    body: "soup",
  });
});

test("an unknown function, a disabled one and no name at all are 404 NOT_FOUND", async () => {
  for (const path of ["nobody", "hidden", "", "_shared", "../config.toml"]) {
    const response = await call(path);
    expect(response.status, path).toBe(404);
    if (path !== "../config.toml") expect(response.headers.get("sb-error-code")).toBe("NOT_FOUND");
  }
});

test("verify_jwt refuses without a token, and says why in hosted's words", async () => {
  const none = await call("modern");
  expect([none.status, await none.json()]).toEqual([
    401,
    { code: "UNAUTHORIZED_NO_AUTH_HEADER", message: "Missing authorization header" },
  ]);
  const odd = await call("modern", { headers: { authorization: "Basic x" } });
  expect([odd.status, odd.headers.get("sb-error-code")]).toEqual([401, "UNAUTHORIZED_INVALID_JWT_FORMAT"]);
  const forged = `${backend.anonKey.slice(0, -4)}AAAA`;
  const bad = await call("modern", { headers: { authorization: `Bearer ${forged}` } });
  expect([bad.status, bad.headers.get("sb-error-code")]).toEqual([401, "UNAUTHORIZED_LEGACY_JWT"]);
  for (const exp of [Math.floor(Date.now() / 1000) - 1, "never", null]) {
    const token = await backend.backend.keys.sign({ sub: "x", exp });
    const answer = await call("modern", { headers: { authorization: `Bearer ${token}` } });
    expect([exp, answer.status, answer.headers.get("sb-error-code")]).toEqual([
      exp,
      401,
      "UNAUTHORIZED_ASYMMETRIC_JWT",
    ]);
  }
});

test("verify_jwt lets OPTIONS through, a user's token, and either kind of API key", async () => {
  expect((await call("modern", { method: "OPTIONS" })).status).toBe(200);
  expect(await (await call("modern", { headers: { apikey: backend.publishableKey } })).text()).toBe(
    `modern Bearer ${backend.anonKey}`,
  );
  expect(
    await (await call("modern", { headers: { authorization: `Bearer ${backend.secretKey}` } })).text(),
  ).toBe(`modern Bearer ${backend.serviceRoleKey}`);
  const token = await backend.backend.keys.sign({ sub: "x", exp: Math.floor(Date.now() / 1000) + 60 });
  expect(await (await call("modern", { headers: { authorization: `Bearer ${token}` } })).text()).toBe(
    `modern Bearer ${token}`,
  );
});

test("what a function asks the stack for belongs to the request that it answers", async () => {
  const response = await call("calls");
  await response.text();
  const own = backend.requests().find(({ id }) => id === response.headers.get("sb-request-id"));
  expect(own).toMatchObject({ service: "functions", status: response.status, parent: undefined });
  expect(backend.requests().filter(({ parent }) => parent === own?.id)).toMatchObject([
    { service: "rest", path: "/rest/v1/" },
  ]);
});

test("the gateway answers no preflight for functions and adds no CORS headers", async () => {
  const response = await call("hello", {
    method: "OPTIONS",
    headers: { origin: "http://x.test", "access-control-request-method": "POST" },
  });
  expect(await response.json()).toMatchObject({ method: "OPTIONS" });
  expect(response.headers.get("access-control-allow-origin")).toBeNull();
});

// supabase/cli, internal/start/templates/kong.yml: the plugin `cors` of every service, functions too.
test("behind a gateway as the CLI's, preflights are answered and every origin may read", async () => {
  const { keys, clock, log } = backend.backend;
  const { config, database, url, storageFolder } = backend;
  const sendMail = async () => undefined;
  const service = createFunctionsService({
    config,
    keys,
    clock,
    log,
    database,
    url,
    storageFolder,
    sendMail,
    happened: () => {},
  });
  const gateway = new Gateway({ keys, log, keylessAllowed: true, service: () => service });
  const address = `http://127.0.0.1:${await gateway.listen(0)}/functions/v1/hello`;
  try {
    const asked = { "access-control-request-method": "POST", "access-control-request-headers": "x-own" };
    const early = await fetch(address, { method: "OPTIONS", headers: { origin: "http://x.test", ...asked } });
    expect([early.status, await early.text()]).toEqual([200, ""]);
    expect(early.headers.get("access-control-allow-origin")).toBe("*");
    expect(early.headers.get("access-control-allow-headers")).toBe("x-own");
    const answered = await fetch(address, { headers: { origin: "http://x.test" } });
    expect([answered.status, answered.headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
    const plain = await fetch(address, { method: "OPTIONS" });
    expect(await plain.json()).toMatchObject({ method: "OPTIONS" });
  } finally {
    await gateway.close();
    await service.close();
  }
});

test("a function sees the platform's variables and its secrets, and nothing of the machine", async () => {
  const seen = (await (await call("env")).json()) as {
    names: string[];
    secret: string;
    url: string;
    home: null;
  };
  expect(seen.secret).toBe("cherry");
  expect(seen.url).toBe(backend.url);
  expect(seen.home).toBeNull();
  expect(seen.names.filter((name) => !/^(SUPABASE_|SB_|DENO_DEPLOYMENT_ID$|PIE$)/.test(name))).toEqual([]);
});

test("code that does not load is 503 BOOT_ERROR with the reason, and loads once it is mended", async () => {
  const response = await call("broken");
  const body = (await response.json()) as { code: string; details: string };
  expect([response.status, body.code]).toEqual([503, "BOOT_ERROR"]);
  expect(body.details).toContain("nowhere.ts");
  const syntax = (await (await call("syntax")).json()) as { details: string };
  expect(syntax.details).toMatch(/index\.ts:1:\d+/);
  const unmapped = (await (await call("unmapped")).json()) as { details: string };
  expect(unmapped.details).toMatch(/^Its import_map, .*unmapped\/deno\.json, does not exist\.$/);
  writeFileSync(
    join(project, "supabase", "functions", "broken", "index.ts"),
    `Deno.serve(() => new Response("mended"));`,
  );
  await expect.poll(async () => (await call("broken")).text()).toBe("mended");
});

test("a handler that throws is 500 and the worker lives; one that returns nothing is 502", async () => {
  const thrown = await call("throws");
  expect([thrown.status, await thrown.text()]).toEqual([500, "Internal Server Error"]);
  expect(await (await call("throws")).text()).toBe("call 2");
  const nothing = await call("nothing");
  expect([nothing.status, await nothing.text()]).toEqual([502, "Bad Gateway"]);
});

test("an error outside the handler ends the worker with 500 WORKER_ERROR", async () => {
  const response = await call("dies");
  expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([
    500,
    "WORKER_ERROR",
  ]);
});

test("an endless loop and a full heap are 546 WORKER_LIMIT, and leave the others serving", async () => {
  const guilty = [call("loops"), call("eats")];
  expect(await (await call("hello", { method: "POST", body: "still here" })).json()).toMatchObject({
    body: "still here",
  });
  const [looped, ate] = await Promise.all(guilty);
  expect(looped?.status).toBe(546);
  expect(ate?.status).toBe(546);
}, 120_000);

test("module state survives between requests, which may run at once", async () => {
  const answers = await Promise.all([1, 2, 3].map(async () => (await call("state")).text()));
  expect(answers.sort()).toEqual(["1", "2", "3"]);
});

test("a function reads its own folder and nothing else, and starts no programs", async () => {
  const read = (path: string) => call(`reads?path=${encodeURIComponent(path)}`);
  expect((await read(join(project, "supabase", "functions", "reads", "index.ts"))).status).toBe(200);
  for (const path of [
    "/etc/passwd",
    join(project, "supabase", "functions", "env", "private.txt"),
    "/proc/self/environ",
  ]) {
    expect((await read(path)).status, path).toBe(403);
  }
  expect((await read(join(project, "supabase", "functions", ".env"))).status).toBe(403);
  expect(await (await call("runs")).text()).toBe("NotCapable");
});

test("a streamed answer arrives piece by piece", async () => {
  const response = await call("streams");
  const reader = response.body?.getReader();
  const first = await reader?.read();
  expect(new TextDecoder().decode(first?.value)).toBe("data: 0\n\n");
  await call("streams?go");
  let rest = "";
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    rest += new TextDecoder().decode(part.value);
  }
  expect(rest).toBe("data: 1\n\ndata: 2\n\n");
});

test("a worker that ends in the middle of a stream breaks the response off, and the next call is served", async () => {
  const response = await call("breaks");
  expect(response.status).toBe(200);
  await expect(response.text()).rejects.toThrow();
  // A request that the dying process had accepted is lost: the function may have begun it.
  const first = async () => {
    const reader = (await call("breaks", { method: "POST", body: " again" })).body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    await reader?.cancel();
    return new TextDecoder().decode(value);
  };
  await expect.poll(first).toBe("first again");
});

test("duplicate headers of an answer stay apart", async () => {
  expect((await call("cookies")).headers.getSetCookie()).toEqual(["a=1", "b=2"]);
});

test("background work goes on after the answer", async () => {
  expect(await (await call("later")).text()).toBe("now");
  await expect.poll(() => backend.logs.some((entry) => entry.message === "later done")).toBe(true);
});

test("a WebSocket passes through to the function", async () => {
  const socket = new WebSocket(`${backend.url.replace("http", "ws")}/functions/v1/socket`);
  const answer = await new Promise((resolve, reject) => {
    socket.onopen = () => socket.send("hi");
    socket.onmessage = (event) => resolve(event.data);
    socket.onerror = () => reject(new Error("the socket failed"));
  });
  expect(answer).toBe("echo hi");
  socket.close();
});

test("node:http servers and per-function import maps work", async () => {
  expect(await (await call("node/x")).text()).toBe("node /node/x");
  expect(await (await call("mapped")).text()).toBe("mapped hello");
});

test("saving a shared file replaces the workers that may use it", async () => {
  expect(await (await call("shared")).text()).toBe("first");
  writeFileSync(
    join(project, "supabase", "functions", "_shared", "word.ts"),
    `export const word = "second";`,
  );
  await expect.poll(async () => (await call("shared")).text()).toBe("second");
});

test("large bodies pass both ways unharmed, with and without a length, many at once", async () => {
  const bytes = Buffer.alloc(3_000_000, "0123456789abcdef");
  const sizes = [0, 1, 16_384, 16_385, 3_000_000];
  const answers = await Promise.all(
    sizes.flatMap((size) => {
      const part = bytes.subarray(0, size);
      const stream = new ReadableStream<Uint8Array>({
        start(controller) {
          for (let at = 0; at < part.length; at += 100_000)
            controller.enqueue(part.subarray(at, at + 100_000));
          controller.close();
        },
      });
      return [
        call("echo", { method: "POST", body: part }),
        call("echo", { method: "POST", body: stream, duplex: "half" } as RequestInit),
      ].map(async (answer) => Buffer.from(await (await answer).arrayBuffer()).equals(part));
    }),
  );
  expect(answers).toEqual(answers.map(() => true));
});

test("a function that answers without reading the body does not spoil the next request", async () => {
  for (let round = 0; round < 5; round += 1) {
    const early = await call("state", { method: "POST", body: Buffer.alloc(2_000_000) });
    expect([early.status, /^\d+$/.test(await early.text())]).toEqual([200, true]);
  }
});

test("HEAD has the answer's headers and no body", async () => {
  const answer = await call("state", { method: "HEAD" });
  expect([answer.status, await answer.text()]).toEqual([200, ""]);
});

test("a client that goes away aborts the request inside the function", async () => {
  const controller = new AbortController();
  const going = call("waits", { signal: controller.signal }).catch((error: Error) => error.name);
  await expect.poll(() => backend.logs.some(({ message }) => message === "waiting")).toBe(true);
  controller.abort();
  expect(await going).toBe("AbortError");
  await expect.poll(() => backend.logs.some(({ message }) => message === "aborted")).toBe(true);
});
