-- The functions of both dense types; KIND stands for the type.
do $outer$
declare
  kind text;
begin
  foreach kind in array array['vector', 'halfvec'] loop
    execute replace(replace(replace($script$
      -- Reading and writing. The output runs as volatile: it then takes a snapshot of its own where there is none, as when
      -- rows of RETURNING are sent or the write-ahead log is decoded.
      create or replace function @extschema@.KIND_in(cstring, oid, integer) returns @extschema@.KIND
      language sql strict immutable security definer begin atomic
        select pg_catalog.homebase_relabel(pg_catalog.homebase_read(pg_catalog.homebase_text($1), 'KIND', $3), null::@extschema@.KIND);
      end;
      create or replace function @extschema@.KIND_recv(internal, oid, integer) returns @extschema@.KIND
      language sql strict immutable security definer begin atomic
        select pg_catalog.homebase_relabel(
          pg_catalog.homebase_vector(array(
            select case 'KIND' when 'vector' then pg_catalog.homebase_read_float4($1)
              else pg_catalog.homebase_half_value(pg_catalog.homebase_read_int2($1)) end
            from generate_series(1, head.dims)), 'KIND', $3), null::@extschema@.KIND)
        from (select pg_catalog.homebase_read_int2($1)::int as dims, pg_catalog.homebase_read_int2($1) as unused offset 0) head;
      end;
      create or replace function @extschema@.KIND_send(@extschema@.KIND) returns bytea
      language sql strict volatile parallel safe security definer begin atomic
        select int2send(pg_catalog.homebase_dims($1)::int2) || '\x0000'::bytea || (
          select string_agg(case 'KIND' when 'vector' then float4send(element::float4)
            else int2send(pg_catalog.homebase_half_bits(element)) end, ''::bytea order by place)
          from unnest(pg_catalog.homebase_unpack(pg_catalog.homebase_bytes($1))) with ordinality as list(element, place));
      end;
      create or replace function @extschema@.KIND_out(@extschema@.KIND) returns cstring
      language sql strict volatile security definer set extra_float_digits = 1 begin atomic
        select @extschema@._vector_text('[' || array_to_string(pg_catalog.homebase_unpack(pg_catalog.homebase_bytes($1))::float4[], ',') || ']');
      end;
      update pg_proc set prorettype = '@extschema@._vector_text'::regtype where oid = '@extschema@.KIND_out(@extschema@.KIND)'::regprocedure;

      create function @extschema@.KIND(@extschema@.KIND, integer, boolean) returns @extschema@.KIND
      language sql strict immutable parallel safe security definer begin atomic
        select $1 where pg_catalog.homebase_demand_dims(pg_catalog.homebase_dims($1), $2);
      end;
      create function @extschema@.KIND_to_float4(@extschema@.KIND, integer, boolean) returns real[]
      language sql strict immutable parallel safe security definer begin atomic
        select pg_catalog.homebase_unpack(pg_catalog.homebase_bytes($1))::real[];
      end;
      create function @extschema@.array_to_KIND(double precision[], integer, boolean) returns @extschema@.KIND
      language sql strict immutable parallel safe security definer begin atomic
        select pg_catalog.homebase_relabel(pg_catalog.homebase_from_array($1, 'KIND', $2), null::@extschema@.KIND);
      end;
      create function @extschema@.array_to_KIND(integer[], integer, boolean) returns @extschema@.KIND
      language sql strict immutable parallel safe security definer begin atomic
        select pg_catalog.homebase_relabel(pg_catalog.homebase_from_array($1::float8[], 'KIND', $2), null::@extschema@.KIND);
      end;
      create function @extschema@.array_to_KIND(real[], integer, boolean) returns @extschema@.KIND
      language sql strict immutable parallel safe security definer begin atomic
        select pg_catalog.homebase_relabel(pg_catalog.homebase_from_array($1::float8[], 'KIND', $2), null::@extschema@.KIND);
      end;
      create function @extschema@.array_to_KIND(numeric[], integer, boolean) returns @extschema@.KIND
      language sql strict immutable parallel safe security definer begin atomic
        select pg_catalog.homebase_relabel(pg_catalog.homebase_from_array($1::float8[], 'KIND', $2), null::@extschema@.KIND);
      end;
      create cast (@extschema@.KIND as @extschema@.KIND) with function @extschema@.KIND(@extschema@.KIND, integer, boolean) as implicit;
      create cast (@extschema@.KIND as real[]) with function @extschema@.KIND_to_float4(@extschema@.KIND, integer, boolean) as ARRAY_CAST;
      create cast (integer[] as @extschema@.KIND) with function @extschema@.array_to_KIND(integer[], integer, boolean) as assignment;
      create cast (real[] as @extschema@.KIND) with function @extschema@.array_to_KIND(real[], integer, boolean) as assignment;
      create cast (double precision[] as @extschema@.KIND) with function @extschema@.array_to_KIND(double precision[], integer, boolean) as assignment;
      create cast (numeric[] as @extschema@.KIND) with function @extschema@.array_to_KIND(numeric[], integer, boolean) as assignment;

      -- Distances. Values that are stored out of line are read once: the copies then serve every measurement.
      create function @extschema@.KIND_l2_squared_distance(@extschema@.KIND, @extschema@.KIND) returns float8
      language plpgsql strict immutable parallel safe security definer set search_path = pg_catalog, pg_temp as $body$
      declare
        distance float8;
      begin
        $1 := homebase_relabel(homebase_bytes($1), $1);
        $2 := homebase_relabel(homebase_bytes($2), $2);
        if homebase_dims($1) <> homebase_dims($2) then
          perform homebase_demand_same(homebase_dims($1), homebase_dims($2), 'KIND');
        end if;
        distance := homebase_distance($1, $2);
        return homebase_single(distance * distance);
      end $body$;
      create function @extschema@.l2_distance(@extschema@.KIND, @extschema@.KIND) returns float8
      language plpgsql strict immutable parallel safe security definer set search_path = pg_catalog, pg_temp as $body$
      declare
        distance float8;
      begin
        $1 := homebase_relabel(homebase_bytes($1), $1);
        $2 := homebase_relabel(homebase_bytes($2), $2);
        if homebase_dims($1) <> homebase_dims($2) then
          perform homebase_demand_same(homebase_dims($1), homebase_dims($2), 'KIND');
        end if;
        distance := homebase_distance($1, $2);
        return sqrt(homebase_single(distance * distance));
      end $body$;
      create function @extschema@.l1_distance(@extschema@.KIND, @extschema@.KIND) returns float8
      language plpgsql strict immutable parallel safe security definer set search_path = pg_catalog, pg_temp as $body$
      begin
        $1 := homebase_relabel(homebase_bytes($1), $1);
        $2 := homebase_relabel(homebase_bytes($2), $2);
        if homebase_dims($1) <> homebase_dims($2) then
          perform homebase_demand_same(homebase_dims($1), homebase_dims($2), 'KIND');
        end if;
        return homebase_single(homebase_taxicab($1, $2));
      end $body$;
      create function @extschema@.inner_product(@extschema@.KIND, @extschema@.KIND) returns float8
      language plpgsql strict immutable parallel safe security definer set search_path = pg_catalog, pg_temp as $body$
      declare
        left_norm float8;
        right_norm float8;
        distance float8;
        product float8;
      begin
        $1 := homebase_relabel(homebase_bytes($1), $1);
        $2 := homebase_relabel(homebase_bytes($2), $2);
        if homebase_dims($1) <> homebase_dims($2) then
          perform homebase_demand_same(homebase_dims($1), homebase_dims($2), 'KIND');
        end if;
        left_norm := homebase_distance($1, homebase_relabel(decode('00000080', 'hex'), $1));
        right_norm := homebase_distance($2, homebase_relabel(decode('00000080', 'hex'), $1));
        distance := homebase_distance($1, $2);
        product := homebase_dot(left_norm, right_norm, distance);
        if product is null then
          product := homebase_exact_dot(homebase_unpack(homebase_bytes($1)), homebase_unpack(homebase_bytes($2)));
        end if;
        return product;
      end $body$;
      create function @extschema@.cosine_distance(@extschema@.KIND, @extschema@.KIND) returns float8
      language plpgsql strict immutable parallel safe security definer set search_path = pg_catalog, pg_temp as $body$
      declare
        left_norm float8;
        right_norm float8;
        distance float8;
        product float8;
        similarity float8;
      begin
        $1 := homebase_relabel(homebase_bytes($1), $1);
        $2 := homebase_relabel(homebase_bytes($2), $2);
        if homebase_dims($1) <> homebase_dims($2) then
          perform homebase_demand_same(homebase_dims($1), homebase_dims($2), 'KIND');
        end if;
        left_norm := homebase_distance($1, homebase_relabel(decode('00000080', 'hex'), $1));
        right_norm := homebase_distance($2, homebase_relabel(decode('00000080', 'hex'), $1));
        if left_norm = 0 or right_norm = 0 then return 'nan'; end if;
        distance := homebase_distance($1, $2);
        product := homebase_dot(left_norm, right_norm, distance);
        if product is null then
          product := homebase_exact_dot(homebase_unpack(homebase_bytes($1)), homebase_unpack(homebase_bytes($2)));
        end if;
        similarity := product / sqrt(homebase_single(left_norm * left_norm) * homebase_single(right_norm * right_norm));
        return 1 - greatest(-1, least(1, similarity));
      end $body$;
      create function @extschema@.KIND_negative_inner_product(@extschema@.KIND, @extschema@.KIND) returns float8
      language sql strict immutable parallel safe begin atomic select 0 - @extschema@.inner_product($1, $2); end;
      create function @extschema@.KIND_spherical_distance(@extschema@.KIND, @extschema@.KIND) returns float8
      language sql strict immutable parallel safe begin atomic
        select acos(greatest(-1, least(1, @extschema@.inner_product($1, $2)))) / pi();
      end;

      create function @extschema@.vector_dims(@extschema@.KIND) returns integer
      language sql strict immutable parallel safe security definer begin atomic
        select pg_catalog.homebase_dims($1);
      end;
      create function @extschema@.NORM(@extschema@.KIND) returns float8
      language sql strict immutable parallel safe security definer begin atomic
        select pg_catalog.homebase_distance($1, pg_catalog.homebase_relabel(decode('00000080', 'hex'), $1));
      end;
      create function @extschema@.l2_normalize(@extschema@.KIND) returns @extschema@.KIND
      language sql strict immutable parallel safe security definer begin atomic
        select pg_catalog.homebase_relabel(pg_catalog.homebase_result(array(
          select case when norm > 0 then element / norm else 0 end
          from unnest(pg_catalog.homebase_unpack(pg_catalog.homebase_bytes($1))) element), 'KIND'), null::@extschema@.KIND)
        from @extschema@.NORM($1) norm;
      end;
      create function @extschema@.binary_quantize(@extschema@.KIND) returns bit
      language plpgsql strict immutable parallel safe security definer set search_path = pg_catalog, pg_temp as $body$
      begin
        return (
          select string_agg(case when element > 0 then '1' else '0' end, '' order by place)::varbit
          from unnest(homebase_unpack(homebase_bytes($1))) with ordinality as list(element, place));
      end $body$;
      create function @extschema@.subvector(@extschema@.KIND, integer, integer) returns @extschema@.KIND
      language sql strict immutable parallel safe security definer begin atomic
        select pg_catalog.homebase_relabel(pg_catalog.homebase_vector(
          (pg_catalog.homebase_unpack(pg_catalog.homebase_bytes($1)))[greatest($2, 1) : least($2::bigint + $3 - 1, 16000)::int],
          'KIND', -1), null::@extschema@.KIND);
      end;
      create function @extschema@.KIND_add(@extschema@.KIND, @extschema@.KIND) returns @extschema@.KIND
      language sql strict immutable parallel safe security definer begin atomic
        select pg_catalog.homebase_relabel(pg_catalog.homebase_result(array(
          select x + y from unnest(pg_catalog.homebase_unpack(pg_catalog.homebase_bytes($1)),
            pg_catalog.homebase_unpack(pg_catalog.homebase_bytes($2))) as pair(x, y)), 'KIND'), null::@extschema@.KIND)
        where pg_catalog.homebase_demand_same(pg_catalog.homebase_dims($1), pg_catalog.homebase_dims($2), 'KIND');
      end;
      create function @extschema@.KIND_sub(@extschema@.KIND, @extschema@.KIND) returns @extschema@.KIND
      language sql strict immutable parallel safe security definer begin atomic
        select pg_catalog.homebase_relabel(pg_catalog.homebase_result(array(
          select x - y from unnest(pg_catalog.homebase_unpack(pg_catalog.homebase_bytes($1)),
            pg_catalog.homebase_unpack(pg_catalog.homebase_bytes($2))) as pair(x, y)), 'KIND'), null::@extschema@.KIND)
        where pg_catalog.homebase_demand_same(pg_catalog.homebase_dims($1), pg_catalog.homebase_dims($2), 'KIND');
      end;
      create function @extschema@.KIND_mul(@extschema@.KIND, @extschema@.KIND) returns @extschema@.KIND
      language sql strict immutable parallel safe security definer begin atomic
        select pg_catalog.homebase_relabel(pg_catalog.homebase_result(array(
          select x * y from unnest(pg_catalog.homebase_unpack(pg_catalog.homebase_bytes($1)),
            pg_catalog.homebase_unpack(pg_catalog.homebase_bytes($2))) as pair(x, y)), 'KIND'), null::@extschema@.KIND)
        where pg_catalog.homebase_demand_same(pg_catalog.homebase_dims($1), pg_catalog.homebase_dims($2), 'KIND');
      end;
      create function @extschema@.KIND_concat(@extschema@.KIND, @extschema@.KIND) returns @extschema@.KIND
      language sql strict immutable parallel safe security definer begin atomic
        select pg_catalog.homebase_relabel(pg_catalog.homebase_vector(
          pg_catalog.homebase_unpack(pg_catalog.homebase_bytes($1))
            || pg_catalog.homebase_unpack(pg_catalog.homebase_bytes($2)), 'KIND', -1), null::@extschema@.KIND);
      end;
      create function @extschema@.KIND_cmp(@extschema@.KIND, @extschema@.KIND) returns int4
      language sql strict immutable parallel safe security definer begin atomic
        select btarraycmp(pg_catalog.homebase_unpack(pg_catalog.homebase_bytes($1)),
          pg_catalog.homebase_unpack(pg_catalog.homebase_bytes($2)));
      end;

      create function @extschema@.KIND_accum(double precision[], @extschema@.KIND) returns double precision[]
      language sql strict immutable parallel safe security definer begin atomic
        select case when cardinality($1) = 1 then array[1::float8] || pg_catalog.homebase_unpack(pg_catalog.homebase_bytes($2))
          else array[$1[1] + 1] || array(
            select x + y from unnest($1[2:], pg_catalog.homebase_unpack(pg_catalog.homebase_bytes($2))) as pair(x, y)) end
        where cardinality($1) = 1
          or pg_catalog.homebase_demand_dims(pg_catalog.homebase_dims($2), cardinality($1) - 1);
      end;
      create function @extschema@.KIND_combine(double precision[], double precision[]) returns double precision[]
      language sql strict immutable parallel safe security definer begin atomic
        select case when $1[1] = 0 then $2 when $2[1] = 0 then $1
          else array(select x + y from unnest($1, $2) as pair(x, y)) end
        where $1[1] = 0 or $2[1] = 0 or pg_catalog.homebase_demand_dims(cardinality($2) - 1, cardinality($1) - 1);
      end;
      create function @extschema@.KIND_avg(double precision[]) returns @extschema@.KIND
      language sql strict immutable parallel safe security definer begin atomic
        select case when $1[1] > 0 then pg_catalog.homebase_relabel(
          pg_catalog.homebase_result(array(select element / $1[1] from unnest($1[2:]) element), 'KIND'), null::@extschema@.KIND) end;
      end;
      create aggregate @extschema@.avg(@extschema@.KIND) (
        sfunc = @extschema@.KIND_accum, stype = double precision[], finalfunc = @extschema@.KIND_avg, combinefunc = @extschema@.KIND_combine,
        initcond = '{0}', parallel = safe
      );
      create aggregate @extschema@.sum(@extschema@.KIND) (sfunc = @extschema@.KIND_add, stype = @extschema@.KIND, combinefunc = @extschema@.KIND_add, parallel = safe);

      create operator @extschema@.<-> (leftarg = @extschema@.KIND, rightarg = @extschema@.KIND, procedure = @extschema@.l2_distance, commutator = operator(@extschema@.<->));
      create operator @extschema@.<#> (leftarg = @extschema@.KIND, rightarg = @extschema@.KIND, procedure = @extschema@.KIND_negative_inner_product, commutator = operator(@extschema@.<#>));
      create operator @extschema@.<=> (leftarg = @extschema@.KIND, rightarg = @extschema@.KIND, procedure = @extschema@.cosine_distance, commutator = operator(@extschema@.<=>));
      create operator @extschema@.<+> (leftarg = @extschema@.KIND, rightarg = @extschema@.KIND, procedure = @extschema@.l1_distance, commutator = operator(@extschema@.<+>));
      create operator @extschema@.+ (leftarg = @extschema@.KIND, rightarg = @extschema@.KIND, procedure = @extschema@.KIND_add, commutator = operator(@extschema@.+));
      create operator @extschema@.- (leftarg = @extschema@.KIND, rightarg = @extschema@.KIND, procedure = @extschema@.KIND_sub);
      create operator @extschema@.* (leftarg = @extschema@.KIND, rightarg = @extschema@.KIND, procedure = @extschema@.KIND_mul, commutator = operator(@extschema@.*));
      create operator @extschema@.|| (leftarg = @extschema@.KIND, rightarg = @extschema@.KIND, procedure = @extschema@.KIND_concat);
    $script$, 'KIND', kind), 'NORM(', case kind when 'vector' then 'vector_norm(' else 'l2_norm(' end),
    'ARRAY_CAST', case kind when 'vector' then 'implicit' else 'assignment' end);
  end loop;
end
$outer$;

