-- Vector buckets of storage: their tables, and the schema of the vectors.

set local role supabase_storage_admin;
create table if not exists storage.buckets_vectors (
  id text not null primary key,
  type storage.buckettype not null default 'VECTOR',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table if not exists storage.vector_indexes (
  id text not null default gen_random_uuid() primary key,
  name text collate "C" not null,
  bucket_id text not null references storage.buckets_vectors (id),
  data_type text not null,
  dimension integer not null,
  distance_metric text not null,
  metadata_configuration jsonb,
  status text not null default 'PENDING',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index if not exists vector_indexes_name_bucket_id_idx on storage.vector_indexes (name, bucket_id);

alter table storage.buckets_vectors enable row level security;
alter table storage.vector_indexes enable row level security;
revoke all on storage.buckets_vectors, storage.vector_indexes from anon, authenticated, service_role, postgres;
grant select on storage.buckets_vectors, storage.vector_indexes to anon, authenticated, service_role;
reset role;
create schema if not exists storage_vectors authorization supabase_storage_admin;
