-- The text of sparse vectors, in pg_catalog as what dense ones need.
do $outer$
declare
  new_function text;
  signature text;
begin
  if to_regprocedure('pg_catalog.homebase_sparse(int4[],float8[],int4,int4)') is not null then return; end if;
  foreach new_function in array array[
    -- A sparse vector is stored as its text, {1:0.5,3:2}/5, with indices in order and without zeros.
    $$homebase_sparse(places int4[], elements float8[], dims int4, typmod int4) returns bytea
    language plpgsql immutable parallel safe as $body$
    begin
      if dims < 1 then
        raise exception using errcode = '22000', message = 'sparsevec must have at least 1 dimension';
      elsif dims > 1000000000 then
        raise exception using errcode = '54000', message = 'sparsevec cannot have more than 1000000000 dimensions';
      elsif cardinality(places) > 16000 then
        raise exception using errcode = '54000', message = 'sparsevec cannot have more than 16000 non-zero elements';
      elsif typmod <> -1 and dims <> typmod then
        raise exception using errcode = '22000', message = format('expected %s dimensions, not %s', typmod, dims);
      elsif 'nan' = any (elements) then
        raise exception using errcode = '22000', message = 'NaN not allowed in sparsevec';
      elsif 'infinity' = any (elements) or '-infinity' = any (elements) then
        raise exception using errcode = '22000', message = 'infinite value not allowed in sparsevec';
      end if;
      return convert_to('{' || coalesce((
        select string_agg(place || ':' || element::float4, ',' order by place)
        from unnest(places, elements) as pair(place, element) where element <> 0), '') || '}/' || dims, 'UTF8');
    end $body$ set search_path = pg_catalog, pg_temp set extra_float_digits = 1$$,
    $$homebase_sparse_dims(bytea) returns int4 language sql strict immutable parallel safe begin atomic
      select split_part(convert_from($1, 'UTF8'), '/', 2)::int4;
    end$$,
    $$homebase_sparse_elements(bytea, out place int4, out element float8) returns setof record
    language sql strict immutable parallel safe begin atomic
      select split_part(part, ':', 1)::int4, split_part(part, ':', 2)::float8
      from unnest(string_to_array(trim('{}' from split_part(convert_from($1, 'UTF8'), '/', 1)), ',')) part;
    end$$,
    $$homebase_sparse_to_dense(bytea) returns float8[] language sql strict immutable parallel safe begin atomic
      select array(
        -- One more than a dense vector may have suffices to refuse it.
        select coalesce(given.element, 0) from generate_series(1, least(homebase_sparse_dims($1), 16001)) place
        left join homebase_sparse_elements($1) given using (place) order by place);
    end$$,
    $$homebase_dense_to_sparse(float8[], typmod int4) returns bytea language sql strict immutable parallel safe begin atomic
      select homebase_sparse(
        coalesce(array_agg(place::int4) filter (where element <> 0), '{}'),
        coalesce(array_agg(element) filter (where element <> 0), '{}'), cardinality($1), $2)
      from unnest($1) with ordinality as list(element, place);
    end$$,
    $$homebase_sparse_read(input text, typmod int4) returns bytea language plpgsql immutable parallel safe as $body$
    declare
      body text := btrim(input, E' \t\n\r\v\f');
      shape text[] := regexp_match(body, '^\{\s*([^{}]*?)\s*\}\s*/\s*([-+]?\d{1,18})$');
      places bigint[];
      parts text[];
    begin
      if left(body, 1) <> '{' then
        raise exception using errcode = '22P02', message = format('invalid input syntax for type sparsevec: "%s"', input),
          detail = 'Vector contents must start with "{".';
      elsif shape is null or (shape[1] <> ''
        and shape[1] !~ '^\s*[-+]?\d{1,18}\s*:\s*[^:,\s]+\s*(?:,\s*[-+]?\d{1,18}\s*:\s*[^:,\s]+\s*)*$')
      then
        raise exception using errcode = '22P02', message = format('invalid input syntax for type sparsevec: "%s"', input);
      end if;
      if shape[2]::bigint > 1000000000 then
        raise exception using errcode = '54000', message = 'sparsevec cannot have more than 1000000000 dimensions';
      end if;
      parts := case when shape[1] = '' then '{}' else string_to_array(shape[1], ',') end;
      places := array(select btrim(split_part(part, ':', 1), E' \t\n\r\v\f')::bigint from unnest(parts) part);
      if 1 > any (places) or shape[2]::bigint < any (places) then
        raise exception using errcode = '22000', message = 'sparsevec index out of bounds';
      elsif (select count(distinct place) from unnest(places) place) < cardinality(places) then
        raise exception using errcode = '22000', message = 'sparsevec indices must not contain duplicates';
      end if;
      return homebase_sparse(places::int4[],
        array(select homebase_number(split_part(part, ':', 2), input, 'sparsevec') from unnest(parts) part),
        shape[2]::int4, typmod);
    end $body$ set search_path = pg_catalog, pg_temp set standard_conforming_strings = on$$
  ] loop
    execute 'create function pg_catalog.' || new_function;
    signature := (
      select oid::regprocedure::text from pg_proc
      where pronamespace = 'pg_catalog'::regnamespace and proname = substring(new_function from '^\w+'));
    execute format('revoke execute on function %s from public', signature);
    execute format('alter extension vector drop function %s', signature);
    -- As the server's own functions have it: a dump does not mention these rights.
    delete from pg_init_privs where objoid = signature::regprocedure and classoid = 'pg_proc'::regclass;
    insert into pg_init_privs select oid, 'pg_proc'::regclass, 0, 'i', proacl
    from pg_proc where oid = signature::regprocedure;
  end loop;
end
$outer$;
