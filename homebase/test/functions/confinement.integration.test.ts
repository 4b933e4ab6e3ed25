/** What a function's code reaches: no file outside of its project by any way, no more memory or time than its limits. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { runtimeEnvironment } from "../../src/functions/environment.ts";
import { createBackend, type TestBackend } from "../../src/testing/index.ts";
import { projectWith } from "../background/project.ts";

const OUTSIDE = mkdtempSync(join(tmpdir(), "homebase-outside-"));
const SECRET = "the secret of another folder";
writeFileSync(join(OUTSIDE, "secret.txt"), SECRET);
writeFileSync(join(OUTSIDE, "secret.ts"), `export default ${JSON.stringify(SECRET)};`);
writeFileSync(join(OUTSIDE, "map.json"), '{"imports":{}}');

const shows = (line: string) => `${line}\nDeno.serve(() => new Response(String(value)));`;
const file = (name: string) => `file://${OUTSIDE}/${name}`;
/** A module on the network. */
const remote = createServer((_, response) =>
  response
    .writeHead(200, { "content-type": "application/typescript" })
    .end(`export default ${JSON.stringify("remote")};`),
);
await new Promise<void>((resolve) => remote.listen(0, "127.0.0.1", resolve));
const REMOTE = `http://127.0.0.1:${(remote.address() as AddressInfo).port}/module.ts`;
/** Functions that import a file at their start, by each way that a module has. */
const IMPORTING: Record<string, string> = {
  text: shows(`import value from "${file("secret.txt")}" with { type: "text" };`),
  module: shows(`import value from "${file("secret.ts")}";`),
  export: `export { default as value } from "${file("secret.ts")}";\n${shows("const value = 1;")}`,
  dynamic: shows(`const { default: value } = await import("${file("secret.ts")}");`),
  data: shows(
    `import value from "data:application/javascript,export { default } from '${file("secret.ts")}'";`,
  ),
  relative: shows(`import value from "../../../../${OUTSIDE.split("/").at(-1)}/secret.ts";`),
  link: shows(`import value from "./secret.ts";`),
  linktext: shows(`import value from "./secret.txt" with { type: "text" };`),
  folder: shows(`import value from "./outside/secret.ts";`),
  neighbour: shows(`import value from "../keeper/.env" with { type: "text" };`),
  homebase: shows(`import value from "../../../.homebase/data" with { type: "text" };`),
  mapped: shows(`import value from "secret";`),
};
const READING = `
const ways = {
  text: (path) => Deno.readTextFile(path),
  open: async (path) => { const f = await Deno.open(path); return new TextDecoder().decode(new Uint8Array(await new Response(f.readable).arrayBuffer())); },
  fetch: async (path) => (await fetch("file://" + path)).text(),
  node: async (path) => (await import("node:fs/promises")).readFile(path, "utf8"),
  import: async (path) => (await import("file://" + path, { with: { type: "text" } })).default,
  worker: (path) => new Promise((resolve, reject) => {
    const worker = new Worker("data:application/javascript,import x from 'file://" + path + "' with {type:'text'}; postMessage(x)", { type: "module" });
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = (event) => { event.preventDefault(); reject(new Error("refused")); };
  }),
};
Deno.serve(async (request) => {
  const path = new URL(request.url).searchParams.get("path");
  const answers = {};
  for (const [name, read] of Object.entries(ways)) {
    answers[name] = await Promise.resolve().then(() => read(path)).catch(() => "refused");
  }
  return Response.json(answers);
});`;
const CONFIG = `
[functions.static]
static_files = ["${OUTSIDE}/*"]
[functions.above]
static_files = ["../../*"]
[functions.entry]
entrypoint = "${OUTSIDE}/secret.ts"
[functions.map]
import_map = "${OUTSIDE}/map.json"
`;
const FOLDER = projectWith(
  CONFIG,
  {},
  {
    ...IMPORTING,
    reading: READING,
    keeper: shows("const value = 1;"),
    static: shows("const value = 1;"),
    above: shows("const value = 1;"),
    map: shows("const value = 1;"),
    shared: shows(
      `import value from "../_shared/word.ts"; import text from "./text.txt" with { type: "text" }; void text;`,
    ),
    vendored: shows(`import value from "${REMOTE}";`),
    loops: `for (;;);`,
    "loops-awaiting": `await Promise.resolve(); Deno.serve(() => new Response("never")); let n = 0; while (n >= 0) n = (n + 1) % 7;`,
    arrays: `const held = []; Deno.serve(async () => { for (;;) { held.push(new Uint8Array(32 * 1024 ** 2).fill(1)); await new Promise((r) => setTimeout(r, 5)); } });`,
    after: `Deno.serve(() => { setTimeout(() => { for (;;); }, 20); return new Response("answered"); });`,
    afterwards: `const held = []; Deno.serve(() => { setInterval(() => held.push(new Uint8Array(32 * 1024 ** 2).fill(1)), 5); return new Response("answered"); });`,
    waiting: `Deno.serve(() => { EdgeRuntime.waitUntil((async () => { for (;;) { for (let i = 0; i < 1e8; i++); await new Promise((r) => setTimeout(r, 0)); } })()); return new Response("answered"); });`,
  },
);
const functions = join(FOLDER, "supabase/functions");
let backend: TestBackend;
beforeAll(async () => {
  const write = (path: string, text: string) => writeFileSync(join(functions, path), text);
  mkdirSync(join(functions, "_shared"), { recursive: true });
  write("_shared/word.ts", 'export default "shared";');
  write("shared/text.txt", "own");
  write("keeper/.env", "KEPT=1");
  write("mapped/deno.json", `{"imports":{"secret":"${file("secret.ts")}"}}`);
  write("vendored/deno.json", '{"vendor":true,"imports":{}}');
  mkdirSync(join(OUTSIDE, "written"));
  symlinkSync(join(OUTSIDE, "written"), join(functions, "vendored/vendor"));
  symlinkSync(join(OUTSIDE, "secret.ts"), join(functions, "link/secret.ts"));
  symlinkSync(join(OUTSIDE, "secret.txt"), join(functions, "linktext/secret.txt"));
  symlinkSync(OUTSIDE, join(functions, "folder/outside"));
  symlinkSync(OUTSIDE, join(functions, "reading/outside"));
  symlinkSync(join(OUTSIDE, "secret.txt"), join(functions, "reading/secret.txt"));
  symlinkSync("../keeper/.env", join(functions, "reading/env.txt"));
  symlinkSync("../_shared/word.ts", join(functions, "reading/word.txt"));
  mkdirSync(join(FOLDER, ".homebase"));
  writeFileSync(join(FOLDER, ".homebase/data"), SECRET);
  writeFileSync(join(FOLDER, "supabase/.env"), "DENO_DIR=/\n");
  backend = await createBackend({ projectFolder: FOLDER });
});
afterAll(async () => {
  await backend?.drop();
  remote.close();
  rmSync(FOLDER, { recursive: true, force: true });
  rmSync(OUTSIDE, { recursive: true, force: true });
});

