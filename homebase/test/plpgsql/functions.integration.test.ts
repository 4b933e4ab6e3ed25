/** What `homebase db lint` says of functions: each fault by level, message and line, and nothing of functions without one. */
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkFunctions } from "../../src/plpgsql/checked-functions.ts";
import { createBackend } from "../../src/testing/index.ts";
import { Project } from "../cli/project.ts";
import { FAULTLESS, FAULTS, TABLES } from "./functions-corpus.ts";

const backend = await createBackend({ projectFolder: new Project().folder, bare: true });
const client = new pg.Client(backend.database.connection("postgres"));
beforeAll(async () => {
  await client.connect();
  await client.query(TABLES);
});
afterAll(async () => {
  await client.end();
  await backend.drop();
});

/** What is said of the one function that `sql` makes, as `level: message (line)`. */
async function said(sql: string): Promise<string[]> {
  await client.query("begin; set local check_function_bodies = off; create schema checked");
  await client.query(`set local search_path = checked, public, extensions; ${sql}`);
  await client.query("commit; set search_path = pg_catalog");
  try {
    const { found, notChecked } = await checkFunctions(client, ["checked"], "checked, public, extensions");
    expect(notChecked).toEqual([]);
    return found.flatMap(({ issues }) =>
      issues.map(
        ({ level, message, statement }) =>
          `${level}: ${message}${statement ? ` (${statement.lineNumber})` : ""}`,
      ),
    );
  } finally {
    await client.query("reset search_path; set client_min_messages = warning; drop schema checked cascade");
  }
}

test.each(FAULTS)("$name", async ({ sql, expected }) => {
  expect(await said(sql)).toEqual(expected);
});

test.each(FAULTLESS)("nothing is said of $name", async ({ sql }) => {
  expect(await said(sql)).toEqual([]);
});

test("the session is asked one question at a time, whatever types the parameters have", async (context) => {
  const ask = client.query.bind(client) as (...args: unknown[]) => unknown;
  let open = 0;
  let most = 0;
  context.onTestFinished(() => void delete (client as Partial<pg.Client>).query);
  client.query = ((...args: unknown[]) => {
    const answer = ask(...args);
    if (!(answer instanceof Promise)) return answer;
    most = Math.max(most, ++open);
    return answer.finally(() => open--);
  }) as typeof client.query;
  const sql = `create type pair as (a text, b float8);
    create function many(one text, two pair[], three macaddr, four pair) returns void language plpgsql
    as 'begin perform one, two, three, four; end'`;
  expect(await said(sql)).toEqual([]);
  expect(most).toBe(1);
});

test("no function of the services has an error", async () => {
  const { rows } = await client.query<{ schema: string }>(
    "select nspname as schema from pg_namespace where nspname !~ '^pg_' and nspname not in ('information_schema', 'public')",
  );
  const { found, notChecked } = await checkFunctions(
    client,
    rows.map(({ schema }) => schema),
    "public, extensions",
  );
  expect(notChecked).toEqual([]);
  const errors = found.filter(({ issues }) => issues.some(({ level }) => level === "error"));
  expect(errors).toEqual([]);
});
