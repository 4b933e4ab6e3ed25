/**
 * The database API beside postgres-meta itself, on the same database, answer by answer. POSTGRES_META is the folder
 * of the package (`npm install @supabase/postgres-meta` in a folder of its own makes
 * node_modules/@supabase/postgres-meta); without it these tests are skipped.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestBackend } from "../../testing.ts";
import { answerOf, bodyHeaders, type MetaAnswer, meta, metaBackend } from "./fixture.ts";

const folder = process.env.POSTGRES_META;

describe.skipIf(!folder)("beside postgres-meta", () => {
  let backend: TestBackend;
  let upstream: ChildProcess;
  let url: string;

  beforeAll(async () => {
    backend = await metaBackend();
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    upstream = spawn(process.execPath, [join(String(folder), "dist/server/server.js")], {
      env: {
        ...process.env,
        PG_META_PORT: String(port),
        PG_META_HOST: "127.0.0.1",
        PG_META_DB_URL: backend.databaseUrl,
      },
      stdio: ["ignore", "pipe", "ignore"],
    });
    await new Promise<void>((started, failed) => {
      upstream.stdout?.on("data", (chunk: Buffer) => chunk.includes("Server listening") && started());
      upstream.once("exit", (code) => failed(new Error(`postgres-meta ended with ${code}`)));
    });
  });
  afterAll(async () => {
    if (upstream?.exitCode === null) {
      upstream.kill("SIGKILL");
      await once(upstream, "exit");
    }
    await backend?.drop();
  });

  const theirs = async (method: string, path: string, body?: unknown): Promise<MetaAnswer> =>
    answerOf(
      await fetch(`${url}${path}`, {
        method,
        headers: bodyHeaders(body),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
  const both = async (method: string, path: string, body?: unknown) => {
    const [upstreams, own] = [await theirs(method, path, body), await meta(backend, method, path, body)];
    return { upstreams, own };
  };

  const SCHEMAS = "included_schemas=shop,Odd%20%22schema,public,auth,storage";
  test.each([
    `/tables?${SCHEMAS}`,
    `/tables?${SCHEMAS}&include_columns=false`,
    "/tables?excluded_schemas=auth,storage",
    "/tables?include_system_schemas=true&included_schemas=pg_catalog",
    `/columns?${SCHEMAS}`,
    `/views?${SCHEMAS}`,
    "/views?include_columns=false",
    `/materialized-views?${SCHEMAS}`,
    `/materialized-views?${SCHEMAS}&include_columns=true`,
    "/foreign-tables",
    "/schemas",
    "/schemas?include_system_schemas=true",
    "/roles",
    "/roles?include_default_roles=true",
    `/policies?${SCHEMAS}`,
    "/policies",
    `/functions?${SCHEMAS}`,
    "/functions",
    `/types?${SCHEMAS}`,
    `/types?${SCHEMAS}&include_array_types=true`,
    "/types",
    "/extensions",
    "/publications",
    `/table-privileges?${SCHEMAS}`,
    "/table-privileges",
    `/column-privileges?${SCHEMAS}`,
    "/config",
    "/tables?limit=2&offset=1&included_schemas=no_such",
  ])("%s", async (path) => {
    const { upstreams, own } = await both("GET", path);
    expect(own.status).toBe(upstreams.status);
    expect(sorted(own.body)).toEqual(sorted(upstreams.body));
    expect(own.status).toBe(200);
  });

  test("each object by its id", async () => {
    for (const kind of [
      "tables",
      "views",
      "materialized-views",
      "policies",
      "functions",
      "triggers",
      "publications",
      "roles",
      "schemas",
      "columns",
    ]) {
      const { body } = await meta(backend, "GET", `/${kind}?${SCHEMAS}`);
      expect(body.length, kind).toBeGreaterThan(0);
      for (const { id } of body.slice(0, 12)) {
        const { upstreams, own } = await both("GET", `/${kind}/${id}`);
        expect(sorted(own), `${kind} ${id}`).toEqual(sorted(upstreams));
      }
    }
    const { upstreams, own } = await both("GET", "/extensions/pgcrypto");
    expect(own).toEqual(upstreams);
  });

  test("triggers, but those that only truncate", async () => {
    const { upstreams, own } = await both("GET", `/triggers?${SCHEMAS}`);
    expect(upstreams.body.length).toBeGreaterThan(1);
    expect(sorted(own.body)).toEqual(sorted(upstreams.body));
  });

  test("indexes: upstream's are among them", async () => {
    const { upstreams, own } = await both("GET", `/indexes?${SCHEMAS}`);
    const listed = new Map(own.body.map((one: { id: number }) => [one.id, one]));
    expect(upstreams.body.length).toBeGreaterThan(1);
    for (const { index_attributes: some, ...one } of upstreams.body) {
      const { index_attributes: all, ...found } = listed.get(one.id) as typeof one & {
        index_attributes: unknown[];
      };
      if (found.index_definition === one.index_definition) expect(sorted(found)).toEqual(sorted(one));
      expect(all).toEqual(expect.arrayContaining(some));
    }
  });

  test.each<[string, string, unknown?]>([
    ["GET", "/tables/1"],
    ["GET", "/tables/99999999999"],
    ["GET", "/tables/abc"],
    ["GET", "/nothing"],
    ["GET", "/schemas/11"],
    ["GET", "/columns/1.1"],
    ["GET", "/functions/1"],
    ["GET", "/policies/1"],
    ["GET", "/publications/1"],
    ["GET", "/triggers/1"],
    ["GET", "/roles/1"],
    ["GET", "/extensions/absent"],
    ["GET", "/views/1"],
    ["GET", "/materialized-views/1"],
    ["GET", "/foreign-tables/1"],
    ["GET", "/indexes/1"],
    ["GET", "/tables?limit=x"],
    ["GET", "/tables?limit=-1"],
    ["GET", "/tables?include_columns=perhaps"],
    ["POST", "/tables", {}],
    ["POST", "/tables", { name: {} }],
    ["POST", "/tables", { name: "customers", schema: "shop" }],
    ["POST", "/tables", { name: "x", schema: "absent" }],
    ["PATCH", "/tables/1", { name: "x" }],
    ["DELETE", "/tables/1"],
    ["POST", "/schemas", { name: "shop" }],
    ["POST", "/columns", { table_id: 1, name: "x", type: "int4" }],
    ["POST", "/columns", { table_id: "x", name: "x", type: "int4" }],
    ["POST", "/roles", { name: "anon" }],
    ["POST", "/roles", { name: "x", is_superuser: true }],
    ["POST", "/policies", { name: "p", table: "absent" }],
    ["POST", "/functions", { name: "f", definition: "selec" }],
    ["POST", "/publications", { name: "p" }],
    ["POST", "/extensions", { name: "absent" }],
    ["DELETE", "/extensions/absent"],
    ["POST", "/table-privileges", [{ relation_id: 1259, grantee: "absent", privilege_type: "SELECT" }]],
    ["POST", "/query", {}],
    ["POST", "/query", { query: "" }],
    ["POST", "/query", { query: "select 1 as one, 9007199254740993::int8 as big, 12::int8 as small" }],
    ["POST", "/query", { query: "select 1; select 2 as two; select 3 where false" }],
    ["POST", "/query", { query: "select $1::int + 1 as sum, $2::text as text", parameters: [2, "a"] }],
    ["POST", "/query", { query: "select $1::jsonb as json", parameters: [{ a: [1] }] }],
    [
      "POST",
      "/query",
      {
        query:
          "select now()::date = current_date as today, '2025-01-01'::date as date, '2025-01-01 10:00+00'::timestamptz as at, array['2025-01-01'::timestamptz] as ats, '1 day'::interval as day, array['1 day'::interval] as days, '(1,2)'::point as point, 1.50::numeric as number, '\\x00ff'::bytea as bytes, '{1,2}'::int8[] as bigs, null as nothing, '{\"a\":1}'::json as json, 'NaN'::float as nan",
      },
    ],
    ["POST", "/query", { query: "selec 1" }],
    [
      "POST",
      "/query",
      { query: "select 1,\n  'ü – 木' as text,\n  nothing from shop.customers\nwhere true" },
    ],
    ["POST", "/query", { query: "insert into shop.customers (email) values ('a@b.c')" }],
    ["POST", "/query", { query: "select 1/0" }],
    ["POST", "/query", { query: "do $$ begin perform 1/0; end $$" }],
    ["POST", "/query", { query: "do $$ begin execute 'selec'; end $$" }],
    ["POST", "/query", { query: "select upper()" }],
    ["POST", "/query", { query: "create table public.x (a int); select 1/0" }],
    ["POST", "/query?statementTimeoutSecs=1", { query: "selec 1" }],
    ["POST", "/query?statementTimeoutSecs=1", { query: "select pg_sleep(5)" }],
    ["POST", "/query?queryTimeoutSecs=1", { query: "select pg_sleep(5)" }],
    [
      "POST",
      "/query",
      { query: "select current_user, session_user, current_setting('search_path') as path" },
    ],
  ])("%s %s %j", async (method, path, body) => {
    const { upstreams, own } = await both(method, path, body);
    // Upstream's message is longer by the digits of a position that it then corrects.
    if (path.includes("statementTimeoutSecs")) own.body.length = upstreams.body.length;
    expect(withoutIds(own)).toEqual(withoutIds(upstreams));
  });

  type Ids = Record<string, string>;
  type Step = (ids: Ids) => [method: string, path: string, body?: unknown, remember?: string];
  const changes: Record<string, Step[]> = {
    schemas: [
      () => ["POST", "/schemas", { name: 'New "one"' }, "s"],
      ({ s }) => ["PATCH", `/schemas/${s}`, { name: "renamed", owner: "service_role" }],
      ({ s }) => ["PATCH", `/schemas/${s}`, { owner: "postgres" }],
      ({ s }) => ["DELETE", `/schemas/${s}`],
    ],
    tables: [
      () => ["POST", "/tables", { name: "new_one", schema: "shop", comment: "It's" }, "t"],
      ({ t }) => [
        "POST",
        "/columns",
        { table_id: Number(t), name: "id", type: "int8", is_identity: true, is_primary_key: true },
        "id",
      ],
      ({ t }) => [
        "POST",
        "/columns",
        {
          table_id: Number(t),
          name: "te_xt",
          type: "text",
          default_value: "it's",
          comment: "c'",
          is_nullable: false,
          is_unique: true,
          check: "te_xt <> ''",
        },
        "c",
      ],
      ({ t }) => [
        "POST",
        "/columns",
        {
          table_id: Number(t),
          name: "at",
          type: "timestamptz",
          default_value: "now()",
          default_value_format: "expression",
        },
      ],
      ({ t }) => ["POST", "/columns", { table_id: Number(t), name: "list", type: "int4[]" }],
      ({ t }) => ["POST", "/columns", { table_id: Number(t), name: "states", type: "shop.status" }],
      ({ t }) => [
        "POST",
        "/columns",
        { table_id: Number(t), name: "json", type: "jsonb", default_value: { a: ["it's"] } },
      ],
      ({ t }) => ["POST", "/columns", { table_id: Number(t), name: "many", type: "bigserial" }],
      ({ t }) => [
        "POST",
        "/columns",
        { table_id: Number(t), name: "bad", type: "int4", is_identity: true, default_value: 1 },
      ],
      ({ t }) => ["POST", "/columns", { table_id: Number(t), name: "bad", type: "absent" }],
      ({ c }) => [
        "PATCH",
        `/columns/${c}`,
        { is_unique: false, is_nullable: true, comment: "", check: null, drop_default: true },
      ],
      ({ c }) => ["PATCH", `/columns/${c}`, { name: "number", type: "int4", default_value: 42 }],
      ({ c }) => ["PATCH", `/columns/${c}`, { check: "number > 1", is_unique: true }],
      ({ c }) => ["PATCH", `/columns/${c}`, { type: "text", default_value: "x" }],
      ({ id }) => ["PATCH", `/columns/${id}`, { identity_generation: "ALWAYS" }],
      ({ id }) => ["PATCH", `/columns/${id}`, { is_identity: false }],
      ({ t }) => ["GET", `/tables/${t}`],
      ({ t }) => [
        "PATCH",
        `/tables/${t}`,
        {
          name: "renamed",
          schema: "public",
          rls_enabled: true,
          rls_forced: true,
          replica_identity: "FULL",
          comment: "Other",
        },
      ],
      ({ t }) => [
        "PATCH",
        `/tables/${t}`,
        { primary_keys: [], rls_enabled: false, rls_forced: false, replica_identity: "NOTHING" },
      ],
      ({ t }) => [
        "PATCH",
        `/tables/${t}`,
        { primary_keys: [{ name: "number" }, { name: "id" }], comment: null },
      ],
      ({ t }) => [
        "PATCH",
        `/tables/${t}`,
        { replica_identity: "INDEX", replica_identity_index: "renamed_pkey" },
      ],
      ({ c }) => ["DELETE", `/columns/${c}`],
      ({ c }) => ["DELETE", `/columns/${c}?cascade=true`],
      ({ t }) => ["DELETE", `/tables/${t}?cascade=true`],
      ({ t }) => ["GET", `/tables/${t}`],
    ],
    policies: [
      () => [
        "POST",
        "/policies",
        {
          name: "a 'new' \"one\"",
          table: "events",
          schema: "shop",
          definition: "what = 'x'",
          roles: ["authenticated", "anon"],
        },
        "p",
      ],
      ({ p }) => [
        "PATCH",
        `/policies/${p}`,
        { name: "renamed", definition: "true", check: "what is not null", roles: ["public"] },
      ],
      ({ p }) => ["DELETE", `/policies/${p}`],
      () => [
        "POST",
        "/policies",
        {
          name: "r",
          table: "events",
          schema: "shop",
          action: "RESTRICTIVE",
          command: "INSERT",
          check: "false",
        },
        "r",
      ],
      ({ r }) => ["DELETE", `/policies/${r}`],
    ],
    roles: [
      () => [
        "POST",
        "/roles",
        {
          name: 'New "one"',
          can_login: true,
          password: "it's",
          connection_limit: 3,
          valid_until: "2030-01-01T00:00:00Z",
          inherit_role: false,
          can_create_db: true,
          config: { search_path: "public, shop", statement_timeout: "5s" },
        },
        "r",
      ],
      ({ r }) => [
        "PATCH",
        `/roles/${r}`,
        {
          name: "renamed",
          can_login: false,
          connection_limit: -1,
          can_create_db: false,
          config: [
            { op: "replace", path: "statement_timeout", value: "7s" },
            { op: "remove", path: "search_path" },
          ],
        },
      ],
      ({ r }) => ["GET", `/roles/${r}`],
      ({ r }) => ["DELETE", `/roles/${r}`],
    ],
    functions: [
      () => [
        "POST",
        "/functions",
        {
          name: 'New "one"',
          schema: "shop",
          args: ["a int4", "b text"],
          definition: "select a::text || b || 'it''s'",
          return_type: "text",
          language: "sql",
          behavior: "STABLE",
          security_definer: true,
          config_params: { search_path: "public, shop" },
        },
        "f",
      ],
      ({ f }) => ["PATCH", `/functions/${f}`, { definition: "select 'other'" }],
      ({ f }) => ["PATCH", `/functions/${f}`, { name: "renamed", schema: "public" }],
      ({ f }) => ["DELETE", `/functions/${f}`],
      ({ f }) => ["DELETE", `/functions/${f}`],
      () => [
        "POST",
        "/functions",
        { name: "plain", definition: "select", args: [], config_params: null, language: "sql" },
        "plain",
      ],
      ({ plain }) => ["DELETE", `/functions/${plain}`],
    ],
    triggers: [
      () => [
        "POST",
        "/triggers",
        {
          name: 'New "one"',
          table: "events",
          schema: "shop",
          function_schema: "shop",
          function_name: "touch",
          function_args: ["it's", "b"],
          activation: "AFTER",
          events: ["INSERT", "UPDATE OF what"],
          orientation: "ROW",
          condition: "new.what is not null",
        },
        "t",
      ],
      ({ t }) => ["PATCH", `/triggers/${t}`, { name: "renamed", enabled_mode: "REPLICA" }],
      ({ t }) => ["PATCH", `/triggers/${t}`, { enabled_mode: "DISABLED" }],
      ({ t }) => ["PATCH", `/triggers/${t}`, { enabled_mode: "ALWAYS" }],
      ({ t }) => ["DELETE", `/triggers/${t}`],
      () => [
        "POST",
        "/triggers",
        {
          name: "plain",
          table: "orders",
          schema: "shop",
          function_schema: "shop",
          function_name: "touch",
          function_args: null,
          activation: "AFTER",
          events: ["DELETE"],
          orientation: null,
          condition: null,
        },
        "plain",
      ],
      ({ plain }) => ["DELETE", `/triggers/${plain}`],
    ],
    extensions: [
      () => ["POST", "/extensions", { name: "citext", schema: "shop", version: "1.6", cascade: true }],
      () => ["PATCH", "/extensions/citext", { schema: "extensions", update: true }],
      () => ["DELETE", "/extensions/citext?cascade=true"],
    ],
    publications: [
      () => [
        "POST",
        "/publications",
        { name: 'New "one"', publish_insert: true, tables: ["shop.customers"] },
        "p",
      ],
      ({ p }) => [
        "PATCH",
        `/publications/${p}`,
        {
          name: "renamed",
          publish_insert: false,
          publish_delete: true,
          tables: ["shop.orders", "shop.customers"],
        },
      ],
      ({ p }) => ["PATCH", `/publications/${p}`, { tables: [] }],
      ({ p }) => ["DELETE", `/publications/${p}`],
    ],
  };
  test.each(Object.entries(changes))("changing %s", async (_, steps) => {
    const run = async (send: typeof theirs): Promise<unknown[]> => {
      const ids: Ids = {};
      const answers: unknown[] = [];
      for (const step of steps) {
        const [method, path, body, remember] = step(ids);
        const answer = await send(method, path, body);
        if (remember !== undefined) ids[remember] = answer.body.id;
        answers.push({
          step: [method, withoutIds(path), withoutIds(body)],
          ...(withoutIds(sorted(answer)) as object),
        });
      }
      return answers;
    };
    const upstreams = await run(theirs);
    const own = await run((...request) => meta(backend, ...request));
    expect(own).toEqual(upstreams);
  });

  test("changing privileges", async () => {
    const [table] = await backend.sql<{ id: number }>("select 'shop.events'::regclass::int as id");
    const id = table?.id;
    const columns = { column_id: `${id}.2`, grantee: "anon" };
    const steps: [string, string, unknown][] = [
      [
        "POST",
        "/table-privileges",
        [
          { relation_id: id, grantee: "anon", privilege_type: "SELECT" },
          { relation_id: id, grantee: "authenticated", privilege_type: "ALL", is_grantable: true },
        ],
      ],
      ["POST", "/table-privileges", [{ relation_id: id, grantee: "Public", privilege_type: "MAINTAIN" }]],
      [
        "DELETE",
        "/table-privileges",
        [
          { relation_id: id, grantee: "anon", privilege_type: "ALL" },
          { relation_id: id, grantee: "authenticated", privilege_type: "ALL" },
          { relation_id: id, grantee: "public", privilege_type: "MAINTAIN" },
        ],
      ],
      ["POST", "/column-privileges", [{ ...columns, privilege_type: "UPDATE", is_grantable: true }]],
      ["DELETE", "/column-privileges", [{ ...columns, privilege_type: "ALL" }]],
      ["POST", "/column-privileges", [{ ...columns, privilege_type: "DELETE" }]],
      ["POST", "/column-privileges", [{ ...columns, column_id: "x", privilege_type: "ALL" }]],
    ];
    const upstreams = [];
    for (const step of steps) upstreams.push(sorted(await theirs(...step)));
    for (const [index, step] of steps.entries()) {
      expect(sorted(await meta(backend, ...step)), JSON.stringify(step)).toEqual(upstreams[index]);
    }
  });
});

/**
 * Lists in one order where upstream's have none; values that differ from one connection to the next are left out.
 */