const call = async (path: string) => {
  const response = await fetch(`${backend.url}/functions/v1/${path}`, {
    headers: { authorization: `Bearer ${backend.anonKey}` },
  });
  return { status: response.status, text: await response.text() };
};

describe("files", () => {
  it.each([...Object.keys(IMPORTING), "static", "above", "entry", "map"])(
    "%s: it does not start",
    async (name) => {
      const { status, text } = await call(name);
      expect([status, JSON.parse(text).code]).toEqual([503, "BOOT_ERROR"]);
      expect(text).not.toContain(SECRET);
      expect(text).toMatch(/not a file of this project|outside of the project/);
    },
  );

  test.each(["outside/secret.txt", "secret.txt", "env.txt"])(
    "the link %s is not read in any way",
    async (link) => {
      const { status, text } = await call(`reading?path=${join(functions, "reading", link)}`);
      expect(status).toBe(200);
      expect(new Set(Object.values(JSON.parse(text)))).toEqual(new Set(["refused"]));
    },
  );

  test.each([
    join(OUTSIDE, "secret.txt"),
    "/etc/passwd",
    join(FOLDER, ".homebase/data"),
    join(functions, "keeper/.env"),
  ])("%s is not read in any way", async (path) => {
    const { text } = await call(`reading?path=${path}`);
    expect(new Set(Object.values(JSON.parse(text)))).toEqual(new Set(["refused"]));
  });

  test("a module of the network is not written into the project, nor through a link of it", async () => {
    expect(await call("vendored")).toEqual({ status: 200, text: "remote" });
    expect(readdirSync(join(OUTSIDE, "written"))).toEqual([]);
  });

  test("a cache of the project with links out of it is not used", () => {
    const linked = mkdtempSync(join(tmpdir(), "homebase-cache-"));
    try {
      mkdirSync(join(linked, "cache"));
      const used = () => {
        const omitted: string[] = [];
        const { DENO_DIR } = runtimeEnvironment({ DENO_DIR: "cache" }, linked, (name) => omitted.push(name));
        return [DENO_DIR, omitted];
      };
      expect(used()).toEqual([join(linked, "cache"), []]);
      symlinkSync(OUTSIDE, join(linked, "cache/remote"));
      expect(used()).toEqual([undefined, ["DENO_DIR"]]);
    } finally {
      rmSync(linked, { recursive: true });
    }
  });

  test.each([
    ["HTTPS_PROXY", "http://proxy.invalid"],
    ["DENO_CERT", "own.pem"],
  ])(
    "with %s of a project Deno has a home of its own: no token of this user's, no shared cache",
    (name, value) => {
      const { HOME, DENO_DIR } = runtimeEnvironment({ ...process.env, [name]: value }, FOLDER);
      const machine = runtimeEnvironment(process.env, FOLDER);
      expect(machine.HOME).toBe(process.env.HOME);
      expect([HOME, DENO_DIR]).toEqual([expect.stringMatching(/deno-home-\w{12}$/), HOME]);
      expect(HOME).not.toBe(runtimeEnvironment({ [name]: value }, OUTSIDE).HOME);
    },
  );

  test("a proxy is a server's address, not a socket's, and is not used for this machine", () => {
    const omitted: string[] = [];
    const given = {
      HTTP_PROXY: "unix:///run/any.sock",
      HTTPS_PROXY: "http://proxy.invalid",
      NO_PROXY: "a.invalid",
    };
    const passed = runtimeEnvironment(given, FOLDER, (name) => omitted.push(name));
    expect(omitted).toEqual(["HTTP_PROXY"]);
    expect([passed.HTTP_PROXY, passed.HTTPS_PROXY]).toEqual([undefined, "http://proxy.invalid"]);
    expect(passed.NO_PROXY).toBe("a.invalid,127.0.0.1,localhost,::1");
  });

  test("a variable for Deno that names a file elsewhere is not used, and that is said once", async () => {
    await call("shared");
    await call("keeper");
    const said = backend.logs.filter(({ message }) => message.includes("DENO_DIR of the project's .env"));
    expect(said.map(({ level }) => level)).toEqual(["warn"]);
  });

  test("its own files, shared ones and links within the project stay", async () => {
    expect(await call("shared")).toEqual({ status: 200, text: "shared" });
    const { text } = await call(`reading?path=${join(functions, "reading/word.txt")}`);
    expect(JSON.parse(text)).toMatchObject({
      text: 'export default "shared";',
      fetch: 'export default "shared";',
    });
  });
});

