-- Limits that were missing, each a row of private.limits with its reason and enforced here; texts without blanks
-- around them in any alphabet; deadlines that hold on edits and for proposals.

insert into private.limits (name, value, reason) values
  ('places_per_day', 30, 'A person who writes down more kitchens in a day copies a list.'),
  ('open_invites', 60, 'Three for each seat of the largest plan; more links are not looked after by anybody.'),
  ('circles_owned', 20, 'Nobody looks after more groups than that.'),
  ('reactions_per_minute', 60, 'Faster than anyone taps; each one is told to everybody at the table.'),
  ('calendars_per_hour', 30, 'A few calendars, read again after each change; not a way to fetch pages in bulk.'),
  ('avatar_files', 5, 'The picture in use, and those that wait to be removed after it was changed.'),
  ('stored_files', 500, 'Every photo of five full plans; a person with more uses the bucket as a disk.'),
  ('stored_megabytes', 1000, 'The files of one person stay under a gigabyte.');

insert into private.errors (code, status, message, hint) values
  ('too_many_new_places', 429, 'That is more new places than one person adds in a day.', 'Go on tomorrow.'),
  ('too_many_invites', 409, 'Sixty invite links are open, which is the most there can be.', 'Revoke one that nobody needs.'),
  ('too_many_circles', 409, 'You own twenty circles, which is the most there can be.', 'Delete one, or hand one over.'),
  ('too_many_reactions', 429, 'Those were many reactions in a minute.', 'Wait a moment.'),
  ('too_many_calendars', 429, 'Those were many calendars in an hour.', 'Try again later, or use a file.');

-- How often a person has used something in the current window. The row is locked by the update that counts, so two
-- uses at once are counted one after the other.
create table private.usage (
  user_id uuid not null references public.profiles (id) on delete cascade,
  what text not null,
  since timestamptz not null,
  uses integer not null,
  primary key (user_id, what)
);

-- Counts one use by the caller. True while the count in this window is within the limit of that name.
create function private.count_use(limit_name text, every interval) returns boolean
  language plpgsql security definer set search_path = '' as $$
declare
  counted integer;
begin
  insert into private.usage as u (user_id, what, since, uses)
    values ((select private.caller()), limit_name, clock_timestamp(), 1)
    on conflict (user_id, what) do update set
      since = case when u.since <= clock_timestamp() - every then clock_timestamp() else u.since end,
      uses = case when u.since <= clock_timestamp() - every then 1 else u.uses + 1 end
    returning uses into counted;
  return counted <= private.limit_of(limit_name);
end $$;

create or replace function private.limit_messages() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.caller();
begin
  -- Only people are limited: rows that the owner inserts (seed, sample plans) bear another's name.
  if caller is not null then
    -- Two messages at once are counted one after the other.
    perform 1 from public.profiles as p where p.id = caller for no key update;
    if (
      select count(*) from public.messages as m
      where m.author_id = caller and m.created_at > now() - interval '1 minute'
    ) >= private.limit_of('messages_per_minute') then
      perform private.refuse('too_many_messages');
    end if;
  end if;
  return new;
end $$;

create function private.limit_reactions() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if private.caller() is not null and not private.count_use('reactions_per_minute', interval '1 minute') then
    perform private.refuse('too_many_reactions');
  end if;
  return new;
end $$;

create trigger limit_reactions before insert on public.reactions
  for each row execute function private.limit_reactions();

create function private.limit_new_places() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if private.caller() is not null and not private.count_use('places_per_day', interval '1 day') then
    perform private.refuse('too_many_new_places');
  end if;
  return new;
end $$;

create trigger limit_new_places before insert on public.places
  for each row execute function private.limit_new_places();

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

revoke execute on function public.count_calendar_read() from public, anon;
grant execute on function public.count_calendar_read() to authenticated;

create or replace function private.new_invite(plan uuid, circle uuid, days integer, uses integer)
  returns table (id uuid, token text, expires_at timestamptz)
  language plpgsql security definer set search_path = '' as $$
declare
  secret text := translate(encode(extensions.gen_random_bytes(18), 'base64'), '+/', '-_');
begin
  perform 1 from public.plans as p where p.id = plan for no key update;
  perform 1 from public.circles as c where c.id = circle for no key update;
  if (
    select count(*) from public.invites as i
    where (i.plan_id = plan or i.circle_id = circle)
      and i.revoked_at is null and i.expires_at > now() and i.uses < i.max_uses
  ) >= private.limit_of('open_invites') then
    perform private.refuse('too_many_invites');
  end if;
  return query
    insert into public.invites as i (plan_id, circle_id, token_hash, created_by, expires_at, max_uses)
    values (
      plan, circle, private.token_hash(secret), (select private.caller()),
      now() + make_interval(days => least(greatest(days, 1), private.limit_of('invite_days'))),
      least(greatest(new_invite.uses, 1), private.limit_of('invite_uses'))
    )
    returning i.id, secret, i.expires_at;
end $$;

-- ---------------------------------------------------------------------------------------------------------
-- Files. The storage service has no place for an error of ours: above these limits it answers 403.

-- How many files the caller has in both buckets, and how many bytes: by the beginning of their names, in one range of
-- the index on names for each plan.
create function private.my_files() returns table (avatars bigint, files bigint, bytes numeric)
  language sql stable security definer set search_path = ''
  begin atomic
    with beginnings as (
      select 'avatars' as bucket, private.caller() || '/' as beginning
      union all
      select 'plan-photos', plan || '/' || private.caller() || '/' from private.my_plan_ids() as plan
    )
    select count(*) filter (where o.bucket_id = 'avatars'), count(*),
      coalesce(sum((o.metadata ->> 'size')::numeric), 0)
    from beginnings as b
    join storage.objects as o on o.bucket_id = b.bucket
      and o.name operator(pg_catalog.~>=~) b.beginning
      and o.name operator(pg_catalog.~<~) (b.beginning || chr(1114111));
  end;

