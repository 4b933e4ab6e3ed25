-- Earlier versions made the partitions of realtime.messages as the superuser. Their table's owner makes and drops them.
do $$
declare
  partition regclass;
begin
  for partition in
    select c.oid from pg_catalog.pg_inherits i join pg_catalog.pg_class c on c.oid = i.inhrelid
    where i.inhparent = pg_catalog.to_regclass('realtime.messages') and c.relowner = 'supabase_admin'::regrole
  loop
    execute pg_catalog.format('alter table %s owner to supabase_realtime_admin', partition);
  end loop;
end
$$;
