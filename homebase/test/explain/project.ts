/** Owns a small project of notes in teams, whose policies have the shapes that projects have. */

export const USERS = {
  ana: "00000000-0000-4000-8000-0000000000a1",
  ben: "00000000-0000-4000-8000-0000000000a2",
};

export const PROJECT = `
insert into auth.users (id, email, role, aud) values
  ('${USERS.ana}', 'ana@example.com', 'authenticated', 'authenticated'),
  ('${USERS.ben}', 'ben@example.com', 'authenticated', 'authenticated');
create schema private;
create table public.teams (id int primary key, name text);
create table public.team_members (team_id int references public.teams, user_id uuid, role text,
  primary key (team_id, user_id));
create table public.notes (id int primary key, team_id int references public.teams, owner_id uuid, title text,
  done boolean not null default false, secret text);
create table public.comments (id int primary key, note_id int references public.notes, body text);
create table public.tags (id int primary key, label text);
create table public.audit (id int primary key, what text);
create table public.drafts (id int primary key, team_id int);
insert into public.teams values (1, 'Kitchen'), (2, 'Bar'), (3, 'Empty');
insert into public.team_members values (1, '${USERS.ana}', 'admin'), (1, '${USERS.ben}', 'guest'), (2, '${USERS.ben}', 'guest');
insert into public.notes values
  (1, 1, '${USERS.ana}', 'Menu', false, 'x'), (2, 2, '${USERS.ben}', 'Drinks', false, 'y'),
  (3, 3, null, 'Orphan', true, 'z'), (4, 1, '${USERS.ben}', 'Prices', true, 'w');
insert into public.comments values (1, 1, 'Soup?'), (2, 2, 'Gin?');
insert into public.tags values (1, 'a');
insert into public.audit values (1, 'login');
insert into public.drafts values (1, 1), (2, 2);
create function private.my_teams() returns setof int language sql stable security definer set search_path = public
  as 'select m.team_id from team_members m where m.user_id = (select auth.uid());';
create function private.is_admin(team int) returns boolean language sql stable security definer set search_path = ''
  begin atomic select exists (select 1 from public.team_members m
    where m.team_id = is_admin.team and m.user_id = auth.uid() and m.role = 'admin'); end;
grant usage on schema private to authenticated;
alter table public.teams enable row level security;
alter table public.team_members enable row level security;
alter table public.notes enable row level security;
alter table public.comments enable row level security;
alter table public.audit enable row level security;
alter table public.drafts enable row level security;
create policy "members read teams" on public.teams for select to authenticated using (id in (select private.my_teams()));
create policy "people see themselves" on public.team_members for select to authenticated
  using (user_id = (select auth.uid()) and role <> 'guest');
create policy "members read notes" on public.notes for select to authenticated
  using (team_id in (select private.my_teams()) or owner_id = (select auth.uid()));
create policy "read with the note" on public.comments for select to authenticated
  using (exists (select 1 from public.notes n where n.id = comments.note_id));
create policy "admins write audit" on public.audit for insert to authenticated with check (true);
create policy "admins read audit" on public.audit for select to service_role using (true);
create policy "members read drafts" on public.drafts for select to authenticated
  using (exists (select 1 from public.team_members m where m.team_id = drafts.team_id and m.user_id = auth.uid()));
create policy "admins only" on public.drafts as restrictive for select to authenticated
  using (private.is_admin(team_id));
create table public.tasks (id bigint generated always as identity primary key, team_id int,
  owner_id uuid not null default auth.uid(), state text default 'open', title text,
  length int generated always as (length(title)) stored);
insert into public.tasks (team_id, owner_id, state, title) values
  (1, '${USERS.ana}', 'open', 'Shop'), (1, '${USERS.ben}', 'open', 'Cook'), (1, '${USERS.ana}', 'locked', 'Pay');
alter table public.tasks enable row level security;
create policy "members read tasks" on public.tasks for select to authenticated
  using (team_id in (select private.my_teams()));
create policy "own tasks" on public.tasks for all to authenticated
  using (owner_id = (select auth.uid())) with check (owner_id = (select auth.uid()) and state <> 'locked');
create policy "locked stay" on public.tasks as restrictive for update to authenticated using (state = 'open');
create policy "invite" on public.team_members for insert to authenticated with check (private.is_admin(team_id));
create table public.profiles (id uuid primary key, role text, org int);
insert into public.profiles values ('${USERS.ana}', 'member', 1), ('${USERS.ben}', 'admin', 2);
create table public.reports (id int primary key, org int, author uuid);
insert into public.reports values (1, 1, '${USERS.ana}'), (2, 2, '${USERS.ben}'), (3, 9, null);
alter table public.reports enable row level security;
create policy "org reads" on public.reports for select to authenticated
  using (org = (select p.org from public.profiles p where p.id = auth.uid()));
create policy "only admins" on public.reports as restrictive for select to authenticated
  using ((select p.role from public.profiles p where p.id = (select auth.uid())) = 'admin');
create policy "guests never" on public.reports as restrictive for select to anon using (author = auth.uid());
create policy "anon reads" on public.reports for select to anon using (true);
create function public.may_see(_team int, _user uuid) returns boolean language sql stable
  return exists (select 1 from public.team_members m where m.team_id = _team and m.user_id = _user);
create table public.files (id int primary key, team_id int);
insert into public.files values (1, 1), (2, 2);
alter table public.files enable row level security;
create policy "team files" on public.files for select to authenticated
  using (auth.uid() in (select m.user_id from public.team_members m where m.team_id = files.team_id));
create policy "team files by name" on public.files as restrictive for select to authenticated
  using (public.may_see(_user => auth.uid(), _team => team_id));
create table public.loops (id int primary key);
insert into public.loops values (1);
alter table public.loops enable row level security;
create policy "loop" on public.loops for select to authenticated
  using (exists (select 1 from public.loops l where l.id = loops.id));
create view public.all_notes as select * from public.notes;
create view public.my_notes with (security_invoker = true) as select * from public.notes;
revoke all on public.tags from anon, authenticated;
revoke select on public.notes from anon;
grant select on public.tags to service_role;
grant select (id) on public.tags to authenticated;
`;
