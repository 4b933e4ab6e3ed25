/**
 * Owns what the database advisors look for: lints by the names of supabase/splinter, asked of the catalogue by queries
 * of our own. Not here, because they look at the server or its traffic: unused_index, table_bloat,
 * extension_versions_outdated, unused_replication_slot.
 */
import type pg from "pg";
import { NOT_PLATFORM } from "../platform-schemas.ts";

export type Level = "INFO" | "WARN" | "ERROR";
export const LEVELS: readonly Level[] = ["INFO", "WARN", "ERROR"];

export interface Lint {
  level: Level;
  category: "SECURITY" | "PERFORMANCE";
  title: string;
  /** A query of one column: the names of what is found. `$1`: the API's schemas. */
  sql: string;
}

export interface Finding {
  name: string;
  level: Level;
  category: Lint["category"];
  title: string;
  object: string;
}

/** Relations, policies and functions of the project, for each lint. */
const PREFIX = `with tables as (
  select c.oid, n.nspname as schema, c.relname as name, format('%I.%I', n.nspname, c.relname) as label, c.relkind as kind,
    c.relrowsecurity as secured, coalesce(c.reloptions, '{}') as options
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname ${NOT_PLATFORM}
    and not exists (select 1 from pg_depend d where d.objid = c.oid and d.deptype = 'e')
), policies as (
  select p.*, format('%I.%I: %s', p.schemaname, p.tablename, p.policyname) as label, concat_ws(' ', p.qual, p.with_check) as condition
  from pg_policies p where p.schemaname in (select schema from tables) or p.schemaname in ('storage', 'realtime')
), functions as (
  select p.*, format('%I.%I(%s)', n.nspname, p.proname, pg_get_function_identity_arguments(p.oid)) as label, n.nspname as schema
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace
  where n.nspname in (select schema from tables union select unnest($1::text[])) and n.nspname ${NOT_PLATFORM}
    and not exists (select 1 from pg_depend d where d.objid = p.oid and d.deptype = 'e')
), api as (select unnest($1::text[]) as schema)
`;
const IN_API = "schema in (select schema from api)";
const mayRun = (role: string) =>
  `select label from functions where prosecdef and ${IN_API} and has_function_privilege('${role}', oid, 'execute')`;

