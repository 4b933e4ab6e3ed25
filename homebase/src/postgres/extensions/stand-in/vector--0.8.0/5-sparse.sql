create function inner_product(sparsevec, sparsevec) returns float8
language sql strict immutable parallel safe security definer begin atomic
  select coalesce(sum(x.element * y.element), 0)
  from pg_catalog.homebase_sparse_elements(pg_catalog.homebase_bytes($1)) x
  join pg_catalog.homebase_sparse_elements(pg_catalog.homebase_bytes($2)) y using (place)
  having pg_catalog.homebase_demand_same(pg_catalog.homebase_sparse_dims(pg_catalog.homebase_bytes($1)),
    pg_catalog.homebase_sparse_dims(pg_catalog.homebase_bytes($2)), 'sparsevec');
end;
create function sparsevec_negative_inner_product(sparsevec, sparsevec) returns float8
language sql strict immutable parallel safe begin atomic select 0 - inner_product($1, $2); end;
create function l2_norm(sparsevec) returns float8
language sql strict immutable parallel safe security definer begin atomic
  select coalesce(sqrt(sum(element * element)), 0)
  from pg_catalog.homebase_sparse_elements(pg_catalog.homebase_bytes($1));
end;
create function sparsevec_l2_squared_distance(sparsevec, sparsevec) returns float8
language sql strict immutable parallel safe security definer begin atomic
  select coalesce(sum((coalesce(x.element, 0) - coalesce(y.element, 0)) ^ 2), 0)
  from pg_catalog.homebase_sparse_elements(pg_catalog.homebase_bytes($1)) x
  full join pg_catalog.homebase_sparse_elements(pg_catalog.homebase_bytes($2)) y using (place)
  having pg_catalog.homebase_demand_same(pg_catalog.homebase_sparse_dims(pg_catalog.homebase_bytes($1)),
    pg_catalog.homebase_sparse_dims(pg_catalog.homebase_bytes($2)), 'sparsevec');
end;
create function l2_distance(sparsevec, sparsevec) returns float8
language sql strict immutable parallel safe begin atomic select sqrt(sparsevec_l2_squared_distance($1, $2)); end;
create function l1_distance(sparsevec, sparsevec) returns float8
language sql strict immutable parallel safe security definer begin atomic
  select coalesce(sum(abs(coalesce(x.element, 0) - coalesce(y.element, 0))), 0)
  from pg_catalog.homebase_sparse_elements(pg_catalog.homebase_bytes($1)) x
  full join pg_catalog.homebase_sparse_elements(pg_catalog.homebase_bytes($2)) y using (place)
  having pg_catalog.homebase_demand_same(pg_catalog.homebase_sparse_dims(pg_catalog.homebase_bytes($1)),
    pg_catalog.homebase_sparse_dims(pg_catalog.homebase_bytes($2)), 'sparsevec');
end;
create function cosine_distance(sparsevec, sparsevec) returns float8
language sql strict immutable parallel safe begin atomic
  select case when product.value is null or norms.value = 0 then 'nan'::float8
    else 1 - greatest(-1, least(1, product.value / norms.value)) end
  from (select inner_product($1, $2) as value) product, (select l2_norm($1) * l2_norm($2) as value) norms;
end;
create function l2_normalize(sparsevec) returns sparsevec
language sql strict immutable parallel safe security definer begin atomic
  select pg_catalog.homebase_relabel(pg_catalog.homebase_sparse(
    array(select place from pg_catalog.homebase_sparse_elements(pg_catalog.homebase_bytes($1))),
    array(select element / l2_norm($1) from pg_catalog.homebase_sparse_elements(pg_catalog.homebase_bytes($1))),
    pg_catalog.homebase_sparse_dims(pg_catalog.homebase_bytes($1)), -1), null::sparsevec);
end;
create function sparsevec_cmp(sparsevec, sparsevec) returns int4
language sql strict immutable parallel safe security definer begin atomic
  select coalesce(
    (select case when coalesce(x.element, 0) < coalesce(y.element, 0) then -1 else 1 end
     from pg_catalog.homebase_sparse_elements(pg_catalog.homebase_bytes($1)) x
     full join pg_catalog.homebase_sparse_elements(pg_catalog.homebase_bytes($2)) y using (place)
     where coalesce(x.element, 0) <> coalesce(y.element, 0) order by place limit 1),
    btint4cmp(pg_catalog.homebase_sparse_dims(pg_catalog.homebase_bytes($1)),
      pg_catalog.homebase_sparse_dims(pg_catalog.homebase_bytes($2))));
end;

create or replace function sparsevec_in(cstring, oid, integer) returns sparsevec
language sql strict immutable security definer begin atomic
  select pg_catalog.homebase_relabel(pg_catalog.homebase_sparse_read(pg_catalog.homebase_text($1), $3), null::sparsevec);
end;
create or replace function sparsevec_recv(internal, oid, integer) returns sparsevec
language sql strict immutable security definer begin atomic
  select pg_catalog.homebase_relabel(pg_catalog.homebase_sparse(
    array(select pg_catalog.homebase_read_int4($1) + 1 from generate_series(1, head.filled)),
    array(select pg_catalog.homebase_read_float4($1)::float8 from generate_series(1, head.filled)), head.dims, $3),
    null::sparsevec)
  from (
    select pg_catalog.homebase_read_int4($1) as dims, pg_catalog.homebase_read_int4($1) as filled,
      pg_catalog.homebase_read_int4($1) as unused offset 0
  ) head;
