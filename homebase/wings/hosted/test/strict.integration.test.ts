/**
 * `homebase start --strict`: each difference of docs/hosted.md is either enforced or named in the log, with
 * a check here, or listed as not enforced, with its reason.
 */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { describe, expect, test } from "vitest";
import { SqlFileError } from "../../../src/postgres/files/errors.ts";
import { applyMigrations } from "../../../src/postgres/migrations.ts";
import { testCluster } from "../../../src/testing/shared-cluster.ts";
import { forThisFile } from "../../../test/for-this-file.ts";
import { useOwnCluster } from "../../../test/own-cluster.ts";
import { createBackend } from "../../testing.ts";
import { startHosted } from "../index.ts";

await useOwnCluster();

const root = join(import.meta.dirname, "..", "..", "..", "..");

/** The table's rows: what differs, and what the page says of `--strict`. */
function rowsOfThePage(): { what: string; strict: string }[] {
  const page = readFileSync(join(root, "docs", "hosted.md"), "utf8");
  const [, table = ""] = /## Stricter than[^\n]*\n\n([\s\S]*?)\n\n/.exec(page) ?? [];
  const [head = "", , ...rows] = table.split("\n");
  const cells = (line: string) => line.split("|").map((cell) => cell.trim());
  const at = cells(head).indexOf("`homebase start --strict`");
  return rows.map((row) => ({ what: cells(row)[1] ?? "", strict: cells(row)[at] ?? "" }));
}

/** Statements that `homebase start` runs with a warning. They leave nothing that the next one would find. */
const REFUSED = [
  `alter database postgres set "app.strict" = 'x'`,
  `alter role postgres set "app.strict" = 'x'`,
  "alter table auth.users add column strict int",
  "alter table storage.objects enable row level security",
  "create table auth.strict (id int)",
  "create index on auth.users (created_at)",
  "comment on table storage.objects is 'strict'",
  "alter default privileges for role supabase_admin in schema public grant all on tables to anon",
  "alter role supabase_storage_admin createdb",
  "delete from storage.buckets where id = 'strict'",
];

const backend = await forThisFile(createBackend({ bare: true }));
const hosted = await forThisFile(startHosted({ cluster: await testCluster(root) }));

let version = 1;
/** Applies a statement as a migration. Resolves to the warnings; rejects with the refusal's code. */
async function apply(sql: string, strict: boolean): Promise<string[]> {
  const warnings: string[] = [];
  const number = String(version++);
  const migration = { version: number, name: "test", path: `supabase/migrations/${number}_test.sql`, sql };
  await applyMigrations(backend.database, [migration], {
    strict,
    differs: (difference) => void warnings.push(difference.hosted),
  });
  return warnings;
}

/** The SQLSTATE with which the stand-in refuses a statement of role postgres. */
async function codeOnHosted(sql: string): Promise<string | undefined> {
  const { host, port, name } = hosted.project.databaseAddress;
  const client = new pg.Client({ host, port, database: name, user: "postgres", password: "postgres" });
  await client.connect();
  try {
    await client.query(sql.replace("database postgres", `database "${name}"`));
    return undefined;
  } catch (error) {
    return (error as { code?: string }).code;
  } finally {
    await client.end();
  }
}

/** A check for each row that is enforced, or named in the log. */
const ENFORCED: Readonly<Record<string, () => void>> = {
  "SQL of migrations": () => {
    test.each(REFUSED)("%s: refused as on hosted; run with a warning otherwise", async (sql) => {
      const refused = await apply(sql, true).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(SqlFileError);
      const code = await codeOnHosted(sql);
      expect(code).toBeDefined();
      expect((refused as SqlFileError).code).toBe(code);
      expect(await apply(sql, false)).toHaveLength(1);
    });

    test("what hosted takes is taken", async () => {
      const taken = [
        "create publication strict_all for all tables; drop publication strict_all",
        `create policy "strict" on storage.objects for select to anon using (false)`,
        "create extension citext with schema extensions version '0.0'",
      ];
      for (const sql of taken) await apply(sql, true);
    });
  },
  "Requests without a key": () => {
    test("--strict and --keyless contradict each other", async () => {
      const homebase = join(root, "homebase", "bin", "homebase.mjs");
      const started = promisify(execFile)(process.execPath, [homebase, "start", "--strict", "--keyless"]);
      await expect(started).rejects.toMatchObject({
        code: 2,
        stderr: expect.stringContaining("--strict and --keyless contradict each other"),
      });
    });
  },
  "Requests that hosted's PostgREST or Auth does not know": () => {
    test.each([[true], [false]])("are named in the log, once for each path: %s", async (strict) => {
      await using own = await createBackend({ bare: true, config: { strict } });
      const headers = { apikey: own.secretKey, prefer: "timezone=05:30" };
      await own.sql("create table public.times (at timestamptz)");
      for (const path of ["times", "times", "times?select=at"]) {
        const answer = await fetch(`${own.url}/rest/v1/${path}`, { headers });
        expect(answer.headers.get("preference-applied")).toBe("timezone=05:30");
      }
      const { happenings } = own.backend.happenings.list({ kinds: ["log"] });
      expect(happenings.filter((one) => JSON.stringify(one).includes("hosted's PostgREST"))).toHaveLength(
        strict ? 1 : 0,
      );
    });

    test("the stand-in lists them when it ends", async () => {
      const headers = { apikey: hosted.project.keys.secretKey, prefer: "timezone=05:30" };
      await fetch(`${hosted.project.url}/rest/v1/`, { headers });
      await fetch(`${hosted.project.url}/auth/v1/factors/recovery-codes`, { headers });
      expect(hosted.laterRequests()).toEqual([
        expect.stringMatching(/^GET \/rest\/v1\/: Prefer: timezone /),
        expect.stringMatching(/^GET \/auth\/v1\/factors\/recovery-codes: Recovery codes are unknown /),
      ]);
    });
  },
};

test("the page says of every difference whether --strict enforces it, and why not", () => {
  const rows = rowsOfThePage();
  expect(rows.length).toBeGreaterThan(8);
  for (const { what, strict } of rows) expect([what, strict]).toEqual([what, expect.stringMatching(SAID)]);
  const enforced = rows.filter(({ strict }) => /^(enforced|named)/.test(strict));
  expect(enforced.map(({ what }) => what).sort()).toEqual(Object.keys(ENFORCED).sort());
});
const SAID = /^(enforced|named in the log|not enforced: \S.{15,})/;

describe.each(Object.entries(ENFORCED))("%s", (_what, check) => check());