/** By name. */
export const lints: Record<string, Lint> = {
  auth_users_exposed: {
    level: "ERROR",
    category: "SECURITY",
    title: "A view shows auth.users to the API",
    sql: `select distinct t.label from pg_depend d join pg_rewrite r on r.oid = d.objid join tables t on t.oid = r.ev_class
      where d.refobjid = 'auth.users'::regclass and t.${IN_API}
        and (has_table_privilege('anon', t.oid, 'select') or has_table_privilege('authenticated', t.oid, 'select'))`,
  },
  rls_disabled_in_public: {
    level: "ERROR",
    category: "SECURITY",
    title: "A table of the API has no row level security",
    sql: `select label from tables where ${IN_API} and kind in ('r', 'p') and not secured`,
  },
  policy_exists_rls_disabled: {
    level: "ERROR",
    category: "SECURITY",
    title: "A table has policies, but row level security is off",
    sql: `select p.label from policies p join pg_class c on c.oid = format('%I.%I', p.schemaname, p.tablename)::regclass where not c.relrowsecurity`,
  },
  security_definer_view: {
    level: "ERROR",
    category: "SECURITY",
    title: "A view reads with its owner's rights (security_invoker is off)",
    sql: `select label from tables where kind = 'v' and ${IN_API} and not exists (
      select 1 from unnest(options) o where o ~* '^security_invoker=(true|on|1|yes)$')`,
  },
  rls_references_user_metadata: {
    level: "ERROR",
    category: "SECURITY",
    title: "A policy trusts user_metadata, which people write themselves",
    sql: "select label from policies where condition ~ 'user_metadata|raw_user_meta_data'",
  },
  insecure_queue_exposed_in_api: {
    level: "ERROR",
    category: "SECURITY",
    title: "A queue can be read without row level security",
    sql: `select c.oid::regclass::text from pg_class c where c.relnamespace = to_regnamespace('pgmq') and c.relname ~ '^q_'
      and c.relkind = 'r' and not c.relrowsecurity and 'pgmq_public' in (select schema from api)`,
  },
  fkey_to_auth_unique: {
    level: "ERROR",
    category: "SECURITY",
    title: "A foreign key into auth refers to something else than a primary key",
    sql: `select format('%s %I', t.label, c.conname) from pg_constraint c join pg_index i on i.indexrelid = c.conindid
      join tables t on t.oid = c.conrelid join pg_class f on f.oid = c.confrelid
      where c.contype = 'f' and f.relnamespace = to_regnamespace('auth') and not i.indisprimary`,
  },
  sensitive_columns_exposed: {
    level: "ERROR",
    category: "SECURITY",
    title: "A column with a secret's name can be read through the API without row level security",
    sql: `select t.label || '.' || a.attname from tables t join pg_attribute a on a.attrelid = t.oid and a.attnum > 0
      where t.${IN_API} and t.kind in ('r', 'p') and not t.secured and a.attname ~* '(password|passwd|secret|token|ssn|credit_card|iban|api_?key)'
        and (has_column_privilege('anon', t.oid, a.attnum, 'select') or has_column_privilege('authenticated', t.oid, a.attnum, 'select'))`,
  },
  function_search_path_mutable: {
    level: "WARN",
    category: "SECURITY",
    title: "A function does not set its search_path",
    sql: "select label from functions where prokind in ('f', 'p') and not coalesce(array_to_string(proconfig, ','), '') ~ 'search_path='",
  },
  extension_in_public: {
    level: "WARN",
    category: "SECURITY",
    title: "An extension is in schema public",
    sql: "select extname::text from pg_extension where extnamespace = 'public'::regnamespace",
  },
  materialized_view_in_api: {
    level: "WARN",
    category: "SECURITY",
    title: "A materialized view can be read through the API",
    sql: `select label from tables where kind = 'm' and ${IN_API}
      and (has_table_privilege('anon', oid, 'select') or has_table_privilege('authenticated', oid, 'select'))`,
  },
  foreign_table_in_api: {
    level: "WARN",
    category: "SECURITY",
    title: "A foreign table can be read through the API",
    sql: `select label from tables where kind = 'f' and ${IN_API}
      and (has_table_privilege('anon', oid, 'select') or has_table_privilege('authenticated', oid, 'select'))`,
  },
  rls_policy_always_true: {
    level: "WARN",
    category: "SECURITY",
    title: "A policy lets everybody write",
    sql: `select label from policies where permissive = 'PERMISSIVE' and cmd <> 'SELECT'
      and (coalesce(with_check, '') ~* '^\\(*(true|1 = 1)\\)*$' or cmd <> 'INSERT' and coalesce(qual, '') ~* '^\\(*(true|1 = 1)\\)*$')`,
  },
  rls_policy_null_auth_disjunct: {
    level: "WARN",
    category: "SECURITY",
    title: "A policy lets in who is not signed in, by a comparison with null",
    sql: "select label from policies where condition ~* '(uid|jwt|role)\\(\\)( AS \\w+)?\\)*\\s+IS NULL'",
  },
  public_bucket_allows_listing: {
    level: "WARN",
    category: "SECURITY",
    title: "The files of a public bucket can be listed by everybody",
    sql: `select p.label from policies p join storage.buckets b on b.public where p.schemaname = 'storage'
      and p.cmd in ('SELECT', 'ALL') and p.qual ~ format('^\\(*bucket_id = ''%s''(::\\w+)?\\)*$', b.id)`,
  },
  anon_security_definer_function_executable: {
    level: "WARN",
    category: "SECURITY",
    title: "A function with its owner's rights can be called without signing in",
    sql: mayRun("anon"),
  },
  authenticated_security_definer_function_executable: {
    level: "WARN",
    category: "SECURITY",
    title: "A function with its owner's rights can be called by all who are signed in",
    sql: mayRun("authenticated"),
  },
  unsupported_reg_types: {
    level: "WARN",
    category: "SECURITY",
    title: "A column has a type that an upgrade of Postgres cannot carry along",
    sql: `select t.label || '.' || a.attname from tables t join pg_attribute a on a.attrelid = t.oid
      where t.kind in ('r', 'p') and a.attnum > 0 and format_type(a.atttypid, null) ~ '^reg(?!class|role|type)'`,
  },
  rls_enabled_no_policy: {
    level: "INFO",
    category: "SECURITY",
    title: "A table has row level security and no policy: nobody reads it",
    sql: "select label from tables t where secured and not exists (select 1 from pg_policy p where p.polrelid = t.oid)",
  },
  auth_rls_initplan: {
    level: "WARN",
    category: "PERFORMANCE",
    title: "A policy calls an auth function for each row; wrap it: (select auth.uid())",
    sql: `select label from policies where schemaname not in ('storage', 'realtime')
      and regexp_replace(condition, '\\(\\s*SELECT (auth\\.\\w+|current_setting)\\(', '', 'gi') ~ '(auth\\.(uid|jwt|role|email)|current_setting)\\('`,
  },
  multiple_permissive_policies: {
    level: "WARN",
    category: "PERFORMANCE",
    title: "Several permissive policies for one role and command: each is evaluated",
    sql: `select format('%I.%I %s %s', p.schemaname, p.tablename, role, command) from policies p
      cross join unnest(case when 'public' = any (p.roles) then '{anon,authenticated}'::name[] else p.roles end) role
      cross join unnest(case p.cmd when 'ALL' then '{SELECT,INSERT,UPDATE,DELETE}'::text[] else array[p.cmd] end) command
      where p.permissive = 'PERMISSIVE' and p.schemaname not in ('storage', 'realtime')
      group by p.schemaname, p.tablename, role, command having count(*) > 1`,
  },
  duplicate_index: {
    level: "WARN",
    category: "PERFORMANCE",
    title: "Two indexes are the same",
    sql: `select min(i.indexrelid::regclass::text) from pg_index i join tables t on t.oid = i.indrelid
      group by i.indrelid, regexp_replace(pg_get_indexdef(i.indexrelid), '^CREATE (UNIQUE )?INDEX \\S+ ', '') having count(*) > 1`,
  },
  invalid_index: {
    level: "WARN",
    category: "PERFORMANCE",
    title: "An index is broken, and is not used",
    sql: "select indexrelid::regclass::text from pg_index i join tables t on t.oid = i.indrelid where not (indisvalid and indisready)",
  },
  autovacuum_disabled: {
    level: "WARN",
    category: "PERFORMANCE",
    title: "A table is never vacuumed by itself",
    sql: "select label from tables where exists (select 1 from unnest(options) o where o ~ 'autovacuum_enabled=(false|off|0|no)')",
  },
  unindexed_foreign_keys: {
    level: "INFO",
    category: "PERFORMANCE",
    title: "A foreign key has no index that begins with its columns",
    sql: `select format('%s %I', t.label, c.conname) from pg_constraint c join tables t on t.oid = c.conrelid
      where c.contype = 'f' and c.conparentid = 0 and not exists (
        select 1 from pg_index i where i.indrelid = c.conrelid and i.indisvalid and i.indpred is null
          and (i.indkey::int2[])[0:cardinality(c.conkey) - 1] @> c.conkey)`,
  },
  no_primary_key: {
    level: "INFO",
    category: "PERFORMANCE",
    title: "A table has no primary key",
    sql: "select label from tables t where kind in ('r', 'p') and not exists (select 1 from pg_index i where i.indrelid = t.oid and i.indisprimary)",
  },
};

/** Everything that the lints find, the worst first. Reads only. @param schemas those of the API. */
export async function advise(client: pg.ClientBase, schemas: readonly string[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [name, { level, category, title, sql }] of Object.entries(lints)) {
    const { rows } = await client.query<{ object: string }>(
      `${PREFIX} select found.object::text as object from (${sql}) as found (object) order by 1`,
      [schemas],
    );
    findings.push(...rows.map(({ object }) => ({ name, level, category, title, object })));
  }
  return findings.sort((left, right) => LEVELS.indexOf(right.level) - LEVELS.indexOf(left.level));
}
