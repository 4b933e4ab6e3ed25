/**
 * Random reads of a table with every type, each compared with a model of PostgREST's documented rules
 * (docs.postgrest.org: Tables and Views, Resource Embedding, Pagination and Count, Errors).
 */
import { beforeAll, expect, it } from "vitest";
import { createBackend } from "../../../src/testing/index.ts";
import { forThisFile } from "../../for-this-file.ts";
import { random } from "../hostile.ts";
import { answer, type Expected, KINDS, type Row, shown, type Tables, textOf } from "./model.ts";
import { type Asked, reads } from "./model-requests.ts";

const SEED = Number(process.env.HOMEBASE_FUZZ_SEED ?? 20_261);
const REQUESTS = Number(process.env.HOMEBASE_FUZZ_REQUESTS ?? 1_000);
const AT_ONCE = 8;
const ROWS = 24;

const tables: Tables = made();

/** Contains each value of each type, and nulls. */
function made(): Tables {
  const next = random(SEED);
  const kinds = Array.from({ length: ROWS }, (_, at): Row => {
    const row: Row = { id: at + 1 };
    for (const [column, { values }] of Object.entries(KINDS)) {
      row[column] = next() < 0.2 ? null : (values[(at + Math.floor(next() * 2)) % values.length] ?? null);
    }
    return row;
  });
  const parts = Array.from(
    { length: ROWS },
    (_, at): Row => ({
      id: at + 1,
      kind_id: next() < 0.15 ? null : 1 + Math.floor(next() * (ROWS / 2)),
      n: next() < 0.15 ? null : Math.floor(next() * 8),
    }),
  );
  return { kinds, parts };
}

const backend = await forThisFile(createBackend({ bare: true }));
beforeAll(async () => {
  const columns = Object.entries(KINDS).map(([column, { sql }]) => `${column} ${sql}`);
  await backend.sql(`
    create type mood as enum ('sad', 'fine', 'glad');
    create domain positive as int check (value > 0);
    create table public.kinds (id int primary key, ${columns.join(", ")});
    create table public.parts (id int primary key, kind_id int references kinds, n int)`);
  for (const [table, rows] of Object.entries(tables)) {
    for (const row of rows as Row[]) {
      const literals = Object.values(row).map((value) =>
        value === null ? "null" : `'${textOf(value).replaceAll("'", "''")}'`,
      );
      await backend.sql(
        `insert into public.${table} (${Object.keys(row).join(", ")}) values (${literals.join(", ")})`,
      );
    }
  }
  await backend.sql("notify pgrst");
});

async function ask({ path, headers, refused }: Asked): Promise<Expected> {
  const response = await fetch(`${backend.url}/rest/v1${path}`, {
    headers: { apikey: backend.secretKey, ...headers },
  });
  const body = (await response.json()) as { code?: string };
  const { status } = response;
  if (refused || status >= 400) return { status, ...(body.code ? { code: body.code } : {}) };
  return { status, body, contentRange: response.headers.get("content-range") ?? "" };
}

it("shows every type as the model has it", async () => {
  const { body } = await ask({
    path: "/kinds?order=id",
    headers: {},
    read: { table: "kinds", items: [], embeds: [], filters: [], order: [] },
    count: false,
    single: false,
  });
  const all = tables.kinds.map((row) =>
    Object.fromEntries(Object.entries(row).map(([column, value]) => [column, shown(value)])),
  );
  expect(body).toEqual(all);
});

it("answers reads as the rules say, the wrong ones too", async () => {
  const source = reads(SEED);
  const wrong: unknown[] = [];
  const seen = new Map<string, number>();
  let left = REQUESTS;
  const worker = async () => {
    while (left > 0 && wrong.length < 5) {
      left -= 1;
      const asked = source.next().value;
      const expected = asked.refused ?? answer(tables, asked.read, asked);
      const got = await ask(asked);
      const outcome = `${got.status} ${got.code ?? ""}`;
      seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
      try {
        expect(got).toEqual(expected);
      } catch {
        wrong.push({ path: decodeURIComponent(asked.path), headers: asked.headers, expected, got });
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  if (process.env.HOMEBASE_FUZZ_SHOW) console.log(JSON.stringify(wrong, null, 1), seen);
  expect(wrong).toEqual([]);
  for (const outcome of ["200 ", "206 ", "406 PGRST116", "416 PGRST103"])
    expect(seen.has(outcome)).toBe(true);
}, 180_000);
