-- As a dump of a hosted project ends.
GRANT ALL ON FUNCTION "extensions"."vector_in"("cstring", "oid", integer) TO "postgres";
GRANT ALL ON FUNCTION "extensions"."cosine_distance"("extensions"."vector", "extensions"."vector") TO "service_role";
GRANT ALL ON FUNCTION "public"."match_documents"("query_embedding" "extensions"."vector", "match_threshold" double precision, "match_count" integer) TO "anon";
alter table public.documents enable row level security;
create policy "Everybody reads" on public.documents for select using (true);
comment on extension vector is 'vector data type and ivfflat and hnsw access methods';
