/**
 * Owns what the database advisors look for: the lints of supabase/splinter by their names, numbers and titles, asked of the
 * catalogue by queries of our own. Without pg_graphql its two find nothing (docs/hosted.md).
 */
import { NOT_PLATFORM } from "../platform-schemas.ts";
import { trueWithoutCaller } from "./null-caller.ts";

export type Level = "INFO" | "WARN" | "ERROR";
export type Category = "SECURITY" | "PERFORMANCE";

export interface Lint {
  level: Level;
  category: Category;
  title: string;
  /** The fault, as one sentence without a full stop. */
  description: string;
  /** The page of Supabase's documentation, by its word; or a sentence, where hosted names no page. */
  page: string;
  /** The beginning of `cache_key`, where it is not the lint's name. */
  prefix?: string;
  /**
   * Columns: how a person knows what is found; its schema, name and type, each null where hosted's metadata have none; the
   * rest of `cache_key`; the rest of the metadata. `$1`: the API's schemas.
   */
  sql: string;
  /** Whether a row counts, where SQL cannot say. */
  counts?(more: Record<string, unknown>): boolean;
}

/** Relations, policies and functions of the project, for each lint. */
export const PREFIX = `with tables as (
  select c.oid, n.nspname as schema, c.relname as name, format('%I.%I', n.nspname, c.relname) as label, c.relkind as kind,
    c.relrowsecurity as secured, coalesce(c.reloptions, '{}') as options, format('%s_%s', n.nspname, c.relname) as key,
    has_any_column_privilege('anon', c.oid, 'select') as anon, has_any_column_privilege('authenticated', c.oid, 'select') as signed_in
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname ${NOT_PLATFORM}
    and not exists (select 1 from pg_depend d where d.objid = c.oid and d.deptype = 'e')
), policies as (
  select p.*, format('%I.%I: %s', p.schemaname, p.tablename, p.policyname) as label, concat_ws(' ', p.qual, p.with_check) as condition,
    format('%s_%s_%s', p.schemaname, p.tablename, p.policyname) as key, c.relrowsecurity as secured,
    p.permissive = 'PERMISSIVE' and p.roles && '{public,anon,authenticated}' as opens
  from pg_policies p join pg_namespace n on n.nspname = p.schemaname
  join pg_class c on c.relnamespace = n.oid and c.relname = p.tablename
  where p.schemaname in (select schema from tables) or p.schemaname in ('storage', 'realtime')
), functions as (
  select p.*, format('%I.%I(%s)', n.nspname, p.proname, pg_get_function_identity_arguments(p.oid)) as label, n.nspname as schema
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace
  where n.nspname in (select schema from tables union select unnest($1::text[])) and n.nspname ${NOT_PLATFORM}
    and not exists (select 1 from pg_depend d where d.objid = p.oid and d.deptype = 'e')
), api as (select unnest($1::text[]) as schema)
`;
const IN_API = "schema in (select schema from api) and (anon or signed_in)";
const INVOKER = "exists (select 1 from unnest(options) o where o ~* '^security_invoker=(true|on|1|yes)$')";
const TRUE = (expression: string) => `coalesce(${expression}, '') ~* '^\\(*(true|1 = 1)\\)*$'`;
const NOTHING = "'{}'::jsonb";
const OF_TABLE = `label, schema, name, 'table', key, ${NOTHING}`;
const OF_POLICY = `label, schemaname, tablename, 'table', key, ${NOTHING}`;
const mayRun = (role: string) =>
  `select label, schema, proname, null, format('%s_%s_%s', schema, proname, pg_get_function_identity_arguments(oid)),
      jsonb_build_object('arguments', pg_get_function_identity_arguments(oid), 'security_definer', true,
        'language', (select lanname from pg_language l where l.oid = prolang))
    from functions where prosecdef and schema in (select schema from api) and has_function_privilege('${role}', oid, 'execute')`;

/** Names of columns that hold secrets or what only its owner should read, with `-` as `_`. */
const SENSITIVE =
  `password passwd pwd passphrase secret secret_key private_key api_key apikey auth_key token jwt
  access_token refresh_token oauth_token session_token bearer_token auth_code session_id session_key session_secret
  recovery_code backup_code verification_code otp two_factor 2fa_secret 2fa_code ssh_key pgp_key gpg_key certificate
  license_key activation_key ssn social_security social_security_number driver_license drivers_license license_number
  passport_number passport_id national_id tax_id credit_card card_number cvv cvc cvn bank_account account_number
  routing_number iban swift_code bic health_record medical_record patient_id insurance_number health_insurance
  medical_insurance treatment mac_address macaddr imei device_uuid facial_recognition`.split(/\s+/);