function sorted(value: unknown, name = ""): unknown {
  if (Array.isArray(value)) {
    const items = value.map((one) => sorted(one)).filter((one) => !ofConnection(one));
    return ORDERED.has(name)
      ? items
      : items.sort((one, two) => (JSON.stringify(one) < JSON.stringify(two) ? -1 : 1));
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([one]) => !MOVING.has(one))
      .map(([one, member]): [string, unknown] => [one, sorted(member, one)])
      .sort(([one], [two]) => (one < two ? -1 : 1)),
  );
}

/** Lists whose order has a meaning, and that upstream orders: it does not order a function's arguments. */
const ORDERED = new Set([
  "attributes",
  "class",
  "collation",
  "enums",
  "enumvals",
  "function_args",
  "index_attributes",
  "key_attributes",
  "options",
  "primary_keys",
]);
const MOVING = new Set(["active_connections", "live_rows_estimate", "dead_rows_estimate", "check_xmin"]);

/** A setting that a connection through a Unix socket does not have. */
function ofConnection(one: unknown): boolean {
  return /^tcp_/.test(String((one as { name?: unknown } | null)?.name));
}

/** Ids that a later object does not have again; those below 16384 are Postgres's own. */
function withoutIds(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, one: unknown) => {
      if (typeof one === "number" && one >= 16_384) return "id";
      return typeof one === "string" ? one.replace(/\b\d{5,}\b/g, "id") : one;
    }) ?? "null",
  );
}

async function freePort(): Promise<number> {
  // Its neighbour is upstream's own admin port.
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}
