/** Tests of the parts of policies as a real database prints them. */
import { expect, test } from "vitest";
import { Session } from "../../src/explain/database/explanation-transaction.ts";
import { partsOf, readPolicies } from "../../src/explain/database/policy-parts.ts";
import { createBackend } from "../../src/testing/index.ts";
import { clientForThisFile, forThisFile } from "../for-this-file.ts";

const backend = await forThisFile(createBackend({ bare: true }));
const db = await clientForThisFile(backend.databaseUrl);
const parts = () => Session.run(db, {}, async (session) => partsOf(await readPolicies(session)));

test("every policy's using and check become parts, whatever stands in their texts", async () => {
  await backend.sql(`
    create table public."odd AND table" (id int, "a OR b" text, n int, at timestamptz);
    create policy "a ""quoted"" AND name" on public."odd AND table"
      using ("a OR b" = 'x AND (y' and n between 1 and 5 or "a OR b" = E'\\\\'' AND ')
      with check (not (n = 1 or n = 2) and case when n = 1 and n = 2 then true else n is not null end);
    create policy none on public."odd AND table" as restrictive for select using (true);`);
  const found = (await parts()).filter(({ table }) => table.name === "odd AND table");
  expect(found.map(({ policy, kind, path, text }) => [policy, kind, path, text])).toEqual([
    ['a "quoted" AND name', "using", "1.1", `"a OR b" = 'x AND (y'::text`],
    ['a "quoted" AND name', "using", "1.2.1", "n >= 1"],
    ['a "quoted" AND name', "using", "1.2.2", "n <= 5"],
    ['a "quoted" AND name', "using", "2", `"a OR b" = '\\'' AND '::text`],
    ['a "quoted" AND name', "check", "1.1.1", "n = 1"],
    ['a "quoted" AND name', "check", "1.1.2", "n = 2"],
    [
      'a "quoted" AND name',
      "check",
      "2",
      "CASE WHEN ((n = 1) AND (n = 2)) THEN true ELSE (n IS NOT NULL) END",
    ],
    ["none", "using", "", "true"],
  ]);
});

test("the texts do not depend on the settings of the connection", async () => {
  const before = await parts();
  await db.query(
    "set quote_all_identifiers = on; set search_path = public, auth; set standard_conforming_strings = off",
  );
  expect(await parts()).toEqual(before);
  await db.query("reset all");
});
