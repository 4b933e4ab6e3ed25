-- Functions and policies of circles.

-- ---------------------------------------------------------------------------------------------------------
-- Functions

-- Set-returning and definer: policies ask for an array of them, which Postgres makes once a statement, and which does
-- not recurse into the policies of circle_members. With `in (select f())` the planner takes a set of unknown size for a
-- large one, and joins it with the whole table.
create function private.my_circle_ids() returns setof uuid
  language sql stable security definer set search_path = ''
  begin atomic
    select m.circle_id from public.circle_members as m where m.user_id = (select private.caller());
  end;

create function private.my_admin_circle_ids() returns setof uuid
  language sql stable security definer set search_path = ''
  begin atomic
    select m.circle_id from public.circle_members as m
    where m.user_id = (select private.caller()) and m.role in ('owner', 'admin');
  end;

-- Refuses callers who are not an admin of the circle, and locks the circle.
create function private.require_circle_admin(circle uuid) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  mine public.circle_role;
begin
  select m.role into mine from public.circle_members as m where m.circle_id = circle and m.user_id = caller;
  if mine is null then
    perform private.refuse('circle_not_found');
  elsif mine = 'member' then
    perform private.refuse('not_circle_admin');
  end if;
  perform 1 from public.circles as c where c.id = circle for no key update;
end $$;

create function public.create_circle(name text) returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  new_circle uuid;
begin
  if private.is_guest() then
    perform private.refuse('needs_account');
  end if;
  -- Two circles at once are counted one after the other.
  perform 1 from public.profiles as p where p.id = caller for no key update;
  if (
    select count(*) from public.circle_members as m where m.user_id = caller and m.role = 'owner'
  ) >= private.limit_of('circles_owned') then
    perform private.refuse('too_many_circles');
  end if;
  insert into public.circles (name) values (private.trimmed(create_circle.name)) returning id into new_circle;
  insert into public.circle_members (circle_id, user_id, role) values (new_circle, caller, 'owner');
  return new_circle;
end $$;

-- Makes a member an admin or the other way, by the owner; with `owner` the caller hands the circle over and
-- stays as an admin.
create function public.set_circle_role(circle uuid, person uuid, role public.circle_role) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  mine public.circle_role;
begin
  if circle in (select private.my_circle_ids()) then
    perform 1 from public.circles as c where c.id = circle for no key update;
  end if;
  select m.role into mine from public.circle_members as m where m.circle_id = circle and m.user_id = caller;
  if mine is null then
    perform private.refuse('circle_not_found');
  elsif mine <> 'owner' then
    perform private.refuse('not_circle_owner');
  elsif not exists (
    select 1 from public.circle_members as m where m.circle_id = circle and m.user_id = person
  ) then
    perform private.refuse('person_not_found');
  elsif person = caller then
    if set_circle_role.role <> 'owner' then
      perform private.refuse('owner_cannot_leave');
    end if;
    return;
  end if;
  if set_circle_role.role = 'owner' then
    update public.circle_members as m set role = 'admin' where m.circle_id = circle and m.user_id = caller;
  end if;
  update public.circle_members as m set role = set_circle_role.role
    where m.circle_id = circle and m.user_id = person;
end $$;

-- Takes someone out of a circle; oneself, or, as an admin, another. Admins are removed by the owner only.
create function public.remove_circle_member(circle uuid, person uuid) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  mine public.circle_role;
  theirs public.circle_role;
begin
  if circle in (select private.my_circle_ids()) then
    perform 1 from public.circles as c where c.id = circle for no key update;
  end if;
  select m.role into mine from public.circle_members as m where m.circle_id = circle and m.user_id = caller;
  select m.role into theirs from public.circle_members as m where m.circle_id = circle and m.user_id = person;
  if mine is null then
    perform private.refuse('circle_not_found');
  elsif theirs is null then
    perform private.refuse('person_not_found');
  elsif theirs = 'owner' then
    perform private.refuse('owner_cannot_leave');
  elsif person <> caller and mine = 'member' then
    perform private.refuse('not_circle_admin');
  elsif person <> caller and theirs = 'admin' and mine <> 'owner' then
    perform private.refuse('not_circle_owner');
  end if;
  delete from public.circle_members as m where m.circle_id = circle and m.user_id = person;
  if person <> caller then
    insert into private.removals (circle_id, user_id) values (circle, person)
      on conflict (circle_id, user_id) do update set removed_at = clock_timestamp();
  end if;
end $$;

-- ---------------------------------------------------------------------------------------------------------
-- Policies

alter table public.circles enable row level security;
alter table public.circle_members enable row level security;

create policy "circles are read by their people" on public.circles
  for select to authenticated using (id = any (array(select private.my_circle_ids())));
create policy "circles are renamed by their admins" on public.circles
  for update to authenticated
  using (id = any (array(select private.my_admin_circle_ids())))
  with check (id = any (array(select private.my_admin_circle_ids())));
create policy "circles are deleted by their owner" on public.circles
  for delete to authenticated using (
    exists (
      select 1 from public.circle_members as m
      where m.circle_id = circles.id and m.user_id = (select private.caller()) and m.role = 'owner'
    )
  );

create policy "members are read by the circle" on public.circle_members
  for select to authenticated using (circle_id = any (array(select private.my_circle_ids())));

-- ---------------------------------------------------------------------------------------------------------
-- Triggers

create trigger touch before update on public.circles
  for each row execute function private.touch_updated_at();
create trigger limit_people before insert on public.circle_members
  for each row execute function private.enforce_limit('circles', 'circle_id', 'circle_people', 'circle_full');
create trigger a_trim before insert or update of name on public.circles
  for each row execute function private.trim_columns('name');

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant select, update (name), delete on public.circles to authenticated;
grant select on public.circle_members to authenticated;
grant execute on function private.my_circle_ids(), private.my_admin_circle_ids() to authenticated, service_role;
grant execute on function public.create_circle(text), public.set_circle_role(uuid, uuid, public.circle_role),
  public.remove_circle_member(uuid, uuid) to authenticated;
