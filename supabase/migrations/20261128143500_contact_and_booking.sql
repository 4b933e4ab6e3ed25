-- A place's phone and booking page, and what a host has booked at the chosen one.

-- lint: allow lock: every row has the default, and the check of it is a scan of a small table
alter table public.places add column phone text not null default ''
  check (char_length(phone) <= 40 and phone ~ '^(\+?([ ()./-]*[0-9]){3,15}[ ()./-]*)?$');
-- lint: allow lock: every row has the default, and the check of it is a scan of a small table
alter table public.places add column booking_url text not null default ''
  check (char_length(booking_url) <= 500
    and booking_url ~ '^(https://[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+(:[0-9]{1,5})?([/?#][!-~]*)?)?$');
-- lint: allow lock: the columns are new and empty
alter table public.places add constraint homes_have_no_contact check (not home or phone = '' and booking_url = '');

-- lint: allow lock: every row has null
alter table public.plans add column booked_seats smallint check (booked_seats between 1 and 120);
-- lint: allow lock: every row has null
alter table public.plans add column booked_name text check (private.is_name(booked_name, 40));
-- lint: allow lock: the columns are new and empty
alter table public.plans add constraint booking_is_whole check (
  (booked_seats is null) = (booked_name is null) and (booked_seats is null or chosen_place_id is not null));

create or replace function public.save_home(
  place uuid, address text, latitude double precision default null, longitude double precision default null
) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  this public.places;
begin
  select * into this from public.places as p where p.id = save_home.place and p.created_by = caller for no key update;
  if not found then
    perform private.refuse('place_not_found');
  elsif this.everybody or exists (select 1 from public.circle_places as c where c.place_id = this.id)
    or exists (select 1 from public.saved_places as s where s.place_id = this.id and s.user_id <> caller) then
    perform private.refuse('place_is_shared');
  end if;
  update public.places as p set home = true, address = '', latitude = null, longitude = null, phone = '',
    booking_url = '' where p.id = this.id;
  insert into public.place_homes as h (place_id, user_id, address, latitude, longitude)
    values (this.id, caller, private.trimmed(save_home.address), save_home.latitude, save_home.longitude)
    on conflict (place_id) do update
      set address = excluded.address, latitude = excluded.latitude, longitude = excluded.longitude;
end $$;

create or replace function public.save_place(fields jsonb, hours jsonb default '[]', place uuid default null) returns uuid
  language plpgsql set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  kept uuid := place;
  given record;
begin
  select * into given from jsonb_to_record(fields) as f (
    name text, about text, cuisines text[], address text, latitude double precision, longitude double precision,
    price smallint, safe_diets public.diet[], time_zone text, source public.place_source, external_id text,
    everybody boolean, phone text, booking_url text);
  if kept is null then
    insert into public.places as p
      (name, about, cuisines, address, latitude, longitude, price, safe_diets, time_zone, created_by, source,
        external_id, everybody, phone, booking_url)
    values (
      given.name, coalesce(given.about, ''), coalesce(given.cuisines, '{}'), coalesce(given.address, ''),
      given.latitude, given.longitude, given.price, coalesce(given.safe_diets, '{}'), given.time_zone,
      caller, coalesce(given.source, 'member'), given.external_id,
      coalesce(given.everybody, false) or coalesce(given.source, 'member') <> 'member', coalesce(given.phone, ''),
      coalesce(given.booking_url, ''))
    returning p.id into kept;
  else
    update public.places as p set
      name = given.name, about = coalesce(given.about, ''), cuisines = coalesce(given.cuisines, '{}'),
      -- The address of a home is saved by save_home.
      address = case when p.home then '' else coalesce(given.address, '') end,
      latitude = case when not p.home then given.latitude end, longitude = case when not p.home then given.longitude end,
      phone = case when p.home then '' else coalesce(given.phone, '') end,
      booking_url = case when p.home then '' else coalesce(given.booking_url, '') end,
      price = given.price, safe_diets = coalesce(given.safe_diets, '{}'), time_zone = given.time_zone,
      -- What others read already is not taken from them.
      everybody = p.everybody or not p.home and coalesce(given.everybody, false)
    where p.id = kept;
    if not found then
      raise exception using errcode = '42501', message = 'This place is changed by who added it.';
    end if;
  end if;
  delete from public.place_hours as h where h.place_id = kept;
  insert into public.place_hours (place_id, weekday, opens, closes)
    select kept, h.weekday, h.opens, h.closes
    from jsonb_to_recordset(hours) as h (weekday smallint, opens time, closes time);
  return kept;
