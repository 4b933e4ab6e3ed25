/** Foreign tables whose wrapper has no library keep nothing else from being served, typed and dumped. */
import { expect, test, vi } from "vitest";
import { completeDiff } from "../../../src/diff/schema-diff.ts";
import { connected } from "../../../src/postgres/connected.ts";
import { applyStatements } from "../../../src/postgres/migrations.ts";
import { createBackend } from "../../../src/testing/index.ts";
import { readTypeCatalog } from "../../../src/typegen/typed-objects.ts";
import { typescriptTypes } from "../../../src/typegen/typescript.ts";
import { projectWith } from "../../background/project.ts";
import { forThisFile } from "../../for-this-file.ts";

vi.setConfig({ testTimeout: 120_000 });
const projectFolder = projectWith("", {
  "20260101000000_shop.sql": `
    create extension wrappers with schema extensions;
    create foreign data wrapper shop handler stripe_fdw_handler validator stripe_fdw_validator;
    create server shop_server foreign data wrapper shop options (api_key_id 'x', api_key 'whispered');
    create schema shop;
    create foreign table shop.customers (id text, email text) server shop_server options (object 'customers');
    create foreign table public.orders (id text) server shop_server options (object 'orders');
    create view public.customers as select id, email from shop.customers;
    create view public.mails with (security_invoker = true) as select email from public.customers;
    create materialized view public.copied as select id from public.mails join public.customers using (email) with no data;
    create table public.notes (id int primary key);
    create view public.short_notes as select id from public.notes;`,
});
const backend = await forThisFile(createBackend({ projectFolder }));
const bare = await forThisFile(createBackend({ projectFolder, bare: true }));

const ask = async (path: string) => {
  const response = await fetch(`${backend.url}${path}`, {
    headers: { apikey: backend.secretKey, authorization: `Bearer ${backend.secretKey}` },
  });
  return { status: response.status, body: (await response.json()) as unknown };
};

test("REST serves the other tables, and says of these that they have no handler", async () => {
  expect(await ask("/rest/v1/notes")).toEqual({ status: 200, body: [] });
  expect(await ask("/rest/v1/short_notes")).toEqual({ status: 200, body: [] });
  expect(await ask("/rest/v1/mails")).toMatchObject({
    body: { code: "55000", message: 'foreign-data wrapper "shop" has no handler' },
  });
});

test("their types are made", async () => {
  const catalog = await connected(backend.database.connection("postgres"), (client) =>
    readTypeCatalog(client, ["public"]),
  );
  expect(typescriptTypes(catalog)).toMatch(/customers: \{\s+Row: /);
});

test("their dump is restored with all options but secrets, and a materialized view without rows is made without them", async () => {
  const { sql, missing, notStated } = await completeDiff(bare.database, backend.database);
  expect(missing).toBe("");
  expect(sql).toContain(`OPTIONS ("object" 'customers')`);
  expect(sql).not.toContain("whispered");
  expect(notStated.map(({ text }) => text)).toEqual(["the option api_key of the server shop_server"]);
  expect(sql).toContain("WITH NO DATA;");
  const target = await createBackend({ projectFolder, bare: true });
  try {
    await applyStatements(target.database, "dump.sql", sql);
    expect(await target.sql("select relname::text as name from pg_class where relkind = 'm'")).toEqual([
      { name: "copied" },
    ]);
  } finally {
    await target.drop();
  }
});
