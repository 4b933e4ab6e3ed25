-- A vector's modifier is read without PL/pgSQL, which ends Postgres while PL/pgSQL reads a declaration.
do $outer$
declare
  own constant regprocedure := to_regprocedure('pg_catalog.homebase_typmod(int4,text,text,int4)');
begin
  if own is null then return; end if;
  create or replace function pg_catalog.homebase_refuse_typmod(parts int4, first int4, type_name text, most int4) returns int4
    language plpgsql immutable parallel safe as $body$
    begin
      raise exception using errcode = '22023', message = case
        when parts <> 1 then 'invalid type modifier'
        when first < 1 then format('dimensions for type %s must be at least 1', type_name)
        else format('dimensions for type %s cannot exceed %s', type_name, most)
      end;
    end $body$ set search_path = pg_catalog, pg_temp;
  revoke execute on function pg_catalog.homebase_refuse_typmod(int4, int4, text, int4) from public;
  delete from pg_init_privs
  where objoid = 'pg_catalog.homebase_refuse_typmod(int4,int4,text,int4)'::regprocedure and classoid = 'pg_proc'::regclass;
  insert into pg_init_privs select oid, 'pg_proc'::regclass, 0, 'i', proacl
  from pg_proc where oid = 'pg_catalog.homebase_refuse_typmod(int4,int4,text,int4)'::regprocedure;
  create or replace function pg_catalog.homebase_typmod(parts int4, first text, type_name text, most int4) returns int4
    language sql immutable parallel safe begin atomic
      select case when parts = 1 and first::int4 between 1 and most then first::int4
        else pg_catalog.homebase_refuse_typmod(parts, first::int4, type_name, most) end;
    end;
end
$outer$;

-- The sender of a sparse vector in binary chooses how long a series is made: 16,000 elements may be filled.
do $outer$
declare
  place constant text := (select quote_ident(n.nspname) from pg_extension e join pg_namespace n on n.oid = e.extnamespace
    where e.extname = 'vector');
begin
  if place is null then return; end if;
  -- As the extension's script does, because the function's first parameter is of type internal.
  update pg_language set lanvalidator = 0 where lanname = 'sql';
  execute replace($$
    create or replace function @extschema@.sparsevec_recv(internal, oid, integer) returns @extschema@.sparsevec
    language sql strict immutable security definer begin atomic
      select pg_catalog.homebase_relabel(pg_catalog.homebase_sparse(
        array(select pg_catalog.homebase_read_int4($1) + 1 from generate_series(1, head.filled)),
        array(select pg_catalog.homebase_read_float4($1)::float8 from generate_series(1, head.filled)), head.dims, $3),
        null::@extschema@.sparsevec)
      from (
        select pg_catalog.homebase_read_int4($1) as dims, least(pg_catalog.homebase_read_int4($1), 16001) as filled,
          pg_catalog.homebase_read_int4($1) as unused offset 0
      ) head;
    end $$, '@extschema@', place);
  update pg_language set lanvalidator = 'pg_catalog.fmgr_sql_validator'::regproc where lanname = 'sql';
end
$outer$;

-- Realtime makes the publication with its first client.
do $$
begin
  if exists (
    select from pg_publication p join pg_roles r on r.oid = p.pubowner
    where p.pubname = 'supabase_realtime_messages_publication' and r.rolsuper
  ) then
    drop publication supabase_realtime_messages_publication;
  end if;
end
$$;
