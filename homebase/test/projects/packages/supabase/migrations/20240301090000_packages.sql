-- A package of one's own, and the helpers for tests from database.dev.
create extension if not exists http with schema extensions;
create extension if not exists pg_tle;
create extension if not exists pgtap with schema extensions;

select pgtle.uninstall_extension_if_exists('supabase-dbdev');
drop extension if exists "supabase-dbdev";
select pgtle.install_extension('supabase-dbdev', package ->> 'version', 'PostgreSQL package manager', package ->> 'sql')
from http((
    'GET', 'https://api.database.dev/rest/v1/package_versions?select=sql,version&package_name=eq.supabase-dbdev&order=version.desc&limit=1',
    array[('apiKey', 'public')::http_header], null, null
  )) answer,
  lateral (select answer.content::json -> 0) found (package);
create extension "supabase-dbdev";
select dbdev.install('supabase-dbdev');
select dbdev.install('basejump-supabase_test_helpers');
create extension if not exists "basejump-supabase_test_helpers" version '0.0.6';

create schema badges;
select pgtle.install_extension('club-badges', '1.0.0', 'Badges of members', $badges$
  create table @extschema@.badge (id int primary key, name text not null);
  alter table @extschema@.badge enable row level security;
  create function @extschema@.count_badges() returns bigint language sql stable set search_path = @extschema@ as 'select count(*) from badge';
$badges$);
create extension "club-badges" schema badges version '1.0.0';
insert into badges.badge values (1, 'early'), (2, 'loyal');
create function public.badge_count() returns bigint language sql security definer as 'select badges.count_badges()';
