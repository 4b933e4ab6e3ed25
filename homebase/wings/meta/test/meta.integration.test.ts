/** The database API: keys, every kind of object, changes as the database sees them, statements, hostile input. */
import { describe, expect, test } from "vitest";
import { forThisFile } from "../../../test/for-this-file.ts";
import { useOwnCluster } from "../../../test/own-cluster.ts";
import { createBackend } from "../../testing.ts";
import { answerOf, meta, metaBackend } from "./fixture.ts";

await useOwnCluster();

const backend = await forThisFile(metaBackend());

const get = async (path: string) => {
  const { status, body } = await meta(backend, "GET", path);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
};
const change = async (method: string, path: string, given?: unknown) => {
  const { status, body } = await meta(backend, method, path, given);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
};
const named = (list: { name: string }[], name: string) => list.find((one) => one.name === name);
const query = (text: string, more: object = {}, path = "/query") =>
  meta(backend, "POST", path, { query: text, ...more });

test("views and columns of a foreign table whose wrapper has no library cannot be written, and are listed", async () => {
  const admin = (sql: string) => backend.database.query("supabase_admin", sql, []);
  await admin("create foreign data wrapper silent");
  await admin("grant usage on foreign data wrapper silent to postgres");
  await query(`create schema far; create server nowhere foreign data wrapper silent;
    create foreign table far.things (id int) server nowhere; create view far.seen as select id from far.things;
    create table far.near (id int); create view far.seen_near as select id from far.near`);
  const views = (await get("/views?included_schemas=far")) as { name: string; is_updatable: boolean }[];
  expect(views.map(({ name, is_updatable }) => [name, is_updatable])).toEqual([
    ["seen", false],
    ["seen_near", true],
  ]);
  expect(await get("/columns?included_schemas=far")).toHaveLength(4);
  await query("drop schema far cascade");
  await admin("drop foreign data wrapper silent cascade");
});

describe("keys", () => {
  const ask = async (path: string, headers: Record<string, string>) =>
    answerOf(await fetch(`${backend.url}${path}`, { headers }));
  const guarded = [
    "/pg/",
    "/pg/tables",
    "/pg/query",
    "/rest-admin/v1/schema_cache",
    "/rest-admin/v1/metrics",
  ];

  test.each(guarded)("%s needs a secret key", async (path) => {
    expect(await ask(path, {})).toMatchObject({
      status: 401,
      body: { message: "No API key found in request" },
    });
    expect(await ask(path, { apikey: "wrong" })).toMatchObject({
      status: 401,
      body: { message: "Invalid API key" },
    });
    const other = { status: 403, body: { message: "You cannot consume this service" } };
    for (const key of [backend.publishableKey, backend.anonKey]) {
      expect(await ask(path, { apikey: key })).toEqual(other);
      expect(await ask(path, { authorization: `Bearer ${key}` })).toEqual(other);
      expect(await ask(`${path}?apikey=${key}`, {})).toEqual(other);
      // A token with more rights does not replace the key.
      expect(await ask(path, { apikey: key, authorization: `Bearer ${backend.serviceRoleKey}` })).toEqual(
        other,
      );
    }
    const [head, claims] = backend.serviceRoleKey.split(".");
    expect((await ask(path, { authorization: `Bearer ${head}.${claims}.AAAA` })).status).toBe(401);
  });

  test("secret keys are let in as apikey, as bearer and in the query", async () => {
    for (const key of [backend.secretKey, backend.serviceRoleKey]) {
      expect(await ask("/pg/schemas", { apikey: key })).toMatchObject({ status: 200 });
      expect(await ask("/pg/schemas", { authorization: `Bearer ${key}` })).toMatchObject({ status: 200 });
      expect(await ask(`/pg/schemas?apikey=${key}&limit=1`, {})).toMatchObject({ status: 200, body: [{}] });
    }
  });

  test("neither a browser nor a foreign page is, with a secret key", async () => {
    const browser = { apikey: backend.secretKey, "user-agent": "Mozilla/5.0" };
    expect((await ask("/pg/schemas", browser)).status).toBe(401);
    const foreign = { apikey: backend.serviceRoleKey, origin: "https://evil.example" };
    expect((await ask("/pg/schemas", foreign)).status).toBe(403);
    expect((await ask("/rest-admin/v1/schema_cache", foreign)).status).toBe(403);
  });

  test("where requests without a key are anonymous, this API still needs one", async () => {
    const { route } = await import("../../../src/gateway/routes.ts");
    for (const path of ["/pg/query", "/rest-admin/v1/metrics", "/rest-admin/v1/config"]) {
      expect(route(path)).toMatchObject({ secretKeyNeeded: true });
    }
    expect(route("/pg")).toBeUndefined();
  });
});

