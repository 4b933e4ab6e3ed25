/**
 * Random writes, valid and invalid, each compared with a model of PostgREST's documented rules; afterwards
 * the table equals the model's (docs.postgrest.org: Tables and Views, Prefer Header, Errors).
 */
import { beforeAll, expect, it } from "vitest";
import { createBackend } from "../../../src/testing/index.ts";
import { forThisFile } from "../../for-this-file.ts";
import { random } from "../hostile.ts";

const SEED = Number(process.env.HOMEBASE_FUZZ_SEED ?? 20_261);
const REQUESTS = Number(process.env.HOMEBASE_FUZZ_REQUESTS ?? 500);
/** Rows that others may refer to. */
const OWNERS = 4;

interface Thing {
  id: number;
  owner_id: number | null;
  n: number;
  word: string | null;
}
type Given = Record<string, unknown>;

interface Answer {
  status: number;
  code?: string;
  rows?: Thing[];
  contentRange?: string | null;
}

interface Write {
  method: "POST" | "PATCH" | "DELETE";
  query: string;
  prefer: string[];
  body?: string;
  /**
   * Applies it to the table.
   * @returns the response; a rejected one does not change the table.
   */
  run(table: Map<number, Thing>): Answer;
}

class Refused extends Error {
  readonly answer: Answer;
  constructor(status: number, code: string) {
    super(code);
    this.answer = { status, code };
  }
}

/** Changes a copy, which becomes the table unless it was rejected. */
function atomically(table: Map<number, Thing>, change: (copy: Map<number, Thing>) => Answer): Answer {
  const copy = new Map([...table].map(([id, row]) => [id, { ...row }]));
  try {
    const answer = change(copy);
    for (const row of copy.values()) {
      if (row.owner_id !== null && row.owner_id > OWNERS) throw new Refused(409, "23503");
    }
    table.clear();
    for (const [id, row] of copy) table.set(id, row);
    return answer;
  } catch (error) {
    if (error instanceof Refused) return error.answer;
    throw error;
  }
}

function checkWord(table: Map<number, Thing>, row: Thing): void {
  if (row.word === null) return;
  for (const other of table.values()) {
    if (other !== row && other.id !== row.id && other.word === row.word) throw new Refused(409, "23505");
  }
}

const byId = (rows: Iterable<Thing>) => [...rows].sort((one, other) => one.id - other.id);

function insert(table: Map<number, Thing>, rows: readonly Given[], resolution: string | undefined) {
  const touched = new Set<Thing>();
  let inserted = 0;
  for (const given of rows) {
    const row = { owner_id: null, n: 7, word: null, ...given } as Thing;
    if (row.id === undefined || row.id === null || row.n === null) throw new Refused(400, "23502");
    const present = table.get(row.id);
    if (present && resolution === "ignore-duplicates") continue;
    if (present && resolution === undefined) throw new Refused(409, "23505");
    if (present) {
      if (touched.has(present)) throw new Refused(500, "21000");
      Object.assign(present, given);
      touched.add(present);
      checkWord(table, present);
      continue;
    }
    checkWord(table, row);
    table.set(row.id, row);
    touched.add(row);
    inserted += 1;
  }
  return { rows: byId(touched), inserted };
}

