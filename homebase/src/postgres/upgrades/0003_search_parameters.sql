-- Parameters of pgvector and pg_trgm that functions set for their searches, whether or not the session has the library.

do $$
declare
  name text;
begin
  foreach name in array array[
    'hnsw.ef_search', 'hnsw.iterative_scan', 'hnsw.max_scan_tuples', 'hnsw.scan_mem_multiplier',
    'ivfflat.probes', 'ivfflat.iterative_scan', 'ivfflat.max_probes',
    'pg_trgm.similarity_threshold', 'pg_trgm.word_similarity_threshold', 'pg_trgm.strict_word_similarity_threshold'
  ] loop
    execute format('grant set on parameter %I to postgres', name);
  end loop;
end
$$;

-- A grant on all functions of a schema fails at one that its grantor has no right on: stand-ins have such.
do $$
declare
  own regprocedure;
begin
  for own in
    select p.oid from pg_proc p join pg_depend d on d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e'
    where p.proname in ('_vector_text_in', '_vector_text_out', '_vector_text', '_http_connect', '_http_disconnect',
      '_http_query', '_http_exchange')
  loop
    execute format('grant execute on function %s to postgres', own);
  end loop;
end
$$;
