-- What `supabase db advisors` looks for (the lints of supabase/splinter, by their names), asked of the catalogue by
-- queries of our own: a list that is empty, except for what is accepted with a reason. Not here, because they look at
-- traffic or at the server and not at the schema: unused_index, table_bloat, extension_versions_outdated,
-- unused_replication_slot.
begin;
create extension if not exists pgtap with schema extensions;

create temporary table accepted (lint text, found text, reason text);
insert into accepted
  select 'authenticated_security_definer_function_executable', p.oid::regprocedure::text,
    'the transitions of the product: each says who may call it, and function_roles.sql holds all roles'
  from pg_proc as p
  where p.pronamespace = 'public'::regnamespace and p.prosecdef and has_function_privilege('authenticated', p.oid, 'execute');
insert into accepted values
  ('anon_security_definer_function_executable', 'preview_invite(text)', 'who is invited sees title, host and number before signing in'),
  ('anon_security_definer_function_executable', 'namesake(text,text,uuid)', 'who is invited hears that a name is taken, before they join under it'),
  ('anon_security_definer_function_executable', 'preview_plan(uuid)', 'who has a plan''s address sees title, host and number before signing in'),
  ('anon_security_definer_function_executable', 'calendar_of_feed(text)', 'calendar apps have no session; the token is a secret of 24 bytes'),
  ('anon_security_definer_function_executable', 'mail_choice(uuid)', 'the link in a mail works without signing in; its token is random'),
  ('anon_security_definer_function_executable', 'choose_mail(uuid,boolean,boolean)', 'the link in a mail works without signing in; its token is random'),
  ('anon_security_definer_function_executable', 'confirm_address(text)', 'the link in a mail works without signing in; its token is random'),
  ('anon_security_definer_function_executable', 'open_personal_link(text)', 'a guest opens their own link on another device; its token is a secret');
-- Guests have the role authenticated: policies decide about their rights, and row_policies.sql tests them.
insert into accepted
  select distinct 'auth_allow_anonymous_sign_ins', format('%s.%s', schemaname, tablename), 'guests are people'
  from pg_policies where schemaname in ('public', 'storage', 'realtime');

create temporary view tables as
  select c.oid, n.nspname as schema, c.relname as name, format('%s.%s', n.nspname, c.relname) as said, c.relkind as kind,
    c.relrowsecurity as secured, coalesce(c.reloptions, '{}') as options
  from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
  where n.nspname in ('public', 'private')
    and not exists (select 1 from pg_depend as d where d.objid = c.oid and d.deptype = 'e');
create temporary view policies as
  select p.*, format('%s.%s: %s', p.schemaname, p.tablename, p.policyname) as said,
    concat_ws(' ', p.qual, p.with_check) as condition
  from pg_policies as p where p.schemaname in ('public', 'private', 'storage', 'realtime');
create temporary view functions as
  select p.*, p.oid::regprocedure::text as said from pg_proc as p
  where p.pronamespace in ('public'::regnamespace, 'private'::regnamespace)
    and not exists (select 1 from pg_depend as d where d.objid = p.oid and d.deptype = 'e');