create function private.may_store(bucket text) returns boolean
  language sql stable security definer set search_path = ''
  return (
    select (bucket <> 'avatars' or mine.avatars < private.limit_of('avatar_files'))
      and mine.files < private.limit_of('stored_files')
      and mine.bytes < private.limit_of('stored_megabytes') * 1000000::numeric
    from private.my_files() as mine
  );

grant execute on function private.may_store(text) to authenticated;

alter policy "avatars are added by their person" on storage.objects
  with check (
    bucket_id = 'avatars' and (storage.foldername(name))[1] = (select private.caller())::text
    and (select private.may_store('avatars'))
  );
alter policy "plan photos are added by the table" on storage.objects
  with check (
    bucket_id = 'plan-photos'
    and private.uuid_or_null((storage.foldername(name))[1]) in (select private.my_plan_ids())
    and (storage.foldername(name))[2] = (select private.caller())::text
    and (select private.may_store('plan-photos'))
  );

-- ---------------------------------------------------------------------------------------------------------
-- Texts

-- Without the blanks around it: all that JavaScript's trim() takes away, so that form and database agree.
create function private.trimmed(value text) returns text
  language sql immutable parallel safe set search_path = ''
  return btrim(value, E' \t\n\r\f\u000b\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff');

create or replace function private.is_text(value text, min integer, max integer) returns boolean
  language sql immutable set search_path = ''
  return value = private.trimmed(value) and char_length(value) between min and max;

grant execute on function private.trimmed(text) to authenticated, service_role;

-- Takes the blanks around the named columns away before a row is checked.
create function private.trim_columns() returns trigger
  language plpgsql set search_path = '' as $$
declare
  row jsonb := to_jsonb(new);
  changes jsonb := '{}';
  name text;
begin
  foreach name in array tg_argv loop
    if row ->> name is distinct from private.trimmed(row ->> name) then
      changes := changes || jsonb_build_object(name, private.trimmed(row ->> name));
    end if;
  end loop;
  if changes <> '{}' then
    new := jsonb_populate_record(new, changes);
  end if;
  return new;
end $$;

-- `a_`: triggers run in the order of their names, and the others see the text that is kept.
create trigger a_trim before insert or update of display_name on public.profiles
  for each row execute function private.trim_columns('display_name');
create trigger a_trim before insert or update of name on public.circles
  for each row execute function private.trim_columns('name');
create trigger a_trim before insert or update of name, about, address on public.places
  for each row execute function private.trim_columns('name', 'about', 'address');
create trigger a_trim before insert or update of title, note on public.plans
  for each row execute function private.trim_columns('title', 'note');
create trigger a_trim before insert or update of body on public.messages
  for each row execute function private.trim_columns('body');
create trigger a_trim before insert or update of caption on public.photos
  for each row execute function private.trim_columns('caption');

do $rewrite$
declare
  made record;
begin
  for made in
    select pg_catalog.pg_get_functiondef(p.oid) as definition from pg_catalog.pg_proc as p
    where p.pronamespace in ('public'::regnamespace, 'private'::regnamespace)
      and p.proname in ('create_plan', 'create_circle', 'edit_message', 'rate_plan', 'name_from')
  loop
    execute replace(made.definition, 'btrim(', 'private.trimmed(');
  end loop;
end $rewrite$;

-- What was written before is held to the same rule; nobody needs to hear of it.
alter table public.messages disable trigger user;
update public.messages set body = private.trimmed(body),
    deleted_at = case when private.trimmed(body) = '' and photo_id is null then coalesce(deleted_at, now()) else deleted_at end
  where body <> private.trimmed(body);
alter table public.messages enable trigger user;
update public.profiles set display_name = coalesce(nullif(private.trimmed(display_name), ''), 'Guest')
  where display_name <> private.trimmed(display_name);
update public.circles set name = coalesce(nullif(private.trimmed(name), ''), 'Circle') where name <> private.trimmed(name);
update public.places set name = coalesce(nullif(private.trimmed(name), ''), 'Place') where name <> private.trimmed(name);
update public.plans set title = coalesce(nullif(private.trimmed(title), ''), 'Plan') where title <> private.trimmed(title);

create or replace function public.create_circle(name text) returns uuid
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

-- ---------------------------------------------------------------------------------------------------------
-- Deadlines

create function private.check_deadline() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if private.caller() is not null and new.vote_deadline <= now() then
    perform private.refuse('deadline_in_past');
  end if;
  return new;
end $$;

create trigger check_deadline before update of vote_deadline on public.plans
  for each row when (new.vote_deadline is distinct from old.vote_deadline)
  execute function private.check_deadline();

-- After the deadline nobody can vote for what is added; only a host, who decides, may still add to the plan.
create or replace function private.plan_for_proposal(plan uuid) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  this public.plans := private.plan_of_caller(plan, false);
begin
  perform private.require_polling(this);
  if not private.is_plan_host(plan) then
    if not this.guests_may_propose then
      perform private.refuse('not_allowed_to_propose');
    elsif this.vote_deadline <= now() then
      perform private.refuse('voting_closed');
    end if;
  end if;
end $$;
