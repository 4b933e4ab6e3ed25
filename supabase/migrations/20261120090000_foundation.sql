-- What everything else stands on: the private schema, the vocabulary (types), the validators, and the two
-- catalogues that exist once each: the errors a person can meet, and the limits with their reasons.

create extension if not exists pgcrypto with schema extensions;
create extension if not exists pg_trgm with schema extensions;

-- Not exposed by the API. Policies and functions of `public` call into it.
create schema private;
grant usage on schema private to authenticated, service_role;

-- What is not granted is not possible. Hosted default privileges hand every new table and function of
-- `public` to anon and authenticated; here each migration grants what its table is meant for.
alter default privileges in schema public revoke all on tables from anon, authenticated;
alter default privileges in schema public revoke all on sequences from anon, authenticated;
alter default privileges in schema public revoke execute on functions from anon, authenticated;
alter default privileges revoke execute on functions from public;

create type public.diet as enum (
  'vegetarian', 'vegan', 'pescatarian', 'halal', 'kosher', 'gluten_free', 'lactose_free', 'nut_free'
);
create type public.circle_role as enum ('owner', 'admin', 'member');
-- `done` is never stored: it follows from the chosen time (private.plan_state), so no job can forget it.
create type public.plan_status as enum ('polling', 'confirmed', 'cancelled');
create type public.plan_role as enum ('host', 'cohost', 'guest');
create type public.rsvp_status as enum ('pending', 'going', 'maybe', 'declined', 'waitlisted');
-- No row means unanswered, which is never "no".
create type public.vote_answer as enum ('yes', 'if_need_be', 'no');
create type public.arrival_status as enum ('not_left', 'on_the_way', 'arrived');
create type public.place_source as enum ('member', 'openstreetmap');
create type public.notification_kind as enum (
  'plan_invited', 'plan_confirmed', 'plan_reopened', 'plan_cancelled', 'plan_restored',
  'seat_freed', 'person_joined'
);

-- ---------------------------------------------------------------------------------------------------------
-- Limits

create table private.limits (
  name text primary key,
  value integer not null,
  reason text not null
);

insert into private.limits (name, value, reason) values
  ('circle_people', 50, 'Above fifty a circle is a mailing list; roles and the member list stop being readable.'),
  ('plan_people', 20, 'The largest table most restaurants will set, and the most seats the table can draw legibly.'),
  ('time_options', 30, 'More columns than a phone can show; people stop answering long before.'),
  ('place_options', 20, 'With thirty times this keeps the pairs to rank at six hundred at most.'),
  ('plan_photos', 100, 'Keeps a plan under a gigabyte of storage.'),
  ('invite_days', 14, 'A link that was forwarded should not open a table months later.'),
  ('invite_uses', 20, 'A plan seats twenty; more uses could only be strangers.'),
  ('messages_per_minute', 30, 'Faster than anyone types; slower than a script.'),
  ('plans_per_day', 10, 'Stops a new account from sending invitations in bulk.'),
  ('new_account_days', 7, 'How long an account counts as new for plans_per_day.'),
  ('time_option_days', 180, 'Nobody knows their calendar further ahead.'),
  ('done_after_hours', 4, 'A meal is over, and ratings open, this long after its last minute.'),
  ('arrival_opens_hours', 6, 'The arrival board opens this long before the meal.');

create function private.limit_of(name text) returns integer
  language sql stable security definer set search_path = ''
  return (select l.value from private.limits as l where l.name = limit_of.name);

-- ---------------------------------------------------------------------------------------------------------
-- Errors

create table private.errors (
  code text primary key check (code ~ '^[a-z][a-z_]*$'),
  status smallint not null check (status between 400 and 499),
  message text not null,
  hint text not null
);

comment on table private.errors is
  'Every refusal of a database function. The API answers with this status; DETAIL carries the code, HINT what to do.';

