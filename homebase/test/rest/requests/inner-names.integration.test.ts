/**
 * The names that generated SQL uses inside a statement: a relation, column, alias or function of a request may have any of
 * them. The names are read out of the SQL of every kind of request, so that a new one is tested too.
 */
import { Client } from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { ServiceRequest } from "../../../src/http/exchange.ts";
import { handlersFor } from "../../../src/rest/plan/handler.ts";
import { planRequest } from "../../../src/rest/plan/planned-request.ts";
import { RestSettings } from "../../../src/rest/postgrest-settings.ts";
import { negotiate } from "../../../src/rest/request/media-type.ts";
import { parseRequest } from "../../../src/rest/request/parsed-request.ts";
import { buildSchemaCache } from "../../../src/rest/schema/build.ts";
import { type Catalog, catalogQuery } from "../../../src/rest/schema/catalog-query.ts";
import type { SchemaCache } from "../../../src/rest/schema/schema-cache.ts";
import { writeStatement } from "../../../src/rest/sql/statement.ts";
import { createBackend } from "../../../src/testing/index.ts";
import { forThisFile } from "../../for-this-file.ts";

const SETTINGS = { ...new RestSettings(), schemas: ["public", "links"], aggregates: true };
/** A name that no statement uses: its responses are what the others must give. */
const NEUTRAL = "zebra";

let cache: SchemaCache;
const backend = await forThisFile(createBackend({ bare: true }));
const client = new Client({ connectionString: backend.databaseUrl });
beforeAll(async () => {
  await client.connect();
  await client.query(`
    create table public.hub (id int primary key, name text);
    insert into public.hub values (1, 'one'), (2, 'two');
    create schema links;
    create table links.alpha (id int primary key);
    create table links.beta (id int primary key, name text);
    insert into links.alpha values (1), (2);
    insert into links.beta values (1, 'x'), (2, 'y');`);
});
afterAll(() => client.end());

/** A relation, a column, a junction and a parameter of each name. */
async function create(names: readonly string[]): Promise<void> {
  for (const name of names) {
    const n = client.escapeIdentifier(name);
    await client.query(`
      create table public.${n} (id int primary key, up int default 1 references public.hub, ${n} text default 'd', amount int);
      insert into public.${n} values (1, 1, 'b', 10), (2, 1, 'a', 20), (3, null, 'c', 30);
      create function public.${client.escapeIdentifier(`rows ${name}`)}(${n} int) returns setof public.${n} language sql stable as
        $$select * from public.${n} where amount >= $1$$;
      create function public.${client.escapeIdentifier(`scalar ${name}`)}(${n} int) returns int language sql stable as
        'select $1';
      create table links.${n} (left_id int references links.alpha, right_id int references links.beta, ${n} int,
        primary key (left_id, right_id));
      insert into links.${n} values (1, 1, 5), (1, 2, 6);`);
  }
  const { rows: versions } = await client.query("show server_version_num");
  await client.query("begin; set local search_path = ''");
  const catalog = await client.query({
    text: catalogQuery(Number(versions[0].server_version_num)),
    values: [SETTINGS.schemas, SETTINGS.extraSearchPath],
    rowMode: "array",
  });
  await client.query("commit");
  const [[text]] = catalog.rows as [[unknown]];
  cache = buildSchemaCache((typeof text === "string" ? JSON.parse(text) : text) as Catalog, []);
}

interface Probe {
  method?: string;
  path: string;
  query?: string;
  headers?: Record<string, string>;
  body?: unknown;
  max?: number;
}

