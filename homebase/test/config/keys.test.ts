/** Known keys of config.toml, and the messages about others. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { configPage } from "../../../scripts/config-page.ts";
import { loadConfig } from "../../src/config/config.ts";

const folder = mkdtempSync(join(tmpdir(), "homebase-config-"));
mkdirSync(join(folder, "supabase"));
afterAll(() => rmSync(folder, { recursive: true }));

function warnings(toml: string, environment: Record<string, string> = {}): readonly string[] {
  writeFileSync(join(folder, "supabase", "config.toml"), toml);
  return loadConfig({ from: folder, environment }).warnings;
}

test.each([
  ["[storage.buckets.avatars]\npulbic = true", "storage.buckets.avatars.pulbic", "public"],
  ["[functions.hello]\nverify-jwt = false", "functions.hello.verify-jwt", "verify_jwt"],
  ["[auth.external.google]\nclientid = 'x'", "auth.external.google.clientid", "client_id"],
  ["[auth.external.gogle]\nenabled = true", "auth.external.gogle", "google"],
  [
    "[auth.hook.custom_access_tokens]\nenabled = true",
    "auth.hook.custom_access_tokens",
    "custom_access_token",
  ],
  ["[auth.hook.send_email]\nurl = 'x'", "auth.hook.send_email.url", "uri"],
  ["[auth.email.template.invite]\nsubjet = 'x'", "auth.email.template.invite.subjet", "subject"],
  ["[auth.mfa.totp]\nenrol_enabled = true", "auth.mfa.totp.enrol_enabled", "enroll_enabled"],
  ["[db.seed]\nsql_path = ['x']", "db.seed.sql_path", "sql_paths"],
  ["[db.poolr]\nenabled = true", "db.poolr", "pooler"],
  ["[experimental.webhook]\nenabled = true", "experimental.webhook", "webhooks"],
  ["[apis]\nport = 1", "apis", "api"],
])("%j is named, with what was probably meant", (toml, path, meant) => {
  expect(warnings(toml)).toEqual([
    `supabase/config.toml: unknown key ${path}, ignored. Did you mean ${meant}?`,
  ]);
});

test("a key that resembles none is named alone", () => {
  expect(warnings("[auth]\nzzzzzzzzzz = 1")).toEqual([
    "supabase/config.toml: unknown key auth.zzzzzzzzzz, ignored.",
  ]);
  expect(warnings("[auth]\nconstructor = 1\n[functions.x]\n__proto__ = 1")).toHaveLength(2);
});

test("keys of other versions of the Supabase CLI, and of hosted projects, are no mistakes", () => {
  expect(
    warnings(`
[api]
kong_image = "x"
[db]
health_timeout = "2m"
root_key = "x"
orioledb_version = ""
[db.pooler]
enabled = false
pool_mode = "transaction"
[db.network_restrictions]
enabled = true
allowed_cidrs = []
[inbucket]
enabled = true
port = 54324
smtp_port = 54325
pop3_port = 54326
[studio]
api_url = "http://127.0.0.1"
openai_api_key = "env(OPENAI_API_KEY)"
[analytics]
enabled = true
vector_port = 54328
gcp_project_id = ""
[realtime]
ip_version = "IPv6"
[storage.vector.buckets.documents]
[auth.third_party.firebase]
enabled = false
project_id = "x"
[auth.sms.twilio]
enabled = false
auth_token = "env(NOT_SET)"
[experimental]
orioledb_version = ""
s3_host = "env(S3_HOST)"
[experimental.pgdelta]
enabled = true
[edge_runtime]
deno_version = 2
[remotes.staging]
project_id = "abcdefghijklmnopqrst"
[remotes.staging.auth]
site_url = "https://example.com"
`),
  ).toEqual([]);
});

test("what a project may count on and does not get is said", () => {
  expect(
    warnings("[db]\nmajor_version = 15\n[db.pooler]\nenabled = true\n[api.tls]\nenabled = true"),
  ).toEqual([
    "supabase/config.toml: db.pooler has no effect: there is no pooler; connect to db.port.",
    "supabase/config.toml: db.major_version is 15; Homebase runs Postgres 17 anyway.",
    "supabase/config.toml: api.tls has no effect: the API speaks plain HTTP here.",
  ]);
});

test("a variable that is not set leaves a number or a switch at its default", () => {
  const toml = "[api]\nport = 'env(PORT)'\n[auth]\nenable_signup = 'env(OPEN)'\nsite_url = 'env(SITE)'";
  writeFileSync(join(folder, "supabase", "config.toml"), toml);
  const config = loadConfig({ from: folder, environment: {} });
  expect([config.api.port, config.auth.enable_signup, config.auth.site_url]).toEqual([
    54_321,
    true,
    "env(SITE)",
  ]);
  expect(config.warnings).toContain("api.port: its default is used.");
  const set = loadConfig({
    from: folder,
    environment: { PORT: "1234", OPEN: "false", SITE: "https://a.example" },
  });
  expect([set.api.port, set.auth.enable_signup, set.auth.site_url, set.warnings]).toEqual([
    1234,
    false,
    "https://a.example",
    [],
  ]);
});

test("docs/config.md lists the keys that the schema has", () => {
  const page = readFileSync(join(import.meta.dirname, "..", "..", "..", "docs", "config.md"), "utf8");
  expect(page).toBe(configPage());
});
