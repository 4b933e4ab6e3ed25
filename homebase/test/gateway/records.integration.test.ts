/** What a Backend records of its requests. */
import { createClient } from "@supabase/supabase-js";
import { beforeAll, beforeEach, expect, test, vi } from "vitest";
import WebSocket from "ws";
import { createBackend } from "../../src/testing/index.ts";
import { forThisFile } from "../for-this-file.ts";

const backend = await forThisFile(createBackend({ bare: true }));
beforeAll(async () => {
  await backend.sql(`
    create table public.notes (id int primary key, text text);
    insert into notes values (1, 'a'), (2, 'b');
    revoke insert on notes from anon`);
  await vi.waitUntil(async () => (await get("/rest/v1/notes")).ok);
});
let before = 0;
beforeEach(() => {
  before = backend.backend.requests.list().cursor;
});

const last = () => backend.requests({ after: before }).at(-1);
const get = (path: string, init: RequestInit = {}) =>
  fetch(backend.url + path, { ...init, headers: { apikey: backend.publishableKey, ...init.headers } });

test("a read: who asked, what ran, how many rows", async () => {
  const response = await get("/rest/v1/notes?id=eq.2");
  const body = await response.text();
  expect(last()).toMatchObject({
    id: response.headers.get("sb-request-id"),
    service: "rest",
    method: "GET",
    path: "/rest/v1/notes",
    query: "id=eq.2",
    status: 200,
    rows: 1,
    bytes: body.length,
    role: "anon",
    claims: { role: "anon" },
    statement: { values: ["2"], searchPath: expect.stringContaining("public"), readOnly: true },
    replayable: true,
  });
});

test("a refused write has its SQLSTATE, and its values", async () => {
  const body = JSON.stringify({ id: 3, text: "c" });
  const sent = { method: "POST", body, headers: { "content-type": "application/json" } };
  expect((await get("/rest/v1/notes", sent)).status).toBe(401);
  expect(last()).toMatchObject({
    status: 401,
    code: "42501",
    statement: { values: [body], readOnly: false },
  });
});

test("a path without a route, a preflight, a refused key, a socket", async () => {
  await get("/nowhere");
  expect(last()).toMatchObject({ service: undefined, path: "/nowhere", status: 404, role: undefined });
  await get("/rest/v1/notes", {
    method: "OPTIONS",
    headers: { origin: "http://x.test", "access-control-request-method": "GET" },
  });
  expect(last()).toMatchObject({ service: "rest", method: "OPTIONS", status: 200 });
  await get("/rest/v1/notes", { headers: { apikey: "sb_publishable_wrong" } });
  expect(last()).toMatchObject({ service: "rest", status: 401 });
  const socket = new WebSocket(
    `${backend.url.replace("http", "ws")}/realtime/v1/websocket?vsn=1.0.0&apikey=${backend.publishableKey}`,
  );
  await new Promise((resolve) => socket.once("open", resolve));
  socket.close();
  expect(last()).toMatchObject({ service: "realtime", status: 101, query: "vsn=(string, 5 characters)" });
});

test("neither passwords, keys nor tokens are in what is kept", async () => {
  const client = createClient(backend.url, backend.publishableKey, { auth: { persistSession: false } });
  const { data } = await client.auth.signUp({ email: "ana@example.test", password: "s3cret-password" });
  await client.from("notes").select().eq("id", 1);
  await get(`/auth/v1/verify?token=${"t".repeat(30)}&type=signup`, { redirect: "manual" });
  const kept = JSON.stringify(backend.requests({ after: before }));
  expect(data.session?.access_token).toBeTruthy();
  for (const secret of [
    "s3cret-password",
    backend.publishableKey,
    data.session?.access_token ?? "",
    "t".repeat(30),
  ])
    expect(kept).not.toContain(secret);
  expect(kept).toContain('"email":"ana@example.test"');
});

test("of a function's arguments and of secret headers nothing is shown, whatever they are called", async () => {
  await backend.sql(`
    create function public.login(password text, otp text) returns text language plpgsql as
      $$ begin raise exception 'no user has password %', password; end $$;
    create function private_tenant() returns text language sql stable as
      $$ select current_setting('request.headers', true)::json->>'x-tenant' $$;
    create function private_header(name text) returns text language sql stable as
      $$ select current_setting('request.headers', true)::json->>name $$;
    create view open_notes as select * from notes
      where text = current_setting('request.headers', true)::json->>'x-view';
    create policy tenant on notes using (text = private_header('x-shelf'))`);
  const headers = {
    "content-type": "application/json",
    "x-otp": "s3cret-otp",
    "x-pin": "s3cret-pin",
    "x-pwd": "s3cret-pwd",
    "x-signature": "s3cret-signature",
    "x-tenant": "s3cret-tenant",
    "x-shelf": "s3cret-shelf",
    "x-view": "s3cret-view",
    prefer: "params=single-object, handling=lenient",
  };
  const body = JSON.stringify({ password: "s3cret-password", otp: "s3cret-one" });
  await expect
    .poll(async () => (await get("/rest/v1/rpc/login", { method: "POST", headers, body })).json())
    .toMatchObject({ message: "no user has password s3cret-password" });
  const { requests } = backend.backend;
  const { id = "" } = last() ?? {};
  const shown = [requests.list({ after: before }), requests.get(id)];
  expect(JSON.stringify(shown)).not.toContain("s3cret");
  expect(shown[1]).toMatchObject({
    error: { message: "no user has password (string, 15 characters)" },
    statement: {
      values: ['{"password":"string, 15 characters","otp":"string, 10 characters"}'],
      headers: { "x-tenant": "string, 13 characters", "x-shelf": "string, 12 characters" },
    },
  });
  // For running it again: the arguments, and of the headers only those that the database reads.
  expect(last()?.statement).toMatchObject({
    values: [body],
    headers: {
      "x-tenant": "s3cret-tenant",
      "x-shelf": "s3cret-shelf",
      "x-view": "s3cret-view",
      prefer: headers.prefer,
    },
  });
  expect(Object.keys(last()?.statement?.headers ?? {})).toHaveLength(4);
  await (await get("/rest/v1/rpc/login?password=s3cret-a&otp=s3cret-b")).text();
  expect(last()?.replayable).toBe(true);
  expect(JSON.stringify(requests.list({ after: before }))).not.toContain("s3cret");
});

test("a page may read the id of its request", async () => {
  for (const path of ["/rest/v1/notes", "/auth/v1/settings", "/storage/v1/bucket"]) {
    const { headers } = await get(path, { headers: { origin: "http://x.test" } });
    expect(headers.get("access-control-expose-headers")?.toLowerCase()).toContain("sb-request-id");
  }
});

test("a caller's own claim to be part of a request reaches no service, and counts as an id only", async () => {
  await backend.sql(
    "create function public.seen() returns json language sql as $$ select current_setting('request.headers')::json $$",
  );
  await backend.sql("notify pgrst, 'reload schema'");
  const parent = "3b241101-e2bb-4255-8caf-4136c566a962";
  const ask = async (id: string) =>
    (await get("/rest/v1/rpc/seen", { headers: { "sb-parent-request-id": id } })).json();
  await expect.poll(() => ask(parent)).not.toHaveProperty("sb-parent-request-id");
  expect(last()?.parent).toBe(parent);
  await ask("<script>");
  expect(last()?.parent).toBeUndefined();
});