/** Every kind of statement, with the name as relation, column, alias and argument; in this order. */
function probes(name: string): Probe[] {
  const n = `"${name}"`;
  const path = `/${encodeURIComponent(name)}`;
  const shown = { prefer: "return=representation" };
  const csv = { accept: "text/csv" };
  const links = { "accept-profile": "links" };
  const row = { id: 9, up: 2, [name]: "new", amount: 1 };
  return [
    { path, query: "order=id" },
    { path, query: "order=id", headers: csv },
    {
      path,
      query: `select=${n},amount:id&${n}=gt.a&order=${n}.desc&limit=1`,
      headers: { prefer: "count=exact" },
    },
    { path, query: `select=id,${n}:amount&order=id`, headers: csv },
    { path, query: `select=id,${n}:hub(${n}:name)&order=id` },
    { path, query: `select=id,${n}:hub(name)&${n}=not.is.null&order=id` },
    { path, query: `select=id,${n}:hub!inner(name)&order=id&limit=1`, headers: { prefer: "count=exact" } },
    { path, query: `select=id,...hub(${n}:name)&order=id` },
    { path, query: `select=id,${n}:hub(name)&order=${n}(name).desc,id` },
    { path, query: `select=up,${n}:amount.sum(),count()&order=up` },
    { path, query: `select=up,...hub(${n}:count())&order=up` },
    { path: "/hub", query: `select=id,${n}(*)&${n}.order=${n}&order=id` },
    { path: "/hub", query: `select=id,${n}:${n}(${n},amount)&${n}.order=${n}&${n}.limit=2&order=id` },
    { path: "/hub", query: `select=id,...${n}(${n}:amount)&${n}.order=${n}&order=id` },
    { path: "/hub", query: `select=id,...${n}(${n},amount,up)&${n}.order=amount.desc,${n}&order=id` },
    { path: "/hub", query: `select=id,...${n}!inner(${n})&${n}.order=id&order=id` },
    {
      path: "/hub",
      query: `select=id,${n}()&${n}=not.is.null&order=id`,
      headers: { prefer: "count=exact" },
      max: 1,
    },
    { path: "/hub", query: `select=id,${n}()&${n}=is.null&order=id`, headers: csv },
    { path: "/alpha", query: `select=id,beta!${n}(id,${n}:name)&order=id`, headers: links },
    { path: "/alpha", query: `select=id,...beta!${n}(${n}:name)&beta.order=id&order=id`, headers: links },
    { path: "/alpha", query: `select=id,${n}(${n},beta(name))&${n}.order=right_id&order=id`, headers: links },
    { method: "POST", path, query: `select=*,hub(${n}:name)`, headers: shown, body: row },
    { method: "POST", path, headers: { prefer: "return=headers-only" }, body: { ...row, id: 10 } },
    {
      method: "POST",
      path,
      query: `columns=id,${n}&select=${n}`,
      headers: { prefer: "return=representation,missing=default" },
      body: [{ id: 11 }, { id: 12, [name]: "set" }],
    },
    {
      method: "POST",
      path,
      headers: { prefer: "return=representation,resolution=merge-duplicates" },
      body: [row, { ...row, id: 13 }],
    },
    { method: "PUT", path, query: "id=eq.9", headers: shown, body: { ...row, amount: 2 } },
    { method: "PATCH", path, query: `${n}=eq.new&id=eq.9`, headers: shown, body: { [name]: "newer" } },
    { method: "PATCH", path, query: "id=eq.9", headers: shown, body: {} },
    { method: "DELETE", path, query: `select=${n},hub(name)&id=gte.9&order=id`, headers: shown },
    {
      path: `/rpc/rows%20${encodeURIComponent(name)}`,
      query: `${n}=15&select=${n},hub(${n}:name)&order=${n}`,
    },
    { path: `/rpc/rows%20${encodeURIComponent(name)}`, query: `${n}=15&${n}=gt.b`, headers: csv },
    {
      method: "POST",
      path: `/rpc/rows%20${encodeURIComponent(name)}`,
      query: `order=${n}&limit=1`,
      headers: { prefer: "count=exact" },
      body: { [name]: 0 },
    },
    { method: "POST", path: `/rpc/scalar%20${encodeURIComponent(name)}`, body: { [name]: 4 } },
    { path: `/rpc/scalar%20${encodeURIComponent(name)}`, query: `${n}=4&limit=1` },
  ];
}

async function statementOf({ method = "GET", path, query = "", headers = {}, body, max }: Probe) {
  const settings = { ...SETTINGS, maxRows: max };
  const http = { method, path, query: encodeURI(query), headers } as unknown as ServiceRequest;
  const request = await parseRequest(http, settings, async () => Buffer.from(JSON.stringify(body)));
  const plan = planRequest(request, cache, settings);
  const handler = handlersFor(plan, request.parameters.select, cache);
  const representation = negotiate(request.accept, { plan: false, handler });
  return writeStatement(plan, {
    representation,
    bare: plan.kind === "write" && request.preferences.return !== "representation",
    count: request.preferences.count,
    maxRows: max,
  });
}

/** What each probe answers, and the SQL that was run. */
async function run(name: string): Promise<{ answers: string[]; texts: string[] }> {
  const answers: string[] = [];
  const texts: string[] = [];
  for (const probe of probes(name)) {
    const { text, values } = await statementOf(probe);
    texts.push(text);
    const said = await client.query({ text, values, rowMode: "array" }).then(
      ({ rows: [row = []] }) => row.map((value: unknown) => neutralized(value, name)),
      (error: Error) => error.message,
    );
    answers.push(JSON.stringify(said));
  }
  return { answers, texts };
}

/** A body with the neutral name in place of `name`, and without its order of keys: jsonb sorts them by length. */
function neutralized(value: unknown, name: string): unknown {
  const key = (one: string) => (one === name ? NEUTRAL : one);
  if (typeof value !== "string") return value;
  if (!/^[[{]/.test(value)) {
    const [header = "", ...lines] = value.split("\n");
    return [header.split(",").map(key).join(","), ...lines];
  }
  return JSON.parse(value, (_key, one) =>
    one === null || typeof one !== "object" || Array.isArray(one)
      ? one
      : Object.entries(one)
          .map(([own, inner]) => [key(own), inner])
          .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  );
}

const TOKEN = /"((?:[^"]|"")+)"|'(?:[^']|'')*'|([A-Za-z_]\w*)/g;
/** Names of this test's own schema. */
const OWN = new Set(["hub", "id", "up", "amount", "name", "alpha", "beta", "left_id", "right_id", NEUTRAL]);

function namesIn(texts: readonly string[]): string[] {
  const found = texts.flatMap((text) => [...text.matchAll(TOKEN)].map(([, quoted, bare]) => quoted ?? bare));
  return [...new Set(found.filter((name) => name !== undefined && !OWN.has(name)))] as string[];
}

it("gives every name of its SQL the meaning that the request gives it", async () => {
  await create([NEUTRAL]);
  const neutral = await run(NEUTRAL);
  for (const said of neutral.answers) expect(said).toMatch(/^\[/);
  // As in PostgREST, `count()` is always the aggregate: a relation with that name cannot be embedded.
  const names = namesIn(neutral.texts).filter((name) => !name.includes(" ") && name !== "count");
  expect(names).toContain("_postgrest_t");
  await create(names);
  const differing: unknown[] = [];
  for (const name of names) {
    const asked = probes(name);
    for (const [at, said] of (await run(name)).answers.entries()) {
      if (said !== neutral.answers[at])
        differing.push({ name, ...asked[at], said, wanted: neutral.answers[at] });
    }
  }
  expect(differing).toEqual([]);
});
