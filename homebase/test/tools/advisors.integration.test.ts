/**
 * The findings of the advisors in hosted's form: for each lint something faulty, and what supabase/splinter's own output
 * has for it (its lints and test/expected, and findings of hosted projects that people have published, 2026).
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createBackend, type TestBackend } from "../../src/testing/index.ts";
import { lints } from "../../src/tools/checks/advisor-lints.ts";
import { advise, type Finding, hostedForm } from "../../src/tools/checks/advisors.ts";
import { useOwnCluster } from "../own-cluster.ts";
import { factsOf, type HostedFinding } from "./advisor-facts.ts";

// Policies for everybody are counted for each role of the server.
await useOwnCluster();

const BODY = "begin return 1; end";
const FAULTS = `
create table public.plans (id uuid primary key);
create table public.trips (id int, other int, plan_id uuid constraint to_plan references public.plans (id), "API-Key" text, otp text);
create index trips_b on public.trips (id);
create index trips_a on public.trips (id);
create index broken on public.trips (plan_id, id);
create view public.members as select id, email from auth.users;
create materialized view public.totals as select 1 as one;
create function public.greet(name text, times int default 1) returns int language plpgsql security definer as '${BODY}';
create table public.notes (id uuid primary key, kind regproc) with (autovacuum_enabled = false);
create policy "second" on public.notes using (true);
create policy "first" on public.notes for select using (true);
create table public.closed (id uuid primary key);
alter table public.closed enable row level security;
create table public.rows (id uuid primary key, by uuid);
alter table public.rows enable row level security;
create policy "trusts" on public.rows for delete to authenticated using ((select auth.jwt() -> 'user_metadata') is not null);
create policy "adds" on public.rows for insert with check (true);
create policy "changes" on public.rows for update to anon, authenticated using (true);
create policy "own" on public.rows for select to authenticated using (by = auth.uid());
create policy "nobody" on public.rows for select to authenticated using (by = id or auth.uid() is null);
create policy "gated" on public.rows for select to anon using (by = id and ((select auth.uid()) is null or id is null));
create policy "lists" on storage.objects for select to anon using (bucket_id = 'open');
create policy "all of it" on storage.objects for select using (true);
create table public.emptied (id uuid primary key, text text storage plain);
insert into public.emptied select gen_random_uuid(), repeat(n::text, 700) from generate_series(10000, 19999) n;
delete from public.emptied where not text ~ '^19999';
insert into storage.buckets (id, name, public) values ('open', 'open', true), ('shut', 'shut', false);
create extension citext schema public;
create extension hstore schema extensions version '1.5';
grant select on all tables in schema public to anon, authenticated;
grant execute on function public.greet to anon, authenticated;
`;
/** What role postgres may not make. */
const PLATFORM = [
  "create table public.calls (phone text constraint to_phone references auth.users (phone), primary key (phone))",
  "create extension if not exists postgres_fdw schema extensions",
  "create server elsewhere foreign data wrapper postgres_fdw; create foreign table public.far (id int) server elsewhere",
  "grant select on public.far to anon",
  "create schema if not exists pgmq; create table pgmq.q_mails (id int); grant select on pgmq.q_mails to anon",
  "update pg_index set indisvalid = false where indexrelid = 'public.broken'::regclass",
  "analyze public.emptied",
];

const DOCS = "https://supabase.com/docs/guides/database/database-linter?lint=";
const table = (name: string) => ({ schema: "public", name, type: "table" });
const GREET = {
  schema: "public",
  name: "greet",
  arguments: "name text, times integer",
  language: "plpgsql",
  security_definer: true,
};

