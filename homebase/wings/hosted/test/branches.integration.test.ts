/** Pausing and restoring the stand-in for a hosted project, and its branches. */
import { createClient } from "@supabase/supabase-js";
import pg from "pg";
import { beforeAll, expect, test } from "vitest";
import { testCluster } from "../../../src/testing/shared-cluster.ts";
import { forThisFile } from "../../../test/for-this-file.ts";
import { exchange, statusOf } from "../../../test/http/raw.ts";
import { useOwnCluster } from "../../../test/own-cluster.ts";
import { startHosted } from "../index.ts";
import { callerOf } from "./api.ts";

await useOwnCluster();
const hosted = await forThisFile(startHosted({ cluster: await testCluster(process.cwd()) }));
const call = callerOf(hosted);
beforeAll(async () => {
  await migrate("notes", "create table public.notes (id int primary key); grant all on public.notes to anon");
});

const migrate = (name: string, query: string, ref?: string) =>
  callerOf(hosted, ref)("POST", "/database/migrations", { name, query });
const tables = async (ref?: string) => {
  const { body } = await callerOf(hosted, ref)("POST", "/database/query", {
    query: "select tablename from pg_tables where schemaname = 'public' order by tablename",
  });
  return body.map(({ tablename }: { tablename: string }) => tablename);
};
const client = () =>
  createClient(hosted.project.url, hosted.project.keys.publishableKey, { auth: { persistSession: false } });
const connect = async () => {
  const { host, port } = hosted.project.databaseAddress;
  const user = `postgres.${hosted.project.ref}`;
  const connection = new pg.Client({ host, port, user, password: "postgres", database: "postgres" });
  await connection.connect();
  return connection;
};

test("a paused project answers nothing, and has its data and settings once it is restored", async () => {
  await client().from("notes").insert({ id: 1 });
  await call("PATCH", "/config/auth", { site_url: "https://app.example.org" });
  const connection = await connect();
  const ended = new Promise((resolve) => connection.on("error", resolve));
  expect((await call("POST", "/pause")).status).toBe(200);
  await ended;

  expect((await call("GET", "")).body.status).toBe("INACTIVE");
  expect((await call("GET", "/health?services=auth")).body[0]).toMatchObject({ healthy: false });
  for (const path of [
    "/rest/v1/notes",
    "/auth/v1/health",
    "/storage/v1/bucket",
    "/functions/v1/any",
    "/nowhere",
  ]) {
    const answer = await fetch(`${hosted.project.url}${path}`);
    expect([path, answer.status, await answer.text()]).toEqual([path, 540, "Project paused"]);
  }
  const upgrade =
    "GET /realtime/v1/websocket HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";
  expect(statusOf(await exchange(hosted.project.url, upgrade))).toBe(540);
  await expect(connect()).rejects.toThrow("Tenant or user not found");
  for (const [method, path, body] of [
    ["POST", "/database/query", { query: "select 1" }],
    ["PATCH", "/config/auth", { site_url: "https://other.example.org" }],
    ["GET", "/database/migrations", undefined],
    ["POST", "/branches", { branch_name: "other" }],
    ["POST", "/pause", undefined],
  ] as const) {
    const { status, body: refused } = await call(method, path, body);
    expect([path, status, refused.message]).toEqual([path, 400, expect.stringContaining("paused")]);
  }
  expect((await call("GET", "/config/auth")).body.site_url).toBe("https://app.example.org");

  expect((await call("POST", "/restore")).status).toBe(200);
  expect((await call("GET", "")).body.status).toBe("ACTIVE_HEALTHY");
  expect((await client().from("notes").select()).data).toEqual([{ id: 1 }]);
  await (await connect()).end();
  expect(await tables()).toEqual(["notes"]);
  expect((await call("POST", "/restore")).body.message).toContain("no longer in a paused state");
});

test("a restart ends connections and keeps everything", async () => {
  const connection = await connect();
  const ended = new Promise((resolve) => connection.on("error", resolve));
  expect((await call("POST", "/restart")).status).toBe(200);
  await ended;
  expect((await client().from("notes").select()).data).toEqual([{ id: 1 }]);
});