describe("the REST admin server", () => {
  const admin = (path: string, headers: Record<string, string> = { apikey: backend.secretKey }) =>
    fetch(`${backend.url}/rest-admin/v1${path}`, { headers });

  test("probes need no key", async () => {
    await expect.poll(async () => (await admin("/ready", {})).status).toBe(200);
    expect((await admin("/live", {})).status).toBe(200);
    const head = await fetch(`${backend.url}/rest-admin/v1/ready`, { method: "HEAD" });
    expect(head.status).toBe(200);
  });

  test("the schema cache, metrics, and no configuration", async () => {
    const cache = (await (await admin("/schema_cache")).json()) as object;
    expect(Object.keys(cache)).toEqual(["dbTables", "dbRelationships", "dbRoutines", "dbMediaHandlers"]);
    const metrics = await admin("/metrics");
    expect(metrics.headers.get("content-type")).toMatch(/^text\/plain/);
    expect(await metrics.text()).toMatch(/pgrst_schema_cache_loads_total\{status="SUCCESS"\} [1-9]/);
    expect((await admin("/config")).status).toBe(404);
  });

  test("both are off where config.toml says so", async () => {
    await using off = await createBackend({
      bare: true,
      config: { api: { enabled: false }, studio: { enabled: false } },
    });
    const status = async (path: string) =>
      (await fetch(`${off.url}${path}`, { headers: { apikey: off.secretKey } })).status;
    expect(await status("/rest-admin/v1/ready")).toBe(503);
    expect(await status("/pg/schemas")).toBe(503);
  });
});

