/** Tests what docs/compat/platform.md 6 says of changes of the platform. */
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createBackend, type TestBackend } from "../../src/testing/index.ts";

let backend: TestBackend;
let session: pg.Client;

beforeAll(async () => {
  backend = await createBackend({ bare: true });
  session = new pg.Client({ connectionString: backend.databaseUrl });
  await session.connect();
});
afterAll(async () => {
  await session.end();
  await backend.drop();
});

const codeOf = (sql: string) =>
  session.query(sql).then(
    () => "done",
    (error: pg.DatabaseError) => error.code,
  );

test.each([
  ["alter table realtime.messages enable row level security", "42501"],
  ["alter table realtime.messages add column mine text", "42501"],
  ["create table realtime.mine (id int)", "42501"],
  ["drop function realtime.topic()", "42501"],
  ["create policy mine on realtime.messages for select to authenticated using (true)", "done"],
  ["create extension vector with schema extensions version '0.0.1'", "22023"],
])("%s: %s", async (sql, code) => {
  expect(await codeOf(sql)).toBe(code);
});
