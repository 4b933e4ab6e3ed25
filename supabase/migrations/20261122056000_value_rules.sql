-- Values that a database takes and a browser cannot read: one person could write them and break the screens of everybody
-- at their table. And the rules that the forms have and the database had not.

insert into private.limits (name, value, reason) values
  ('place_hours', 42, 'Six openings on each day of the week.');
insert into private.errors (code, status, message, hint) values
  ('too_many_hours', 409, 'A place can have forty-two opening times a week.', 'Join those that touch.');

-- ---------------------------------------------------------------------------------------------------------
-- Time zones

-- True for a zone that browsers know by the same name: an area and a city, or one of the few names of one word. Postgres
-- also takes abbreviations ("MESZ"), POSIX specifications and other sets of rules ("right/").
create or replace function private.is_time_zone(value text) returns boolean
  language plpgsql immutable set search_path = '' as $$
begin
  if value !~ '^([A-Za-z_]+(/[A-Za-z0-9_+-]+)+|UTC|GMT|CET|EET|MET|WET|EST|HST|MST|EST5EDT|CST6CDT|MST7MDT|PST8PDT)$'
    or value ~* '^(posix|right)/' then
    return false;
  end if;
  perform pg_catalog.timezone(value, pg_catalog.now());
  return true;
exception when invalid_parameter_value then
  return false;
end $$;

update public.profiles set time_zone = 'UTC' where not private.is_time_zone(time_zone);
update public.places set time_zone = 'UTC' where not private.is_time_zone(time_zone);
update public.plans set time_zone = 'UTC' where not private.is_time_zone(time_zone);

-- ---------------------------------------------------------------------------------------------------------
-- Texts

-- A text that must not be empty has something that can be seen: joiners, marks of direction and fillers are not enough
-- (web/src/lib/rules.ts has the same list).
create or replace function private.is_text(value text, min integer, max integer) returns boolean
  language sql immutable set search_path = ''
  return value = private.trimmed(value) and char_length(value) between min and max
    and (min = 0 or private.trimmed(regexp_replace(value,
      -- Unicode's Default_Ignorable_Code_Point, and the empty Braille pattern.
      '[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]',
      '', 'g')) <> '');

-- ---------------------------------------------------------------------------------------------------------
-- Lists

-- A list as JSON has it: one dimension, nothing missing, at most so many.
create function private.is_list(value anyarray, most integer) returns boolean
  language sql immutable parallel safe set search_path = '' as $$
    select cardinality(value) <= most and coalesce(array_ndims(value), 1) = 1 and array_position(value, null) is null
  $$;

create function private.are_texts(value text[], min integer, max integer) returns boolean
  language sql immutable parallel safe set search_path = ''
  return coalesce((select bool_and(coalesce(private.is_text(one, min, max), false)) from unnest(value) as one), true);

grant execute on function private.is_list(anyarray, integer), private.are_texts(text[], integer, integer)
  to authenticated, service_role;

update public.profiles set diets = array(select distinct diet from unnest(diets) as diet where diet is not null)
  where not private.is_list(diets, 8);
alter table public.profiles add constraint diets_are_a_list check (private.is_list(diets, 8)) not valid;
alter table public.profiles validate constraint diets_are_a_list;

-- The blanks around each cuisine are no part of it.
create function private.trim_cuisines() returns trigger
  language plpgsql set search_path = '' as $$
begin
  if private.is_list(new.cuisines, 100) then
    new.cuisines := array(
      select private.trimmed(one) from unnest(new.cuisines) with ordinality as cuisine (one, at) order by at);
  end if;
  return new;
end $$;
create trigger a_trim_cuisines before insert or update of cuisines on public.places
  for each row execute function private.trim_cuisines();

update public.places set cuisines = array(
    select private.trimmed(left(private.trimmed(one), 40)) from unnest(cuisines) with ordinality as cuisine (one, at)
    where private.trimmed(one) <> '' order by at limit 6)
  where not (private.is_list(cuisines, 6) and private.are_texts(cuisines, 1, 40));
alter table public.places
  add constraint cuisines_are_texts check (private.is_list(cuisines, 6) and private.are_texts(cuisines, 1, 40)) not valid,
  add constraint safe_diets_are_a_list check (private.is_list(safe_diets, 8)) not valid;
alter table public.places validate constraint cuisines_are_texts, validate constraint safe_diets_are_a_list;

-- ---------------------------------------------------------------------------------------------------------
-- Times

alter table public.plans add constraint deadline_is_a_day check (isfinite(vote_deadline)) not valid;
alter table public.plans validate constraint deadline_is_a_day;

-- A deadline behind the last time that one could suggest is none.
create or replace function private.check_deadline() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if private.caller() is null then
    return new;
  elsif new.vote_deadline <= now() then
    perform private.refuse('deadline_in_past');
  elsif new.vote_deadline > now() + make_interval(days => private.limit_of('time_option_days')) then
    perform private.refuse('time_too_far');
  end if;
  return new;
end $$;
create trigger check_new_deadline before insert on public.plans
  for each row when (new.vote_deadline is not null) execute function private.check_deadline();

-- The clock of a form: hours and minutes, and midnight is 00:00.
update public.place_hours set opens = date_trunc('minute', opens)::time where opens <> date_trunc('minute', opens)::time;
update public.place_hours set closes = date_trunc('minute', closes)::time where closes <> date_trunc('minute', closes)::time;
update public.place_hours set closes = '00:00' where closes = '24:00';
delete from public.place_hours where opens = '24:00';
alter table public.place_hours add constraint hours_are_on_the_clock check (
  opens < '24:00' and closes < '24:00' and extract(second from opens) = 0 and extract(second from closes) = 0) not valid;
alter table public.place_hours validate constraint hours_are_on_the_clock;

create trigger limit_hours before insert on public.place_hours
  for each row execute function private.enforce_limit('places', 'place_id', 'place_hours', 'too_many_hours');

-- ---------------------------------------------------------------------------------------------------------
-- Names of files

alter table public.photos add constraint path_has_length check (char_length(path) <= 200) not valid;
alter table public.photos validate constraint path_has_length;
