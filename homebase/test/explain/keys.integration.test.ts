/** Tests of naming what is asked: a row by its key, and a request by its pasted address. */
import { beforeAll, expect, test } from "vitest";
import { explain } from "../../src/explain/index.ts";
import { createBackend } from "../../src/testing/index.ts";
import { askedBy } from "../../src/tools/asked.ts";
import { clientForThisFile, forThisFile } from "../for-this-file.ts";

const backend = await forThisFile(createBackend({ bare: true }));
const db = await clientForThisFile(backend.databaseUrl);
beforeAll(async () => {
  await backend.sql(`
    create table public.places (city text, name text, open boolean, primary key (city, name));
    insert into public.places values ('Porto, PT', 'the "Old" one', false), ('', 'x', true), ('a', 'b', true);
    grant all on public.places to anon;
    alter table public.places enable row level security;
    create policy open on public.places for select using (open)`);
});

const told = async (path: string, row?: string) =>
  explain(db, await askedBy(db, { method: "get", path }), row === undefined ? {} : { row });

test.each([
  ["Porto, PT", 'the "Old" one'],
  ["", "x"],
  ["a", "b"],
])("the key of %s, %s is taken as it is printed", async (city, name) => {
  const { tables } = await told("/rest/v1/places");
  const keys = tables[0]?.explained?.judgement.groups.flatMap((group) => group.keys) ?? [];
  const printed = { "Porto, PT": '"Porto, PT","the ""Old"" one"', "": ",x", a: "a,b" }[city];
  expect(keys).toContain(printed);
  const { tables: own } = await told("/rest/v1/places", printed);
  expect(own[0]?.row).toMatchObject({ exists: true });
  expect(own[0]?.explained?.judgement.groups.map(({ sample }) => sample.includes(name.slice(0, 3)))).toEqual([
    true,
  ]);
});

test("a key with too few values is refused with its columns", async () => {
  await expect(told("/rest/v1/places", "a")).rejects.toThrow("The primary key of places is city, name");
});

test("a pasted address is the request", async () => {
  for (const origin of ["http://127.0.0.1:54321", "https://abc.supabase.co", ""]) {
    const { sentences } = await told(`${origin}/rest/v1/places?open=is.false`);
    expect(sentences[0]?.text).toMatch(/^Hidden: policy "open" wants open/);
  }
});
