/** The runtime inside a function: files, /tmp, its identity; one process a request; inspectors. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { createBackend } from "../../src/testing/index.ts";
import { folderForThisFile, forThisFile } from "../for-this-file.ts";

const project = folderForThisFile("runtime");

const attempt = (code: string) =>
  `const tried = async (work) => { try { return await work(); } catch (error) { return error.name + ": " + error.message; } };
   Deno.serve(async (req) => Response.json(await (async () => { ${code} })()));`;

const functions: Record<string, string> = {
  tmp: attempt(`
    const before = []; for await (const one of Deno.readDir("/tmp")) before.push(one.name);
    await Deno.writeTextFile("/tmp/note.txt", "kept");
    await Deno.mkdir(new URL("file:///tmp/inner"));
    const made = await Deno.makeTempFile({ prefix: "x-" });
    return { before, note: await Deno.readTextFile("/tmp/note.txt"), made, size: (await Deno.stat("/tmp/note.txt")).size,
      outside: await tried(() => Deno.writeTextFile("/var/tmp/nosh-function", "x")) };`),
  failures: attempt(`
    const texts = async (work) => { try { await work(); return "nothing"; } catch (error) { return [error.message, error.stack, error.path, Deno.inspect(error)].join(" "); } };
    const fs = process.getBuiltinModule("node:fs");
    const emitted = (make) => new Promise((_, reject) => make().on("error", reject));
    const called = (run) => new Promise((resolve, reject) => run((error) => error ? reject(error) : resolve()));
    return { seen: await Promise.all([
      texts(() => Deno.readTextFile("/tmp/gone")),
      texts(() => Deno.open("/tmp/gone")),
      texts(() => Deno.stat(new URL("file:///tmp/gone"))),
      texts(() => Deno.remove("/tmp/gone")),
      texts(() => Deno.mkdir("/tmp/gone/inner")),
      texts(async () => { for await (const _ of Deno.readDir("/tmp/gone")); }),
      texts(() => Deno.readTextFileSync("/tmp/gone")),
      texts(() => fs.promises.readFile("/tmp/gone")),
      texts(() => fs.promises.readdir("/tmp/gone")),
      texts(() => fs.readFileSync("/tmp/gone")),
      texts(() => called((done) => fs.stat("/tmp/gone", done))),
      texts(() => emitted(() => fs.createReadStream("/tmp/gone"))),
      texts(() => Array.fromAsync(fs.createReadStream("/tmp/gone"))),
    ]) };`),
  blocking: `const early = Deno.readTextFileSync(new URL("./own.txt", import.meta.url)); const status = Deno.statSync(new URL("./own.txt", import.meta.url)).size;
    ${attempt(`return { early, status, late: await tried(() => Deno.statSync(import.meta.url)), copy: await tried(() => Deno.copyFile("/tmp/a", "/tmp/b")),
      tolerated: Deno.readTextFileSync(new URL("./own.txt", import.meta.url)) };`)}`,
  assets: attempt(`
    return { page: await Deno.readTextFile(new URL("../pages/hello.html", import.meta.url)),
      other: await tried(() => Deno.readTextFile(new URL("../tmp/index.ts", import.meta.url))),
      config: await tried(() => Deno.readTextFile(new URL("../../config.toml", import.meta.url))) };`),
  package: `import "npm:@resvg/resvg-wasm@2.6.2";
    ${attempt(`
    const of = (file) => new URL(file, import.meta.resolve("npm:@resvg/resvg-wasm@2.6.2"));
    return { bytes: (await Deno.readFile(of("index_bg.wasm"))).length,
      written: await tried(() => Deno.writeTextFile(of("index_bg.wasm"), "x")) };`)}`,
  peers: `import { createStore } from "npm:zustand@5.0.3/vanilla"; import { produce } from "npm:immer@10.1.1";
    ${attempt(`return produce(createStore(() => ({ from: "both" })).getState(), () => {});`)}`,
  self: attempt(`
    return { deno: Deno.version.deno, agent: navigator.userAgent, cores: navigator.hardwareConcurrency, worker: typeof Worker,
      mail: await tried(() => Deno.connect({ hostname: "127.0.0.1", port: 25 })), limit: new Deno.errors.RateLimitError("slow down", 5).retryAfterMs,
      ffi: await tried(() => Deno.dlopen("libc.so.6", {})), command: await tried(() => new Deno.Command("/usr/bin/id").output()),
      region: Deno.env.get("SB_REGION") };`),
};

function write(folder: string, settings: string): void {
  const own = join(folder, "supabase", "functions");
  for (const [name, code] of Object.entries(functions)) {
    mkdirSync(join(own, name), { recursive: true });
    writeFileSync(join(own, name, "index.ts"), code);
  }
  mkdirSync(join(own, "pages"), { recursive: true });
  writeFileSync(join(own, "pages", "hello.html"), "<p>hello</p>");
  writeFileSync(join(own, "blocking", "own.txt"), "mine");
  const open = Object.keys(functions).map((name) => `[functions.${name}]\nverify_jwt = false`);
  const static_ = `static_files = ["./functions/pages/*.html"]`;
  writeFileSync(
    join(folder, "supabase", "config.toml"),
    `project_id = "runtime"\n${open.join("\n").replace("[functions.assets]", `[functions.assets]\n${static_}`)}\n${settings}`,
  );
}

write(project, "");
const backend = await forThisFile(createBackend({ projectFolder: project, bare: true }));

const ask = async (name: string, of = backend) =>
  (await (await fetch(`${of.url}/functions/v1/${name}`)).json()) as Record<string, unknown>;

test("the errors of file functions name the paths that the function used", async () => {
  const { seen } = (await ask("failures")) as { seen: string[] };
  for (const text of seen) {
    expect(text).toContain("/tmp/gone");
    // The machine's folder ends in /tmp, too.
    expect(text).not.toMatch(/[\w.-]\/tmp\/gone/);
  }
});

test("a function has a /tmp of its own, empty at first, and writes nowhere else", async () => {
  expect(await ask("tmp")).toEqual({
    before: [],
    note: "kept",
    made: expect.stringMatching(/^\/tmp\/x-/),
    size: 4,
    outside: expect.stringMatching(/^(NotCapable|PermissionDenied)/),
  });
});

test("blocking file calls work while the module loads, and are refused afterwards", async () => {
  expect(await ask("blocking")).toEqual({
    early: "mine",
    status: 4,
    late: "PermissionDenied: Deno.statSync is blocklisted on the current context",
    copy: "PermissionDenied: Deno.copyFile is blocklisted",
    tolerated: "mine",
  });
});

test("static files can be read, other functions and the project cannot", async () => {
  expect(await ask("assets")).toEqual({
    page: "<p>hello</p>",
    other: expect.stringMatching(/^(NotCapable|PermissionDenied|NotFound)/),
    config: expect.stringMatching(/^(NotCapable|PermissionDenied|NotFound)/),
  });
});

test("a package finds another that it can do without, where the function imports both", async () => {
  expect(await ask("peers")).toEqual({ from: "both" });
});

test("the files of an npm package can be read, and not written", async () => {
  expect(await ask("package")).toEqual({
    bytes: 2_478_606,
    written: expect.stringMatching(/^(NotCapable|PermissionDenied)/),
  });
});

test("the runtime says what hosted says, and has not what hosted has not", async () => {
  expect(await ask("self")).toEqual({
    deno: expect.stringMatching(/^supabase-edge-runtime-[\d.]+ \(compatible with Deno v[\d.]+\)$/),
    agent: expect.stringContaining("SupabaseEdgeRuntime/"),
    cores: 1,
    worker: "undefined",
    mail: "PermissionDenied: Connections to port 25 are not allowed.",
    limit: 5,
    ffi: expect.stringMatching(/^(NotCapable|PermissionDenied)/),
    command: expect.stringMatching(/^(NotCapable|PermissionDenied)/),
    region: "local",
  });
});

test("with policy oneshot each request has a process of its own, which ends with it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "homebase-oneshot-"));
  write(folder, '[edge_runtime]\npolicy = "oneshot"\n');
  mkdirSync(join(folder, "supabase", "functions", "count"), { recursive: true });
  writeFileSync(
    join(folder, "supabase", "functions", "count", "index.ts"),
    `let count = 0; Deno.serve(() => { EdgeRuntime.waitUntil(new Promise((r) => setTimeout(() => { console.log("ended well"); r(); }, 50)));
      return Response.json({ count: ++count, id: Deno.env.get("SB_EXECUTION_ID") }); });`,
  );
  const single = await createBackend({
    projectFolder: folder,
    bare: true,
    config: { functions: { count: { verify_jwt: false } } },
  });
  try {
    const [first, second] = [await ask("count", single), await ask("count", single)];
    expect([first.count, second.count]).toEqual([1, 1]);
    expect(first.id).not.toBe(second.id);
    await expect.poll(() => single.logs.filter(({ message }) => message === "ended well").length).toBe(2);
  } finally {
    await single.drop();
    rmSync(folder, { recursive: true, force: true });
  }
});

test("a debugger sets a breakpoint in a function and goes on", async () => {
  const port = await freePort();
  const debugged = await createBackend({
    projectFolder: project,
    bare: true,
    config: { inspectFunctions: true, edge_runtime: { inspector_port: port } },
  });
  try {
    await ask("self", debugged);
    const [target] = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as {
      webSocketDebuggerUrl: string;
    }[];
    const socket = new WebSocket(target?.webSocketDebuggerUrl ?? "");
    await new Promise((resolve) => socket.once("open", resolve));
    let id = 0;
    const events: {
      method?: string;
      id?: number;
      params?: { hitBreakpoints?: string[] };
      result?: unknown;
    }[] = [];
    socket.on("message", (data) => events.push(JSON.parse(String(data))));
    const send = async (method: string, params: object = {}) => {
      const own = ++id;
      socket.send(JSON.stringify({ id: own, method, params }));
      await expect.poll(() => events.some((event) => event.id === own)).toBe(true);
    };
    await send("Debugger.enable");
    await send("Debugger.setBreakpointByUrl", {
      lineNumber: 1,
      columnNumber: 60,
      urlRegex: ".*/self/index\\.ts",
    });
    const answer = ask("self", debugged);
    await expect.poll(() => events.some(({ method }) => method === "Debugger.paused")).toBe(true);
    await send("Debugger.disable");
    expect(await answer).toMatchObject({ region: "local" });
    socket.close();
  } finally {
    await debugged.drop();
  }
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
