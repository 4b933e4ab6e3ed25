-- What both dense types have; KIND stands for the type.
do $outer$
declare
  kind text;
begin
  foreach kind in array array['vector', 'halfvec'] loop
    execute replace(replace(replace($script$
      -- Reading and writing. The output runs as volatile: it then takes a snapshot of its own where there is none, as when
      -- rows of RETURNING are sent or the write-ahead log is decoded.
      create or replace function KIND_in(cstring, oid, integer) returns KIND
      language sql strict immutable security definer begin atomic
        select pg_catalog.homebase_relabel(pg_catalog.homebase_read(pg_catalog.homebase_text($1), 'KIND', $3), null::KIND);
      end;
      create or replace function KIND_recv(internal, oid, integer) returns KIND
      language sql strict immutable security definer begin atomic
        select pg_catalog.homebase_relabel(
          pg_catalog.homebase_vector(array(
            select case 'KIND' when 'vector' then pg_catalog.homebase_read_float4($1)
              else pg_catalog.homebase_half_value(pg_catalog.homebase_read_int2($1)) end
            from generate_series(1, head.dims)), 'KIND', $3), null::KIND)
        from (select pg_catalog.homebase_read_int2($1)::int as dims, pg_catalog.homebase_read_int2($1) as unused offset 0) head;
      end;
      create or replace function KIND_send(KIND) returns bytea
      language sql strict immutable parallel safe security definer begin atomic
        select int2send(pg_catalog.homebase_dims($1)::int2) || '\x0000'::bytea || (
          select string_agg(case 'KIND' when 'vector' then float4send(element::float4)
            else int2send(pg_catalog.homebase_half_bits(element)) end, ''::bytea order by place)
          from unnest(pg_catalog.homebase_unpack(pg_catalog.homebase_bytes($1))) with ordinality as list(element, place));
      end;
      create or replace function KIND_out(KIND) returns cstring
      language sql strict volatile security definer set extra_float_digits = 1 begin atomic
        select _vector_text('[' || array_to_string(pg_catalog.homebase_unpack(pg_catalog.homebase_bytes($1))::float4[], ',') || ']');
      end;
      update pg_proc set prorettype = '_vector_text'::regtype where oid = 'KIND_out(KIND)'::regprocedure;

      create function KIND(KIND, integer, boolean) returns KIND
      language sql strict immutable parallel safe security definer begin atomic
        select $1 where pg_catalog.homebase_demand_dims(pg_catalog.homebase_dims($1), $2);
      end;
      create function KIND_to_float4(KIND, integer, boolean) returns real[]
      language sql strict immutable parallel safe security definer begin atomic
        select pg_catalog.homebase_unpack(pg_catalog.homebase_bytes($1))::real[];
      end;
      create function array_to_KIND(double precision[], integer, boolean) returns KIND
      language sql strict immutable parallel safe security definer begin atomic
        select pg_catalog.homebase_relabel(pg_catalog.homebase_from_array($1, 'KIND', $2), null::KIND);
      end;
      create function array_to_KIND(integer[], integer, boolean) returns KIND
      language sql strict immutable parallel safe security definer begin atomic
        select pg_catalog.homebase_relabel(pg_catalog.homebase_from_array($1::float8[], 'KIND', $2), null::KIND);
      end;
      create function array_to_KIND(real[], integer, boolean) returns KIND
      language sql strict immutable parallel safe security definer begin atomic
        select pg_catalog.homebase_relabel(pg_catalog.homebase_from_array($1::float8[], 'KIND', $2), null::KIND);
      end;
      create function array_to_KIND(numeric[], integer, boolean) returns KIND
      language sql strict immutable parallel safe security definer begin atomic
        select pg_catalog.homebase_relabel(pg_catalog.homebase_from_array($1::float8[], 'KIND', $2), null::KIND);
      end;
      create cast (KIND as KIND) with function KIND(KIND, integer, boolean) as implicit;
      create cast (KIND as real[]) with function KIND_to_float4(KIND, integer, boolean) as ARRAY_CAST;
      create cast (integer[] as KIND) with function array_to_KIND(integer[], integer, boolean) as assignment;
      create cast (real[] as KIND) with function array_to_KIND(real[], integer, boolean) as assignment;
      create cast (double precision[] as KIND) with function array_to_KIND(double precision[], integer, boolean) as assignment;
      create cast (numeric[] as KIND) with function array_to_KIND(numeric[], integer, boolean) as assignment;

      -- Distances. Values that are stored out of line are read once: the copies then serve every measurement.
      create function KIND_l2_squared_distance(KIND, KIND) returns float8
      language plpgsql strict immutable parallel safe security definer set search_path = pg_catalog as $body$
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
      create function l2_distance(KIND, KIND) returns float8
      language plpgsql strict immutable parallel safe security definer set search_path = pg_catalog as $body$
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
      create function l1_distance(KIND, KIND) returns float8
      language plpgsql strict immutable parallel safe security definer set search_path = pg_catalog as $body$
      begin
        $1 := homebase_relabel(homebase_bytes($1), $1);
        $2 := homebase_relabel(homebase_bytes($2), $2);
        if homebase_dims($1) <> homebase_dims($2) then
          perform homebase_demand_same(homebase_dims($1), homebase_dims($2), 'KIND');
        end if;
        return homebase_single(homebase_taxicab($1, $2));
      end $body$;
      create function inner_product(KIND, KIND) returns float8
      language plpgsql strict immutable parallel safe security definer set search_path = pg_catalog as $body$
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
        left_norm := homebase_distance($1, homebase_relabel('\x00000080', $1));
        right_norm := homebase_distance($2, homebase_relabel('\x00000080', $1));
        distance := homebase_distance($1, $2);
        product := homebase_dot(left_norm, right_norm, distance);
        if product is null then
          product := homebase_exact_dot(homebase_unpack(homebase_bytes($1)), homebase_unpack(homebase_bytes($2)));
        end if;
        return product;
      end $body$;
      create function cosine_distance(KIND, KIND) returns float8
      language plpgsql strict immutable parallel safe security definer set search_path = pg_catalog as $body$
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
        left_norm := homebase_distance($1, homebase_relabel('\x00000080', $1));
        right_norm := homebase_distance($2, homebase_relabel('\x00000080', $1));
        if left_norm = 0 or right_norm = 0 then return 'nan'; end if;
        distance := homebase_distance($1, $2);
        product := homebase_dot(left_norm, right_norm, distance);
        if product is null then
          product := homebase_exact_dot(homebase_unpack(homebase_bytes($1)), homebase_unpack(homebase_bytes($2)));
        end if;
        similarity := product / sqrt(homebase_single(left_norm * left_norm) * homebase_single(right_norm * right_norm));
        return 1 - greatest(-1, least(1, similarity));
      end $body$;
      create function KIND_negative_inner_product(KIND, KIND) returns float8
      language sql strict immutable parallel safe begin atomic select 0 - inner_product($1, $2); end;
      create function KIND_spherical_distance(KIND, KIND) returns float8
      language sql strict immutable parallel safe begin atomic
        select acos(greatest(-1, least(1, inner_product($1, $2)))) / pi();
      end;

      create function vector_dims(KIND) returns integer
      language sql strict immutable parallel safe security definer begin atomic
        select pg_catalog.homebase_dims($1);
      end;
      create function NORM(KIND) returns float8
      language sql strict immutable parallel safe security definer begin atomic
        select pg_catalog.homebase_distance($1, pg_catalog.homebase_relabel('\x00000080', $1));
      end;
      create function l2_normalize(KIND) returns KIND
      language sql strict immutable parallel safe security definer begin atomic
        select pg_catalog.homebase_relabel(pg_catalog.homebase_result(array(
          select case when norm > 0 then element / norm else 0 end
          from unnest(pg_catalog.homebase_unpack(pg_catalog.homebase_bytes($1))) element), 'KIND'), null::KIND)
        from NORM($1) norm;
      end;
      create function binary_quantize(KIND) returns bit
      language plpgsql strict immutable parallel safe security definer set search_path = pg_catalog as $body$
      begin
        return (
          select string_agg(case when element > 0 then '1' else '0' end, '' order by place)::varbit
          from unnest(homebase_unpack(homebase_bytes($1))) with ordinality as list(element, place));
      end $body$;
      create function subvector(KIND, integer, integer) returns KIND
      language sql strict immutable parallel safe security definer begin atomic
        select pg_catalog.homebase_relabel(pg_catalog.homebase_vector(
          (pg_catalog.homebase_unpack(pg_catalog.homebase_bytes($1)))[greatest($2, 1) : least($2::bigint + $3 - 1, 16000)::int],
          'KIND', -1), null::KIND);
      end;
      create function KIND_add(KIND, KIND) returns KIND
      language sql strict immutable parallel safe security definer begin atomic
        select pg_catalog.homebase_relabel(pg_catalog.homebase_result(array(
          select x + y from unnest(pg_catalog.homebase_unpack(pg_catalog.homebase_bytes($1)),
            pg_catalog.homebase_unpack(pg_catalog.homebase_bytes($2))) as pair(x, y)), 'KIND'), null::KIND)
        where pg_catalog.homebase_demand_same(pg_catalog.homebase_dims($1), pg_catalog.homebase_dims($2), 'KIND');
      end;
      create function KIND_sub(KIND, KIND) returns KIND
      language sql strict immutable parallel safe security definer begin atomic
        select pg_catalog.homebase_relabel(pg_catalog.homebase_result(array(
          select x - y from unnest(pg_catalog.homebase_unpack(pg_catalog.homebase_bytes($1)),
            pg_catalog.homebase_unpack(pg_catalog.homebase_bytes($2))) as pair(x, y)), 'KIND'), null::KIND)
        where pg_catalog.homebase_demand_same(pg_catalog.homebase_dims($1), pg_catalog.homebase_dims($2), 'KIND');
      end;
      create function KIND_mul(KIND, KIND) returns KIND
      language sql strict immutable parallel safe security definer begin atomic
        select pg_catalog.homebase_relabel(pg_catalog.homebase_result(array(
          select x * y from unnest(pg_catalog.homebase_unpack(pg_catalog.homebase_bytes($1)),
            pg_catalog.homebase_unpack(pg_catalog.homebase_bytes($2))) as pair(x, y)), 'KIND'), null::KIND)
        where pg_catalog.homebase_demand_same(pg_catalog.homebase_dims($1), pg_catalog.homebase_dims($2), 'KIND');
      end;
      create function KIND_concat(KIND, KIND) returns KIND
      language sql strict immutable parallel safe security definer begin atomic
        select pg_catalog.homebase_relabel(pg_catalog.homebase_vector(
          pg_catalog.homebase_unpack(pg_catalog.homebase_bytes($1))
            || pg_catalog.homebase_unpack(pg_catalog.homebase_bytes($2)), 'KIND', -1), null::KIND);
      end;
      create function KIND_cmp(KIND, KIND) returns int4
      language sql strict immutable parallel safe security definer begin atomic
        select btarraycmp(pg_catalog.homebase_unpack(pg_catalog.homebase_bytes($1)),
          pg_catalog.homebase_unpack(pg_catalog.homebase_bytes($2)));
      end;

      create function KIND_accum(double precision[], KIND) returns double precision[]
      language sql strict immutable parallel safe security definer begin atomic
        select case when cardinality($1) = 1 then array[1::float8] || pg_catalog.homebase_unpack(pg_catalog.homebase_bytes($2))
          else array[$1[1] + 1] || array(
            select x + y from unnest($1[2:], pg_catalog.homebase_unpack(pg_catalog.homebase_bytes($2))) as pair(x, y)) end
        where cardinality($1) = 1
          or pg_catalog.homebase_demand_dims(pg_catalog.homebase_dims($2), cardinality($1) - 1);
      end;
      create function KIND_combine(double precision[], double precision[]) returns double precision[]
      language sql strict immutable parallel safe security definer begin atomic
        select case when $1[1] = 0 then $2 when $2[1] = 0 then $1
          else array(select x + y from unnest($1, $2) as pair(x, y)) end
        where $1[1] = 0 or $2[1] = 0 or pg_catalog.homebase_demand_dims(cardinality($2) - 1, cardinality($1) - 1);
      end;
      create function KIND_avg(double precision[]) returns KIND
      language sql strict immutable parallel safe security definer begin atomic
        select case when $1[1] > 0 then pg_catalog.homebase_relabel(
          pg_catalog.homebase_result(array(select element / $1[1] from unnest($1[2:]) element), 'KIND'), null::KIND) end;
      end;
      create aggregate avg(KIND) (
        sfunc = KIND_accum, stype = double precision[], finalfunc = KIND_avg, combinefunc = KIND_combine,
        initcond = '{0}', parallel = safe
      );
      create aggregate sum(KIND) (sfunc = KIND_add, stype = KIND, combinefunc = KIND_add, parallel = safe);

      create operator <-> (leftarg = KIND, rightarg = KIND, procedure = l2_distance, commutator = '<->');
      create operator <#> (leftarg = KIND, rightarg = KIND, procedure = KIND_negative_inner_product, commutator = '<#>');
      create operator <=> (leftarg = KIND, rightarg = KIND, procedure = cosine_distance, commutator = '<=>');
      create operator <+> (leftarg = KIND, rightarg = KIND, procedure = l1_distance, commutator = '<+>');
      create operator + (leftarg = KIND, rightarg = KIND, procedure = KIND_add, commutator = +);
      create operator - (leftarg = KIND, rightarg = KIND, procedure = KIND_sub);
      create operator * (leftarg = KIND, rightarg = KIND, procedure = KIND_mul, commutator = *);
      create operator || (leftarg = KIND, rightarg = KIND, procedure = KIND_concat);
    $script$, 'KIND', kind), 'NORM(', case kind when 'vector' then 'vector_norm(' else 'l2_norm(' end),
    'ARRAY_CAST', case kind when 'vector' then 'implicit' else 'assignment' end);
  end loop;
end
$outer$;