end $$;

create or replace function private.clear_ready() returns trigger
  language plpgsql set search_path = '' as $$
begin
  if (new.chosen_time_id, new.chosen_place_id) is distinct from (old.chosen_time_id, old.chosen_place_id) then
    new.booked_seats := null;
    new.booked_name := null;
  end if;
  if new.chosen_time_id is distinct from old.chosen_time_id
    or old.chosen_place_id is not null and new.chosen_place_id is distinct from old.chosen_place_id then
    new.ready_at := null;
    new.ready_by := null;
  end if;
  return new;
end $$;

create or replace function public.undo_decision(plan uuid) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  this public.plans := private.plan_of_caller(plan, true);
  kept private.undos;
  was public.plans;
  changed uuid[];
begin
  select * into kept from private.undos as u where u.plan_id = this.id;
  if not found or kept.until <= clock_timestamp()
    or (this.status::text, this.chosen_time_id::text, this.chosen_place_id::text)
      is distinct from (kept.after ->> 'status', kept.after ->> 'time', kept.after ->> 'place') then
    perform private.refuse('too_late_to_undo');
  end if;
  was := jsonb_populate_record(null::public.plans, kept.before -> 'plan');
  update public.plans as p set status = was.status, chosen_time_id = was.chosen_time_id,
      chosen_place_id = was.chosen_place_id, moved_from_time_id = was.moved_from_time_id,
      moved_from_place_id = was.moved_from_place_id, revision = p.revision + 1
    where p.id = this.id;
  -- On their own: triggers have cleared them with the choice.
  update public.plans as p set ready_at = was.ready_at, ready_by = was.ready_by,
      booked_seats = was.booked_seats, booked_name = was.booked_name, undecided = was.undecided,
      vetoed_by = was.vetoed_by, vetoed_at = was.vetoed_at, veto_reason = was.veto_reason,
      proposed_time_id = was.proposed_time_id, proposed_place_id = was.proposed_place_id,
      proposed_at = was.proposed_at, veto_until = was.veto_until
    where p.id = this.id;

  with restored as (
    update public.plan_members as m set rsvp = b.rsvp, plus_ones = b.plus_ones, waitlisted_at = b.waitlisted_at
      from jsonb_populate_recordset(null::public.plan_members, kept.before -> 'people') as b,
        jsonb_populate_recordset(null::public.plan_members, kept.after -> 'people') as a
      where m.plan_id = this.id and m.user_id = b.user_id and m.user_id = a.user_id
        and (m.rsvp, m.plus_ones, m.waitlisted_at) is not distinct from (a.rsvp, a.plus_ones, a.waitlisted_at)
        and (a.rsvp, a.plus_ones, a.waitlisted_at) is distinct from (b.rsvp, b.plus_ones, b.waitlisted_at)
      returning m.user_id
  )
  select array_agg(r.user_id) into changed from restored as r;
  -- On its own: a trigger has written the present time where the answer changed.
  update public.plan_members as m set rsvp_at = b.rsvp_at
    from jsonb_populate_recordset(null::public.plan_members, kept.before -> 'people') as b
    where m.plan_id = this.id and m.user_id = b.user_id and m.user_id = any (changed);
  insert into public.arrivals
    select a.* from jsonb_populate_recordset(null::public.arrivals, kept.before -> 'arrivals') as a
    join public.plan_members as m on m.plan_id = a.plan_id and m.user_id = a.user_id
    on conflict do nothing;

  delete from public.notifications as n where n.plan_id = this.id and n.created_at = kept.decided_at
    and n.kind in ('plan_confirmed', 'plan_moved', 'plan_placed', 'seat_freed');
  delete from private.outgoing_mail as m where m.plan_id = this.id and m.not_before = kept.until;
  delete from private.outgoing_push as m where m.plan_id = this.id and m.not_before = kept.until;
  -- Notices that were there before are told to nobody again.
  perform set_config('nosh.undoes', 'on', true);
  insert into public.notifications
    select n.* from jsonb_populate_recordset(null::public.notifications, kept.before -> 'notices') as n
    join public.plan_members as m on m.plan_id = n.plan_id and m.user_id = n.user_id
    on conflict do nothing;
  perform set_config('nosh.undoes', '', true);
  insert into private.outgoing_mail
    select m.* from jsonb_populate_recordset(null::private.outgoing_mail, kept.before -> 'mails') as m
    join private.mail_recipients as r on r.address = m.address
    on conflict do nothing;
  insert into private.outgoing_push
    select m.* from jsonb_populate_recordset(null::private.outgoing_push, kept.before -> 'messages') as m
    join public.push_subscriptions as s on s.id = m.subscription_id
    join public.plan_members as seat on seat.plan_id = m.plan_id and seat.user_id = m.user_id
    on conflict do nothing;
  delete from private.undos as u where u.plan_id = this.id;
