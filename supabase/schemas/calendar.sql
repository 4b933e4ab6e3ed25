-- A plan as an event of a calendar, and the address of a feed that follows every plan of a person.

-- The token is part of an address that calendar apps store and request, so it can be replaced.
create table private.calendar_feeds (
  user_id uuid primary key references public.profiles (id) on delete cascade,
  token_hash bytea not null unique,
  created_at timestamptz not null default now()
);

-- ---------------------------------------------------------------------------------------------------------
-- Functions

-- The events of the plans that this person sits at and that have a time, with or without a place: the next ones and
-- those of the last quarter. Cancelled plans are included, so that calendars remove their entry.
create function private.calendar_events(person uuid, plan uuid) returns jsonb
  language sql stable security definer set search_path = ''
  begin atomic
    select coalesce(jsonb_agg(event order by event ->> 'starts_at'), '[]') from (
      select jsonb_build_object(
        'plan_id', p.id, 'title', p.title, 'note', p.note, 'revision', p.revision,
        'status', private.plan_state(p), 'state', table_of.state,
        'starts_at', t.starts_at, 'ends_at', t.ends_at, 'time_zone', p.time_zone,
        'place', k.name, 'address', coalesce(at_home.address, k.address),
        'latitude', coalesce(at_home.latitude, k.latitude), 'longitude', coalesce(at_home.longitude, k.longitude),
        'people', table_of.people,
        'created_at', p.created_at, 'updated_at', p.updated_at
      ) as event
      from public.plan_members as m
      join public.plans as p on p.id = m.plan_id
      join public.time_options as t on t.id = p.chosen_time_id
      left join public.place_options as o on o.id = p.chosen_place_id
      left join public.places as k on k.id = o.place_id
      left join lateral private.home_for(k.id, p.id, m.user_id) as at_home on k.home
      cross join lateral (
        select count(*) filter (where who.seats > 0) as people, min(who.state) filter (where who.user_id = m.user_id) as state
        from private.plan_people(p.id) as who
      ) as table_of
      where m.user_id = person and (calendar_events.plan is null or p.id = calendar_events.plan)
        and t.ends_at > now() - interval '90 days'
      order by t.starts_at desc
      limit 500
    ) as events;
  end;

-- The events of the caller: one plan's, or all.
create function public.my_calendar(plan uuid default null) returns jsonb
  language sql stable security definer set search_path = ''
  return private.calendar_events((select private.require_caller()), plan);

create function public.has_calendar_feed() returns boolean
  language sql stable security definer set search_path = ''
  return exists (select 1 from private.calendar_feeds as f where f.user_id = (select private.require_caller()));

-- The secret part of a feed's address. The token is in the answer and nowhere else; the one before ends.
create function public.create_calendar_feed() returns text
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  secret text := translate(encode(extensions.gen_random_bytes(24), 'base64'), '+/', '-_');
begin
  insert into private.calendar_feeds as f (user_id, token_hash)
    values (caller, private.token_hash(secret))
    on conflict (user_id) do update set token_hash = excluded.token_hash, created_at = now();
  return secret;
end $$;

create function public.revoke_calendar_feed() returns void
  language sql volatile security definer set search_path = ''
  begin atomic
    delete from private.calendar_feeds where user_id = (select private.require_caller());
  end;

-- The events behind a feed's token, for whoever has it; null where no feed has that token.
create function public.calendar_of_feed(token text) returns jsonb
  language sql stable security definer set search_path = ''
  begin atomic
    select private.calendar_events(f.user_id, null) from private.calendar_feeds as f
    where f.token_hash = private.token_hash(calendar_of_feed.token);
  end;

-- Says that the caller reads a calendar now, for the function read-calendar, which fetches only after it.
create function public.count_calendar_read() returns void
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
begin
  if caller is not null and not private.count_use('calendars_per_hour', interval '1 hour') then
    perform private.refuse('too_many_calendars');
  end if;
end $$;

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant execute on function public.my_calendar(uuid), public.has_calendar_feed(), public.create_calendar_feed(),
  public.revoke_calendar_feed(), public.count_calendar_read() to authenticated;
grant execute on function public.calendar_of_feed(text) to anon, authenticated;