type Recorded = [
  title: string,
  level: string,
  category: string,
  remediation: string,
  metadata: unknown,
  key: string,
];
const RECORDED: Record<string, Recorded> = {
  unindexed_foreign_keys: [
    "Unindexed foreign keys",
    "INFO",
    "PERFORMANCE",
    "0001_unindexed_foreign_keys",
    { ...table("trips"), fkey_name: "to_plan", fkey_columns: [3] },
    "unindexed_foreign_keys_public_trips_to_plan",
  ],
  auth_users_exposed: [
    "Exposed Auth Users",
    "ERROR",
    "SECURITY",
    "0002_auth_users_exposed",
    { schema: "public", name: "members", type: "view", exposed_to: ["anon"] },
    "auth_users_exposed_public_members",
  ],
  auth_rls_initplan: [
    "Auth RLS Initialization Plan",
    "WARN",
    "PERFORMANCE",
    "0003_auth_rls_initplan",
    table("rows"),
    "auth_rls_init_plan_public_rows_own",
  ],
  no_primary_key: [
    "No Primary Key",
    "INFO",
    "PERFORMANCE",
    "0004_no_primary_key",
    table("trips"),
    "no_primary_key_public_trips",
  ],
  unused_index: [
    "Unused Index",
    "INFO",
    "PERFORMANCE",
    "0005_unused_index",
    table("trips"),
    "unused_index_public_trips_trips_a",
  ],
  table_bloat: ["Table Bloat", "INFO", "PERFORMANCE", "", table("emptied"), "table_bloat_public_emptied"],
  multiple_permissive_policies: [
    "Multiple Permissive Policies",
    "WARN",
    "PERFORMANCE",
    "0006_multiple_permissive_policies",
    table("rows"),
    "multiple_permissive_policies_public_rows_authenticated_SELECT",
  ],
  policy_exists_rls_disabled: [
    "Policy Exists RLS Disabled",
    "ERROR",
    "SECURITY",
    "0007_policy_exists_rls_disabled",
    table("notes"),
    "policy_exists_rls_disabled_public_notes",
  ],
  rls_enabled_no_policy: [
    "RLS Enabled No Policy",
    "INFO",
    "SECURITY",
    "0008_rls_enabled_no_policy",
    table("closed"),
    "rls_enabled_no_policy_public_closed",
  ],
  duplicate_index: [
    "Duplicate Index",
    "WARN",
    "PERFORMANCE",
    "0009_duplicate_index",
    { ...table("trips"), indexes: ["trips_a", "trips_b"] },
    "duplicate_index_public_trips_{trips_a,trips_b}",
  ],
  security_definer_view: [
    "Security Definer View",
    "ERROR",
    "SECURITY",
    "0010_security_definer_view",
    { schema: "public", name: "members", type: "view" },
    "security_definer_view_public_members",
  ],
  function_search_path_mutable: [
    "Function Search Path Mutable",
    "WARN",
    "SECURITY",
    "0011_function_search_path_mutable",
    { schema: "public", name: "greet", type: "function" },
    `function_search_path_mutable_public_greet_${createHash("md5").update(BODY).digest("hex")}`,
  ],
  rls_disabled_in_public: [
    "RLS Disabled in Public",
    "ERROR",
    "SECURITY",
    "0013_rls_disabled_in_public",
    table("plans"),
    "rls_disabled_in_public_public_plans",
  ],
  extension_in_public: [
    "Extension in Public",
    "WARN",
    "SECURITY",
    "0014_extension_in_public",
    { schema: "public", name: "citext", type: "extension" },
    "extension_in_public_citext",
  ],
  rls_references_user_metadata: [
    "RLS references user metadata",
    "ERROR",
    "SECURITY",
    "0015_rls_references_user_metadata",
    table("rows"),
    "rls_references_user_metadata_public_rows_trusts",
  ],
  materialized_view_in_api: [
    "Materialized View in API",
    "WARN",
    "SECURITY",
    "0016_materialized_view_in_api",
    { schema: "public", name: "totals", type: "materialized view" },
    "materialized_view_in_api_public_totals",
  ],
  foreign_table_in_api: [
    "Foreign Table in API",
    "WARN",
    "SECURITY",
    "0017_foreign_table_in_api",
    { schema: "public", name: "far", type: "foreign table" },
    "foreign_table_in_api_public_far",
  ],
  unsupported_reg_types: [
    "Unsupported reg types",
    "WARN",
    "SECURITY",
    "unsupported_reg_types",
    { ...table("notes"), column: "kind" },
    "unsupported_reg_types_public_notes_kind",
  ],
  insecure_queue_exposed_in_api: [
    "Insecure Queue Exposed in API",
    "ERROR",
    "SECURITY",
    "0019_insecure_queue_exposed_in_api",
    { schema: "pgmq", name: "q_mails", type: "table" },
    "rls_disabled_in_public_pgmq_q_mails",
  ],
  fkey_to_auth_unique: [
    "Foreign Key to Auth Unique Constraint",
    "ERROR",
    "SECURITY",
    "",
    { schema: "public", name: "calls", foreign_key: "to_phone" },
    "fkey_to_auth_unique_public_calls_to_phone",
  ],
  extension_versions_outdated: [
    "Extension Versions Outdated",
    "WARN",
    "SECURITY",
    "0022_extension_versions_outdated",
    { extension_name: "hstore", installed_version: "1.5", default_version: "1.8" },
    "extension_versions_outdated_hstore_1.5",
  ],
  sensitive_columns_exposed: [
    "Sensitive Columns Exposed",
    "ERROR",
    "SECURITY",
    "0023_sensitive_columns_exposed",
    { ...table("trips"), sensitive_columns: ["API-Key", "otp"], matched_patterns: ["api_key", "otp"] },
    "sensitive_columns_exposed_public_trips",
  ],
  rls_policy_always_true: [
    "RLS Policy Always True",
    "WARN",
    "SECURITY",
    "0024_permissive_rls_policy",
    {
      ...table("rows"),
      policy_name: "adds",
      command: "INSERT",
      roles: ["-"],
      qual: null,
      with_check: "true",
      permissive_using: false,
      permissive_with_check: true,
    },
    "rls_policy_always_true_public_rows_adds",
  ],
  public_bucket_allows_listing: [
    "Public Bucket Allows Listing",
    "WARN",
    "SECURITY",
    "0025_public_bucket_allows_listing",
    {
      schema: "storage",
      name: "open",
      type: "bucket",
      bucket_id: "open",
      bucket_name: "open",
      policy_names: ["all of it", "lists"],
      policy_count: 2,
    },
    "public_bucket_allows_listing_open",
  ],
  anon_security_definer_function_executable: [
    "Public Can Execute SECURITY DEFINER Function",
    "WARN",
    "SECURITY",
    "0028_anon_security_definer_function_executable",
    GREET,
    "anon_security_definer_function_executable_public_greet_name text, times integer",
  ],
  authenticated_security_definer_function_executable: [
    "Signed-In Users Can Execute SECURITY DEFINER Function",
    "WARN",
    "SECURITY",
    "0029_authenticated_security_definer_function_executable",
    GREET,
    "authenticated_security_definer_function_executable_public_greet_name text, times integer",
  ],
  autovacuum_disabled: [
    "Autovacuum Disabled",
    "INFO",
    "PERFORMANCE",
    "0030_autovacuum_disabled",
    table("notes"),
    "autovacuum_disabled_public_notes",
  ],
  invalid_index: [
    "Invalid Index",
    "WARN",
    "PERFORMANCE",
    "0030_invalid_index",
    { ...table("trips"), index_name: "broken" },
    "invalid_index_public_trips_broken",
  ],
  rls_policy_null_auth_disjunct: [
    "RLS Policy True When Auth Is Null",
    "WARN",
    "SECURITY",
    "0030_rls_policy_null_auth_disjunct",
    {
      ...table("rows"),
      policy_name: "nobody",
      command: "SELECT",
      roles: ["authenticated"],
      qual: "((by = id) OR (auth.uid() IS NULL))",
    },
    "rls_policy_null_auth_disjunct_public_rows_nobody",
  ],
};

