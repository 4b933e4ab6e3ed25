/** A test's process ends when its own work does, whether or not it has dropped its Backends. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

const TESTING = pathToFileURL(join(import.meta.dirname, "../../src/testing/public.ts")).href;
const CLIENT = import.meta.resolve("@supabase/supabase-js");
/** Uses every service once, and leaves all of it open. */
const USE = `import { createBackend } from ${JSON.stringify(TESTING)};
import { createClient } from ${JSON.stringify(CLIENT)};
async function used() {
  const backend = await createBackend();
  console.log(backend.storageFolder);
  const supabase = createClient(backend.url, backend.publishableKey);
  const { error } = await supabase.auth.signUp({ email: "ana@example.test", password: "correct horse" });
  if (error) throw error;
  console.log((await supabase.from("notes").select()).data?.length, (await supabase.functions.invoke("hello")).data);
  const joined = Promise.withResolvers();
  // The client library's own disconnect() holds the process for ten seconds.
  const address = backend.url.replace("http", "ws") + "/realtime/v1/websocket?vsn=1.0.0&apikey=" + backend.publishableKey;
  const socket = new WebSocket(address);
  const config = { postgres_changes: [{ event: "*", schema: "public", table: "notes" }] };
  socket.onopen = () => socket.send(JSON.stringify({ topic: "realtime:n", event: "phx_join", ref: "1", payload: { config } }));
  socket.onmessage = ({ data }) => {
    const { event, payload } = JSON.parse(data);
    if (event === "system") joined.resolve(payload.status);
  };
  console.log(await joined.promise);
  socket.close();
  return backend;
}
`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "homebase-ending-"));
  mkdirSync(join(folder, "supabase/migrations"), { recursive: true });
  mkdirSync(join(folder, "supabase/functions/hello"), { recursive: true });
  writeFileSync(join(folder, "supabase/config.toml"), "");
  writeFileSync(
    join(folder, "supabase/migrations/1_notes.sql"),
    "create table public.notes (id int primary key); insert into public.notes values (1); alter publication supabase_realtime add table public.notes;",
  );
  writeFileSync(
    join(folder, "supabase/functions/hello/index.ts"),
    'Deno.serve(() => new Response("hello"));',
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

function run(program: string, ...options: string[]) {
  writeFileSync(join(folder, "program.test.mjs"), USE + program);
  const { HOMEBASE_TEST_CLUSTER: _shared, NODE_TEST_CONTEXT: _runner, ...env } = process.env;
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, [...options, "program.test.mjs"], {
    cwd: folder,
    env,
    encoding: "utf8",
    timeout: 90_000,
  });
  const storage = /\/\S+storage/.exec(stdout)?.[0] ?? "";
  return { status, signal, stdout, stderr, storage, kept: existsSync(join(storage, "..")) };
}

test("a plain script ends without drop(), and leaves no files", () => {
  const ended = run("await used();");
  expect(ended).toMatchObject({ status: 0, signal: null, stderr: "", kept: false });
  expect(ended.stdout).toMatch(/storage\n1 hello\nok\n$/);
});

test("await using drops the Backend at the end of its block", () => {
  const { stdout, ...ended } = run(`import { existsSync } from "node:fs";
let folder;
{
  await using backend = await used();
  folder = backend.storageFolder;
}
console.log(existsSync(folder));`);
  expect(ended).toMatchObject({ status: 0, stderr: "", kept: false });
  expect(stdout).toMatch(/\nok\nfalse\n$/);
});

test("a test of node:test that fails before drop() fails, and its file ends", () => {
  const failing = `import { test } from "node:test";
test("fails", async () => { const backend = await used(); throw new Error("as it should"); await backend.drop(); });
test("passes", async () => { const backend = await used(); await backend.drop(); });`;
  const ended = run(failing, "--test");
  expect(ended).toMatchObject({ status: 1, signal: null, kept: false });
  expect(ended.stdout).toMatch(/pass 1\n[\s\S]*fail 1\n[\s\S]*as it should/);
});