describe("reading", () => {
  test("the service itself", async () => {
    expect(await get("/")).toMatchObject({ status: 200, name: "postgres-meta", version: expect.any(String) });
    expect(Date.parse((await get("/health")).date)).toBeGreaterThan(0);
    expect(await get("/config/version")).toMatchObject({
      version: expect.stringMatching(/^PostgreSQL 17/),
      version_number: expect.any(Number),
      max_connections: expect.any(Number),
    });
    expect(named(await get("/config"), "search_path")).toMatchObject({ vartype: "string", unit: null });
  });

  test("tables with keys, columns and relationships", async () => {
    const tables = await get("/tables?included_schemas=shop");
    expect(tables.map(({ name }: { name: string }) => name)).toEqual([
      "customers",
      "events",
      "events_2025",
      "no_columns",
      "orders",
    ]);
    const orders = named(tables, "orders") as never as Record<string, { [name: string]: unknown }[]>;
    expect(orders).toMatchObject({
      schema: "shop",
      rls_enabled: true,
      rls_forced: true,
      replica_identity: "FULL",
      comment: null,
    });
    expect(orders.primary_keys?.map(({ name }) => name)).toEqual(["customer", "number"]);
    expect(
      orders.relationships?.map((one) => [
        one.constraint_name,
        one.source_column_name,
        one.target_column_name,
      ]),
    ).toEqual([
      ["orders_customer_fkey", "customer", "id"],
      ["parent_fkey", "parent_customer", "customer"],
      ["parent_fkey", "parent_customer", "number"],
      ["parent_fkey", "parent_number", "customer"],
      ["parent_fkey", "parent_number", "number"],
    ]);
    expect(
      orders.columns?.map(({ name, data_type, format, is_nullable }) => [
        name,
        data_type,
        format,
        is_nullable,
      ]),
    ).toEqual([
      ["customer", "bigint", "int8", false],
      ["number", "integer", "int4", false],
      ["status", "USER-DEFINED", "status", false],
      ["states", "ARRAY", "_status", true],
      ["total", "numeric", "numeric", false],
      ["tax", "numeric", "numeric", true],
      ["parent_customer", "bigint", "int8", true],
      ["parent_number", "integer", "int4", true],
    ]);
    expect(orders.columns?.[1]).toMatchObject({ is_identity: true, identity_generation: "BY DEFAULT" });
    expect(orders.columns?.[2]).toMatchObject({
      enums: ["open", 'it\'s "sent"', "done"],
      default_value: "'open'::shop.status",
    });
    expect(orders.columns?.[5]).toMatchObject({ is_generated: true, default_value: "0.2" });
    expect((await get("/tables?included_schemas=shop&include_columns=false"))[0].columns).toBeUndefined();
    expect(await get("/tables?included_schemas=shop&limit=2&offset=1")).toMatchObject([
      { name: "events" },
      { name: "events_2025" },
    ]);
    const schemas = (await get("/tables?excluded_schemas=shop,auth")).map(
      ({ schema }: { schema: string }) => schema,
    );
    expect(schemas).not.toContain("shop");
    expect(schemas).not.toContain("auth");
    expect(schemas).not.toContain("pg_catalog");
  });

  test("a trigger that truncates, arguments in order, text of every language", async () => {
    await backend.sql(
      `create trigger cleared before truncate on shop.customers execute function shop.touch('ü – 木', '')`,
    );
    expect(named(await get("/triggers?included_schemas=shop"), "cleared")).toMatchObject({
      events: ["TRUNCATE"],
      orientation: "STATEMENT",
      function_args: ["ü – 木", ""],
    });
    await backend.sql("drop trigger cleared on shop.customers");
    const add = (await get("/functions?included_schemas=shop")).find(
      ({ name, args }: { name: string; args: unknown[] }) => name === "add" && args.length === 4,
    );
    expect(add).toMatchObject({
      behavior: "IMMUTABLE",
      security_definer: true,
      config_params: { search_path: '""', statement_timeout: "5s" },
      args: [
        { mode: "in", name: "a", type_id: 23, has_default: false },
        { mode: "in", name: "b", type_id: 23, has_default: true },
        { mode: "out", name: "total", type_id: 23, has_default: null },
        { mode: "out", name: "note", type_id: 25, has_default: null },
      ],
    });
  });

  test("an index of any column, once, with its own definition", async () => {
    await backend.sql(
      "create table public.twin (a int, b int); create index orders_by_total on public.twin (b)",
    );
    const found = (await get("/indexes")).filter((one: { index_definition: string }) =>
      /orders_by_total/.test(one.index_definition),
    );
    expect(
      found.map(({ schema, index_attributes }: Record<string, unknown>) => [schema, index_attributes]),
    ).toEqual([
      ["public", [{ attribute_number: 1, attribute_name: "b", data_type: "integer" }]],
      ["shop", [{ attribute_number: 1, attribute_name: "total", data_type: "shop.price" }]],
    ]);
    await backend.sql("drop table public.twin");
  });

  test("TypeScript; other languages and parsing are not built, and say so", async () => {
    const typescript = await get("/generators/typescript?included_schemas=shop");
    expect(typescript).toContain("open_orders: {");
    expect(typescript).not.toContain("storage: {");
    for (const [method, path] of [
      ["GET", "/generators/go"],
      ["GET", "/generators/swift"],
      ["GET", "/generators/python"],
      ["POST", "/query/parse"],
      ["POST", "/query/deparse"],
      ["POST", "/query/format"],
    ] as const) {
      const answer = await meta(backend, method, path, method === "POST" ? { query: "select 1" } : undefined);
      expect(answer, path).toEqual({ status: 501, body: { error: expect.stringContaining("not built") } });
    }
  });
});

