-- Rules of values, shared by constraints and functions.

-- ---------------------------------------------------------------------------------------------------------
-- Functions

-- Without the blanks around it: all that JavaScript's trim() takes away, so that form and database agree.
create function private.trimmed(value text) returns text
  language sql immutable parallel safe set search_path = ''
  return btrim(value, E' \t\n\r\f\u000b\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff');

-- A text has no blanks around it. One that must not be empty has something that can be seen: joiners, marks of
-- direction and fillers are not enough (web/src/lib/rules.ts has the same list).
create function private.is_text(value text, min integer, max integer) returns boolean
  language sql immutable set search_path = ''
  return value = private.trimmed(value) and char_length(value) between min and max
    and (min = 0 or private.trimmed(regexp_replace(value,
      -- Unicode's Default_Ignorable_Code_Point, and the empty Braille pattern.
      '[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]',
      '', 'g')) <> '');

-- Without line breaks, and without what makes the text around it run the other way (web/src/lib/rules.ts has the same
-- list). The marks U+200E and U+200F stay: Arabic and Hebrew names need them.
create function private.one_line(value text) returns text
  language sql immutable parallel safe set search_path = ''
  return regexp_replace(value, '[\n\u000b\f\r\u0085\u2028-\u202e\u2066-\u2069]+', ' ', 'g');

-- A person's name stands in other people's sentences, mails and calendars.
create function private.is_name(value text, most integer) returns boolean
  language sql immutable set search_path = ''
  return private.is_text(value, 1, most) and value = private.one_line(value);

-- True for a zone that browsers know by the same name: an area and a city, or one of the few names of one word.
-- Postgres also takes abbreviations ("MESZ"), POSIX specifications and other sets of rules ("right/").
create function private.is_time_zone(value text) returns boolean
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

-- A list as JSON has it: one dimension, nothing missing, at most so many.
create function private.is_list(value anyarray, most integer) returns boolean
  language sql immutable parallel safe set search_path = '' as $$
    select cardinality(value) <= most and coalesce(array_ndims(value), 1) = 1 and array_position(value, null) is null
  $$;

create function private.are_texts(value text[], min integer, max integer) returns boolean
  language sql immutable parallel safe set search_path = ''
  return coalesce((select bool_and(coalesce(private.is_text(one, min, max), false)) from unnest(value) as one), true);

create function private.uuid_or_null(value text) returns uuid
  language plpgsql immutable set search_path = '' as $$
begin
  return value::uuid;
exception when invalid_text_representation then
  return null;
end $$;

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

create function private.touch_updated_at() returns trigger
  language plpgsql set search_path = '' as $$
begin
  new.updated_at := now();
  return new;
end $$;

create function private.token_hash(token text) returns bytea
  language sql immutable set search_path = ''
  return extensions.digest(token, 'sha256');

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant execute on function private.trimmed(text), private.is_text(text, integer, integer), private.one_line(text),
  private.is_name(text, integer), private.is_time_zone(text),
  private.is_list(anyarray, integer), private.are_texts(text[], integer, integer), private.uuid_or_null(text)
  to authenticated, service_role;
