-- A place and its hours in one step.

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