create temporary table lints (lint text, says text, query text);
insert into lints values
  ('unindexed_foreign_keys', 'a foreign key is the beginning of an index', $$
    select c.conrelid::regclass || ' ' || c.conname from pg_constraint as c join tables as t on t.oid = c.conrelid
    where c.contype = 'f' and not exists (
      select 1 from pg_index as i where i.indrelid = c.conrelid and i.indisvalid and i.indpred is null
        and (i.indkey::int2[])[0:cardinality(c.conkey) - 1] operator(pg_catalog.@>) c.conkey)$$),
  ('auth_users_exposed', 'no view shows auth.users', $$
    select distinct r.ev_class::regclass::text from pg_depend as d join pg_rewrite as r on r.oid = d.objid
      join tables as t on t.oid = r.ev_class where d.refobjid = 'auth.users'::regclass$$),
  ('auth_rls_initplan', 'policies call auth functions once a statement', $$
    select said from policies
    where regexp_replace(condition, '\(\s*SELECT (auth\.\w+|current_setting)\(', '', 'gi') ~ '(auth\.\w+|current_setting)\('$$),
  ('no_primary_key', 'a table has a primary key', $$
    select said from tables as t where kind in ('r', 'p')
      and not exists (select 1 from pg_index as i where i.indrelid = t.oid and i.indisprimary)$$),
  ('multiple_permissive_policies', 'one policy a table, command and role', $$
    select format('%s.%s %s %s', p.schemaname, p.tablename, role, command)
    from policies as p
    cross join unnest(case when 'public' = any (p.roles) then '{anon,authenticated}' else p.roles end) as role
    cross join unnest(case p.cmd when 'ALL' then '{SELECT,INSERT,UPDATE,DELETE}' else array[p.cmd] end) as command
    where p.permissive = 'PERMISSIVE' and p.schemaname in ('public', 'private')
    group by p.schemaname, p.tablename, role, command having count(*) > 1$$),
  ('policy_exists_rls_disabled', 'policies are of tables with row security', $$
    select p.said from policies as p
    join pg_class as c on c.oid = format('%I.%I', p.schemaname, p.tablename)::regclass where not c.relrowsecurity$$),
  ('rls_enabled_no_policy', 'row security has policies', $$
    select said from tables as t where secured and not exists (select 1 from pg_policy as p where p.polrelid = t.oid)$$),
  ('duplicate_index', 'no index twice', $$
    select min(i.indexrelid::regclass::text) from pg_index as i join tables as t on t.oid = i.indrelid
    group by i.indrelid, regexp_replace(pg_get_indexdef(i.indexrelid), 'CREATE (UNIQUE )?INDEX \S+ ', '')
    having count(*) > 1$$),
  ('security_definer_view', 'views have the rights of who reads them', $$
    select said from tables where kind = 'v' and schema = 'public' and not 'security_invoker=true' = any (options)$$),
  ('function_search_path_mutable', 'functions set their search_path', $$
    select said from functions where not coalesce(array_to_string(proconfig, ','), '') ~ 'search_path='$$),
  ('auth_allow_anonymous_sign_ins', 'policies are closed to guests', $$
    select distinct format('%s.%s', schemaname, tablename) from policies
    where roles && '{public,authenticated}'::name[] and condition !~ 'is_anonymous'$$),
  ('rls_disabled_in_public', 'tables of the API have row security', $$
    select said from tables where schema = 'public' and kind in ('r', 'p') and not secured$$),
  ('extension_in_public', 'no extension in public', $$
    select extname from pg_extension where extnamespace = 'public'::regnamespace and extname <> 'plpgsql'$$),
  ('rls_references_user_metadata', 'policies do not believe what a person writes about themselves', $$
    select said from policies where condition ~ 'user_metadata|raw_user_meta_data'$$),
  ('materialized_view_in_api', 'no materialized view in the API', $$
    select said from tables where schema = 'public' and kind = 'm'$$),
  ('foreign_table_in_api', 'no foreign table in the API', $$select said from tables where schema = 'public' and kind = 'f'$$),
  ('unsupported_reg_types', 'no column that an upgrade cannot carry along', $$
    select t.said || '.' || a.attname from tables as t join pg_attribute as a on a.attrelid = t.oid
    where t.kind in ('r', 'p') and a.attnum > 0 and format_type(a.atttypid, null) ~ '^reg(?!class|role|type)'$$),
  ('insecure_queue_exposed_in_api', 'no queue in the API', $$
    select c.relname::text from pg_class as c where c.relnamespace = to_regnamespace('pgmq') and c.relname like 'q\_%'
      and not c.relrowsecurity$$),
  ('fkey_to_auth_unique', 'foreign keys into auth are to primary keys', $$
    select c.conrelid::regclass || ' ' || c.conname from pg_constraint as c join pg_index as i on i.indexrelid = c.conindid
    where c.contype = 'f' and i.indrelid::regclass::text like 'auth.%' and not i.indisprimary
      and c.connamespace in ('public'::regnamespace, 'private'::regnamespace)$$),
  ('sensitive_columns_exposed', 'no secret in a column that people may read', $$
    select t.said || '.' || a.attname from tables as t join pg_attribute as a on a.attrelid = t.oid
    where t.schema = 'public' and a.attnum > 0 and a.attname ~ '(password|secret|token|ssn|card|iban|api_?key)'
      and (has_column_privilege('anon', t.oid, a.attnum, 'select')
        or has_column_privilege('authenticated', t.oid, a.attnum, 'select'))$$),
  ('rls_policy_always_true', 'no policy is for everybody', $$
    select said from policies where permissive = 'PERMISSIVE'
      and (coalesce(qual, '') ~* '^\(*(true|1 = 1)\)*$' or coalesce(with_check, '') ~* '^\(*(true|1 = 1)\)*$'
        or cmd in ('UPDATE', 'DELETE', 'ALL') and qual is null or cmd = 'INSERT' and with_check is null)$$),
  ('rls_policy_null_auth_disjunct', 'no policy lets in who is nobody', $$
    select said from policies where condition ~* '(caller|uid|jwt|role)\(\)( AS \w+)?\)*\s+IS NULL'$$),
  ('public_bucket_allows_listing', 'public files are not listed', $$
    select p.said from policies as p join storage.buckets as b on b.public
    where p.schemaname = 'storage' and p.cmd in ('SELECT', 'ALL')
      and p.qual ~ format('^\(*bucket_id = ''%s''(::\w+)?\)*$', b.id)$$),
  ('pg_graphql_anon_table_exposed', 'who is signed out reads no table', $$
    select said from tables where schema = 'public' and kind in ('r', 'p', 'v') and has_table_privilege('anon', oid, 'select')$$),
  ('anon_security_definer_function_executable', 'who is signed out calls little', $$
    select said from functions where pronamespace = 'public'::regnamespace and prosecdef
      and has_function_privilege('anon', oid, 'execute')$$),
  ('authenticated_security_definer_function_executable', 'who is signed in calls what is theirs', $$
    select said from functions where pronamespace = 'public'::regnamespace and prosecdef
      and has_function_privilege('authenticated', oid, 'execute')$$),
  ('invalid_index', 'no index is broken', $$
    select indexrelid::regclass::text from pg_index as i join tables as t on t.oid = i.indrelid
    where not (indisvalid and indisready)$$),
  ('autovacuum_disabled', 'tables are vacuumed', $$
    select said from tables where exists (select 1 from unnest(options) as o where o ~ 'autovacuum_enabled=(false|off|0|no)')$$);