insert into private.errors (code, status, message, hint) values
  ('needs_account', 403, 'Guests cannot do this.', 'Add an email address to your guest identity first; you keep everything.'),
  ('plan_not_found', 404, 'There is no such plan at your table.', 'Ask its host for an invite link.'),
  ('circle_not_found', 404, 'There is no such circle of yours.', 'Ask one of its admins to add you.'),
  ('place_not_found', 404, 'There is no such place.', 'Choose another place.'),
  ('option_not_found', 404, 'That option is no longer on this plan.', 'Look at the current options and answer again.'),
  ('person_not_found', 404, 'That person is not here.', 'Reload to see who is.'),
  ('message_not_found', 404, 'That message is not yours or no longer there.', 'Reload the conversation.'),
  ('not_host', 403, 'Only the host or a cohost can do this.', 'Ask the host.'),
  ('not_circle_admin', 403, 'Only an admin of the circle can do this.', 'Ask an admin of the circle.'),
  ('not_circle_owner', 403, 'Only the owner of the circle can do this.', 'Ask the owner of the circle.'),
  ('owner_cannot_leave', 409, 'The owner cannot leave the circle.', 'Hand the circle over to someone first.'),
  ('host_cannot_leave', 409, 'The host cannot leave the table.', 'Cancel the plan, or make someone else host first.'),
  ('not_allowed_to_propose', 403, 'On this plan only the host proposes.', 'Suggest it in the chat.'),
  ('plan_not_polling', 409, 'This plan is no longer being voted on.', 'The host can reopen it.'),
  ('plan_not_confirmed', 409, 'This plan is not confirmed.', 'Wait until the host has chosen a time and a place.'),
  ('plan_not_cancelled', 409, 'This plan is not cancelled.', 'There is nothing to restore.'),
  ('plan_over', 409, 'This plan is over.', 'Start a new one.'),
  ('plan_not_done', 409, 'You can rate a meal once it is over.', 'Come back after the meal.'),
  ('plan_cancelled', 409, 'This plan is cancelled.', 'The host can bring it back.'),
  ('voting_closed', 409, 'The deadline for votes has passed.', 'Ask the host to move it.'),
  ('time_in_past', 400, 'That time is already over.', 'Choose a time in the future.'),
  ('time_too_far', 400, 'That time is more than 180 days away.', 'Choose an earlier time.'),
  ('time_bad_length', 400, 'A meal lasts between 15 minutes and 12 hours.', 'Change when it ends.'),
  ('time_duplicate', 409, 'That time is already on the plan.', 'Vote for it instead.'),
  ('place_duplicate', 409, 'That place is already on the plan.', 'Vote for it instead.'),
  ('place_closed', 409, 'That place is closed at that time.', 'Choose another time or another place.'),
  ('deadline_in_past', 400, 'The deadline for votes must be in the future.', 'Choose a later deadline.'),
  ('invite_not_found', 404, 'This invite link does not exist.', 'Check that the whole link was copied.'),
  ('invite_expired', 410, 'This invite link has expired.', 'Ask for a new one.'),
  ('invite_used_up', 410, 'This invite link has been used as often as it can be.', 'Ask for a new one.'),
  ('invite_revoked', 410, 'This invite link was withdrawn.', 'Ask for a new one.'),
  ('not_the_day', 409, 'The arrival board opens six hours before the meal.', 'Come back on the day.'),
  ('arrival_backwards', 409, 'You are already further along than that.', 'Nothing to do.'),
  ('circle_full', 409, 'This circle has fifty people, which is the most there can be.', 'Start a second circle.'),
  ('plan_full', 409, 'Twenty people are at this table, which is the most there can be.', 'Ask the host to free a seat.'),
  ('too_many_times', 409, 'A plan can hold thirty times.', 'Remove one that nobody wants.'),
  ('too_many_places', 409, 'A plan can hold twenty places.', 'Remove one that nobody wants.'),
  ('too_many_photos', 409, 'A plan can hold a hundred photos.', 'Remove one first.'),
  ('too_many_messages', 429, 'That is more than thirty messages in a minute.', 'Wait a moment. What you wrote is kept.'),
  ('too_many_plans', 429, 'A new account can start ten plans a day.', 'Try again tomorrow.');

-- Raises the error of the catalogue. PostgREST turns SQLSTATE PTxyz into HTTP status xyz and passes DETAIL
-- (the stable machine code) and HINT on to the client.
create function private.refuse(code text) returns void
  language plpgsql stable security definer set search_path = '' as $$
declare
  entry private.errors;
begin
  select * into entry from private.errors as e where e.code = refuse.code;
  if not found then
    raise exception 'The error catalogue has no entry %', refuse.code;
  end if;
  raise exception using
    errcode = 'PT' || entry.status, message = entry.message, detail = entry.code, hint = entry.hint;
end $$;

-- ---------------------------------------------------------------------------------------------------------
-- Validators, shared by constraints and functions

-- A name is what is left when the blanks around it are gone.
create function private.is_text(value text, min integer, max integer) returns boolean
  language sql immutable set search_path = ''
  return value = btrim(value) and char_length(value) between min and max;

-- True for an IANA zone that this server knows. The pattern keeps out POSIX specifications ("XYZ-3"), which
-- Postgres would accept and browsers would not.
create function private.is_time_zone(value text) returns boolean
  language plpgsql immutable set search_path = '' as $$
begin
  if value !~ '^[A-Za-z_]+(/[A-Za-z0-9_+-]+)*$' then
    return false;
  end if;
  perform pg_catalog.timezone(value, pg_catalog.now());
  return true;
exception when invalid_parameter_value then
  return false;
end $$;

create function private.uuid_or_null(value text) returns uuid
  language plpgsql immutable set search_path = '' as $$
begin
  return value::uuid;
exception when invalid_text_representation then
  return null;
end $$;

create function private.touch_updated_at() returns trigger
  language plpgsql set search_path = '' as $$
begin
  new.updated_at := now();
  return new;
end $$;

-- Generic guard for "at most n rows of this table for one parent". Arguments: parent table, the column that
-- points to it, the limit's name, the error's code. The parent row is locked first, so that two inserts at
-- once cannot both see the last free place.
create function private.enforce_limit() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  parent_id uuid := (to_jsonb(new) ->> tg_argv[1])::uuid;
  rows_now integer;
begin
  execute format('select 1 from public.%I where id = $1 for no key update', tg_argv[0]) using parent_id;
  execute format('select count(*) from public.%I where %I = $1', tg_table_name, tg_argv[1])
    into rows_now using parent_id;
  if rows_now >= private.limit_of(tg_argv[2]) then
    perform private.refuse(tg_argv[3]);
  end if;
  return new;
end $$;

grant execute on function private.is_text(text, integer, integer), private.is_time_zone(text),
  private.uuid_or_null(text) to authenticated, service_role;
