create function @extschema@.inner_product(@extschema@.sparsevec, @extschema@.sparsevec) returns float8
language sql strict immutable parallel safe security definer begin atomic
  select coalesce(sum(x.element * y.element), 0)
  from pg_catalog.homebase_sparse_elements(pg_catalog.homebase_bytes($1)) x
  join pg_catalog.homebase_sparse_elements(pg_catalog.homebase_bytes($2)) y using (place)
  having pg_catalog.homebase_demand_same(pg_catalog.homebase_sparse_dims(pg_catalog.homebase_bytes($1)),
    pg_catalog.homebase_sparse_dims(pg_catalog.homebase_bytes($2)), 'sparsevec');
end;
create function @extschema@.sparsevec_negative_inner_product(@extschema@.sparsevec, @extschema@.sparsevec) returns float8
language sql strict immutable parallel safe begin atomic select 0 - @extschema@.inner_product($1, $2); end;
create function @extschema@.l2_norm(@extschema@.sparsevec) returns float8
language sql strict immutable parallel safe security definer begin atomic
  select coalesce(sqrt(sum(element * element)), 0)
  from pg_catalog.homebase_sparse_elements(pg_catalog.homebase_bytes($1));
end;
create function @extschema@.sparsevec_l2_squared_distance(@extschema@.sparsevec, @extschema@.sparsevec) returns float8
language sql strict immutable parallel safe security definer begin atomic
  select coalesce(sum((coalesce(x.element, 0) - coalesce(y.element, 0)) ^ 2), 0)
  from pg_catalog.homebase_sparse_elements(pg_catalog.homebase_bytes($1)) x
  full join pg_catalog.homebase_sparse_elements(pg_catalog.homebase_bytes($2)) y using (place)
  having pg_catalog.homebase_demand_same(pg_catalog.homebase_sparse_dims(pg_catalog.homebase_bytes($1)),
    pg_catalog.homebase_sparse_dims(pg_catalog.homebase_bytes($2)), 'sparsevec');
end;
create function @extschema@.l2_distance(@extschema@.sparsevec, @extschema@.sparsevec) returns float8
language sql strict immutable parallel safe begin atomic select sqrt(@extschema@.sparsevec_l2_squared_distance($1, $2)); end;
create function @extschema@.l1_distance(@extschema@.sparsevec, @extschema@.sparsevec) returns float8
language sql strict immutable parallel safe security definer begin atomic
  select coalesce(sum(abs(coalesce(x.element, 0) - coalesce(y.element, 0))), 0)
  from pg_catalog.homebase_sparse_elements(pg_catalog.homebase_bytes($1)) x
  full join pg_catalog.homebase_sparse_elements(pg_catalog.homebase_bytes($2)) y using (place)
  having pg_catalog.homebase_demand_same(pg_catalog.homebase_sparse_dims(pg_catalog.homebase_bytes($1)),
    pg_catalog.homebase_sparse_dims(pg_catalog.homebase_bytes($2)), 'sparsevec');
end;
create function @extschema@.cosine_distance(@extschema@.sparsevec, @extschema@.sparsevec) returns float8
language sql strict immutable parallel safe begin atomic
  select case when product.value is null or norms.value = 0 then 'nan'::float8
    else 1 - greatest(-1, least(1, product.value / norms.value)) end
  from (select @extschema@.inner_product($1, $2) as value) product, (select @extschema@.l2_norm($1) * @extschema@.l2_norm($2) as value) norms;
end;
create function @extschema@.l2_normalize(@extschema@.sparsevec) returns @extschema@.sparsevec
language sql strict immutable parallel safe security definer begin atomic
  select pg_catalog.homebase_relabel(pg_catalog.homebase_sparse(
    array(select place from pg_catalog.homebase_sparse_elements(pg_catalog.homebase_bytes($1))),
    array(select element / @extschema@.l2_norm($1) from pg_catalog.homebase_sparse_elements(pg_catalog.homebase_bytes($1))),
    pg_catalog.homebase_sparse_dims(pg_catalog.homebase_bytes($1)), -1), null::@extschema@.sparsevec);