create function pg_temp.findings(lint text) returns setof text language plpgsql as $$
begin
  return query execute 'select found::text from (' || (select l.query from lints as l where l.lint = findings.lint)
    || ') as findings (found)';
end $$;

select plan((select count(*)::integer from lints) + 2);
select is_empty(
  format('select found from pg_temp.findings(%L) as found except select found from accepted where lint = %L', lint, lint),
  format('%s: %s', lint, says)) from lints;
select is_empty(
  $$select a.lint || ' ' || a.found from accepted as a where a.found not in (select f from pg_temp.findings(a.lint) as f)$$,
  'what is accepted is still there');
-- Each query finds an example of its issue.
create table public.trial (id integer, plan_id uuid references public.plans (id), api_key text);
grant select on public.trial to anon, authenticated;
create index trial_one on public.trial (id);
create index trial_two on public.trial (id);
create view public.trial_users as select id from auth.users;
create materialized view public.trial_kept as select 1 as one;
create function public.trial_path() returns integer language sql security definer as 'select 1';
grant execute on function public.trial_path() to anon, authenticated;
create table public.trial_policies (id uuid primary key);
create policy "all" on public.trial_policies to authenticated using (true) with check (auth.uid() = id);
create policy "other" on public.trial_policies for select to public
  using (auth.uid() is null or auth.jwt() -> 'user_metadata' is not null);
create table public.trial_closed (id uuid primary key, kind regproc) with (autovacuum_enabled = false);
alter table public.trial_closed enable row level security;
create policy "lists" on storage.objects for select to anon using (bucket_id = 'avatars');
insert into storage.buckets (id, name, public) values ('avatars', 'avatars', true)
  on conflict (id) do update set public = true;
select is_empty(
  $$select lint from lints where lint not in ('foreign_table_in_api', 'insecure_queue_exposed_in_api', 'fkey_to_auth_unique',
      'invalid_index', 'extension_in_public')
    and not exists (
      select 1 from pg_temp.findings(lint) as found
      where found ~ 'trial|storage.objects: lists' )$$,
  'each lint finds what it is for');

select * from finish();
rollback;
