/** Tests what docs/compat/platform.md 6 says of changes of the platform. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type pg from "pg";
import { expect, test } from "vitest";
import { testCluster } from "../../src/testing/shared-cluster.ts";
import { startHosted } from "../../wings/hosted/index.ts";
import { createBackend } from "../../wings/testing.ts";
import { clientForThisFile, forThisFile } from "../for-this-file.ts";

const backend = await forThisFile(createBackend({ bare: true }));
const session = await clientForThisFile(backend.databaseUrl);

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

test.each([
  ["[api]\nauto_expose_new_tables = false", false],
  ["", true],
])("with %j in config.toml the API's roles may read a new table: %s", async (setting, may) => {
  const projectFolder = mkdtempSync(join(tmpdir(), "homebase-exposed-"));
  mkdirSync(join(projectFolder, "supabase"));
  writeFileSync(join(projectFolder, "supabase", "config.toml"), `project_id = "exposed"\n${setting}\n`);
  try {
    await using own = await createBackend({ projectFolder });
    await own.sql("create table public.fresh (id int)");
    const roles = "unnest('{anon,authenticated,service_role}'::text[]) role";
    const rights = `select bool_or(has_table_privilege(role, 'public.fresh', 'select')) as may from ${roles}`;
    expect(await own.sql(rights)).toEqual([{ may }]);
  } finally {
    rmSync(projectFolder, { recursive: true });
  }
});

test("Auth's own address ends in /auth/v1, and SAML's endpoints are below it", async () => {
  const { issuer } = (await (
    await fetch(`${backend.url}/auth/v1/.well-known/openid-configuration`)
  ).json()) as { issuer: string };
  expect(issuer).toBe(`${backend.url}/auth/v1`);
  const saml = await fetch(`${backend.url}/auth/v1/sso/saml/metadata`);
  expect([saml.status, ((await saml.json()) as { error_code: string }).error_code]).toEqual([
    404,
    "saml_provider_disabled",
  ]);
});

test("the stand-in for a hosted project has the new endpoint of logs, and says that the old one is gone", async () => {
  const ref = "abcdefghijklmnopqrst";
  const hosted = await startHosted({ cluster: await testCluster(process.cwd()), ref });
  try {
    const headers = { authorization: `Bearer ${hosted.management.accessToken}` };
    const statusOf = async (path: string) =>
      (await fetch(`${hosted.management.url}/v1/projects/${ref}/analytics/endpoints/${path}`, { headers }))
        .status;
    expect([await statusOf("logs.all"), await statusOf("logs?sql=select+id+from+logs")]).toEqual([410, 200]);
  } finally {
    await hosted.close();
  }
});