end;
create function @extschema@.sparsevec_cmp(@extschema@.sparsevec, @extschema@.sparsevec) returns int4
language sql strict immutable parallel safe security definer begin atomic
  select coalesce(
    (select case when coalesce(x.element, 0) < coalesce(y.element, 0) then -1 else 1 end
     from pg_catalog.homebase_sparse_elements(pg_catalog.homebase_bytes($1)) x
     full join pg_catalog.homebase_sparse_elements(pg_catalog.homebase_bytes($2)) y using (place)
     where coalesce(x.element, 0) <> coalesce(y.element, 0) order by place limit 1),
    btint4cmp(pg_catalog.homebase_sparse_dims(pg_catalog.homebase_bytes($1)),
      pg_catalog.homebase_sparse_dims(pg_catalog.homebase_bytes($2))));
end;

create or replace function @extschema@.sparsevec_in(cstring, oid, integer) returns @extschema@.sparsevec
language sql strict immutable security definer begin atomic
  select pg_catalog.homebase_relabel(pg_catalog.homebase_sparse_read(pg_catalog.homebase_text($1), $3), null::@extschema@.sparsevec);
end;
create or replace function @extschema@.sparsevec_recv(internal, oid, integer) returns @extschema@.sparsevec
language sql strict immutable security definer begin atomic
  select pg_catalog.homebase_relabel(pg_catalog.homebase_sparse(
    array(select pg_catalog.homebase_read_int4($1) + 1 from generate_series(1, head.filled)),
    array(select pg_catalog.homebase_read_float4($1)::float8 from generate_series(1, head.filled)), head.dims, $3),
    null::@extschema@.sparsevec)
  from (
    -- A series is made whole before its first number is used, and the sender chooses its length: 16,000 may be filled.
    select pg_catalog.homebase_read_int4($1) as dims, least(pg_catalog.homebase_read_int4($1), 16001) as filled,
      pg_catalog.homebase_read_int4($1) as unused offset 0
  ) head;
end;
create or replace function @extschema@.sparsevec_send(@extschema@.sparsevec) returns bytea
language sql strict volatile parallel safe security definer begin atomic
  select int4send(pg_catalog.homebase_sparse_dims(pg_catalog.homebase_bytes($1))) || int4send(count(*)::int4)
    || '\x00000000'::bytea || coalesce(string_agg(int4send(place - 1), ''::bytea order by place), '')
    || coalesce(string_agg(float4send(element::float4), ''::bytea order by place), '')
  from pg_catalog.homebase_sparse_elements(pg_catalog.homebase_bytes($1));
end;

create function @extschema@.sparsevec(@extschema@.sparsevec, integer, boolean) returns @extschema@.sparsevec
language sql strict immutable parallel safe security definer begin atomic
  select $1 where pg_catalog.homebase_demand_dims(pg_catalog.homebase_sparse_dims(pg_catalog.homebase_bytes($1)), $2);
end;
create function @extschema@.vector_to_sparsevec(@extschema@.vector, integer, boolean) returns @extschema@.sparsevec
language sql strict immutable parallel safe security definer begin atomic
  select pg_catalog.homebase_relabel(pg_catalog.homebase_dense_to_sparse(
    pg_catalog.homebase_unpack(pg_catalog.homebase_bytes($1)), $2), null::@extschema@.sparsevec);
end;
create function @extschema@.halfvec_to_sparsevec(@extschema@.halfvec, integer, boolean) returns @extschema@.sparsevec
language sql strict immutable parallel safe security definer begin atomic
  select pg_catalog.homebase_relabel(pg_catalog.homebase_dense_to_sparse(
    pg_catalog.homebase_unpack(pg_catalog.homebase_bytes($1)), $2), null::@extschema@.sparsevec);
end;
create function @extschema@.halfvec_to_vector(@extschema@.halfvec, integer, boolean) returns @extschema@.vector
language sql strict immutable parallel safe security definer begin atomic
  select pg_catalog.homebase_relabel(pg_catalog.homebase_vector(
    pg_catalog.homebase_unpack(pg_catalog.homebase_bytes($1)), 'vector', $2), null::@extschema@.vector);
end;
create function @extschema@.vector_to_halfvec(@extschema@.vector, integer, boolean) returns @extschema@.halfvec
language sql strict immutable parallel safe security definer begin atomic
  select pg_catalog.homebase_relabel(pg_catalog.homebase_to_half(
    pg_catalog.homebase_unpack(pg_catalog.homebase_bytes($1)), $2), null::@extschema@.halfvec);
