-- Circles: people who eat together again and again. Membership changes only through functions.

create table public.circles (
  id uuid primary key default gen_random_uuid(),
  name text not null check (private.is_text(name, 1, 80)),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table public.circle_members (
  circle_id uuid not null references public.circles (id) on delete cascade,
  user_id uuid not null references public.profiles (id) on delete cascade,
  role public.circle_role not null default 'member',
  joined_at timestamptz not null default now(),
  primary key (circle_id, user_id)
);

create index circle_members_user_id_idx on public.circle_members (user_id);
-- One owner, no more: handing over is an update of two rows, old owner first.
create unique index circle_members_one_owner on public.circle_members (circle_id) where role = 'owner';

create trigger touch before update on public.circles
  for each row execute function private.touch_updated_at();
create trigger limit_people before insert on public.circle_members
  for each row execute function private.enforce_limit('circles', 'circle_id', 'circle_people', 'circle_full');

-- Set-returning and definer: policies use `in (select ...)`, which Postgres evaluates once per statement and
-- which does not recurse into the policies of circle_members.
create function private.my_circle_ids() returns setof uuid
  language sql stable security definer set search_path = ''
  begin atomic
    select m.circle_id from public.circle_members as m where m.user_id = (select auth.uid());
  end;

create function private.my_admin_circle_ids() returns setof uuid
  language sql stable security definer set search_path = ''
  begin atomic
    select m.circle_id from public.circle_members as m
    where m.user_id = (select auth.uid()) and m.role in ('owner', 'admin');
  end;

grant execute on function private.my_circle_ids(), private.my_admin_circle_ids()
  to authenticated, service_role;

alter table public.circles enable row level security;
alter table public.circle_members enable row level security;

grant select on public.circles, public.circle_members to authenticated;
grant update (name) on public.circles to authenticated;
grant delete on public.circles to authenticated;

create policy "circles are read by their people" on public.circles
  for select to authenticated using (id in (select private.my_circle_ids()));
create policy "circles are renamed by their admins" on public.circles
  for update to authenticated
  using (id in (select private.my_admin_circle_ids())) with check (id in (select private.my_admin_circle_ids()));
create policy "circles are deleted by their owner" on public.circles
  for delete to authenticated using (
    exists (
      select 1 from public.circle_members as m
      where m.circle_id = circles.id and m.user_id = (select auth.uid()) and m.role = 'owner'
    )
  );
create policy "members are read by the circle" on public.circle_members
  for select to authenticated using (circle_id in (select private.my_circle_ids()));