end $$;

-- It names the columns that it returns.
create or replace function public.search_places(
  words text default '',
  diets public.diet[] default '{}',
  max_price integer default 4,
  latitude double precision default null,
  longitude double precision default null,
  open_at timestamptz default null,
  open_minutes integer default 90,
  most integer default 50
) returns setof public.places
  language sql stable set search_path = ''
  begin atomic
    with wanted as (
      -- Punctuation is not searched: a text of nothing else counts as empty.
      select btrim(regexp_replace(private.plain(left(words, 80)), '[^[:alnum:]]+', ' ', 'g')) as text,
        -- Each word may be the beginning of one: letters and digits only, so that nothing in it is an operator.
        to_tsquery('simple', nullif(array_to_string(array(
          select w || ':*'
          from regexp_split_to_table(private.plain(left(words, 80)), '[^[:alnum:]]+') as w where w <> ''
        ), ' & '), '')) as query
    )
    select p.*
    from wanted cross join lateral (
      select * from public.places where wanted.text = ''
      union all
      select k.* from private.places_alike(wanted.text, wanted.query) as id join public.places as k using (id)
    ) as p
    where not exists (
        select 1 from unnest(search_places.diets) as wanted_diet
        where wanted_diet <> all (p.safe_diets)
          and not (wanted_diet in ('vegetarian', 'pescatarian', 'lactose_free') and 'vegan' = any (p.safe_diets))
          and not (wanted_diet = 'pescatarian' and 'vegetarian' = any (p.safe_diets))
      )
      -- Only who added a home proposes it.
      and (not p.home or p.created_by = (select private.caller()))
      and coalesce(p.price <= max_price, true)
      and (open_at is null or coalesce(
        private.place_open_during(p.id, open_at, open_at + make_interval(mins => open_minutes)), true))
    order by
      case when wanted.text = '' then 0
        when to_tsvector('simple', p.search_text) operator(pg_catalog.@@) plainto_tsquery('simple', wanted.text) then 0
        when to_tsvector('simple', p.search_text) operator(pg_catalog.@@) wanted.query then 1
        else 2 end,
      case when wanted.text = '' then 0 else - extensions.word_similarity(wanted.text, private.plain(p.name)) end,
      case when search_places.latitude is not null then
        power(p.latitude - search_places.latitude, 2)
        + power((p.longitude - search_places.longitude) * cos(radians(search_places.latitude)), 2) end,
      p.name, p.id
    limit least(greatest(most, 1), 500);
  end;

drop trigger a_trim on public.places;
create trigger a_trim before insert or update of name, about, address, phone, booking_url on public.places
  for each row execute function private.trim_columns('name', 'about', 'address', 'phone', 'booking_url');

grant insert (phone, booking_url), update (phone, booking_url) on public.places to authenticated;
grant update (booked_seats, booked_name) on public.plans to authenticated;
