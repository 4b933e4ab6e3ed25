/**
 * Owns what the login of assistants may read: every table and view of the project, but for the secrets of Auth and Vault.
 * It has its own grants, since `pg_read_all_data` cannot be narrowed by any REVOKE. They are made where they are missing
 * before each call, so that migrations, new databases and objects of any owner are met alike.
 */
import type { Database } from "../../src/postgres/database.ts";

/** The columns that sign somebody in, or prove an identity, by table. A test compares them with those that there are. */
export const WITHHELD: Readonly<Record<string, readonly string[]>> = {
  "auth.custom_oauth_providers": ["client_secret"],
  "auth.flow_state": [
    "auth_code",
    "code_challenge",
    "invite_token",
    "provider_access_token",
    "provider_refresh_token",
  ],
  "auth.instances": ["raw_base_config"],
  "auth.mfa_challenges": ["otp_code", "web_authn_session_data"],
  "auth.mfa_factors": ["last_webauthn_challenge_data", "secret", "web_authn_credential"],
  "auth.mfa_recovery_codes": ["code_hash"],
  "auth.oauth_authorizations": ["authorization_code", "code_challenge", "nonce", "state"],
  "auth.oauth_client_states": ["code_verifier"],
  "auth.oauth_clients": ["client_secret_hash"],
  "auth.one_time_tokens": ["token_hash"],
  "auth.refresh_tokens": ["parent", "token"],
  "auth.sessions": ["refresh_token_hmac_key"],
  "auth.users": [
    "confirmation_token",
    "email_change_token_current",
    "email_change_token_new",
    "encrypted_password",
    "phone_change_token",
    "reauthentication_token",
    "recovery_token",
  ],
  "auth.webauthn_challenges": ["session_data"],
  "storage.s3_multipart_uploads": ["upload_signature"],
  "vault.secrets": ["nonce", "secret"],
};

/**
 * Whole relations are withheld too: foreign tables, whose server may be this one with another login, and views that
 * read what is withheld, since they read with their owner's rights. A row as a whole has attribute number 0 in a view's tree,
 * and no dependency on columns.
 */
const KNOWN = `
  with recursive secret as (
    select a.attrelid, a.attnum, a.attname
    from unnest($1::text[], $2::text[]) w("table", "column")
    join pg_attribute a on a.attrelid = to_regclass(w."table") and a.attname = w."column"
  ), reads as (
    select v.oid as view, d.refobjid as relid, d.refobjsubid as attnum, r.ev_action::text like '%:varattno 0 %' as whole
    from pg_depend d join pg_rewrite r on r.oid = d.objid join pg_class v on v.oid = r.ev_class and v.relkind in ('v', 'm')
    where d.classid = 'pg_rewrite'::regclass and d.refclassid = 'pg_class'::regclass
      and v.relnamespace <> 'pg_catalog'::regnamespace and v.relnamespace <> 'information_schema'::regnamespace
  ), closed as (
    select oid from pg_class where relkind = 'f'
    union
    select r.view from secret s join reads r on r.relid = s.attrelid and (r.attnum = s.attnum or r.whole)
    union
    select r.view from closed c join reads r on r.relid = c.oid
  ), relation as (
    select c.oid, c.relacl, format('%I.%I', n.nspname, c.relname) as name,
      c.oid in (select oid from closed) as closed, c.oid in (select attrelid from secret) as part
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm', 'f') and left(n.nspname, 3) <> 'pg_' and n.nspname <> 'information_schema'
  ), shut as (
    select r.oid, r.name, null::name as "column" from relation r where r.closed
    union all
    select r.oid, r.name, s.attname from secret s join relation r on r.oid = s.attrelid
  )`;

/** The statements that make the rights right. */
const CHANGES = `${KNOWN}
  select format('revoke all on %s from homebase_reader', r.name) as statement, true as needed
  from relation r where (r.closed or r.part) and exists
    (select from aclexplode(r.relacl) a where a.grantee = 'homebase_reader'::regrole)
  union all
  select format('revoke all (%I) on %s from homebase_reader', "column", s.name), true
  from shut s join pg_attribute a on a.attrelid = s.oid and a.attname = s."column"
  where exists (select from aclexplode(a.attacl) x where x.grantee = 'homebase_reader'::regrole)
  union all
  select format('grant usage on schema %I to homebase_reader', n.nspname), false from pg_namespace n
  where left(n.nspname, 3) <> 'pg_' and not has_schema_privilege('homebase_reader', n.oid, 'usage')
  union all
  select format('grant select on %s to homebase_reader', r.name), false from relation r
  where not r.closed and not r.part and not has_table_privilege('homebase_reader', r.oid, 'select')
  union all
  select format('grant select (%s) on %s to homebase_reader', string_agg(quote_ident(a.attname), ', '), r.name), false
  from relation r join pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
  where r.part and not r.closed and not has_column_privilege('homebase_reader', r.oid, a.attnum, 'select')
    and not exists (select from secret s where s.attrelid = r.oid and s.attnum = a.attnum)
  group by r.name`;

/** Withheld relations and columns that are readable by a grant to everybody, or to a role of this login. */
const OPEN = `${KNOWN}
  select s.name || coalesce('.' || s."column", '') as name from shut s
  where case when s."column" is null then has_any_column_privilege('homebase_reader', s.oid, 'select')
    else has_column_privilege('homebase_reader', s.oid, s."column", 'select') end
  order by 1`;

const TABLES = Object.entries(WITHHELD).flatMap(([table, columns]) => columns.map(() => table));
const COLUMNS = Object.values(WITHHELD).flat();
/** A migration may hold a table's entry in the catalogue for as long as it takes. */
const LOCK_TIMEOUT = "set local lock_timeout = '500ms'";

/** What a call of {@link renewRights} found. */
export interface Rights {
  /** Whether something that is withheld was readable before it. */
  narrowed: boolean;
  /** Withheld relations and columns that a project has granted to everybody, or to a role of this login. */
  open: string[];
}

/** Makes the rights right. @throws Postgres's error where a right could not be taken. */
export async function renewRights(database: Database): Promise<Rights> {
  const changes = await database.query<{ statement: string; needed: boolean }>("supabase_admin", CHANGES, [
    TABLES,
    COLUMNS,
  ]);
  for (const { statement, needed } of changes.rows) {
    await database
      .transaction("supabase_admin", async (client) => {
        await client.query(LOCK_TIMEOUT);
        await client.query(statement);
      })
      // A table that is being changed or dropped meanwhile is not readable in this call.
      .catch((error: unknown) => {
        if (needed) throw error;
      });
  }
  const open = await database.query<{ name: string }>("supabase_admin", OPEN, [TABLES, COLUMNS]);
  return { narrowed: changes.rows.some(({ needed }) => needed), open: open.rows.map(({ name }) => name) };
}