function* writes(seed: number): Generator<Write, never> {
  const next = random(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T;
  const chance = (probability: number) => next() < probability;
  const value: Record<string, () => unknown> = {
    id: () => 1 + Math.floor(next() * 40),
    owner_id: () => (chance(0.1) ? 99 : pick([null, 1, 2, OWNERS])),
    n: () => (chance(0.05) ? null : Math.floor(next() * 9)),
    word: () => (chance(0.5) ? null : `w${Math.floor(next() * 60)}`),
  };
  const filters: [string, (row: Thing) => boolean][] = [
    ["n=gt.5", (row) => row.n > 5],
    ["word=is.null", (row) => row.word === null],
    ["owner_id=not.in.(1,2)", (row) => row.owner_id !== null && row.owner_id > 2],
    ["or=(n.eq.3,word.like.w1*)", (row) => row.n === 3 || (row.word ?? "").startsWith("w1")],
    ["id=lt.0", () => false],
  ];
  for (;;) {
    const full = chance(0.5);
    const count = chance(0.4);
    const prefer = [...(full ? ["return=representation"] : []), ...(count ? ["count=exact"] : [])];
    const head = { prefer, query: "select=*&order=id" };
    const result = (status: number, rows: Thing[], contentRange: string): Answer => ({
      status,
      ...(full ? { rows: rows.map((row) => ({ ...row })) } : {}),
      contentRange,
    });
    const total = (rows: unknown[]) => (count ? String(rows.length) : "*");
    const kind = next();
    if (kind < 0.08) {
      const [query, method, body, status, code] = pick([
        ["", "PATCH", '{"n":1}', 400, "21000"],
        ["", "DELETE", undefined, 400, "21000"],
        ["id=eq.1", "PATCH", '{"absent":1}', 400, "PGRST204"],
        ["", "POST", '{"absent":1}', 400, "PGRST204"],
        ["", "POST", '{"id":"one"}', 400, "22P02"],
        ["", "POST", '{"id":1', 400, "PGRST102"],
        ["", "POST", '[{"id":1},{"n":1}]', 400, "PGRST102"],
        ["id=is.what", "DELETE", undefined, 400, "PGRST100"],
        ["columns=id,absent", "POST", '{"id":1}', 400, "PGRST204"],
        ["on_conflict=n", "POST", '{"id":1}', 400, "42P10"],
      ] as const);
      const merge = query.startsWith("on_conflict") ? ["resolution=merge-duplicates"] : [];
      yield { method, query, prefer: merge, ...(body ? { body } : {}), run: () => ({ status, code }) };
    } else if (kind < 0.6) {
      const keys = ["id", "owner_id", "n", "word"].filter((key) => chance(key === "id" ? 0.97 : 0.7));
      const list = Array.from({ length: chance(0.6) ? 1 : Math.floor(next() * 4) }, () =>
        Object.fromEntries(keys.map((key) => [key, value[key]?.()])),
      );
      const resolution = pick([undefined, "merge-duplicates", "ignore-duplicates"]);
      if (resolution) prefer.push(`resolution=${resolution}`);
      yield {
        ...head,
        method: "POST",
        body: JSON.stringify(list.length === 1 && chance(0.5) ? list[0] : list),
        run: (table) =>
          atomically(table, (copy) => {
            const { rows, inserted } = insert(copy, list, resolution);
            return result(
              resolution === "merge-duplicates" && inserted === 0 ? 200 : 201,
              rows,
              `*/${total(rows)}`,
            );
          }),
      };
    } else if (kind < 0.85) {
      const [query, matches] = pick(filters);
      const keys = ["owner_id", "n", "word"].filter(() => chance(0.4));
      const given = Object.fromEntries(keys.map((key) => [key, value[key]?.()]));
      yield {
        ...head,
        query: `${head.query}&${query}`,
        method: "PATCH",
        body: JSON.stringify(given),
        run: (table) =>
          atomically(table, (copy) => {
            const rows = keys.length === 0 ? [] : byId([...copy.values()].filter(matches));
            for (const row of rows) {
              if (given.n === null) throw new Refused(400, "23502");
              Object.assign(row, given);
              checkWord(copy, row);
            }
            const part = rows.length === 0 ? "*" : `0-${rows.length - 1}`;
            return result(full ? 200 : 204, rows, `${part}/${total(rows)}`);
          }),
      };
    } else {
      const id = Math.floor(next() * 40);
      const [query, matches] = chance(0.3)
        ? pick(filters)
        : ([`id=eq.${id}`, (row: Thing) => row.id === id] as const);
      yield {
        ...head,
        query: `${head.query}&${query}`,
        method: "DELETE",
        run: (table) =>
          atomically(table, (copy) => {
            const rows = byId([...copy.values()].filter(matches));
            for (const row of rows) copy.delete(row.id);
            return result(full ? 200 : 204, rows, `*/${total(rows)}`);
          }),
      };
    }
  }
}

const backend = await forThisFile(createBackend({ bare: true }));
beforeAll(async () => {
  await backend.sql(`
    create table public.owners (id int primary key);
    insert into public.owners select generate_series(1, ${OWNERS});
    create table public.things (id int primary key, owner_id int references owners, n int not null default 7, word text unique);
    notify pgrst`);
});

async function send(method: string, query: string, prefer: string[], body?: string): Promise<Answer> {
  const response = await fetch(`${backend.url}/rest/v1/things?${query}`, {
    method,
    headers: { apikey: backend.secretKey, "content-type": "application/json", prefer: prefer.join(", ") },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  const json = text === "" ? undefined : JSON.parse(text);
  if (response.status >= 400) return { status: response.status, code: json.code };
  const contentRange = response.headers.get("content-range");
  return { status: response.status, ...(json ? { rows: json as Thing[] } : {}), contentRange };
}

it("answers writes as the rules say, and leaves what they leave", async () => {
  const table = new Map<number, Thing>();
  const source = writes(SEED);
  const seen = new Set<string>();
  for (let left = REQUESTS; left > 0; left -= 1) {
    const write = source.next().value;
    const expected = write.run(table);
    const got = await send(write.method, write.query, write.prefer, write.body);
    expect({ ...write, ...got }).toEqual({ ...write, ...expected });
    seen.add(`${got.status} ${got.code ?? ""}`);
  }
  expect((await send("GET", "order=id", [])).rows).toEqual(byId(table.values()));
  for (const outcome of ["200 ", "201 ", "204 ", "409 23503", "409 23505", "400 23502"]) {
    expect(seen).toContain(outcome);
  }
}, 180_000);
