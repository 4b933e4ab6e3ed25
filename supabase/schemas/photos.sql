-- Photos of a plan. Their files are in the bucket plan-photos (files.sql).

create table public.photos (
  id uuid primary key default gen_random_uuid(),
  plan_id uuid not null references public.plans (id) on delete cascade,
  author_id uuid default private.caller() references public.profiles (id) on delete set null,
  path text not null unique, -- of the object in bucket plan-photos
  width integer not null check (width between 1 and 20000),
  height integer not null check (height between 1 and 20000),
  caption text not null default '' check (char_length(caption) <= 140),
  created_at timestamptz not null default now(),
  constraint photos_id_plan_key unique (id, plan_id),
  constraint path_begins_with_plan check (split_part(path, '/', 1) = plan_id::text),
  constraint path_has_length check (char_length(path) <= 200)
);

create index photos_plan_time_idx on public.photos (plan_id, created_at);
create index photos_author_idx on public.photos (author_id);

-- Photos that were there before the rule stay as they are.
alter table public.photos add constraint path_is_plain check (
  path ~ '^[0-9a-f-]{36}/[0-9a-f-]{36}/[A-Za-z0-9._-]+$' and path !~ '\.\.'
) not valid;

-- ---------------------------------------------------------------------------------------------------------
-- Functions

-- A message that was only its photo goes with it.
create function private.empty_photo_messages() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  update public.messages as m set deleted_at = now(), photo_id = null
    where m.photo_id = old.id and m.body = '' and m.deleted_at is null
      and exists (select 1 from public.plans as p where p.id = m.plan_id);
  return old;
end $$;

-- ---------------------------------------------------------------------------------------------------------
-- Views

-- The photos of meals at a place, for each plan and author: how many, and the newest one. The caller reads those of
-- their own plans, as the tables below the view allow.
create view public.place_photos with (security_invoker = true) as
  select o.place_id, ph.plan_id, ph.author_id, p.title as plan_title, count(*)::integer as photos,
    max(ph.created_at) as newest_at,
    (array_agg(ph.path order by ph.created_at desc, ph.id))[1] as path,
    (array_agg(ph.caption order by ph.created_at desc, ph.id))[1] as caption
  from public.photos as ph
  join public.plans as p on p.id = ph.plan_id and p.status = 'confirmed'
  join public.place_options as o on o.id = p.chosen_place_id
  group by o.place_id, ph.plan_id, ph.author_id, p.title;

-- ---------------------------------------------------------------------------------------------------------
-- Policies

alter table public.photos enable row level security;

create policy "photos are read by the table" on public.photos
  for select to authenticated using (plan_id = any (array(select private.my_plan_ids())));
create policy "photos are added by the table" on public.photos
  for insert to authenticated with check (
    author_id = (select private.caller())
    and plan_id = any (array(select private.my_plan_ids()))
    and split_part(path, '/', 2) = (select private.caller())::text
  );
create policy "photos are captioned by their author" on public.photos
  for update to authenticated
  using (author_id = (select private.caller()) and plan_id = any (array(select private.my_plan_ids())));
create policy "photos are removed by author or host" on public.photos
  for delete to authenticated
  using (author_id = (select private.caller()) or plan_id = any (array(select private.my_hosted_plan_ids())));

-- ---------------------------------------------------------------------------------------------------------
-- Triggers

create trigger limit_photos before insert on public.photos
  for each row execute function private.enforce_limit('plans', 'plan_id', 'plan_photos', 'too_many_photos');
create trigger empty_photo_messages before delete on public.photos
  for each row execute function private.empty_photo_messages();
create trigger a_trim before insert or update of caption on public.photos
  for each row execute function private.trim_columns('caption');

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant select, insert (plan_id, author_id, path, width, height, caption), update (caption), delete
  on public.photos to authenticated;
grant select on public.place_photos to authenticated;