test("a branch is a project of its own with its parent's migrations, and without its data", async () => {
  expect((await call("GET", "/branches")).body).toEqual([]);
  expect((await call("POST", "/branches", {})).status).toBe(400);
  expect((await call("POST", "/branches", { branch_name: "x", with_data: true })).status).toBe(501);
  const twice = await Promise.all(
    ["twice", "twice"].map((name) => call("POST", "/branches", { branch_name: name })),
  );
  expect(twice.map(({ status }) => status).sort()).toEqual([201, 409]);
  await call("DELETE", `/v1/branches/${twice.find(({ status }) => status === 201)?.body.id}`);
  const made = await call("POST", "/branches", { branch_name: "develop" });
  expect(made).toMatchObject({
    status: 201,
    body: {
      name: "develop",
      parent_project_ref: hosted.project.ref,
      project_ref: expect.stringMatching(/^[a-z]{20}$/),
      is_default: false,
      persistent: false,
      with_data: false,
      status: "FUNCTIONS_DEPLOYED",
      preview_project_status: "ACTIVE_HEALTHY",
    },
  });
  const { id, project_ref: ref } = made.body;
  expect(ref).not.toBe(hosted.project.ref);
  expect((await call("POST", "/branches", { branch_name: "develop" })).status).toBe(409);
  expect((await call("GET", "/branches")).body).toEqual([made.body]);
  expect((await call("GET", "/branches/develop")).body).toEqual(made.body);
  expect((await call("GET", "/branches/nobody")).status).toBe(404);
  // Branches are no projects of the organization.
  expect((await call("GET", "/v1/projects")).body).toHaveLength(1);

  expect(await tables(ref)).toEqual(["notes"]);
  const branch = callerOf(hosted, ref);
  const [{ name, version }] = (await branch("GET", "/database/migrations")).body;
  expect([name, version]).toEqual(["notes", (await call("GET", "/database/migrations")).body[0].version]);
  const keys = (await branch("GET", "/api-keys?reveal=true")).body;
  expect(keys[0].api_key).not.toBe(hosted.project.keys.publishableKey);

  // Its API has its own data, and its database is reached as hosted's: by its reference, as `postgres`.
  const { url } = hosted.management.branches.find(id)?.project ?? { url: "" };
  const ours = createClient(url, keys[0].api_key, { auth: { persistSession: false } });
  expect((await ours.from("notes").select()).data).toEqual([]);
  await ours.from("notes").insert({ id: 2 });
  const { body: address } = await call("GET", `/v1/branches/${id}`);
  expect(address).toMatchObject({ ref, status: "ACTIVE_HEALTHY" });
  const connection = new pg.Client({
    host: address.db_host,
    port: address.db_port,
    user: `${address.db_user}.${ref}`,
    password: address.db_pass,
    database: "postgres",
  });
  await connection.connect();
  expect((await connection.query("select id from public.notes")).rows).toEqual([{ id: 2 }]);
  await connection.end();
  expect((await client().from("notes").select()).data).toEqual([{ id: 1 }]);
  expect(
    (await call("PATCH", `/v1/branches/${ref}`, { branch_name: "next", persistent: true })).body,
  ).toMatchObject({
    name: "next",
    persistent: true,
  });

  // What the branch adds comes to its parent by a merge, what the parent adds to the branch by a push.
  await migrate("tags", "create table public.tags (id int)", ref);
  expect(await tables()).toEqual(["notes"]);
  expect((await call("POST", `/v1/branches/${id}/merge`, {})).body.message).toBe("ok");
  expect(await tables()).toEqual(["notes", "tags"]);
  await migrate("words", "create table public.words (id int)");
  expect((await call("POST", `/v1/branches/${id}/push`, {})).status).toBe(201);
  expect(await tables(ref)).toEqual(["notes", "tags", "words"]);
  expect((await ours.from("notes").select()).data).toEqual([{ id: 2 }]);

  // A reset begins anew with the parent's migrations.
  expect((await call("POST", `/v1/branches/${id}/reset`, { migration_version: version })).status).toBe(201);
  expect(await tables(ref)).toEqual(["notes"]);
  expect((await ours.from("notes").select()).data).toEqual([]);

  expect((await call("DELETE", `/v1/branches/${id}`)).body).toEqual({ message: "ok" });
  expect((await call("GET", "/branches")).body).toEqual([]);
  expect((await branch("GET", "")).status).toBe(404);
  expect((await call("GET", `/v1/branches/${id}`)).status).toBe(404);
  await expect(fetch(url)).rejects.toThrow();
  const { rows } = await hosted.project.database.query(
    "postgres",
    "select datname from pg_database where datname like 'hosted\\_branch%'",
  );
  expect(rows).toEqual([]);
}, 120_000);

