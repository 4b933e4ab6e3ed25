create schema app;
grant usage on schema app to authenticated, anon;
create table app.orgs (id int primary key, name text, plan text not null default 'free', owner uuid);
create table app.members (org int references app.orgs, uid uuid, role text not null default 'member', active boolean default true, primary key (org, uid));
create table app.follows (follower uuid, followed uuid, status text default 'pending', primary key (follower, followed));
create table app.grants (item int, uid uuid, level int, until timestamptz, primary key (item, uid));
create table app.blocks (by_user uuid, blocked uuid, primary key (by_user, blocked));
create table app.folders (id int primary key, parent int references app.folders, owner uuid, shared boolean default false);
create table app.profiles (id uuid primary key, role text, locale text, age int, private boolean default false);
create table app.tags (item int, tag text, primary key (item, tag));
insert into app.orgs values (1, 'Kitchen', 'pro', '00000000-0000-4000-8000-0000000000a1'), (2, 'Bar', 'free', '00000000-0000-4000-8000-0000000000b2'), (3, 'Empty', 'free', null);
insert into app.members values (1, '00000000-0000-4000-8000-0000000000a1', 'admin', true), (1, '00000000-0000-4000-8000-0000000000b2', 'guest', true),
  (2, '00000000-0000-4000-8000-0000000000b2', 'member', false), (3, '00000000-0000-4000-8000-0000000000a1', 'invited', true);
insert into app.follows values ('00000000-0000-4000-8000-0000000000b2', '00000000-0000-4000-8000-0000000000a1', 'pending');
insert into app.grants values (1, '00000000-0000-4000-8000-0000000000b2', 1, '2020-01-01'), (2, '00000000-0000-4000-8000-0000000000a1', 3, null);
insert into app.blocks values ('00000000-0000-4000-8000-0000000000a1', '00000000-0000-4000-8000-0000000000b2');
insert into app.folders values (1, null, '00000000-0000-4000-8000-0000000000a1', false), (2, 1, '00000000-0000-4000-8000-0000000000a1', true), (3, null, null, false);
insert into app.profiles values ('00000000-0000-4000-8000-0000000000a1', 'editor', 'de', 40, false), ('00000000-0000-4000-8000-0000000000b2', 'reader', 'en', 15, true);
insert into app.tags values (1, 'secret'), (2, 'food');
create function app.is_member(org int) returns boolean language sql stable security definer set search_path = ''
  as $$ select exists (select 1 from app.members m where m.org = is_member.org and m.uid = auth.uid() and m.active) $$;
create function app.role_in(org int) returns text language sql stable security definer set search_path = ''
  as $$ select m.role from app.members m where m.org = role_in.org and m.uid = auth.uid() and m.active $$;
create function app.my_orgs() returns setof int language sql stable security definer set search_path = ''
  as $$ select m.org from app.members m where m.uid = auth.uid() and m.active $$;
create function app.level_of(item int) returns int language plpgsql stable security definer set search_path = ''
  as $$ begin return (select g.level from app.grants g where g.item = level_of.item and g.uid = auth.uid()); end $$;
create function app.has_role(wanted text) returns boolean language sql stable
  as $$ select coalesce(auth.jwt() -> 'app_metadata' ->> 'role' = wanted, false) $$;
create function app.my_role() returns text language sql stable security definer set search_path = ''
  as $$ select p.role from app.profiles p where p.id = auth.uid() $$;
create function app.tenant() returns int language sql stable as $$ select nullif(auth.jwt() ->> 'tenant', '')::int $$;
create function app.can_edit(item int, org int) returns boolean language plpgsql stable security definer set search_path = ''
  as $$ begin
    if exists (select 1 from app.members m where m.org = can_edit.org and m.uid = auth.uid() and m.role = 'admin') then return true; end if;
    return exists (select 1 from app.grants g where g.item = can_edit.item and g.uid = auth.uid() and g.level > 1);
  end $$;
grant execute on all functions in schema app to anon, authenticated;
grant select on all tables in schema app to anon, authenticated;
