/**
 * Postgres as the oracle: generated requests, and what each must answer by plain SQL. Half run as a role with few rights.
 * HOMEBASE_ORACLE_REQUESTS and HOMEBASE_ORACLE_SEED choose how many and which.
 */
import pg from "pg";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createBackend } from "../../../src/testing/index.ts";
import { forThisFile } from "../../for-this-file.ts";
import { SCHEMA, TABLES } from "./fixture.ts";
import { requests } from "./generator.ts";
import { addressOf, isFolded, type Node, type Request } from "./request.ts";
import { countOf, readOf, writesOf } from "./writer.ts";

const SEED = Number(process.env.HOMEBASE_ORACLE_SEED ?? 20_261);
const REQUESTS = Number(process.env.HOMEBASE_ORACLE_REQUESTS ?? 2_000);
/** How many differences are shown. */
const SHOWN = Number(process.env.HOMEBASE_ORACLE_SHOWN ?? 5);
const EVERYTHING = Object.keys(TABLES)
  .map((table) => `(select coalesce(json_agg(t order by t::text), '[]') from public.${table} t) as ${table}`)
  .join(", ");
const FORGET = ["tasks", "projects", "clients"]
  .map((table) => `delete from public.${table} where id > 1000`)
  .join("; ");

let oracle: pg.Client;
const backend = await forThisFile(createBackend({ bare: true }));
beforeAll(async () => {
  await backend.sql(SCHEMA);
  await backend.sql(
    `do $$ begin execute format('alter role authenticator in database %I set pgrst.db_aggregates_enabled = ''true''', current_database()); end $$`,
  );
  await backend.sql("notify pgrst, 'reload config'; notify pgrst, 'reload schema'");
  oracle = new pg.Client(backend.database.connection("supabase_admin"));
  await oracle.connect();
  await oracle.query("set search_path = public, extensions; set timezone = 'UTC'");
  const address = `${backend.url}/rest/v1/projects?select=count()`;
  await vi.waitUntil(async () => (await fetch(address, { headers: { apikey: backend.secretKey } })).ok);
});
afterAll(() => oracle?.end());

interface Answer {
  code?: string;
  body?: unknown;
  total?: number;
  after?: unknown;
}

/** What the request must answer. A write is undone again. */
async function expected({ node, role, count, write, path, shape }: Request): Promise<Answer> {
  await oracle.query("begin");
  try {
    const as = (who: string) => oracle.query(`set local role ${who}`);
    await as(role);
    const read = async (keys?: string[]) => (await oracle.query(readOf(node, keys))).rows[0].body;
    if (!write) {
      const body = await read();
      if (shape === "row") return { body: body[0] ?? null };
      if (shape) {
        const values = body.map(({ v }: { v: unknown }) => v);
        return { body: shape === "values" ? values : (values[0] ?? null) };
      }
      if (!count) return { body };
      const { count: total } = (await oracle.query(countOf(node))).rows[0];
      return (node.offset ?? 0) > total ? { code: "PGRST103" } : { body, total };
    }
    const table = path.slice(1);
    const before = write.method === "DELETE" ? await read() : undefined;
    const keys: string[] = [];
    for (const text of writesOf(table, node, write))
      keys.push(...(await oracle.query(text)).rows.map(({ id }) => String(id)));
    const written = { ...node, filters: [] };
    const body = before ?? (await oracle.query(readOf(written, keys))).rows[0].body;
    await as("supabase_admin");
    return { body, after: (await oracle.query(`select ${EVERYTHING}`)).rows[0] };
  } catch (error) {
    return { code: (error as { code?: string }).code ?? String(error) };
  } finally {
    await oracle.query("rollback");
  }
}

