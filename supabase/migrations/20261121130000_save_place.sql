-- A place and its hours in one step, and lists long enough for a whole city.

-- Adds a place (`place` null) or changes one's own, and replaces its weekly hours, all or nothing. It runs with
-- the caller's rights: row policies say who may. `fields` has the columns that one may set; `hours` is a list of
-- {weekday, opens, closes}. Where a place was taken from is kept from when it was added.
create function public.save_place(fields jsonb, hours jsonb default '[]', place uuid default null) returns uuid
  language plpgsql set search_path = '' as $$
declare
  kept uuid := place;
  given record;
begin
  select * into given from jsonb_to_record(fields) as f (
    name text, about text, cuisines text[], address text, latitude double precision, longitude double precision,
    price smallint, safe_diets public.diet[], time_zone text, source public.place_source, external_id text);
  if kept is null then
    insert into public.places as p
      (name, about, cuisines, address, latitude, longitude, price, safe_diets, time_zone, created_by, source,
        external_id)
    values (
      given.name, coalesce(given.about, ''), coalesce(given.cuisines, '{}'), coalesce(given.address, ''),
      given.latitude, given.longitude, given.price, coalesce(given.safe_diets, '{}'), given.time_zone,
      auth.uid(), coalesce(given.source, 'member'), given.external_id)
    returning p.id into kept;
  else
    update public.places as p set
      name = given.name, about = coalesce(given.about, ''), cuisines = coalesce(given.cuisines, '{}'),
      address = coalesce(given.address, ''), latitude = given.latitude, longitude = given.longitude,
      price = given.price, safe_diets = coalesce(given.safe_diets, '{}'), time_zone = given.time_zone
    where p.id = kept;
    if not found then
      raise exception using errcode = '42501', message = 'Only who added a place can change it.';
    end if;
  end if;
  delete from public.place_hours as h where h.place_id = kept;
  insert into public.place_hours (place_id, weekday, opens, closes)
    select kept, h.weekday, h.opens, h.closes
    from jsonb_to_recordset(hours) as h (weekday smallint, opens time, closes time);
  return kept;
end $$;

revoke execute on function public.save_place(jsonb, jsonb, uuid) from public, anon;
grant execute on function public.save_place(jsonb, jsonb, uuid) to authenticated;

-- As before, but up to five hundred places (what a map still shows), and a place that is safe for vegans counts
-- as safe for whom that includes by definition: the rule of functions/_shared/diets.ts.
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
