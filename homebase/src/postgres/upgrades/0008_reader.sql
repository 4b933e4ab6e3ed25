-- The login of assistants' SQL. The functions that decrypt secrets and make requests, which refuse it, are replaced after
-- this file.
do $$
declare
  own oid;
begin
  -- Roles belong to the whole server: two databases at once would both find it missing.
  perform pg_advisory_xact_lock(hashtext('homebase_reader'));
  own := to_regrole('homebase_reader');
  -- A role of the project under this name has its maker as a member. It keeps all but the name.
  if exists (select from pg_catalog.pg_auth_members m where m.roleid = own) then
    execute format('alter role homebase_reader rename to homebase_reader_%s', own);
  elsif own is not null then
    return;
  end if;
  create role homebase_reader login bypassrls inherit;
  grant pg_read_all_data to homebase_reader;
end
$$;
