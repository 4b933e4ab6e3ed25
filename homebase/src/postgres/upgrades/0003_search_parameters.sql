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
