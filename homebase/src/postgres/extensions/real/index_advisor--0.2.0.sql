-- index_advisor(query) of index_advisor 0.2.0, without hypopg: the candidates are made in a subtransaction that is
-- rolled back after the query was planned with them.
create function index_advisor(query text)
returns table (
  startup_cost_before jsonb,
  startup_cost_after jsonb,
  total_cost_before jsonb,
  total_cost_after jsonb,
  index_statements text[],
  errors text[]
)
volatile language plpgsql as $$
declare
  -- The types that upstream makes candidates for: one btree column each.
  types constant regtype[] := '{bool,int2,int4,int8,float4,float8,numeric,text,varchar,bpchar,date,time,timestamp,timestamptz,uuid}'::regtype[] || '"char"'::regtype;
  explain_query text;
  before jsonb;
  after jsonb;
  conditions text;
  candidate record;
  advised text[];
begin
  -- Comments may hold semicolons.
  query := pg_catalog.regexp_replace(query, '/\*.*?\*/', ' ', 'g');
  query := pg_catalog.regexp_replace(query, '--[^\r\n]*', ' ', 'g');
  query := pg_catalog.regexp_replace(pg_catalog.btrim(query, E' \t\r\n'), ';\s*$', '');
  if pg_catalog.strpos(query, ';') > 0 then
    return query select null::jsonb, null::jsonb, null::jsonb, null::jsonb, '{}'::text[],
      array['Query must not contain a semicolon'];
    return;
  end if;
  -- The payload of a PostgREST query has no type of its own.
  query := pg_catalog.regexp_replace(query, '(WITH pgrst_payload AS \(SELECT \$1)( AS json_data\))', '\1::json\2');
  explain_query := 'explain (generic_plan, verbose, format json) ' || query;
  execute explain_query into before;

  -- What the plan compares, joins, sorts or groups by.
  select pg_catalog.string_agg(part #>> '{}', ' ') into conditions
  from pg_catalog.unnest(array['Filter', 'Index Cond', 'Recheck Cond', 'Hash Cond', 'Merge Cond', 'Join Filter',
      'Sort Key', 'Presorted Key', 'Group Key']) key,
    pg_catalog.jsonb_path_query(before, ('$.**.' || pg_catalog.quote_ident(key))::jsonpath) part;

  begin
    for candidate in
      select pg_catalog.format('homebase_advised_%s_%s', c.oid, a.attnum) as name, n.nspname, c.relname, a.attname
      from pg_catalog.pg_class c
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      join pg_catalog.pg_attribute a on a.attrelid = c.oid
      where exists (
          select from pg_catalog.jsonb_path_query(before, '$.**?(exists(@."Relation Name"))') node
          where node ->> 'Relation Name' = c.relname and node ->> 'Schema' = n.nspname)
        and n.nspname not in ('pg_catalog', 'pg_toast', 'information_schema')
        and c.relkind in ('r', 'm') and c.relpersistence = 'p'
        and a.attnum > 0 and not a.attisdropped and a.atttypid::regtype = any (types)
        and pg_catalog.strpos(conditions, pg_catalog.quote_ident(a.attname)) > 0
        and not exists (select from pg_catalog.pg_depend d
          where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
        and not exists (select from pg_catalog.pg_index i
          where i.indrelid = c.oid and i.indkey::text = a.attnum::text and i.indexprs is null and i.indpred is null)
    loop
      begin
        execute pg_catalog.format('create index %I on %I.%I (%I)', candidate.name, candidate.nspname,
          candidate.relname, candidate.attname);
      exception when insufficient_privilege then
        -- The table belongs to another role, which may make the index.
        null;
      end;
    end loop;
    execute explain_query into after;
    select coalesce(pg_catalog.array_agg(pg_catalog.regexp_replace(
        pg_catalog.pg_get_indexdef(i.indexrelid), '^CREATE INDEX \S+ ON', 'CREATE INDEX ON') order by i.indrelid, i.indkey::text), '{}')
      into advised
    from pg_catalog.pg_index i join pg_catalog.pg_class c on c.oid = i.indexrelid
    where c.relname like 'homebase\_advised\_%' and exists (
      select from pg_catalog.jsonb_path_query(after, '$.**."Index Name"') used where used #>> '{}' = c.relname);
    -- Variables keep their values; the indexes are gone.
    raise sqlstate 'HB001';
  exception when sqlstate 'HB001' then
    null;
  end;

  return query select before #> '{0,Plan,Startup Cost}', after #> '{0,Plan,Startup Cost}',
    before #> '{0,Plan,Total Cost}', after #> '{0,Plan,Total Cost}', advised, '{}'::text[];
end
$$;