/** Resident sizes of this process's Deno children, in megabytes. */
function sizes(): number[] {
  const found: number[] = [];
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      if (!readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(`${FOLDER}/supabase/functions`)) continue;
      found.push((Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]) * 4_096) / 1024 ** 2);
    } catch {
      // It has ended.
    }
  }
  return found;
}

describe.runIf(process.platform === "linux")("limits", () => {
  test("memory outside the heap counts", async () => {
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, ...sizes());
    }, 20);
    const { status, text } = await call("arrays");
    clearInterval(watch);
    expect([status, JSON.parse(text).code]).toEqual([546, "WORKER_LIMIT"]);
    expect(most).toBeLessThan(1_500);
  });

  test.each(["loops", "loops-awaiting"])(
    "%s: a module that burns the processor while it loads",
    async (name) => {
      const { status, text } = await call(name);
      expect([status, JSON.parse(text).code]).toEqual([546, "WORKER_LIMIT"]);
    },
  );

  test.each(["after", "afterwards", "waiting"])(
    "%s: work after the answer ends at the limits",
    async (name) => {
      const others = sizes().length;
      expect(await call(name)).toEqual({ status: 200, text: "answered" });
      // Two seconds of a processor take long where many tests share it.
      await expect.poll(() => sizes().length, { timeout: 55_000 }).toBeLessThanOrEqual(others);
    },
    60_000,
  );
});