test("functions go with a branch, and back by a merge", async () => {
  const deploy = async (ref: string, word: string) => {
    const form = new FormData();
    form.append("file", new Blob([`Deno.serve(() => new Response("${word}"))`]), "index.ts");
    form.append("metadata", JSON.stringify({ name: "say", entrypoint_path: "index.ts", verify_jwt: false }));
    const answer = await fetch(`${hosted.management.url}/v1/projects/${ref}/functions/deploy?slug=say`, {
      method: "POST",
      headers: { authorization: `Bearer ${hosted.management.accessToken}` },
      body: form,
    });
    expect(answer.status).toBe(201);
  };
  const said = async (url: string) => (await fetch(`${url}/functions/v1/say`)).text();
  await deploy(hosted.project.ref, "first");
  const { id, project_ref: ref } = (await call("POST", "/branches", { branch_name: "functions" })).body;
  const url = hosted.management.branches.find(id)?.project.url ?? "";
  expect(await said(url)).toBe("first");
  await deploy(ref, "second");
  expect([await said(hosted.project.url), await said(url)]).toEqual(["first", "second"]);
  await call("POST", `/v1/branches/${id}/merge`, {});
  expect(await said(hosted.project.url)).toBe("second");
  expect((await call("GET", "/functions/say")).body.version).toBe(2);
  await call("DELETE", `/v1/branches/${id}`);
  expect(await said(hosted.project.url)).toBe("second");
}, 120_000);

test("a migration that creates roles runs on each branch, and its merge on the parent", async () => {
  const make = (name: string) =>
    `-- Who reads.\ncreate role ${name} nologin;\ncreate table public.of_${name} (id int); grant select on public.of_${name} to ${name}`;
  expect((await migrate("first_reader", make("first_reader"))).status).toBe(200);
  for (const name of ["one", "two"]) {
    const { body } = await call("POST", "/branches", { branch_name: name });
    expect(body.status).toBe("FUNCTIONS_DEPLOYED");
    expect(await tables(body.project_ref)).toContain("of_first_reader");
    const { status } = await migrate("own_reader", make(`reader_of_${name}`), body.project_ref);
    expect(status).toBe(200);
    expect((await call("POST", `/v1/branches/${body.id}/merge`, {})).body.message).toBe("ok");
    expect(await tables()).toContain(`of_reader_of_${name}`);
    await call("DELETE", `/v1/branches/${body.id}`);
  }
  // A project's own migration is told, as on hosted.
  expect((await migrate("again", "create role first_reader")).body.message).toContain("already exists");
});

test("a migration that does not run again leaves the branch, and says so", async () => {
  await call("POST", "/database/query", { query: "create table public.by_hand (id int)" });
  await migrate("more", "alter table public.by_hand add column more text");
  const { status, body } = await call("POST", "/branches", { branch_name: "failing" });
  expect([status, body.status]).toEqual([201, "MIGRATIONS_FAILED"]);
  expect(await tables(body.project_ref)).not.toContain("by_hand");
  // A paused one is removed as well.
  expect((await callerOf(hosted, body.project_ref)("POST", "/pause")).status).toBe(200);
  expect((await call("GET", "/branches")).body[0].preview_project_status).toBe("INACTIVE");
  expect((await call("DELETE", `/v1/branches/${body.id}`)).status).toBe(200);
});

test("settings that come while a project is paused are its own once it is restored", async () => {
  const changed = call("PATCH", "/config/auth", { site_url: "https://late.example.org" });
  await Promise.all([changed, call("POST", "/pause")]);
  expect((await fetch(`${hosted.project.url}/auth/v1/health`)).status).toBe(540);
  const answer = await changed;
  await call("POST", "/restore");
  const { site_url } = (await call("GET", "/config/auth")).body;
  expect(site_url === "https://late.example.org").toBe(answer.status === 200);
  expect(hosted.project.config.auth.site_url).toBe(site_url);
});

test("a new project has no snippets", async () => {
  expect((await call("GET", "/v1/snippets")).body).toEqual({ data: [] });
  expect((await call("GET", "/v1/snippets/5a1c6b70-6d43-4b65-8d09-6ca1b3dcd3a7")).status).toBe(406);
});