end;
create or replace function sparsevec_send(sparsevec) returns bytea
language sql strict immutable parallel safe security definer begin atomic
  select int4send(pg_catalog.homebase_sparse_dims(pg_catalog.homebase_bytes($1))) || int4send(count(*)::int4)
    || '\x00000000'::bytea || coalesce(string_agg(int4send(place - 1), ''::bytea order by place), '')
    || coalesce(string_agg(float4send(element::float4), ''::bytea order by place), '')
  from pg_catalog.homebase_sparse_elements(pg_catalog.homebase_bytes($1));
end;

create function sparsevec(sparsevec, integer, boolean) returns sparsevec
language sql strict immutable parallel safe security definer begin atomic
  select $1 where pg_catalog.homebase_demand_dims(pg_catalog.homebase_sparse_dims(pg_catalog.homebase_bytes($1)), $2);
end;
create function vector_to_sparsevec(vector, integer, boolean) returns sparsevec
language sql strict immutable parallel safe security definer begin atomic
  select pg_catalog.homebase_relabel(pg_catalog.homebase_dense_to_sparse(
    pg_catalog.homebase_unpack(pg_catalog.homebase_bytes($1)), $2), null::sparsevec);
end;
create function halfvec_to_sparsevec(halfvec, integer, boolean) returns sparsevec
language sql strict immutable parallel safe security definer begin atomic
  select pg_catalog.homebase_relabel(pg_catalog.homebase_dense_to_sparse(
    pg_catalog.homebase_unpack(pg_catalog.homebase_bytes($1)), $2), null::sparsevec);
end;
create function halfvec_to_vector(halfvec, integer, boolean) returns vector
language sql strict immutable parallel safe security definer begin atomic
  select pg_catalog.homebase_relabel(pg_catalog.homebase_vector(
    pg_catalog.homebase_unpack(pg_catalog.homebase_bytes($1)), 'vector', $2), null::vector);
end;
create function vector_to_halfvec(vector, integer, boolean) returns halfvec
language sql strict immutable parallel safe security definer begin atomic
  select pg_catalog.homebase_relabel(pg_catalog.homebase_to_half(
    pg_catalog.homebase_unpack(pg_catalog.homebase_bytes($1)), $2), null::halfvec);
end;
create function sparsevec_to_vector(sparsevec, integer, boolean) returns vector
language sql strict immutable parallel safe security definer begin atomic
  select pg_catalog.homebase_relabel(pg_catalog.homebase_vector(
    pg_catalog.homebase_sparse_to_dense(pg_catalog.homebase_bytes($1)), 'vector', $2), null::vector);
end;
create function sparsevec_to_halfvec(sparsevec, integer, boolean) returns halfvec
language sql strict immutable parallel safe security definer begin atomic
  select pg_catalog.homebase_relabel(pg_catalog.homebase_to_half(
    pg_catalog.homebase_sparse_to_dense(pg_catalog.homebase_bytes($1)), $2), null::halfvec);
end;
create function array_to_sparsevec(double precision[], integer, boolean) returns sparsevec
language sql strict immutable parallel safe security definer begin atomic
  select pg_catalog.homebase_relabel(pg_catalog.homebase_dense_to_sparse(pg_catalog.homebase_unpack(
    pg_catalog.homebase_from_array($1, 'sparsevec', -1)), $2), null::sparsevec);
end;
create function array_to_sparsevec(integer[], integer, boolean) returns sparsevec
language sql strict immutable parallel safe begin atomic select array_to_sparsevec($1::float8[], $2, $3); end;
create function array_to_sparsevec(real[], integer, boolean) returns sparsevec
language sql strict immutable parallel safe begin atomic select array_to_sparsevec($1::float8[], $2, $3); end;
create function array_to_sparsevec(numeric[], integer, boolean) returns sparsevec
language sql strict immutable parallel safe begin atomic select array_to_sparsevec($1::float8[], $2, $3); end;

create cast (halfvec as vector) with function halfvec_to_vector(halfvec, integer, boolean) as assignment;
create cast (vector as halfvec) with function vector_to_halfvec(vector, integer, boolean) as implicit;
create cast (sparsevec as sparsevec) with function sparsevec(sparsevec, integer, boolean) as implicit;
create cast (sparsevec as vector) with function sparsevec_to_vector(sparsevec, integer, boolean) as assignment;
create cast (vector as sparsevec) with function vector_to_sparsevec(vector, integer, boolean) as implicit;
create cast (sparsevec as halfvec) with function sparsevec_to_halfvec(sparsevec, integer, boolean) as assignment;
create cast (halfvec as sparsevec) with function halfvec_to_sparsevec(halfvec, integer, boolean) as implicit;
create cast (integer[] as sparsevec) with function array_to_sparsevec(integer[], integer, boolean) as assignment;
create cast (real[] as sparsevec) with function array_to_sparsevec(real[], integer, boolean) as assignment;
create cast (double precision[] as sparsevec) with function array_to_sparsevec(double precision[], integer, boolean) as assignment;
create cast (numeric[] as sparsevec) with function array_to_sparsevec(numeric[], integer, boolean) as assignment;

create operator <-> (leftarg = sparsevec, rightarg = sparsevec, procedure = l2_distance, commutator = '<->');
create operator <#> (
  leftarg = sparsevec, rightarg = sparsevec, procedure = sparsevec_negative_inner_product, commutator = '<#>');
create operator <=> (leftarg = sparsevec, rightarg = sparsevec, procedure = cosine_distance, commutator = '<=>');
create operator <+> (leftarg = sparsevec, rightarg = sparsevec, procedure = l1_distance, commutator = '<+>');

