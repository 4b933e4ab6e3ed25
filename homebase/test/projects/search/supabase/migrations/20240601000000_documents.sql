-- Semantic search as the guides write it: a vector column, an index, a function that the client calls.
create extension if not exists vector with schema extensions;
create extension if not exists pg_trgm with schema extensions;

create table public.documents (
  id bigint generated always as identity primary key,
  content text not null,
  metadata jsonb default '{}',
  embedding extensions.vector(3),
  small extensions.halfvec(3),
  fts tsvector generated always as (to_tsvector('english', content)) stored
);
create index on public.documents using hnsw (embedding extensions.vector_cosine_ops) with (m = 16, ef_construction = 64);
create index documents_flat on public.documents using ivfflat (embedding vector_l2_ops) with (lists = 100);
create index on public.documents using gin (fts);
create index on public.documents using gin (content extensions.gin_trgm_ops);

create or replace function public.match_documents(query_embedding vector(3), match_threshold float, match_count int)
returns table (id bigint, content text, similarity float)
language sql stable as $$
  select documents.id, documents.content, 1 - (documents.embedding <=> query_embedding) as similarity
  from documents
  where 1 - (documents.embedding <=> query_embedding) > match_threshold
  order by documents.embedding <=> query_embedding
  limit match_count;
$$;
set hnsw.ef_search = 100;
insert into public.documents (content, embedding, small) values
  ('apples', '[1,0,0]', '[1,0,0]'), ('pears', '[0.9,0.1,0]', '[1,0,0]'), ('engines', '[0,0,1]', '[0,0,1]');
