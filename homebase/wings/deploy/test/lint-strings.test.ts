/** The linter of migrations reads strings as Postgres does, so that none hides what stands after it. */
import { expect, test } from "vitest";
import { lintMigration } from "../lint/lint.ts";

test.each([String.raw`'C:\'`, "'it''s'", String.raw`E'\''`, "$a$ $$ ' $a$"])(
  "after the default %s a dropped column is found",
  (value) => {
    const sql = `alter table public.t alter column a set default ${value}, drop column b, alter column c set default '';`;
    const migration = { version: "1", name: "a", path: "supabase/migrations/1_a.sql", sql };
    const findings = lintMigration(migration, { earlier: [] });
    expect(findings.map(({ rule }) => rule)).toContain("destruction");
  },
);
