/**
 * The stand-in for a hosted project: accepted and rejected calls, and that the deployed state is what runs.
 */
import { readdirSync } from "node:fs";
import { dirname } from "node:path";
import { createClient } from "@supabase/supabase-js";
import pg from "pg";
import { expect, test } from "vitest";
import { testCluster } from "../../../src/testing/shared-cluster.ts";
import { forThisFile } from "../../../test/for-this-file.ts";
import { exchange, statusOf } from "../../../test/http/raw.ts";
import { startHosted } from "../index.ts";

const REF = "abcdefghijklmnopqrst";
const hosted = await forThisFile(startHosted({ cluster: await testCluster(process.cwd()), ref: REF }));

async function api(method: string, path: string, body?: unknown, token = hosted.management.accessToken) {
  const form = body instanceof FormData;
  const answer = await fetch(`${hosted.management.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(form ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: form ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, body: text === "" ? undefined : JSON.parse(text) };
}
const project = (rest = "") => `/v1/projects/${REF}${rest}`;
const client = () =>
  createClient(hosted.project.url, hosted.project.keys.publishableKey, { auth: { persistSession: false } });

function upload(files: Record<string, string>, metadata: Record<string, unknown>): FormData {
  const form = new FormData();
  for (const [path, text] of Object.entries(files)) form.append("file", new Blob([text]), path);
  form.append(
    "metadata",
    JSON.stringify({ name: "hello", entrypoint_path: Object.keys(files)[0], ...metadata }),
  );
  return form;
}
const HELLO = "supabase/functions/hello/index.ts";
const call = (headers: Record<string, string> = {}) =>
  fetch(`${hosted.project.url}/functions/v1/hello`, { method: "POST", headers });

test("a call without the token, of another project, or that is not built is refused in that order", async () => {
  expect((await api("GET", project(), undefined, `sbp_${"0".repeat(40)}`)).status).toBe(401);
  expect((await api("GET", "/v1/projects/zzzzzzzzzzzzzzzzzzzz")).status).toBe(404);
  // A stranger's call is answered before its body is read, and not listed.
  const listed = hosted.management.received.length;
  const body = new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(65_536)) });
  const endless = { method: "POST", body, duplex: "half" } as RequestInit;
  const refused = await fetch(`${hosted.management.url}${project("/functions/deploy")}`, endless).then(
    ({ status }) => status,
    () => "closed",
  );
  expect([401, "closed"]).toContain(refused);
  expect(hosted.management.received.length).toBe(listed);
  const unknown = await api("POST", project("/upgrade"));
  expect(unknown).toEqual({
    status: 501,
    body: { message: `This stand-in for hosted does not have the call POST ${project("/upgrade")}.` },
  });
  expect(hosted.management.unknown).toEqual([`POST ${project("/upgrade")}`]);
});

test("no call about functions leaves their folder or ends the process", async () => {
  const folder = dirname(hosted.project.config.supabaseFolder);
  const before = readdirSync(folder).sort();
  const authorization = `authorization: Bearer ${hosted.management.accessToken}`;
  for (const slug of ["..", "%2e%2e", ".", "...", "..%2fobjects", "hello/..", "constructor"]) {
    const answer = await exchange(
      hosted.management.url,
      `DELETE ${project("/functions/")}${slug} HTTP/1.1\r\nhost: localhost\r\n${authorization}\r\nconnection: close\r\n\r\n`,
    );
    expect([slug, [404, 501].includes(statusOf(answer))]).toEqual([slug, true]);
  }
  expect(readdirSync(folder).sort()).toEqual(before);
  const deploy = project("/functions/deploy?slug=hello");
  const source = { [HELLO]: "Deno.serve(() => new Response())" };
  for (const metadata of ["{", "null", "5", "[]", '"x"', "\0", "{}", `{"entrypoint_path":"../x"}`]) {
    for (const value of [metadata, new Blob([metadata])]) {
      const form = upload(source, {});
      form.delete("metadata");
      form.append("metadata", value as string);
      expect([metadata, (await api("POST", deploy, form)).status]).toEqual([metadata, 400]);
    }
  }
  const long = "x".repeat(300);
  for (const files of [
    { "a/b": "", a: "" },
    { a: "", "a/b": "" },
    { [long]: "" },
    { "../../x": "" },
    { "/": "" },
  ] as Record<string, string>[]) {
    const { status } = await api("POST", deploy, upload({ ...source, ...files }, { entrypoint_path: HELLO }));
    expect([Object.keys(files), status]).toEqual([Object.keys(files), 400]);
  }
  for (const pattern of ["../../**", "a/../../*", "file:///../*"]) {
    const { status } = await api("POST", deploy, upload(source, { static_patterns: [pattern] }));
    expect([pattern, status]).toEqual([pattern, 400]);
  }
  expect((await api("GET", project())).status).toBe(200);
});

test("keys are of the new kind, and a JWT of the same project is none", async () => {
  const { body } = await api("GET", project("/api-keys?reveal=true"));
  expect(body.map(({ type }: { type: string }) => type)).toEqual(["publishable", "secret"]);
  expect(body[1].secret_jwt_template).toEqual({ role: "service_role" });
  const ask = (apikey: string) => fetch(`${hosted.project.url}/rest/v1/nothing`, { headers: { apikey } });
  expect((await ask(body[0].api_key)).status).toBe(404);
  expect((await ask(hosted.project.keys.anonKey)).status).toBe(401);
});

test("organization, profile, buckets, types and settings have the shapes that clients check", async () => {
  const [organization] = (await api("GET", "/v1/organizations")).body;
  expect(organization.slug).toMatch(/^[a-z]{20}$/);
  expect((await api("GET", `/v1/organizations/${organization.slug}`)).body).toMatchObject({ plan: "free" });
  expect((await api("GET", "/v1/organizations/zzzzzzzzzzzzzzzzzzzz")).status).toBe(404);
  expect((await api("GET", project())).body.organization_slug).toBe(organization.slug);
  expect((await api("GET", "/v1/profile")).body).toEqual({
    gotrue_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    primary_email: expect.stringContaining("@"),
    username: expect.any(String),
  });
  const secret = createClient(hosted.project.url, hosted.project.keys.secretKey, {
    auth: { persistSession: false },
  });
  expect((await secret.storage.createBucket("pictures", { public: true })).error).toBeNull();
  const bucket = { id: "pictures", name: "pictures", public: true, created_at: expect.any(String) };
  expect((await api("GET", project("/storage/buckets"))).body).toEqual([expect.objectContaining(bucket)]);
  expect((await api("GET", project("/postgrest"))).body.jwt_secret).toBe(hosted.project.keys.jwtSecret);
  expect((await api("GET", project("/config/storage"))).body.databasePoolMode).toBe("recycled");

  const made = await api("POST", project("/database/query"), {
    query:
      "create table public.typed (id int primary key); create schema own; create table own.hidden (id int)",
  });
  expect(made.status).toBe(201);
  const types = async (query = "") => (await api("GET", project(`/types/typescript${query}`))).body.types;
  expect(await types()).toMatch(/typed: \{/);
  expect(await types()).not.toContain("hidden");
  expect(await types("?included_schemas=own")).toMatch(/hidden: \{/);
  expect((await api("PATCH", project("/functions/nobody"), { name: "x" })).status).toBe(404);
});

test("a new account must be confirmed", async () => {
  const { data, error } = await client().auth.signUp({ email: "ana@example.org", password: "correct horse" });
  expect(error).toBeNull();
  expect(data.session).toBeNull();
  expect(hosted.project.mails.map(({ to }) => to[0]?.address)).toContain("ana@example.org");
});

test("settings are checked by name and kind, and the services follow them", async () => {
  const { body: fresh } = await api("GET", project("/config/auth"));
  expect(fresh).toMatchObject({
    external_google_enabled: false,
    hook_send_email_enabled: false,
    mfa_allow_low_aal: false,
    mailer_subjects_recovery: "Reset your password",
    external_google_client_id: null,
  });
  expect(Object.entries(fresh).filter(([name, value]) => /_enabled$/.test(name) && value === null)).toEqual(
    [],
  );
  expect(await api("PATCH", project("/config/auth"), { site: "x" })).toEqual({
    status: 400,
    body: { message: "property site should not exist" },
  });
  expect((await api("PATCH", project("/config/auth"), { jwt_exp: "3600" })).body.message).toBe(
    "jwt_exp must be a number",
  );
  const changed = await api("PATCH", project("/config/auth"), {
    password_min_length: 20,
    smtp_pass: "secret of the mail server",
  });
  expect(Object.keys(changed.body)).toHaveLength(239);
  expect(JSON.stringify(changed.body)).not.toContain("secret of the mail server");
  const { error } = await client().auth.signUp({ email: "ben@example.org", password: "correct horse" });
  expect(error?.code).toBe("weak_password");
});

test("an upload runs once it is activated, with the secrets that were set", async () => {
  const source = `import { word } from "../_shared/word.ts";
    Deno.serve(() => new Response(word + " " + Deno.env.get("WHO")));`;
  const files = { [HELLO]: source, "supabase/functions/_shared/word.ts": `export const word = "hello";` };
  await api("POST", project("/secrets"), [{ name: "WHO", value: "Ana" }]);
  const uploaded = await api(
    "POST",
    project("/functions/deploy?slug=hello&bundleOnly=true"),
    upload(files, { verify_jwt: false }),
  );
  expect(uploaded).toMatchObject({ status: 201, body: { slug: "hello", version: 1, verify_jwt: false } });
  expect((await call()).status).toBe(404);
  expect((await api("PUT", project("/functions"), [uploaded.body])).status).toBe(200);
  expect(await (await call()).text()).toBe("hello Ana");

  const next = { ...files, "supabase/functions/_shared/word.ts": `export const word = "goodbye";` };
  await api("POST", project("/functions/deploy?slug=hello"), upload(next, { verify_jwt: true }));
  expect((await call()).status).toBe(401);
  expect((await api("GET", project("/functions/hello"))).body.version).toBe(2);
  expect((await api("DELETE", project("/functions/hello"))).status).toBe(200);
  expect((await call()).status).toBe(404);
});

test("a module that was not uploaded, a path outside, and an eszip are refused", async () => {
  const deploy = project("/functions/deploy?slug=hello");
  const missing = await api("POST", deploy, upload({ [HELLO]: `import "../_shared/gone.ts";` }, {}));
  expect(missing.status).toBe(400);
  expect(missing.body.message).toContain('Module not found "file:///supabase/functions/_shared/gone.ts"');
  const outside = await api("POST", deploy, upload({ [HELLO]: "", "../../etc/passwd": "" }, {}));
  expect(outside).toMatchObject({ status: 400, body: { message: expect.stringContaining("outside") } });
  expect((await api("POST", project("/functions"))).status).toBe(501);
  expect((await api("PUT", project("/functions"), [{ slug: "hello", version: 9 }])).status).toBe(400);
});

test("a secret of the platform's own names is refused, and none is ever given back", async () => {
  expect((await api("POST", project("/secrets"), [{ name: "SUPABASE_X", value: "1" }])).status).toBe(400);
  await api("POST", project("/secrets"), [{ name: "TOKEN", value: "very secret" }]);
  const { body } = await api("GET", project("/secrets"));
  expect(JSON.stringify(body)).not.toContain("very secret");
  expect((await api("DELETE", project("/secrets"), ["TOKEN"])).status).toBe(200);
});

test("a login role becomes postgres, which is no superuser, and needs its password", async () => {
  const { body } = await api("POST", project("/cli/login-role"), { read_only: false });
  const { host, port, name } = hosted.project.databaseAddress;
  const login = { host, port, database: name, user: body.role };
  const connection = new pg.Client({ ...login, password: body.password });
  await connection.connect();
  await connection.query("set session role postgres");
  await expect(connection.query("create extension file_fdw")).rejects.toThrow();
  await expect(connection.query("alter table auth.users add column x int")).rejects.toMatchObject({
    code: "42501",
  });
  await expect(connection.query("alter database postgres set app.x = 'y'")).rejects.toThrow();
  await connection.query("create table public.made_by_login (id int)");
  const { rows } = await connection.query(
    "select tableowner from pg_tables where tablename = 'made_by_login'",
  );
  expect(rows).toEqual([{ tableowner: "postgres" }]);
  await connection.end();
  const wrong = new pg.Client({ ...login, password: "wrong" });
  await expect(wrong.connect()).rejects.toMatchObject({ code: "28P01" });
});

test("a new project has hosted's extensions and no others", async () => {
  const { body } = await api("POST", project("/database/query"), {
    query: "select extname from pg_extension order by extname",
  });
  expect(body.map(({ extname }: { extname: string }) => extname)).toEqual(
    expect.arrayContaining(["pg_stat_statements", "pgcrypto", "plpgsql", "supabase_vault", "uuid-ossp"]),
  );
  for (const absent of ["pg_cron", "pg_net", "pg_graphql"]) {
    expect(body).not.toContainEqual({ extname: absent });
  }
});

test("a failure that was asked for comes once, before or after the work", async () => {
  const callName = "POST /v1/projects/{ref}/secrets";
  hosted.management.failures.push({ call: callName }, { call: callName, after: true });
  const set = () => api("POST", project("/secrets"), [{ name: "ONCE", value: "1" }]);
  const names = async () =>
    (await api("GET", project("/secrets"))).body.map(({ name }: { name: string }) => name);
  expect((await set()).status).toBe(500);
  expect(await names()).not.toContain("ONCE");
  expect((await set()).status).toBe(500);
  expect(await names()).toContain("ONCE");
  expect((await set()).status).toBe(201);
});

test("a query returns the last rows, takes parameters, and has numbers and times as the database API", async () => {
  const query = async (body: object) => (await api("POST", project("/database/query"), body)).body;
  expect(await query({ query: "begin; select 1 as one; commit" })).toEqual([{ one: 1 }]);
  expect(
    await query({ query: "select count(*), 'x' || $1 as x from (values (1), (2)) v", parameters: ["y"] }),
  ).toEqual([{ count: 2, x: "xy" }]);
  expect(await query({ query: "select timestamptz '2026-01-02 03:04:05+00' as at" })).toEqual([
    { at: "2026-01-02 03:04:05+00" },
  ]);
  for (const body of [{}, { query: " " }, { query: "select 1", parameters: {} }])
    expect((await api("POST", project("/database/query"), body)).status).toBe(400);
});

test("a read-only query cannot write, and cannot make itself able to", async () => {
  await api("POST", project("/database/query"), { query: "create table public.read_only_kept (id int)" });
  for (const [path, more] of [
    ["/database/query/read-only", {}],
    ["/database/query", { read_only: true }],
  ] as const) {
    const query = async (text: string) => api("POST", project(path), { query: text, ...more });
    expect((await query("select count(*) from public.read_only_kept")).body).toEqual([{ count: 0 }]);
    expect((await query("drop table public.read_only_kept")).status).toBe(400);
    const undone = "set default_transaction_read_only = off; reset role; drop table public.read_only_kept";
    expect((await query(undone)).status).toBe(400);
    expect(
      (await query("begin read write; insert into public.read_only_kept values (1); commit")).status,
    ).toBe(400);
  }
  const kept = await api("POST", project("/database/query"), {
    query: "select count(*) from public.read_only_kept",
  });
  expect(kept.body).toEqual([{ count: 0 }]);
});

test("an error of a query has its code, its line and a hint, as the database API writes it", async () => {
  const { status, body } = await api("POST", project("/database/query"), {
    query: "select 1;\nselect nothing",
  });
  expect(status).toBe(400);
  expect(body.message).toBe(
    'Failed to run sql query: ERROR:  42703: column "nothing" does not exist\nLINE 2: select nothing\n               ^\n',
  );
});

test("a migration is read by its version; one without statements is refused", async () => {
  await api("POST", project("/database/migrations"), {
    query: "create table public.read_back (id int)",
    name: "x",
  });
  const { body } = await api("GET", project("/database/migrations"));
  const { version } = body.at(-1);
  expect((await api("GET", project(`/database/migrations/${version}`))).body).toEqual({
    version,
    name: "x",
    statements: ["create table public.read_back (id int)"],
  });
  expect((await api("GET", project("/database/migrations/1"))).status).toBe(404);
  expect((await api("POST", project("/database/migrations"), { query: "" })).status).toBe(400);
});

test("two migrations in one second have two versions", async () => {
  const apply = (table: string) =>
    api("POST", project("/database/migrations"), {
      query: `create table public.${table} (id int)`,
      name: table,
    });
  expect((await apply("first_of_two")).status).toBe(200);
  expect((await apply("second_of_two")).status).toBe(200);
  const { body } = await api("GET", project("/database/migrations"));
  const versions = body.map(({ version }: { version: string }) => version);
  expect(versions.slice(-2)).toEqual([expect.stringMatching(/^\d{14}$/), expect.stringMatching(/^\d{14}$/)]);
  expect(new Set(versions).size).toBe(versions.length);
});

test("a query that cannot be read says what is wrong", async () => {
  const { status, body } = await api("POST", project("/database/query"), { query: "select 1 +" });
  expect(status).toBe(400);
  expect(body.message).toContain("syntax error");
});

test("webhooks are enabled, once and again, and network restrictions are added and removed", async () => {
  for (const _ of ["once", "again"])
    expect((await api("POST", project("/database/webhooks/enable"))).status).toBe(201);
  const found = await api("POST", project("/database/query"), {
    query: "select to_regprocedure('supabase_functions.http_request()') is not null as enabled",
  });
  expect(found.body).toEqual([{ enabled: true }]);

  const change = (body: unknown) => api("PATCH", project("/network-restrictions"), body);
  const before = (await api("GET", project("/network-restrictions"))).body.config;
  const added = await change({
    add: { dbAllowedCidrs: ["203.0.113.0/24"], dbAllowedCidrsV6: ["2001:db8::/32"] },
  });
  expect(added.body).toMatchObject({
    entitlement: "allowed",
    status: "stored",
    old_config: { dbAllowedCidrs: expect.arrayContaining([{ address: "0.0.0.0/0", type: "v4" }]) },
    updated_at: expect.stringMatching(/^\d{4}-.*Z$/),
    config: {
      dbAllowedCidrs: expect.arrayContaining([
        { address: "203.0.113.0/24", type: "v4" },
        { address: "2001:db8::/32", type: "v6" },
      ]),
    },
  });
  await change({ remove: { dbAllowedCidrs: ["203.0.113.0/24"], dbAllowedCidrsV6: ["2001:db8::/32"] } });
  const after = await api("GET", project("/network-restrictions"));
  expect(after.body).toMatchObject({ config: before, status: "applied", applied_at: expect.any(String) });
  const { dbAllowedCidrs, dbAllowedCidrsV6 } = before;
  expect(after.body.old_config).toEqual({
    dbAllowedCidrs: [...dbAllowedCidrs, "203.0.113.0/24"],
    dbAllowedCidrsV6: [...dbAllowedCidrsV6, "2001:db8::/32"],
  });
});
