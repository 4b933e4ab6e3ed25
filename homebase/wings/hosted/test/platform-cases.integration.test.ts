/**
 * Cases of our own for what `packages/platform-lite` of supabase/evals (2026-10) tests of its stand-in for the
 * Management API: one for each of its tests. A text in the place of a case says why it does not apply.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "@supabase/supabase-js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testCluster } from "../../../src/testing/shared-cluster.ts";
import { type Hosted, startHosted } from "../index.ts";
import { callerOf } from "./api.ts";

let hosted: Hosted;
let call: ReturnType<typeof callerOf>;
beforeAll(async () => {
  hosted = await startHosted({ cluster: await testCluster(process.cwd()), legacyKeys: true });
  call = callerOf(hosted);
  await upload("hook", { "index.ts": FUNCTION }, { verify_jwt: false });
  for (const status of ["500", "500", "200"])
    await fetch(`${hosted.project.url}/functions/v1/hook?${status}`);
  await fetch(`${hosted.project.url}/storage/v1/object/nowhere/x`);
}, 60_000);
afterAll(() => hosted?.close());

const FUNCTION = `Deno.serve(({ url }) => {
  console.log("called");
  return new Response("", { status: Number(new URL(url).search.slice(1)) });
})`;
async function upload(slug: string, files: Record<string, string>, metadata: object = {}, raw?: string) {
  const form = new FormData();
  form.append("metadata", JSON.stringify({ name: slug, entrypoint_path: "index.ts", ...metadata }));
  for (const [name, text] of Object.entries(files)) form.append("file", new File([text], name));
  const { url, accessToken } = hosted.management;
  const answer = await fetch(`${url}/v1/projects/${hosted.project.ref}/functions/deploy?slug=${slug}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${accessToken}`,
      ...(raw === undefined ? {} : { "content-type": "multipart/form-data" }),
    },
    body: raw ?? form,
  });
  return { status: answer.status, body: await answer.json() };
}
const query = (text: string, more: object = {}) => call("POST", "/database/query", { query: text, ...more });
const migrate = (name: string, text: string) => call("POST", "/database/migrations", { name, query: text });
const ask = (sql: string) => {
  const range = { iso_timestamp_start: ago(60), iso_timestamp_end: ago(0) };
  return call("GET", `/analytics/endpoints/logs?${new URLSearchParams({ sql, ...range })}`);
};
const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
const rows = async (sql: string) => {
  const { status, body } = await ask(sql);
  expect([sql, status, body.message]).toEqual([sql, 200, undefined]);
  return body.result as Record<string, unknown>[];
};
const refused = async (sql: string, reason: string) =>
  // As hosted and as the Supabase CLI reads it; platform-lite has status 400 here.
  expect(await ask(sql)).toEqual({
    status: 200,
    body: { result: null, error: expect.stringContaining(reason) },
  });
const CALLS = "from logs where source = 'function_edge_logs'";

const ONE_PROJECT = "one stand-in is one project: none is made besides";
const SEED = "its own seeds are tested, which no hosted project has";
const GONE = "hosted answers 410 to logs.all since 2026-09, and so does the stand-in";
const NO_CALL = "it is no call of the published API";

const CASES: Record<string, (() => Promise<void>) | string> = {
  "a project is made and read": ONE_PROJECT,
  "a project is made in its region": ONE_PROJECT,
  "a region that is unavailable is refused": ONE_PROJECT,
  "other regions still work": ONE_PROJECT,
  "available regions say which have no room": ONE_PROJECT,
  "pausing and restoring change the status": async () => {
    await call("POST", "/pause");
    expect((await call("GET", "")).body.status).toBe("INACTIVE");
    await call("POST", "/restore");
    expect((await call("GET", "")).body.status).toBe("ACTIVE_HEALTHY");
  },

  "the organization is listed without its plan, and read with it": async () => {
    const { body } = await call("GET", "/v1/organizations");
    expect(Object.keys(body[0]).sort()).toEqual(["id", "name", "slug"]);
    expect((await call("GET", `/v1/organizations/${body[0].slug}`)).body.plan).toBe("free");
  },
  "the plan comes from a seed": SEED,
  "branching is not available on the free plan": NO_CALL,
  "branching is available on a paid plan": NO_CALL,
  "an unknown project has no branching": async () =>
    expect((await callerOf(hosted, "z".repeat(20))("GET", "/branches")).status).toBe(404),
  "a branch costs a paid plan": "branches are there on the free plan, so that they can be rehearsed",
  "the MCP server says what a branch costs": "branches are there on the free plan",
  "a branch has the parent's migrations, not its other tables": async () => {
    await query("create table public.by_hand (id int)");
    await migrate("invoices", "create table public.invoices (id int primary key)");
    const { body } = await call("POST", "/branches", { branch_name: "develop" });
    const tables = await callerOf(hosted, body.project_ref)("POST", "/database/query", {
      query: "select tablename from pg_tables where schemaname = 'public'",
    });
    expect(tables.body).toEqual([{ tablename: "invoices" }]);
    expect((await call("GET", "/v1/projects")).body).toHaveLength(1);
    await call("DELETE", `/v1/branches/${body.id}`);
  },
  "a migration that does not run again marks the branch": async () => {
    await migrate("total", "alter table public.by_hand add column total int");
    const { status, body } = await call("POST", "/branches", { branch_name: "failing" });
    expect([status, body.status]).toEqual([201, "MIGRATIONS_FAILED"]);
    await call("DELETE", `/v1/branches/${body.id}`);
  },
  "a branch needs a name": async () => expect((await call("POST", "/branches", {})).status).toBe(400),
  "an unknown project gets no branch": async () =>
    expect((await callerOf(hosted, "z".repeat(20))("POST", "/branches", { branch_name: "x" })).status).toBe(
      404,
    ),
  "files of migrations are read in order": SEED,
  "a folder without migrations is empty": SEED,
  "seeded migrations are replayed": SEED,
  "the MCP server makes and lists branches": async () => {
    const { body } = await call("POST", "/branches", { branch_name: "listed" });
    expect((await call("GET", "/branches")).body.map(({ name }: { name: string }) => name)).toEqual([
      "listed",
    ]);
    await call("DELETE", `/v1/branches/${body.id}`);
  },

  "SQL returns rows": async () => {
    await query("create table public.todos (id uuid primary key default gen_random_uuid(), body text)");
    await query("insert into public.todos (body) values ('hello')");
    expect((await query("select body from public.todos")).body).toEqual([{ body: "hello" }]);
  },
  "the rows are those of the last SELECT": async () =>
    expect((await query("begin; select 1::int as n; rollback;")).body).toEqual([{ n: 1 }]),
  "a body without JSON is refused": async () =>
    expect((await call("POST", "/database/query")).status).toBe(400),
  "a body without a query is refused": async () =>
    expect((await call("POST", "/database/query", { read_only: true })).body.message).toContain("query"),
  "an empty query is refused": async () => expect((await query("")).body.message).toContain("query"),
  "a migration is recorded": async () => {
    expect((await migrate("items", "create table public.items (id serial primary key)")).status).toBe(200);
    expect((await call("GET", "/database/migrations")).body.at(-1)).toMatchObject({ name: "items" });
  },
  "vectors, their index and their order": async () => {
    const made = await query(`create extension if not exists vector with schema extensions;
      create table public.vectors (id serial primary key, embedding extensions.vector(3));
      create index on public.vectors using hnsw (embedding extensions.vector_cosine_ops);
      insert into public.vectors (embedding) values ('[1,0,0]'), ('[0,1,0]'), ('[0.9,0.1,0]')`);
    expect(made.status).toBe(201);
    expect(
      (
        await query(
          "select id from public.vectors order by embedding operator(extensions.<=>) '[1,0,0]' limit 2",
        )
      ).body,
    ).toEqual([{ id: 1 }, { id: 3 }]);
  },
  "a function of the database is called with supabase-js": async () => {
    await query(`create function public.answer_to(value text) returns text language sql stable
      as $$ select value || '!' $$; grant execute on function public.answer_to(text) to anon;
      notify pgrst, 'reload schema'`);
    const { url, keys } = hosted.project;
    const client = createClient(url, keys.anonKey, { auth: { persistSession: false } });
    await expect.poll(async () => (await client.rpc("answer_to", { value: "yes" })).data).toBe("yes!");
  },

  "the advisor finds a table without row security": async () => {
    await query("create table public.exposed (id int); grant select on public.exposed to anon");
    const { lints } = (await call("GET", "/advisors/security")).body;
    expect(lints).toContainEqual(
      expect.objectContaining({
        name: "rls_disabled_in_public",
        metadata: { schema: "public", name: "exposed", type: "table" },
      }),
    );
  },
  "logs.all returns rows": GONE,
  "logs.all without a query": GONE,
  "logs.all and the fields of functions": GONE,
  "logs.all and the fields of Postgres": GONE,
  "the anon key is a JWT": async () => {
    const { body } = await call("GET", "/api-keys?reveal=true");
    const anon = body.find(({ name }: { name: string }) => name === "anon");
    expect(anon.api_key.split(".")).toHaveLength(3);
  },

  "functions are listed and read": async () => {
    expect((await call("GET", "/functions")).body).toContainEqual(
      expect.objectContaining({ slug: "hook", version: 1 }),
    );
    expect((await call("GET", "/functions/hook")).body.entrypoint_path).toBe("file:///index.ts");
  },
  "a function is deployed and listed": async () => {
    expect((await upload("hello", { "index.ts": FUNCTION })).status).toBe(201);
    expect((await call("GET", "/functions/hello")).body.slug).toBe("hello");
  },
  "a bundle of a function is made and replaced": "no eszip runs here: the sources are deployed",
  "a function that was never made cannot be changed": async () =>
    expect((await call("PATCH", "/functions/ghost", { name: "x" })).status).toBe(404),
  "a broken form is refused": async () => expect((await upload("json", {}, {}, "{}")).status).toBe(400),
  "a form without the entry file is refused": async () =>
    expect(await upload("empty", {})).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining("Entrypoint path does not exist") },
    }),
  "the files of a function are a form": async () => {
    const { url, accessToken } = hosted.management;
    const answer = await fetch(`${url}/v1/projects/${hosted.project.ref}/functions/hook/body`, {
      headers: { authorization: `Bearer ${accessToken}`, accept: "multipart/form-data" },
    });
    expect(answer.headers.get("content-type")).toContain("multipart/form-data");
    const [file] = (await answer.formData()).getAll("file") as File[];
    expect([file?.name, await file?.text()]).toEqual(["index.ts", FUNCTION]);
  },
  "the document of the served calls": NO_CALL,

  "the MCP server's preset of functions": async () => {
    const found = await rows(
      `select id, log_attributes['response.status_code'] as status_code ${CALLS} order by timestamp desc limit 100`,
    );
    expect(found.map(({ status_code }) => status_code).sort()).toEqual(["200", "500", "500"]);
  },
  "countIf with toInt32OrZero": async () =>
    expect(
      await rows(`select log_attributes['function_id'] as function_id,
        countIf(toInt32OrZero(log_attributes['response.status_code']) >= 500) as errors, count(*) as total
        ${CALLS} group by log_attributes['function_id'] order by errors desc limit 5`),
    ).toEqual([{ function_id: expect.any(String), errors: 2, total: 3 }]),
  "a text is not compared with a number": () =>
    refused(
      `select countIf(log_attributes['response.status_code'] >= 500) as n ${CALLS}`,
      "operator does not exist",
    ),
  "sources without rows of its own are refused": "rows here are real: a source that logged nothing is empty",
  "the error of such a source reaches the caller":
    "rows here are real: a source that logged nothing is empty",
  "only the table logs is there": () => refused("select * from edge_logs limit 5", "There is no table"),
  "toInt32OrZero takes no number": () =>
    refused(`select countIf(toInt32OrZero(42) > 0) as n ${CALLS}`, "does not exist"),
  "the preset of storage": async () =>
    expect(
      await rows("select id, timestamp, event_message from logs where source = 'storage_logs'"),
    ).toHaveLength(1),
  "an unknown seed is refused": SEED,
  "the preset of what functions write": async () => {
    await expect
      .poll(async () => rows("select event_message from logs where source = 'function_logs'"))
      .toEqual([{ event_message: "called" }, { event_message: "called" }, { event_message: "called" }]);
  },
  "a row is counted once in its source": async () => {
    const found = await rows("select source, count(*) as n from logs group by source order by source");
    expect(found).toContainEqual({ source: "function_edge_logs", n: 3 });
  },
  "a key that is absent is the empty text": async () =>
    expect(await rows(`select count(*) as n ${CALLS} and log_attributes['nonexistent'] = ''`)).toEqual([
      { n: 3 },
    ]),
  "blanks in brackets": async () =>
    expect(
      await rows(`select count(*) as n ${CALLS} and log_attributes[ 'request.method' ] = 'GET'`),
    ).toEqual([{ n: 3 }]),
  "filters by the clock are refused": "rows here have real times: now() finds them",
  "a filter by the clock inside WITH is refused": "rows here have real times: now() finds them",
  "words in texts and comments are no functions": async () =>
    expect(
      await rows("-- as of now\nselect count(*) as n from logs where event_message like '%now()%'"),
    ).toEqual([{ n: 0 }]),
  "the clock alone": async () => expect(await rows("select now() as current_time")).toHaveLength(1),
  "numbers in texts as ClickHouse reads them": async () => {
    for (const [name, text, value] of [
      ["toInt32OrZero", "42", 42],
      ["toInt32OrZero", "+42", 42],
      ["toInt32OrZero", "10.5", 0],
      ["toInt32OrZero", "abc", 0],
      ["toInt32OrZero", "", 0],
      ["toInt32OrZero", " 42", 0],
      ["toInt32OrZero", "0x10", 0],
      ["toInt32OrZero", "2147483647", 2147483647],
      ["toInt32OrZero", "2147483648", 0],
      ["toInt32OrZero", "-2147483648", -2147483648],
      ["toInt32OrZero", "-2147483649", 0],
      ["toInt64OrZero", "10.5", 0],
      ["toInt64OrZero", "9007199254740991", 9007199254740991],
      ["toUInt32OrZero", "7", 7],
      ["toUInt32OrZero", "-5", 0],
      ["toUInt32OrZero", "4294967295", 4294967295],
      ["toUInt32OrZero", "4294967296", 0],
    ] as const)
      expect([name, text, await rows(`select ${name}('${text}') as v`)]).toEqual([
        name,
        text,
        [{ v: value }],
      ]);
  },
  "what a model wrote, with a column level":
    "hosted's table has no column level: it is refused, and severity_text is there",
  "what a model wrote, with toString": async () =>
    expect(
      await rows(
        `select countIf(toInt32OrZero(toString(log_attributes['response.status_code'])) >= 400) as errors ${CALLS}`,
      ),
    ).toEqual([{ errors: 2 }]),
  "the answer has its rows in result": async () =>
    expect(Object.keys((await ask("select 1 as one")).body)).toEqual(["result"]),
  "a WITH that writes is refused": () =>
    refused("with x as (insert into logs (id) values ('x') returning id) select * from x", "Only SELECT"),
  "a statement that is no SELECT is refused": () => refused("delete from logs", "Only SELECT"),
  "other spellings reach no other table": async () => {
    await refused("select * from public.todos", "FROM takes the table logs");
    await refused('select * from "todos"', "There is no table todos");
  },
  "comments, a semicolon in a text and brackets are accepted": async () => {
    for (const sql of [
      "-- top\nselect id from logs",
      "/* preset */ select id from logs",
      "select id from logs where event_message like '%;%'",
      "(select id from logs limit 1)",
    ])
      await rows(sql);
  },
  "a second statement is refused": () => refused("select id from logs; drop table logs", "not understood"),
  "the range of times is ignored": "rows here have real times: the range holds",
  "a source without rows is empty": async () =>
    expect(await rows("select id from logs where source = 'realtime_logs' limit 10")).toEqual([]),
};

const cases = Object.entries(CASES);
for (const [title, run] of cases) if (typeof run === "function") test(title, run, 60_000);

test("docs/hosted.md has the numbers", () => {
  const docs = readFileSync(join(import.meta.dirname, "../../../../docs/hosted.md"), "utf8");
  const held = cases.filter(([, run]) => typeof run === "function").length;
  expect(docs).toContain(
    `Of ${cases.length} cases of our own for what \`packages/platform-lite\` of supabase/evals tests, ${held} hold.`,
  );
});
