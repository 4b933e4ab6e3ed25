/** Foreign projects with other conventions start without errors, and their API responds. */
import { expect, test, vi } from "vitest";
import { createBackend, type TestBackend } from "../../src/testing/index.ts";
import { folderOf, names } from "./folders.ts";

// Each builds its own template; some start Deno.
vi.setConfig({ testTimeout: 180_000 });

/** Requests every path of a schema's OpenAPI description, as `service_role` and as anonymous. */
async function callEverything(backend: TestBackend, schema: string): Promise<Record<string, number>> {
  const headers = (key: string) => ({
    apikey: key,
    "accept-profile": schema,
    "content-profile": schema,
    "content-type": "application/json",
  });
  const root = await fetch(`${backend.url}/rest/v1/`, { headers: headers(backend.secretKey) });
  const description = (await root.json()) as { paths?: Record<string, unknown> };
  expect(description).toHaveProperty("paths");
  const paths = description.paths ?? {};
  const statuses: Record<string, number> = {};
  for (const path of Object.keys(paths).filter((one) => one !== "/")) {
    for (const [who, key] of [
      ["service", backend.secretKey],
      ["anon", backend.publishableKey],
    ] as const) {
      const call = path.startsWith("/rpc/") ? { method: "POST", body: "{}" } : {};
      const answer = await fetch(`${backend.url}/rest/v1${path}`, { ...call, headers: headers(key) });
      await answer.arrayBuffer();
      statuses[`${who} ${schema}${path}`] = answer.status;
    }
  }
  return statuses;
}

test.each(names)("%s starts clean, and its tables and functions answer", async (name) => {
  await using backend = await createBackend({ projectFolder: folderOf(name) });
  const statuses: Record<string, number> = {};
  for (const schema of backend.config.api.schemas)
    Object.assign(statuses, await callEverything(backend, schema));
  expect(Object.keys(statuses).length).toBeGreaterThan(0);
  expect(Object.entries(statuses).filter(([, status]) => status >= 500)).toEqual([]);
});

test("seeds run by pattern, in order, once, with what a session may set; empty migrations are recorded", async () => {
  await using backend = await createBackend({ projectFolder: folderOf("seeds") });
  expect(await backend.sql("select id, name from places order by id")).toEqual([
    { id: 1, name: 'one; "quoted"' },
    { id: 2, name: "two\n" },
    { id: 3, name: "place 3" },
    { id: 4, name: "place 4" },
    { id: 5, name: "place 5" },
  ]);
  expect(await backend.sql("select nextval('visits_id_seq')::int as next")).toEqual([{ next: 9 }]);
  expect(await backend.sql("select path from supabase_migrations.seed_files order by path")).toEqual([
    { path: "supabase/seeds/01_places.sql" },
    { path: "supabase/seeds/a.sql" },
  ]);
  expect(
    await backend.sql(
      "select version, name, statements[array_upper(statements, 1)] as last from supabase_migrations.schema_migrations where version > '20240101000000' order by version",
    ),
  ).toEqual([
    { version: "20240102000000", name: "empty", last: null },
    { version: "20240103000000", name: "comment", last: "-- Nothing to do any more." },
    { version: "20240104000000", name: "mark", last: "-- the end" },
  ]);
  const setting = await fetch(`${backend.url}/rest/v1/rpc/setting`, {
    headers: { apikey: backend.publishableKey },
  });
  expect(await setting.json()).toBe("your-jwt-secret Europe/Lisbon");
});

test("functions with shared code, import maps and import.meta.main answer; one that lacks a package says so", async () => {
  await using backend = await createBackend({ projectFolder: folderOf("assistant") });
  const call = (name: string) =>
    fetch(`${backend.url}/functions/v1/${name}`, { headers: { authorization: `Bearer ${backend.anonKey}` } });
  expect(await (await call("hello")).json()).toEqual({ words: "Hello Ada", key: true });
  const missing = await call("offline");
  expect(missing.status).toBe(503);
  expect(backend.logs.map(({ message }) => message).join("\n")).toContain("there-is-no-such-package");
});