describe("changing, as the database sees it", () => {
  const NAME = `It's a "name"; drop schema shop cascade; -- \\ $$ ü 木`;

  test("a table, its columns, a policy, a trigger and a function, all with a hostile name", async () => {
    const schema = await change("POST", "/schemas", { name: NAME });
    expect(schema).toMatchObject({ name: NAME, owner: "postgres" });
    const table = await change("POST", "/tables", { name: NAME, schema: NAME, comment: NAME });
    expect(table).toMatchObject({ name: NAME, schema: NAME, comment: NAME, columns: [], primary_keys: [] });
    const column = await change("POST", "/columns", {
      table_id: table.id,
      name: NAME,
      type: "text",
      default_value: NAME,
      comment: NAME,
      is_unique: true,
    });
    expect(column).toMatchObject({ name: NAME, comment: NAME, is_unique: true, is_nullable: true });
    expect(
      await change("PATCH", `/columns/${column.id}`, {
        is_unique: false,
        check: `length("${NAME.replaceAll('"', '""')}") > 0`,
      }),
    ).toMatchObject({ is_unique: false, check: expect.stringContaining("length") });
    await change("PATCH", `/tables/${table.id}`, { primary_keys: [{ name: NAME }], rls_enabled: true });
    const policy = await change("POST", "/policies", {
      name: NAME,
      table: NAME,
      schema: NAME,
      roles: ["anon"],
      definition: "true",
    });
    const called = await change("POST", "/functions", {
      name: NAME,
      schema: NAME,
      definition: `begin return new; end -- ${NAME}`,
      return_type: "trigger",
      language: "plpgsql",
    });
    const trigger = await change("POST", "/triggers", {
      name: NAME,
      table: NAME,
      schema: NAME,
      function_schema: NAME,
      function_name: NAME,
      function_args: [NAME],
      activation: "BEFORE",
      events: ["INSERT"],
      orientation: "ROW",
    });
    expect(trigger).toMatchObject({ function_args: [NAME], function_name: NAME, events: ["INSERT"] });
    const [seen] = await backend.sql(
      `insert into "${NAME.replaceAll('"', '""')}"."${NAME.replaceAll('"', '""')}" default values returning *`,
    );
    expect(seen).toEqual({ [NAME]: NAME });
    for (const [kind, { id }] of Object.entries({
      triggers: trigger,
      policies: policy,
      functions: called,
      columns: column,
      tables: table,
      schemas: schema,
    })) {
      const removed = await change("DELETE", `/${kind}/${id}?cascade=true`);
      expect(removed.id).toBe(id);
      expect((await meta(backend, "GET", `/${kind}/${id}`)).status, kind).toBe(404);
    }
    expect(
      await backend.sql("select count(*)::int as kept from pg_namespace where nspname = 'shop'"),
    ).toEqual([{ kept: 1 }]);
  });

  test("a role, and an extension and a publication", async () => {
    const role = await change("POST", "/roles", {
      name: NAME,
      password: NAME,
      member_of: ["anon"],
      config: { search_path: "public, shop" },
    });
    expect(role).toMatchObject({ name: NAME, password: "********", config: { search_path: "public, shop" } });
    expect(await backend.sql("select pg_has_role($1, 'anon', 'member') as member", [NAME])).toEqual([
      { member: true },
    ]);
    await change("DELETE", `/roles/${role.id}`);
    expect(await backend.sql("select 1 from pg_roles where rolname = $1", [NAME])).toEqual([]);
    await change("POST", "/extensions", { name: "citext", schema: "shop" });
    expect(await backend.sql("select 'shop.citext'::regtype::text as type")).toEqual([
      { type: "shop.citext" },
    ]);
    await change("DELETE", "/extensions/citext");
    const publication = await change("POST", "/publications", {
      name: NAME,
      tables: ['Odd "schema.Tab.le'],
      publish_update: true,
    });
    expect(publication.tables).toMatchObject([{ schema: 'Odd "schema', name: "Tab.le" }]);
    await change("DELETE", `/publications/${publication.id}`);
  });

  test("a function keeps what its new body does not concern", async () => {
    await backend.sql(`create function shop.kept(a int default 3) returns int language sql strict parallel safe
      cost 7 set search_path = public, shop set statement_timeout = '5 min' as 'select 1'`);
    const kept = named(await get("/functions?included_schemas=shop"), "kept") as never as { id: number };
    const changed = await change("PATCH", `/functions/${kept.id}`, {
      definition: "select 2 -- $function$ it's",
    });
    expect(changed).toMatchObject({ definition: "select 2 -- $function$ it's" });
    expect(changed.complete_statement).toMatch(/STRICT COST 7/);
    expect(changed.complete_statement).toMatch(/PARALLEL SAFE/);
    expect(changed.config_params).toEqual({ search_path: "public, shop", statement_timeout: "5 min" });
    expect(await backend.sql("select shop.kept()")).toEqual([{ kept: 2 }]);
    await backend.sql("create function shop.parsed() returns int language sql begin atomic; select 1; end");
    const parsed = named(await get("/functions?included_schemas=shop"), "parsed") as never as { id: number };
    const refused = await meta(backend, "PATCH", `/functions/${parsed.id}`, { definition: "select 2" });
    expect(refused).toMatchObject({ status: 400, body: { error: expect.stringContaining("not text") } });
  });

  test("null is no expression", async () => {
    const given = { name: "null", table: "events", schema: "shop", definition: null, check: null };
    const policy = await change("POST", "/policies", given);
    expect(policy).toMatchObject({ definition: null, check: null });
    expect(
      await change("PATCH", `/policies/${policy.id}`, { definition: "true", check: null }),
    ).toMatchObject({
      definition: "true",
      check: null,
    });
    await change("DELETE", `/policies/${policy.id}`);
  });

  test("an identity column keeps its kind when its name changes", async () => {
    const [column] = (await get("/columns?included_schemas=shop")).filter(
      ({ table, name }: Record<string, string>) => table === "customers" && name === "id",
    );
    expect(await change("PATCH", `/columns/${column.id}`, { name: "key" })).toMatchObject({
      identity_generation: "ALWAYS",
    });
    await change("PATCH", `/columns/${column.id}`, { name: "id" });
  });

  test("a change that fails halfway changes nothing", async () => {
    const { id } = named(await get("/tables?included_schemas=shop"), "events") as never as { id: number };
    const { status, body } = await meta(backend, "PATCH", `/tables/${id}`, {
      rls_enabled: true,
      comment: "x",
      name: "orders",
    });
    expect({ status, body }).toEqual({ status: 400, body: { error: 'relation "orders" already exists' } });
    expect(await get(`/tables/${id}`)).toMatchObject({ rls_enabled: false, comment: null, name: "events" });
  });
});

