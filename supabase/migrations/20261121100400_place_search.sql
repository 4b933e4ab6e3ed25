-- Finding places: full text first, then what is written alike, and where a place was taken from.

create extension if not exists unaccent with schema extensions;

-- Small letters without accents, so that "acai" finds "Açaí". The dictionary is named, which makes it as
-- immutable as it says.
create function private.plain(value text) returns text
  language sql immutable parallel safe set search_path = ''
  return lower(extensions.unaccent('extensions.unaccent'::regdictionary, value));

create function private.place_text(name text, about text, cuisines text[], address text) returns text
  language sql immutable parallel safe set search_path = ''
  return private.plain(concat_ws(' ', name, array_to_string(cuisines, ' '), about, address));

grant execute on function private.plain(text), private.place_text(text, text, text[], text)
  to authenticated, service_role;

alter table public.places
  add column external_id text check (char_length(external_id) <= 40), -- "node/123" of OpenStreetMap
  add column search_text text generated always as (private.place_text(name, about, cuisines, address)) stored,
  add constraint source_has_id check ((source = 'member') = (external_id is null)),
  add constraint places_external_key unique (source, external_id);

create index places_search_trgm_idx on public.places using gin (search_text extensions.gin_trgm_ops);
create index places_search_words_idx on public.places using gin (to_tsvector('simple', search_text));

grant insert (source, external_id) on public.places to authenticated;

-- Places for what somebody typed, best first: whole words before the beginnings of words before what is
-- spelled alike; among equals the nearer one. Without words, the nearest or, without a position, by name.
-- `diets` must all be known to be safe; what is safe for vegans counts for whom that includes by definition (the
-- rule of functions/_shared/diets.ts). `open_at` keeps places that are open then or whose hours are unknown. Up
-- to five hundred: what a map still shows.
create function public.search_places(
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
      -- Signs are no words: who types only those has typed nothing.
      select btrim(regexp_replace(private.plain(left(words, 80)), '[^[:alnum:]]+', ' ', 'g')) as text,
        -- Each word may be the beginning of one: letters and digits only, so that nothing in it is an operator.
        to_tsquery('simple', nullif(array_to_string(array(
          select w || ':*' from regexp_split_to_table(private.plain(left(words, 80)), '[^[:alnum:]]+') as w where w <> ''
        ), ' & '), '')) as query
    )
    select p.*
    from public.places as p cross join wanted
    where (
        wanted.text = ''
        or to_tsvector('simple', p.search_text) operator(pg_catalog.@@) wanted.query
        or extensions.word_similarity(wanted.text, p.search_text) > 0.45
      )
      and not exists (
        select 1 from unnest(search_places.diets) as wanted_diet
        where wanted_diet <> all (p.safe_diets)
          and not (wanted_diet in ('vegetarian', 'pescatarian', 'lactose_free') and 'vegan' = any (p.safe_diets))
          and not (wanted_diet = 'pescatarian' and 'vegetarian' = any (p.safe_diets))
      )
      and p.price <= max_price
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

grant execute on function public.search_places(
  text, public.diet[], integer, double precision, double precision, timestamptz, integer, integer) to authenticated;
grant execute on function private.place_open_during(uuid, timestamptz, timestamptz) to authenticated;