const rpc = async (backend: TestBackend, name: string, body: unknown, key = backend.publishableKey) => {
  const answer = await fetch(`${backend.url}/rest/v1/rpc/${name}`, {
    method: "POST",
    headers: { apikey: key, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return answer.json();
};

test("vectors are searched through a function, and a row shows them as text", async () => {
  await using backend = await createBackend({ projectFolder: folderOf("search") });
  const asked = { query_embedding: [1, 0, 0], match_threshold: 0.5, match_count: 5 };
  expect(await rpc(backend, "match_documents", asked)).toMatchObject([
    { content: "apples", similarity: 1 },
    { content: "pears" },
  ]);
  const rows = await fetch(`${backend.url}/rest/v1/documents?select=embedding,small&content=eq.engines`, {
    headers: { apikey: backend.publishableKey },
  });
  expect(await rows.json()).toEqual([{ embedding: "[0,0,1]", small: "[0,0,1]" }]);
});

test("queues, tokens and JSON schemas work; what is inert says what is missing", async () => {
  await using backend = await createBackend({ projectFolder: folderOf("queues") });
  expect(await rpc(backend, "queue_mail", { address: "a@b.test" })).toBe(1);
  expect(await rpc(backend, "next_mail", {})).toEqual({ to: "a@b.test" });
  expect(await rpc(backend, "token", {})).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
  await expect(backend.sql("insert into settings values (1, '[]')")).rejects.toThrow(/check constraint/);
  await expect(backend.sql("select pgsodium.crypto_box_new_keypair()")).rejects.toThrow(/pgsodium/);
});

test("webhooks are there for a project that uses them, as in the Supabase CLI's database", async () => {
  await using backend = await createBackend({ projectFolder: folderOf("webhooks") });
  expect(await backend.sql("select hook_name from supabase_functions.hooks")).toEqual([
    { hook_name: "notify" },
  ]);
  expect(await rpc(backend, "ping", {})).toEqual(expect.any(Number));
  await using other = await createBackend({ projectFolder: folderOf("seeds") });
  expect(
    await other.sql("select to_regnamespace('supabase_functions') as schema, to_regnamespace('net') as net"),
  ).toEqual([{ schema: null, net: null }]);
});

test("packages are installed by migrations, those of database.dev that are carried without a network", async () => {
  await using backend = await createBackend({ projectFolder: folderOf("packages") });
  expect(await rpc(backend, "badge_count", {})).toBe(2);
  expect(
    await backend.sql("select name::text, default_version from pgtle.available_extensions() order by 1"),
  ).toEqual([
    { name: "basejump-supabase_test_helpers", default_version: "0.0.6" },
    { name: "club-badges", default_version: "1.0.0" },
    { name: "supabase-dbdev", default_version: "0.0.5" },
  ]);
  expect(await backend.sql("select tests.create_supabase_user('ada') is not null as made")).toEqual([
    { made: true },
  ]);
});

test("hooks decide who signs up, and what the token says", async () => {
  await using backend = await createBackend({ projectFolder: folderOf("hooks") });
  const signUp = async (email: string) => {
    const answer = await fetch(`${backend.url}/auth/v1/signup`, {
      method: "POST",
      headers: { apikey: backend.publishableKey, "content-type": "application/json" },
      body: JSON.stringify({ email, password: "a long password" }),
    });
    return { status: answer.status, body: (await answer.json()) as { access_token?: string } };
  };
  expect(await signUp("eve@elsewhere.test")).toMatchObject({
    status: 403,
    body: { msg: "By invitation only" },
  });
  const { body } = await signUp("ada@example.com");
  const claims = JSON.parse(Buffer.from(body.access_token?.split(".")[1] ?? "", "base64url").toString());
  expect(claims).toMatchObject({ role: "authenticated", user_role: null });
});

test("a token's own role and a function before each request hold for the API", async () => {
  await using backend = await createBackend({ projectFolder: folderOf("custom-roles") });
  const token = await backend.token({ role: "editor" });
  const headers = { apikey: backend.publishableKey, authorization: `Bearer ${token}` };
  const titles = await fetch(`${backend.url}/rest/v1/articles?select=title&order=id`, { headers });
  expect(await titles.json()).toEqual([{ title: "Ready" }, { title: "In work" }]);
  const closed = await fetch(`${backend.url}/rest/v1/articles`, { headers: { ...headers, "x-closed": "1" } });
  expect([closed.status, await closed.json()]).toEqual([503, expect.objectContaining({ code: "closed" })]);
});

test("a function reads its static file, and config.toml of 2026 has no key that is not known", async () => {
  await using backend = await createBackend({ projectFolder: folderOf("cli-2026") });
  const answer = await fetch(`${backend.url}/functions/v1/receipt`, {
    headers: { authorization: `Bearer ${backend.anonKey}` },
  });
  expect([answer.status, await answer.text()]).toEqual([200, "<h1>Receipt</h1>\n"]);
  expect(backend.config.warnings.filter((one) => one.includes("unknown key"))).toEqual([]);
});

test("a function of a monorepo imports a package of the workspace", async () => {
  await using backend = await createBackend({ projectFolder: folderOf("monorepo") });
  const answer = await fetch(`${backend.url}/functions/v1/check`, {
    method: "POST",
    body: '{"role":"editor"}',
  });
  expect([answer.status, await answer.text()]).toEqual([200, '{"read":true}']);
});
