/** Known keys of config.toml, and the messages about others. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { configPage } from "../../../scripts/config-page.ts";
import { loadConfig } from "../../src/config/config.ts";
import { readMigrations, readSeeds } from "../../src/postgres/files/project-files.ts";

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

test("env() reads the environment of the process", () => {
  const toml = join(folder, "supabase", "config.toml");
  process.env.HOMEBASE_TEST_WORD = "from the shell";
  try {
    writeFileSync(toml, '[edge_runtime.secrets]\nWORD = "env(HOMEBASE_TEST_WORD)"\n');
    expect(loadConfig({ from: folder }).edge_runtime.secrets).toEqual({ WORD: "from the shell" });
  } finally {
    delete process.env.HOMEBASE_TEST_WORD;
    rmSync(toml);
  }
});

test("a key that resembles none is named alone", () => {
  expect(warnings("[auth]\nzzzzzzzzzz = 1")).toEqual([
    "supabase/config.toml: unknown key auth.zzzzzzzzzz, ignored.",
  ]);
  expect(warnings("[auth]\nconstructor = 1\n[functions.x]\n__proto__ = 1")).toHaveLength(2);
});

test("keys of other versions of the Supabase CLI, and of hosted projects, are no mistakes, but for a name that the CLI 3 refuses", () => {
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
  ).toEqual(["supabase/config.toml: the Supabase CLI 3 refuses [inbucket]: call it [local_smtp]."]);
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
  expect(config.warnings).toEqual([
    "api.port: PORT is not set; its default is used.",
    "auth.enable_signup: OPEN is not set; its default is used.",
    "auth.site_url: SITE is not set; the value is the text env(SITE).",
  ]);
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

test("a variable that is not set is said where it is used, with what follows", () => {
  const toml = (enabled: string) => `[auth.external.github]
${enabled}
client_id = "env(GITHUB_ID)"
secret = "env(GITHUB_SECRET)"
[auth.email.smtp]
enabled = ${enabled === "enabled = true"}
pass = "env(SMTP_PASS)"
[studio]
openai_api_key = "env(OPENAI_API_KEY)"
[edge_runtime.secrets]
OPTIONAL = "env(OPTIONAL)"`;
  expect(warnings(toml(""))).toEqual([]);
  expect(warnings(toml("enabled = false"))).toEqual([]);
  expect(warnings(toml("enabled = true"))).toEqual([
    "auth.external.github.client_id: GITHUB_ID is not set; signing in with this provider fails until it is.",
    "auth.external.github.secret: GITHUB_SECRET is not set; signing in with this provider fails until it is.",
    "auth.email.smtp.pass: SMTP_PASS is not set; mails are not sent until it is.",
  ]);
});

/** The message with which a configuration is refused; undefined when it is accepted. */
function refused(toml: string): string | undefined {
  try {
    warnings(toml);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

test.each([
  "archive_command",
  "shared_preload_libraries",
  "hba_file",
  "listen_addresses",
  "config_file",
  "fsync",
])("[db.settings] %s is refused, with file and key", (name) => {
  expect(refused(`[db.settings]\n${name} = "x"`)).toBe(
    `supabase/config.toml cannot be used:\n  db.settings: ${name}: not among the settings of Postgres that a project may change (docs/config.md lists them)`,
  );
});

test.each([
  ['work_mem = "8MB; x"', "db.settings.work_mem"],
  ['statement_timeout = "10s -c archive_mode=on"', "db.settings.statement_timeout"],
  ['session_replication_role = "other"', "db.settings.session_replication_role"],
  ["max_connections = 0", "db.settings.max_connections"],
  ["max_locks_per_transaction = 1.5", "db.settings.max_locks_per_transaction"],
  ['track_commit_timestamp = "on"', "db.settings.track_commit_timestamp"],
])("[db.settings] %s is refused", (line, key) => {
  expect(refused(`[db.settings]\n${line}`)).toContain(`  ${key}: `);
});

test("[db.settings] takes the Supabase CLI's values", () => {
  expect(
    refused(`[db.settings]
effective_cache_size = "1.5GB"
max_connections = 60
max_wal_size = "4096"
session_replication_role = "replica"
statement_timeout = "2min"
wal_sender_timeout = 0
max_slot_wal_keep_size = "-1"
track_commit_timestamp = true`),
  ).toBeUndefined();
});

test.each([
  ['[storage.buckets.a]\nobjects_path = "../../x"', "storage.buckets.a.objects_path"],
  ['[storage.buckets.a]\nobjects_path = "/etc"', "storage.buckets.a.objects_path"],
  ['[storage.buckets.a]\nobjects_path = "./link/passwd"', "storage.buckets.a.objects_path"],
  ['[auth.email.template.invite]\ncontent_path = "../x.html"', "auth.email.template.invite.content_path"],
  [
    '[auth.email.notification.password_changed]\ncontent_path = "../../x"',
    "auth.email.notification.password_changed.content_path",
  ],
  ['[auth]\nsigning_keys_path = "/etc/shadow"', "auth.signing_keys_path"],
  ['[db.seed]\nsql_paths = ["./seed.sql", "../../**/*.sql"]', "db.seed.sql_paths"],
  ['[db.seed]\nsql_paths = ["**/../../../*.sql"]', "db.seed.sql_paths"],
  ['[db.seed]\nsql_paths = ["/**/*.sql"]', "db.seed.sql_paths"],
  ['[db.migrations]\nschema_paths = ["../../x"]', "db.migrations.schema_paths"],
])("%j leaves the project and is refused", (toml, key) => {
  const link = join(folder, "supabase", "link");
  if (!existsSync(link)) symlinkSync("/etc", link);
  expect(refused(toml)).toMatch(
    new RegExp(`^supabase/config.toml cannot be used:\\n  ${key.replaceAll(".", "\\.")}: .* leaves `),
  );
});

test("a monorepo's files outside of the project's folder may be named", () => {
  const project = join(folder, "packages", "backend");
  mkdirSync(join(project, "supabase"), { recursive: true });
  mkdirSync(join(folder, ".git"));
  writeFileSync(join(project, "supabase", "config.toml"), '[db.seed]\nsql_paths = ["../../shared/*.sql"]');
  expect(loadConfig({ from: project, environment: {} }).db.seed.sql_paths).toHaveLength(1);
  rmSync(join(folder, ".git"), { recursive: true });
  expect(() => loadConfig({ from: project, environment: {} })).toThrow("db.seed.sql_paths");
});

test("a seed or migration that links to a file outside of the project is not read", () => {
  mkdirSync(join(folder, "supabase", "migrations"));
  symlinkSync("/etc/passwd", join(folder, "supabase", "migrations", "20260101000000_a.sql"));
  mkdirSync(join(folder, "supabase", "seeds"));
  symlinkSync("/etc/passwd", join(folder, "supabase", "seeds", "a.sql"));
  writeFileSync(join(folder, "supabase", "config.toml"), '[db.seed]\nsql_paths = ["./seeds/**/*.sql"]');
  const config = loadConfig({ from: folder, environment: {} });
  expect(() => readMigrations(config)).toThrow("a link to a file outside");
  expect(() => readSeeds(config)).toThrow("a link to a file outside");
});

/** What `status -o env`, the action and `--write-env` print as variables, one a line. */
test.each([
  ["api", "external_url"],
  ["auth", "external_url"],
  ["auth", "jwt_secret"],
  ["auth", "publishable_key"],
  ["auth", "secret_key"],
  ["auth", "anon_key"],
  ["auth", "service_role_key"],
])("[%s] %s takes no line break", (section, key) => {
  const toml = `[${section}]\n${key} = "http://127.0.0.1/${"x".repeat(40)}\\nLD_PRELOAD=/tmp/x.so"`;
  expect(() => warnings(toml)).toThrow("control characters");
});

test("docs/config.md lists the keys that the schema has", () => {
  const page = readFileSync(join(import.meta.dirname, "..", "..", "..", "docs", "config.md"), "utf8");
  expect(page).toBe(configPage());
});

test("an empty list of schemas, as earlier templates have it, means public", () => {
  writeFileSync(join(folder, "supabase", "config.toml"), "[api]\nschemas = []\n");
  expect(loadConfig({ from: folder, environment: {} }).api.schemas).toEqual(["public"]);
});