end;
create function @extschema@.sparsevec_to_vector(@extschema@.sparsevec, integer, boolean) returns @extschema@.vector
language sql strict immutable parallel safe security definer begin atomic
  select pg_catalog.homebase_relabel(pg_catalog.homebase_vector(
    pg_catalog.homebase_sparse_to_dense(pg_catalog.homebase_bytes($1)), 'vector', $2), null::@extschema@.vector);
end;
create function @extschema@.sparsevec_to_halfvec(@extschema@.sparsevec, integer, boolean) returns @extschema@.halfvec
language sql strict immutable parallel safe security definer begin atomic
  select pg_catalog.homebase_relabel(pg_catalog.homebase_to_half(
    pg_catalog.homebase_sparse_to_dense(pg_catalog.homebase_bytes($1)), $2), null::@extschema@.halfvec);
end;
create function @extschema@.array_to_sparsevec(double precision[], integer, boolean) returns @extschema@.sparsevec
language sql strict immutable parallel safe security definer begin atomic
  select pg_catalog.homebase_relabel(pg_catalog.homebase_dense_to_sparse(pg_catalog.homebase_unpack(
    pg_catalog.homebase_from_array($1, 'sparsevec', -1)), $2), null::@extschema@.sparsevec);
end;
create function @extschema@.array_to_sparsevec(integer[], integer, boolean) returns @extschema@.sparsevec
language sql strict immutable parallel safe begin atomic select @extschema@.array_to_sparsevec($1::float8[], $2, $3); end;
create function @extschema@.array_to_sparsevec(real[], integer, boolean) returns @extschema@.sparsevec
language sql strict immutable parallel safe begin atomic select @extschema@.array_to_sparsevec($1::float8[], $2, $3); end;
create function @extschema@.array_to_sparsevec(numeric[], integer, boolean) returns @extschema@.sparsevec
language sql strict immutable parallel safe begin atomic select @extschema@.array_to_sparsevec($1::float8[], $2, $3); end;

create cast (@extschema@.halfvec as @extschema@.vector) with function @extschema@.halfvec_to_vector(@extschema@.halfvec, integer, boolean) as assignment;
create cast (@extschema@.vector as @extschema@.halfvec) with function @extschema@.vector_to_halfvec(@extschema@.vector, integer, boolean) as implicit;
create cast (@extschema@.sparsevec as @extschema@.sparsevec) with function @extschema@.sparsevec(@extschema@.sparsevec, integer, boolean) as implicit;
create cast (@extschema@.sparsevec as @extschema@.vector) with function @extschema@.sparsevec_to_vector(@extschema@.sparsevec, integer, boolean) as assignment;
create cast (@extschema@.vector as @extschema@.sparsevec) with function @extschema@.vector_to_sparsevec(@extschema@.vector, integer, boolean) as implicit;
create cast (@extschema@.sparsevec as @extschema@.halfvec) with function @extschema@.sparsevec_to_halfvec(@extschema@.sparsevec, integer, boolean) as assignment;
create cast (@extschema@.halfvec as @extschema@.sparsevec) with function @extschema@.halfvec_to_sparsevec(@extschema@.halfvec, integer, boolean) as implicit;
create cast (integer[] as @extschema@.sparsevec) with function @extschema@.array_to_sparsevec(integer[], integer, boolean) as assignment;
create cast (real[] as @extschema@.sparsevec) with function @extschema@.array_to_sparsevec(real[], integer, boolean) as assignment;
create cast (double precision[] as @extschema@.sparsevec) with function @extschema@.array_to_sparsevec(double precision[], integer, boolean) as assignment;
create cast (numeric[] as @extschema@.sparsevec) with function @extschema@.array_to_sparsevec(numeric[], integer, boolean) as assignment;

create operator @extschema@.<-> (leftarg = @extschema@.sparsevec, rightarg = @extschema@.sparsevec, procedure = @extschema@.l2_distance, commutator = operator(@extschema@.<->));
create operator @extschema@.<#> (
  leftarg = @extschema@.sparsevec, rightarg = @extschema@.sparsevec, procedure = @extschema@.sparsevec_negative_inner_product, commutator = operator(@extschema@.<#>));
create operator @extschema@.<=> (leftarg = @extschema@.sparsevec, rightarg = @extschema@.sparsevec, procedure = @extschema@.cosine_distance, commutator = operator(@extschema@.<=>));
create operator @extschema@.<+> (leftarg = @extschema@.sparsevec, rightarg = @extschema@.sparsevec, procedure = @extschema@.l1_distance, commutator = operator(@extschema@.<+>));