describe("statements", () => {
  test("run as postgres, which is no superuser", async () => {
    expect(
      (await query("select current_user, usesuper from pg_user where usename = current_user")).body,
    ).toEqual([{ current_user: "postgres", usesuper: false }]);
    const refused = await query("create role other superuser");
    expect(refused).toMatchObject({ status: 400, body: { code: "42501" } });
  });

  test("leave nothing in the next request's connection", async () => {
    await query(
      "set search_path = shop; create temp table left_over (a int); begin; create table public.uncommitted (a int)",
    );
    const { body } = await query(
      "select current_setting('search_path') as path, to_regclass('left_over') as temporary, to_regclass('public.uncommitted') as table",
    );
    expect(body).toEqual([{ path: expect.not.stringMatching(/^shop/), temporary: null, table: null }]);
  });

  test("an error has its place, and psql's text", async () => {
    const { status, body } = await query("select 1,\n  '🍜' as text, nothing\nfrom shop.customers");
    expect(status).toBe(400);
    expect(body).toMatchObject({
      error: body.formattedError,
      message: 'column "nothing" does not exist',
      code: "42703",
      position: "26",
      severity: "ERROR",
    });
    expect(body.formattedError).toMatch(
      /^ERROR: {2}42703: column "nothing" does not exist\nLINE 2: {3}'🍜' as text, nothing\n +\^\n$/,
    );
  });

  test("are cancelled in the database: after the timeout, and when the caller goes", async () => {
    const running = async () =>
      (
        await backend.sql(
          "select count(*)::int as n from pg_stat_activity where state = 'active' and query like '%pg_sleep(61)%' and pid <> pg_backend_pid()",
        )
      )[0]?.n;
    const late = await query("select pg_sleep(61)", {}, "/query?queryTimeoutSecs=0.2");
    expect(late).toEqual({
      status: 408,
      body: { error: "Query read timeout", message: "Query read timeout" },
    });
    expect(await running()).toBe(0);
    const leaving = new AbortController();
    const asked = fetch(`${backend.url}/pg/query`, {
      method: "POST",
      headers: { apikey: backend.secretKey, "content-type": "application/json" },
      body: JSON.stringify({ query: "select pg_sleep(61)" }),
      signal: leaving.signal,
    });
    await expect.poll(running).toBe(1);
    leaving.abort();
    await expect(asked).rejects.toThrow();
    await expect.poll(running).toBe(0);
    const limited = await query("select pg_sleep(61)", {}, "/query?statementTimeoutSecs=0.2");
    expect(limited).toMatchObject({ status: 400, body: { code: "57014" } });
    expect(await query("select 1", {}, "/query?statementTimeoutSecs=1';drop")).toMatchObject({ status: 500 });
  });

  test("may return more rows than fit, and the process continues", async () => {
    const { status, body } = await query("select repeat('x', 1000000) from generate_series(1, 100)");
    expect({ status, code: body.code }).toEqual({ status: 400, code: "RESULT_SIZE_EXCEEDED" });
    expect((await query("select 1 as one")).body).toEqual([{ one: 1 }]);
  });

  test("more at once than there are connections all get theirs", async () => {
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, n) => query(`select ${n} as n, pg_sleep(0.01)`)),
    );
    expect(answers.map(({ body }) => body[0].n)).toEqual(Array.from({ length: 30 }, (_, n) => n));
  });
});

