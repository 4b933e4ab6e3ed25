-- What a person put on the lists of their circles goes along with an export.
create function private.circle_places_data(person uuid) returns jsonb
  language sql stable security definer set search_path = ''
  begin atomic
    select jsonb_build_object(
      'circle_places', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'circle_id', c.circle_id, 'place_id', c.place_id, 'put_at', c.put_at) order by c.put_at, c.place_id), '[]')
        from public.circle_places as c where c.put_by = person));
  end;
revoke execute on function private.circle_places_data(uuid) from public, anon, authenticated;

do $rewrite$
declare
  definition text := pg_catalog.pg_get_functiondef('public.export_my_data()'::regprocedure);
  changed text := replace(definition, 'private.further_data(',
    'private.circle_places_data((select private.require_caller())) || private.further_data(');
begin
  if changed = definition then
    raise exception 'export_my_data() is not as this migration expects it';
  end if;
  execute changed;
end $rewrite$;
