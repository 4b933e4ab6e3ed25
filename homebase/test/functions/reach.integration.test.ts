/** What a function reaches by Deno's clients, its configuration, and folders that it names: no socket and no file of others. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { createBackend, type TestBackend } from "../../src/testing/index.ts";
import { projectWith } from "../background/project.ts";

const OUTSIDE = mkdtempSync(join(tmpdir(), "homebase-outside-"));
const SECRET = "the secret of another folder";
const SOCKET = join(OUTSIDE, "socket");

const shows = (line: string) => `${line}\nDeno.serve(() => new Response(String(value)));`;
const text = (path: string) => shows(`import value from "${path}" with { type: "text" };`);

/** Each way in which Deno speaks HTTP over a Unix socket, in a module that runs here and in workers. */
const DIALS = `
const names = ["ALL_PROXY", "all_proxy", "HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"];
const address = "unix://${SOCKET}";
const answer = async (init) => (await fetch("http://somewhere.invalid/", init)).text();
const ways = {
  client: () => answer({ client: Deno.createHttpClient({ proxy: { url: address } }) }),
  transport: () => answer({ client: Deno.createHttpClient({ proxy: { transport: "unix", path: "${SOCKET}" } }) }),
  connect: () => Deno.connect({ transport: "unix", path: "${SOCKET}" }),
};
for (const name of names) ways[name] = () => {
  Deno.env.set(name, address);
  // Deno reads the variables when it makes a client.
  return answer().catch(() => answer({ client: Deno.createHttpClient({}) }));
};
const reached = [];
for (const [name, way] of Object.entries(ways)) {
  const done = await Promise.resolve().then(way).then(() => true, () => false);
  if (done) reached.push(name);
}`;
const THREAD = `import { parentPort } from "node:worker_threads";\n${DIALS}\nparentPort.postMessage(reached);`;
const SOCKETS = `
import { Worker } from "node:worker_threads";
Deno.serve(async (request) => {
  if (request.url.endsWith("thread")) {
    const thread = new Worker(new URL("data:text/javascript," + encodeURIComponent(${JSON.stringify(THREAD)})));
    return Response.json(await new Promise((resolve, reject) => thread.on("message", resolve).on("error", reject)));
  }
  ${DIALS}
  return Response.json(reached);
});`;

const IMPORTING: Record<string, string> = {
  git: text("../../../.git/config"),
  npmrc: text("../../../.npmrc"),
  direnv: text("../../../.envrc"),
  linked: text("../../.temp/linked"),
  member: shows(`import value from "member/secret.js";`),
  climbing: text(`../../../../${basename(OUTSIDE)}/member/secret.js`),
};
const READING = `Deno.serve(async (request) => {
  const path = new URL(request.url).searchParams.get("path");
  return new Response(await Deno.readTextFile(path).catch(() => "refused"));
});`;
const CONFIG = `
[functions.wide]
static_files = ["../*"]
[functions.root]
entrypoint = "../root.ts"
[functions.single]
entrypoint = "./functions/single.ts"
`;
const FOLDER = projectWith(CONFIG, {}, { ...IMPORTING, sockets: SOCKETS, wide: READING, keeper: READING });
const functions = join(FOLDER, "supabase/functions");
const hidden = [".git/config", ".npmrc", ".envrc", ".homebase/data", "supabase/functions/keeper/.env"];

const service = createServer((_, response) => response.end(SECRET));
let backend: TestBackend;
beforeAll(async () => {
  await new Promise<void>((resolve) => service.listen(SOCKET, resolve));
  const write = (path: string, content: string) => {
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, content);
  };
  for (const path of hidden) write(join(FOLDER, path), SECRET);
  write(join(FOLDER, "supabase/.temp/linked"), SECRET);
  write(join(FOLDER, "open.txt"), "open");
  write(join(FOLDER, "root.ts"), READING);
  write(join(functions, "single.ts"), READING);
  write(join(OUTSIDE, "member/package.json"), '{"name":"member","type":"module","main":"secret.js"}');
  write(join(OUTSIDE, "member/secret.js"), `export default ${JSON.stringify(SECRET)};`);
  for (const name of ["member", "climbing"]) {
    const workspaces = [`../../../../${basename(OUTSIDE)}/*`];
    write(
      join(functions, name, "package.json"),
      JSON.stringify({ name, workspaces, dependencies: { member: "*" } }),
    );
  }
  backend = await createBackend({ projectFolder: FOLDER });
});
afterAll(async () => {
  await backend?.drop();
  service.close();
  rmSync(FOLDER, { recursive: true, force: true });
  rmSync(OUTSIDE, { recursive: true, force: true });
});

const call = async (path: string) => {
  const response = await fetch(`${backend.url}/functions/v1/${path}`, {
    headers: { authorization: `Bearer ${backend.anonKey}` },
  });
  return { status: response.status, text: await response.text() };
};

test.each(["", "thread"])("no Unix socket is reached by any client %s", async (where) => {
  expect(await call(`sockets/${where}`)).toEqual({ status: 200, text: "[]" });
});

describe("files", () => {
  it.each(Object.keys(IMPORTING))("%s: it does not start", async (name) => {
    const { status, text: body } = await call(name);
    expect([status, JSON.parse(body).code]).toEqual([503, "BOOT_ERROR"]);
    expect(body).not.toContain(SECRET);
  });

  it.each(["wide", "root", "single"])(
    "%s: a function whose folder holds the others reads no hidden file",
    async (name) => {
      const read = async (path: string) => (await call(`${name}?path=${join(FOLDER, path)}`)).text;
      expect(await Promise.all(hidden.map(read))).toEqual(hidden.map(() => "refused"));
      const seen = name === "single" ? "supabase/functions/single.ts" : "open.txt";
      expect(await read(seen)).not.toBe("refused");
    },
  );
});