test("a reset ends what runs, and the next request meets the new database", async () => {
  await using own = await createBackend({ bare: true });
  await own.sql("create table public.before_reset ()");
  const ask = (text: string) => meta(own, "POST", "/query", { query: text });
  const running = Array.from({ length: 12 }, () => ask("select 1; select pg_sleep(50)"));
  await expect
    .poll(() =>
      own.sql("select 1 from pg_stat_activity where state = 'active' and query like '%pg_sleep(50)'"),
    )
    .toHaveLength(10);
  await own.reset();
  for (const answer of await Promise.all(running)) {
    expect(answer).toEqual({ status: 503, body: { error: expect.stringContaining("stopping") } });
  }
  expect((await ask("select to_regclass('public.before_reset') as table")).body).toEqual([{ table: null }]);
  await expect.poll(async () => (await fetch(`${own.url}/rest-admin/v1/ready`)).status).toBe(200);
});

describe("hostile input", () => {
  const DEEP = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;

  test.each<[string, string, string, unknown, number]>([
    ["no JSON", "POST", "/tables", "{", 500],
    ["no body", "POST", "/tables", undefined, 500],
    ["null", "POST", "/query", null, 500],
    ["a list", "POST", "/tables", [], 500],
    ["NUL in a name", "POST", "/tables", { name: "a\0b" }, 500],
    ["NUL in a statement", "POST", "/query", { query: "select '\0'" }, 500],
    ["NUL in a parameter", "POST", "/query", { query: "select $1::jsonb", parameters: [{ a: "\0" }] }, 500],
    ["NUL in a path", "GET", "/extensions/%00", undefined, 404],
    ["a broken path", "GET", "/extensions/%ff", undefined, 404],
    ["an id with SQL", "GET", "/tables/1%20or%20true", undefined, 404],
    ["an id of another kind", "GET", "/columns/1.2.3", undefined, 404],
    ["a list of schemas with SQL", "GET", "/tables?included_schemas=')%20or%20true--", undefined, 200],
    ["deep JSON", "POST", "/tables", `{"name":${DEEP}}`, 500],
    ["deep JSON in a parameter", "POST", "/query", `{"query":"select 1","parameters":[${DEEP}]}`, 400],
    ["a body beyond the limit", "POST", "/query", { query: "x".repeat(3 * 1024 * 1024) }, 500],
    [
      "an event that is none",
      "POST",
      "/triggers",
      {
        name: "t",
        table: "customers",
        schema: "shop",
        function_name: "touch",
        activation: "AFTER",
        events: ["INSERT ON x"],
      },
      400,
    ],
    ["a prototype's name", "POST", "/tables", '{"__proto__":{"name":"x"}}', 500],
    ["another method", "PUT", "/tables", {}, 404],
  ])("%s", async (_, method, path, body, status) => {
    const answer = await meta(backend, method, path, body === null ? "null" : body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(status);
    if (status === 200) expect(answer.body).toEqual([]);
    else expect(answer.body.error).toEqual(expect.any(String));
    // The service goes on.
    expect((await query("select 1 as one")).body).toEqual([{ one: 1 }]);
  });

  test("no failure was unexpected", () => {
    expect(backend.logs.filter(({ level }) => level === "error")).toEqual([]);
  });
});