let backend: TestBackend;
let found: Finding[];
beforeAll(async () => {
  backend = await createBackend({ bare: true });
  await backend.sql(FAULTS);
  for (const sql of PLATFORM) await backend.database.query("supabase_admin", sql);
  const client = new pg.Client(backend.database.connection("postgres"));
  await client.connect();
  found = await advise(client, ["public", "pgmq_public"]).finally(() => client.end());
});
afterAll(() => backend?.drop());

test.each(Object.entries(RECORDED))("%s", (name, [title, level, category, page, metadata, key]) => {
  const these = found.filter((one) => one.name === name);
  const finding = these.find(({ cache_key }) => cache_key === key);
  expect(finding && hostedForm(finding), these.map(({ cache_key }) => cache_key).join("\n")).toEqual({
    name,
    title,
    level,
    facing: "EXTERNAL",
    categories: [category],
    description: expect.stringMatching(/^[A-Z].*[.)]$/),
    detail: expect.stringMatching(/^[A-Z].*`.+`$/),
    remediation: page === "" ? expect.stringMatching(/^[A-Z].* /) : `${DOCS}${page}`,
    metadata,
    cache_key: key,
  });
});

test("every lint is compared, that of a lost slot in a test of its own; keys are unique in each lint", () => {
  const compared = new Set(Object.keys(RECORDED));
  expect(Object.keys(lints).filter((name) => !compared.has(name))).toEqual(["unused_replication_slot"]);
  const keys = found.map(({ name, cache_key }) => `${name} ${cache_key}`);
  expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([]);
  const nobody = found.filter(({ name }) => name === "rls_policy_null_auth_disjunct");
  expect(nobody.map(({ metadata }) => metadata.policy_name)).toEqual(["nobody"]);
});

const program = process.env.SUPABASE_CLI;
const missing =
  process.env.SUPABASE_CLI_MISSING || "it is not installed: npm test -- integration installs it";

/** Lints of hosted that the Supabase CLI 3.1.0 does not have, or of a schema that it takes for none of the API. */
const NOT_IN_THE_CLI =
  /^(anon|authenticated)_security_definer|^(autovacuum_disabled|invalid_index|insecure_queue|public_bucket|rls_policy_null)/;

test("the Supabase CLI's own advisors find the same", async (context) => {
  context.skip(!program, `the Supabase CLI: ${missing}`);
  const where = [`--remote=${backend.databaseUrl}?sslmode=disable`, "--yes"];
  const { stdout } = await promisify(execFile)(
    program ?? "",
    ["db", "advisors", "--level", "info", "--fail-on", "none", ...where],
    { env: { ...process.env, SUPABASE_TELEMETRY_DISABLED: "1", DO_NOT_TRACK: "1" } },
  );
  const theirs = (JSON.parse(stdout) as HostedFinding[]).filter(
    // Homebase has roles of its own.
    ({ cache_key }) => !cache_key.includes("_homebase_"),
  );
  const ours = found.filter(({ name }) => !NOT_IN_THE_CLI.test(name)).map(hostedForm);
  expect(factsOf(ours)).toEqual(factsOf(theirs));
}, 120_000);