/** By name. */
export const lints: Record<string, Lint> = {
  auth_users_exposed: {
    level: "ERROR",
    category: "SECURITY",
    title: "Exposed Auth Users",
    description: "A view shows auth.users to the API",
    page: "0002_auth_users_exposed",
    sql: `select distinct t.label, t.schema, t.name, 'view', t.key,
        jsonb_build_object('exposed_to', array[case when t.anon then 'anon' else 'authenticated' end])
      from pg_depend d join pg_rewrite r on r.oid = d.objid join tables t on t.oid = r.ev_class
      where d.refobjid = 'auth.users'::regclass and (kind = 'm' or not ${INVOKER}) and ${IN_API}`,
  },
  rls_disabled_in_public: {
    level: "ERROR",
    category: "SECURITY",
    title: "RLS Disabled in Public",
    description: "A table of the API has no row level security",
    page: "0013_rls_disabled_in_public",
    sql: `select ${OF_TABLE} from tables where ${IN_API} and kind in ('r', 'p') and not secured`,
  },
  policy_exists_rls_disabled: {
    level: "ERROR",
    category: "SECURITY",
    title: "Policy Exists RLS Disabled",
    description: "A table has policies, but row level security is off",
    page: "0007_policy_exists_rls_disabled",
    sql: `select format('%s: %s', t.label, string_agg(p.policyname, ', ' order by p.policyname)), t.schema, t.name, 'table', t.key, ${NOTHING}
      from policies p join tables t on t.schema = p.schemaname and t.name = p.tablename
      where not t.secured group by t.label, t.schema, t.name, t.key`,
  },
  security_definer_view: {
    level: "ERROR",
    category: "SECURITY",
    title: "Security Definer View",
    description: "A view reads with its owner's rights (security_invoker is off)",
    page: "0010_security_definer_view",
    sql: `select label, schema, name, 'view', key, ${NOTHING} from tables where kind = 'v' and ${IN_API} and not ${INVOKER}`,
  },
  rls_references_user_metadata: {
    level: "ERROR",
    category: "SECURITY",
    title: "RLS references user metadata",
    description: "A policy trusts user_metadata, which people write themselves",
    page: "0015_rls_references_user_metadata",
    sql: `select ${OF_POLICY} from policies where condition ~ 'user_metadata|raw_user_meta_data'`,
  },
  insecure_queue_exposed_in_api: {
    level: "ERROR",
    category: "SECURITY",
    title: "Insecure Queue Exposed in API",
    description: "A queue can be read without row level security",
    page: "0019_insecure_queue_exposed_in_api",
    prefix: "rls_disabled_in_public",
    sql: `select c.oid::regclass::text, 'pgmq', c.relname, 'table', format('pgmq_%s', c.relname), ${NOTHING} from pg_class c
      where c.relnamespace = to_regnamespace('pgmq') and c.relname ~ '^q_' and c.relkind = 'r' and not c.relrowsecurity
        and 'pgmq_public' in (select schema from api)
        and (has_table_privilege('anon', c.oid, 'select') or has_table_privilege('authenticated', c.oid, 'select'))`,
  },
  fkey_to_auth_unique: {
    level: "ERROR",
    category: "SECURITY",
    title: "Foreign Key to Auth Unique Constraint",
    description: "A foreign key into auth refers to something else than a primary key",
    page: "Drop the foreign key, or let it refer to the primary key of that table.",
    sql: `select format('%s %I', t.label, c.conname), t.schema, t.name, null, format('%s_%s', t.key, c.conname),
        jsonb_build_object('foreign_key', c.conname)
      from pg_constraint c join pg_index i on i.indexrelid = c.conindid
      join tables t on t.oid = c.conrelid join pg_class f on f.oid = c.confrelid
      where c.contype = 'f' and f.relnamespace = to_regnamespace('auth') and not i.indisprimary`,
  },
  sensitive_columns_exposed: {
    level: "ERROR",
    category: "SECURITY",
    title: "Sensitive Columns Exposed",
    description: "Columns with a secret's name can be read through the API without row level security",
    page: "0023_sensitive_columns_exposed",
    sql: `select format('%s: %s', t.label, string_agg(a.attname, ', ' order by a.attname)), t.schema, t.name, 'table', t.key,
        jsonb_build_object('sensitive_columns', jsonb_agg(a.attname order by a.attname),
          'matched_patterns', jsonb_agg(distinct replace(lower(a.attname), '-', '_')))
      from tables t join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
      where t.${IN_API} and t.kind in ('r', 'p') and not t.secured
        and replace(lower(a.attname), '-', '_') = any ('{${SENSITIVE.join(",")}}')
      group by t.label, t.schema, t.name, t.key`,
  },
  function_search_path_mutable: {
    level: "WARN",
    category: "SECURITY",
    title: "Function Search Path Mutable",
    description: "A function does not set its search_path",
    page: "0011_function_search_path_mutable",
    sql: `select label, schema, proname, 'function', format('%s_%s_%s', schema, proname, md5(prosrc)), ${NOTHING}
      from functions where prokind in ('f', 'p') and not coalesce(array_to_string(proconfig, ','), '') ~ 'search_path='`,
  },
  extension_in_public: {
    level: "WARN",
    category: "SECURITY",
    title: "Extension in Public",
    description: "An extension is in schema public",
    page: "0014_extension_in_public",
    sql: `select extname::text, 'public', extname, 'extension', extname, ${NOTHING}
      from pg_extension where extnamespace = 'public'::regnamespace`,
  },
  materialized_view_in_api: {
    level: "WARN",
    category: "SECURITY",
    title: "Materialized View in API",
    description: "A materialized view can be read through the API",
    page: "0016_materialized_view_in_api",
    sql: `select label, schema, name, 'materialized view', key, ${NOTHING} from tables where kind = 'm' and ${IN_API}`,
  },
  foreign_table_in_api: {
    level: "WARN",
    category: "SECURITY",
    title: "Foreign Table in API",
    description: "A foreign table can be read through the API",
    page: "0017_foreign_table_in_api",
    sql: `select label, schema, name, 'foreign table', key, ${NOTHING} from tables where kind = 'f' and ${IN_API}`,
  },
  rls_policy_always_true: {
    level: "WARN",
    category: "SECURITY",
    title: "RLS Policy Always True",
    description: "A policy lets everybody write",
    page: "0024_permissive_rls_policy",
    sql: `select label, schemaname, tablename, 'table', key, jsonb_build_object('policy_name', policyname, 'command', cmd,
        'roles', case when 'public' = any (roles) then '{-}'::name[] else roles end, 'qual', qual, 'with_check', with_check,
        'permissive_using', reads, 'permissive_with_check', writes)
      from (select *, cmd in ('UPDATE', 'DELETE', 'ALL') and (qual is null or ${TRUE("qual")}) as reads,
          case when with_check is not null then ${TRUE("with_check")} when cmd = 'INSERT' then true
            else cmd in ('UPDATE', 'ALL') and ${TRUE("qual")} end as writes
        from policies where secured and opens) p
      where (reads or writes) and cmd <> 'SELECT'`,
  },
  rls_policy_null_auth_disjunct: {
    level: "WARN",
    category: "SECURITY",
    title: "RLS Policy True When Auth Is Null",
    description: "A policy lets in who is not signed in, by a comparison with null",
    page: "0030_rls_policy_null_auth_disjunct",
    sql: `select label, schemaname, tablename, 'table', key,
        jsonb_build_object('policy_name', policyname, 'command', cmd, 'roles', roles, 'qual', qual)
      from policies where secured and opens and cmd in ('SELECT', 'ALL') and qual is not null`,
    counts: ({ qual }) => trueWithoutCaller(String(qual)),
  },
  public_bucket_allows_listing: {
    level: "WARN",
    category: "SECURITY",
    title: "Public Bucket Allows Listing",
    description: "The files of a public bucket can be listed by everybody",
    page: "0025_public_bucket_allows_listing",
    sql: `select format('%s: %s', b.id, string_agg(p.policyname, ', ' order by p.policyname)), 'storage', b.name, 'bucket', b.id,
        jsonb_build_object('bucket_id', b.id, 'bucket_name', b.name, 'policy_count', count(*),
          'policy_names', jsonb_agg(p.policyname order by p.policyname))
      from policies p join storage.buckets b on b.public
      where p.schemaname = 'storage' and p.tablename = 'objects' and p.cmd in ('SELECT', 'ALL') and p.opens
        and (p.qual is null or ${TRUE("p.qual")}
          or regexp_replace(regexp_replace(p.qual, '^\\(*bucket_id = ', ''), '(::\\w+)?\\)*$', '') = quote_literal(b.id))
      group by b.id, b.name`,
  },
  anon_security_definer_function_executable: {
    level: "WARN",
    category: "SECURITY",
    title: "Public Can Execute SECURITY DEFINER Function",
    description: "A function with its owner's rights can be called without signing in",
    page: "0028_anon_security_definer_function_executable",
    sql: mayRun("anon"),
  },
  authenticated_security_definer_function_executable: {
    level: "WARN",
    category: "SECURITY",
    title: "Signed-In Users Can Execute SECURITY DEFINER Function",
    description: "A function with its owner's rights can be called by all who are signed in",
    page: "0029_authenticated_security_definer_function_executable",
    sql: mayRun("authenticated"),
  },
  extension_versions_outdated: {
    level: "WARN",
    category: "SECURITY",
    title: "Extension Versions Outdated",
    description: "An extension is older than the version that is there",
    page: "0022_extension_versions_outdated",
    sql: `select format('%s %s', name, installed_version), null, null, null, format('%s_%s', name, installed_version),
        jsonb_build_object('extension_name', name, 'installed_version', installed_version, 'default_version', default_version)
      from pg_available_extensions where installed_version <> default_version`,
  },
  unsupported_reg_types: {
    level: "WARN",
    category: "SECURITY",
    title: "Unsupported reg types",
    description: "A column has a type that an upgrade of Postgres cannot carry along",
    page: "unsupported_reg_types",
    sql: `select t.label || '.' || a.attname, t.schema, t.name, 'table', format('%s_%s', t.key, a.attname),
        jsonb_build_object('column', a.attname)
      from tables t join pg_attribute a on a.attrelid = t.oid join pg_type y on y.oid = a.atttypid
      where t.kind in ('r', 'p') and a.attnum > 0 and y.typnamespace = 'pg_catalog'::regnamespace and y.typname ~ '^reg(?!class|role|type)'`,
  },
  rls_enabled_no_policy: {
    level: "INFO",
    category: "SECURITY",
    title: "RLS Enabled No Policy",
    description: "A table has row level security and no policy: nobody reads it",
    page: "0008_rls_enabled_no_policy",
    sql: `select ${OF_TABLE} from tables t where secured and not exists (select 1 from pg_policy p where p.polrelid = t.oid)`,
  },
  auth_rls_initplan: {
    level: "WARN",
    category: "PERFORMANCE",
    title: "Auth RLS Initialization Plan",
    description: "A policy calls an auth function for each row; wrap it: (select auth.uid())",
    page: "0003_auth_rls_initplan",
    prefix: "auth_rls_init_plan",
    sql: `select ${OF_POLICY} from policies where secured and schemaname not in ('storage', 'realtime')
      and regexp_replace(condition, '\\(\\s*SELECT (auth\\.\\w+|current_setting)\\(', '', 'gi') ~ '(auth\\.(uid|jwt|role|email)|current_setting)\\('`,
  },
  multiple_permissive_policies: {
    level: "WARN",
    category: "PERFORMANCE",
    title: "Multiple Permissive Policies",
    description: "Several permissive policies for one role and command: each is evaluated",
    page: "0006_multiple_permissive_policies",
    sql: `select format('%I.%I %s: %s', p.schemaname, p.tablename, command, string_agg(p.policyname, ', ' order by p.policyname)),
        p.schemaname, p.tablename, 'table', format('%s_%s_%s_%s', p.schemaname, p.tablename, role, command), ${NOTHING}
      from policies p
      cross join unnest(case when 'public' = any (p.roles) then '{anon,authenticated,authenticator,dashboard_user}'::name[] else p.roles end) role
      cross join unnest(case p.cmd when 'ALL' then '{SELECT,INSERT,UPDATE,DELETE}'::text[] else array[p.cmd] end) command
      where p.permissive = 'PERMISSIVE' and p.schemaname not in ('storage', 'realtime')
      group by p.schemaname, p.tablename, role, command having count(*) > 1`,
  },
  duplicate_index: {
    level: "WARN",
    category: "PERFORMANCE",
    title: "Duplicate Index",
    description: "Indexes are the same",
    page: "0009_duplicate_index",
    sql: `select format('%s: %s', label, array_to_string(indexes, ', ')), schema, name, case kind when 'm' then 'materialized view' else 'table' end,
        format('%s_%s', key, indexes), jsonb_build_object('indexes', indexes)
      from (select t.label, t.schema, t.name, t.kind, t.key, array_agg(c.relname order by c.relname) as indexes
        from pg_index i join tables t on t.oid = i.indrelid join pg_class c on c.oid = i.indexrelid
        group by t.label, t.schema, t.name, t.kind, t.key,
          regexp_replace(pg_get_indexdef(i.indexrelid), '^CREATE (UNIQUE )?INDEX \\S+ ', '\\1') having count(*) > 1) i`,
  },
  invalid_index: {
    level: "WARN",
    category: "PERFORMANCE",
    title: "Invalid Index",
    description: "An index is broken, and is not used",
    page: "0030_invalid_index",
    sql: `select format('%s: %s', t.label, c.relname), t.schema, t.name, 'table', format('%s_%s', t.key, c.relname),
        jsonb_build_object('index_name', c.relname)
      from pg_index i join tables t on t.oid = i.indrelid join pg_class c on c.oid = i.indexrelid
      where i.indisready and not i.indisvalid and c.relkind = 'i'
        and not exists (select 1 from pg_stat_progress_create_index s where s.index_relid = c.oid)`,
  },
  unused_replication_slot: {
    level: "WARN",
    category: "PERFORMANCE",
    title: "Unused Replication Slot",
    description: "Nobody reads a replication slot, and it keeps the log or has lost it",
    page: "0031_unused_replication_slot",
    sql: `select format('%s (%s)', slot_name, wal_status), null, null, 'replication_slot', format('%s_%s', slot_name, wal_status),
        jsonb_build_object('entity', slot_name, 'slot_type', slot_type, 'wal_status', wal_status, 'plugin', plugin, 'database', database)
      from pg_replication_slots where not active and wal_status in ('unreserved', 'lost')`,
  },
  autovacuum_disabled: {
    level: "INFO",
    category: "PERFORMANCE",
    title: "Autovacuum Disabled",
    description: "A table is never vacuumed by itself",
    page: "0030_autovacuum_disabled",
    sql: `select ${OF_TABLE} from tables where exists (select 1 from unnest(options) o where o ~ 'autovacuum_enabled=(false|off|0|no)')`,
  },
  unindexed_foreign_keys: {
    level: "INFO",
    category: "PERFORMANCE",
    title: "Unindexed foreign keys",
    description: "A foreign key has no index that begins with its columns",
    page: "0001_unindexed_foreign_keys",
    sql: `select format('%s %I', t.label, c.conname), t.schema, t.name, 'table', format('%s_%s', t.key, c.conname),
        jsonb_build_object('fkey_name', c.conname, 'fkey_columns', c.conkey)
      from pg_constraint c join tables t on t.oid = c.conrelid
      where c.contype = 'f' and c.conparentid = 0 and not exists (
        select 1 from pg_index i where i.indrelid = c.conrelid and i.indisvalid and i.indpred is null
          and (i.indkey::int2[])[0:cardinality(c.conkey) - 1] @> c.conkey)`,
  },
  unused_index: {
    level: "INFO",
    category: "PERFORMANCE",
    title: "Unused Index",
    description: "An index has not been used since the statistics began",
    page: "0005_unused_index",
    sql: `select format('%s: %s', t.label, s.indexrelname), t.schema, t.name, 'table', format('%s_%s', t.key, s.indexrelname), ${NOTHING}
      from pg_stat_user_indexes s join pg_index i using (indexrelid) join tables t on t.oid = s.relid
      where s.idx_scan = 0 and not i.indisunique`,
  },
  table_bloat: {
    level: "INFO",
    category: "PERFORMANCE",
    title: "Table Bloat",
    description: "A table takes over 70 times the pages of its rows, more than 20 MB too many",
    page: "Give the room back by vacuum full, which locks the table meanwhile, or let autovacuum run more often.",
    // A row: its header, and each column as wide as the statistics say. A page has 20 bytes that are no row's.
    sql: `select ${OF_TABLE} from tables join pg_class c using (oid)
      cross join lateral (select ceil(c.reltuples * (32 + coalesce(sum(s.avg_width * (1 - s.null_frac)), 0)) / (page - 20)) as needed, page
        from current_setting('block_size') p(size), lateral (select size::numeric as page) b
        left join pg_stats s on s.schemaname = schema and s.tablename = name group by page) size
      where kind = 'r' and needed > 0 and c.relpages > 70 * needed and (c.relpages - needed) * page > 20 * 1024 * 1024`,
  },
  no_primary_key: {
    level: "INFO",
    category: "PERFORMANCE",
    title: "No Primary Key",
    description: "A table has no primary key",
    page: "0004_no_primary_key",
    sql: `select ${OF_TABLE} from tables t where kind in ('r', 'p') and not exists (select 1 from pg_index i where i.indrelid = t.oid and i.indisprimary)`,
  },
};