async function answered(request: Request): Promise<Answer> {
  const { write, role, count, args } = request;
  const prefer = [
    ...(count ? ["count=exact"] : []),
    ...(write ? ["return=representation", `missing=${write.missing}`] : []),
    ...(write?.resolution ? [`resolution=${write.resolution}`] : []),
  ];
  const body =
    write && write.method !== "DELETE"
      ? JSON.stringify(write.method === "PATCH" ? write.rows[0] : write.rows)
      : args && JSON.stringify(args);
  const response = await fetch(`${backend.url}/rest/v1${addressOf(request)}`, {
    method: write?.method ?? (args ? "POST" : "GET"),
    headers: {
      apikey: role === "anon" ? backend.publishableKey : backend.secretKey,
      "content-type": "application/json",
      ...(prefer.length > 0 ? { prefer: prefer.join(", ") } : {}),
    },
    ...(body === undefined ? {} : { body }),
  });
  const given = (await response.json()) as { code?: string };
  if (response.status >= 400) return { code: given?.code ?? String(response.status) };
  const total = Number(response.headers.get("content-range")?.split("/")[1]);
  if (!write) return { body: given, ...(count ? { total } : {}) };
  return { body: given, after: (await oracle.query(`select ${EVERYTHING}`)).rows[0] };
}

const REFUSED = "refused by Postgres";

/** An update without columns, which selects no rows. */
const changesNothing = ({ write }: Request) =>
  write?.method === "PATCH" && Object.keys(write.rows[0] ?? {}).length === 0;

/**
 * Rows without an order of their own are compared as a set. A write that breaks two rules is refused by either, since its
 * rows are one statement there and several here.
 */
function settled(answer: Answer, { node, write }: Request): Answer {
  if (write && /^(?:23|42501)/.test(answer.code ?? "")) return { code: REFUSED };
  return Array.isArray(answer.body) ? { ...answer, body: sorted(answer.body, node) } : answer;
}

/** Groups have no order, at any depth. */
function sorted(rows: unknown[], node: Node): unknown[] {
  for (const row of rows as Record<string, unknown>[]) {
    for (const { alias = "", relation, node: below } of node.embeds) {
      const value = row?.[alias];
      if (relation.many && Array.isArray(value)) row[alias] = sorted(value, below);
      else if (value) sorted([value], below);
    }
  }
  const inOrder = (row: unknown) => JSON.stringify(Object.entries(row as object).sort());
  return isFolded(node) ? rows.map(inOrder).sort() : rows;
}

/** The first part of two answers that differs, with the way to it. */
function difference(must: unknown, is: unknown, way = "answer"): string | undefined {
  if (JSON.stringify(must) === JSON.stringify(is)) return undefined;
  if (typeof must !== "object" || typeof is !== "object" || !must || !is)
    return `${way}: ${JSON.stringify(must)} is ${JSON.stringify(is)}`;
  for (const key of new Set([...Object.keys(must), ...Object.keys(is)])) {
    const [a, b] = [must, is].map((one) => (one as Record<string, unknown>)[key]);
    const found = difference(a, b, `${way}.${key}`);
    if (found) return found;
  }
  return undefined;
}

test(`answers ${REQUESTS} generated requests of seed ${SEED} as plain SQL does`, async () => {
  const source = requests(SEED);
  const wrong: unknown[] = [];
  const seen = { rows: 0, empty: 0, refused: 0, writes: 0 };
  for (let left = REQUESTS; left > 0 && wrong.length < SHOWN; left -= 1) {
    // More rows than an answer may have would be cut.
    if (left % 1_000 === 0) await oracle.query(FORGET);
    const request = source.next().value;
    const must = settled(await expected(request), request);
    const is = settled(await answered(request), request);
    if (must.code) seen.refused += 1;
    else if (!Array.isArray(must.body) || must.body.length > 0) seen.rows += 1;
    else seen.empty += 1;
    if (request.write && !must.code) seen.writes += 1;
    // Where the planner knows that there is no row, Postgres may leave rights of deeper subqueries unchecked.
    const denied = must.code === "42501" || (must.code === REFUSED && changesNothing(request));
    if (denied && Array.isArray(is.body) && is.body.length === 0) continue;
    try {
      expect(is).toEqual(must);
    } catch {
      wrong.push({
        difference: difference(must, is),
        address: decodeURIComponent(addressOf(request)),
        role: request.role,
        write: request.write,
      });
    }
  }
  if (process.env.HOMEBASE_ORACLE_SHOWN) console.log(JSON.stringify(wrong, null, 1), seen);
  expect(wrong).toEqual([]);
  // Each kind occurs often enough to mean something.
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(REQUESTS / 40);
}, 1_800_000);
