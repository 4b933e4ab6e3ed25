-- Distances of bits, comparison, access methods; rules for all types.

create function @extschema@.hamming_distance(bit, bit) returns float8 language plpgsql strict immutable parallel safe as $$
begin
  if pg_catalog.length($1) operator(pg_catalog.<>) pg_catalog.length($2) then
    raise exception using errcode = '22000', message =
      pg_catalog.format('different bit lengths %s and %s', pg_catalog.length($1), pg_catalog.length($2));
  end if;
  return pg_catalog.bit_count($1 operator(pg_catalog.#) $2);
end $$;
create function @extschema@.jaccard_distance(bit, bit) returns float8 language plpgsql strict immutable parallel safe as $$
declare
  common float8;
begin
  if pg_catalog.length($1) operator(pg_catalog.<>) pg_catalog.length($2) then
    raise exception using errcode = '22000', message =
      pg_catalog.format('different bit lengths %s and %s', pg_catalog.length($1), pg_catalog.length($2));
  end if;
  common := pg_catalog.bit_count($1 operator(pg_catalog.&) $2);
  if common operator(pg_catalog.=) 0 then return 1; end if;
  return 1 operator(pg_catalog.-) (common operator(pg_catalog./) pg_catalog.bit_count($1 operator(pg_catalog.|) $2));
end $$;
create operator @extschema@.<~> (leftarg = bit, rightarg = bit, procedure = @extschema@.hamming_distance, commutator = operator(@extschema@.<~>));
create operator @extschema@.<%> (leftarg = bit, rightarg = bit, procedure = @extschema@.jaccard_distance, commutator = operator(@extschema@.<%>));

-- Comparison, with btree's operator class.
do $outer$
declare
  kind text;
begin
  foreach kind in array array['vector', 'halfvec', 'sparsevec'] loop
    execute replace($script$
      create function @extschema@.KIND_lt(@extschema@.KIND, @extschema@.KIND) returns bool
      language sql strict immutable parallel safe begin atomic select @extschema@.KIND_cmp($1, $2) < 0; end;
      create function @extschema@.KIND_le(@extschema@.KIND, @extschema@.KIND) returns bool
      language sql strict immutable parallel safe begin atomic select @extschema@.KIND_cmp($1, $2) <= 0; end;
      create function @extschema@.KIND_eq(@extschema@.KIND, @extschema@.KIND) returns bool
      language sql strict immutable parallel safe begin atomic select @extschema@.KIND_cmp($1, $2) = 0; end;
      create function @extschema@.KIND_ne(@extschema@.KIND, @extschema@.KIND) returns bool
      language sql strict immutable parallel safe begin atomic select @extschema@.KIND_cmp($1, $2) <> 0; end;
      create function @extschema@.KIND_ge(@extschema@.KIND, @extschema@.KIND) returns bool
      language sql strict immutable parallel safe begin atomic select @extschema@.KIND_cmp($1, $2) >= 0; end;
      create function @extschema@.KIND_gt(@extschema@.KIND, @extschema@.KIND) returns bool
      language sql strict immutable parallel safe begin atomic select @extschema@.KIND_cmp($1, $2) > 0; end;
      create operator @extschema@.< (leftarg = @extschema@.KIND, rightarg = @extschema@.KIND, procedure = @extschema@.KIND_lt, commutator = operator(@extschema@.>), negator = operator(@extschema@.>=),
        restrict = scalarltsel, join = scalarltjoinsel);
      create operator @extschema@.<= (leftarg = @extschema@.KIND, rightarg = @extschema@.KIND, procedure = @extschema@.KIND_le, commutator = operator(@extschema@.>=), negator = operator(@extschema@.>),
        restrict = scalarlesel, join = scalarlejoinsel);
      create operator @extschema@.= (leftarg = @extschema@.KIND, rightarg = @extschema@.KIND, procedure = @extschema@.KIND_eq, commutator = operator(@extschema@.=), negator = operator(@extschema@.<>),
        restrict = eqsel, join = eqjoinsel);
      create operator @extschema@.<> (leftarg = @extschema@.KIND, rightarg = @extschema@.KIND, procedure = @extschema@.KIND_ne, commutator = operator(@extschema@.<>), negator = operator(@extschema@.=),
        restrict = eqsel, join = eqjoinsel);
      create operator @extschema@.>= (leftarg = @extschema@.KIND, rightarg = @extschema@.KIND, procedure = @extschema@.KIND_ge, commutator = operator(@extschema@.<=), negator = operator(@extschema@.<),
        restrict = scalargesel, join = scalargejoinsel);
      create operator @extschema@.> (leftarg = @extschema@.KIND, rightarg = @extschema@.KIND, procedure = @extschema@.KIND_gt, commutator = operator(@extschema@.<), negator = operator(@extschema@.<=),
        restrict = scalargtsel, join = scalargtjoinsel);
      create operator class @extschema@.KIND_ops default for type @extschema@.KIND using btree as
        operator 1 @extschema@.<, operator 2 @extschema@.<=, operator 3 @extschema@.=, operator 4 @extschema@.>=, operator 5 @extschema@.>, function 1 @extschema@.KIND_cmp(@extschema@.KIND, @extschema@.KIND);
    $script$, 'KIND', kind);
  end loop;
end
$outer$;

-- The access methods: hash indexes under other names, and operator classes without operators. So an index can be made
-- and is kept, and no plan uses it.
create function @extschema@.ivfflathandler(internal) returns index_am_handler language internal as 'hashhandler';
create function @extschema@.hnswhandler(internal) returns index_am_handler language internal as 'hashhandler';
create access method ivfflat type index handler @extschema@.ivfflathandler;
create access method hnsw type index handler @extschema@.hnswhandler;
comment on access method ivfflat is 'ivfflat index access method';
comment on access method hnsw is 'hnsw index access method';

do $outer$
declare
  support text;
  method text;
  kind text;
  class text;
begin
  foreach support in array array[
    'ivfflat_halfvec_support', 'ivfflat_bit_support', 'hnsw_halfvec_support', 'hnsw_bit_support', 'hnsw_sparsevec_support'
  ] loop
    execute format($$create function @extschema@.%s(internal) returns internal language internal as 'hashhandler'$$, support);
    execute format('revoke execute on function @extschema@.%s(internal) from public', support);
  end loop;
  foreach kind in array array['@extschema@.vector', '@extschema@.halfvec', '@extschema@.sparsevec', 'bit'] loop
    execute format(
      $$create function @extschema@._vector_hash(%s) returns int4 language internal strict immutable parallel safe as 'hashvarlena'$$, kind);
  end loop;
  for method, kind, class in values
    ('ivfflat', 'vector', 'vector_l2_ops'), ('ivfflat', 'vector', 'vector_ip_ops'),
    ('ivfflat', 'vector', 'vector_cosine_ops'), ('hnsw', 'vector', 'vector_l2_ops'), ('hnsw', 'vector', 'vector_ip_ops'),
    ('hnsw', 'vector', 'vector_cosine_ops'), ('hnsw', 'vector', 'vector_l1_ops'),
    ('ivfflat', 'halfvec', 'halfvec_l2_ops'), ('ivfflat', 'halfvec', 'halfvec_ip_ops'),
    ('ivfflat', 'halfvec', 'halfvec_cosine_ops'), ('hnsw', 'halfvec', 'halfvec_l2_ops'),
    ('hnsw', 'halfvec', 'halfvec_ip_ops'), ('hnsw', 'halfvec', 'halfvec_cosine_ops'),
    ('hnsw', 'halfvec', 'halfvec_l1_ops'), ('hnsw', 'sparsevec', 'sparsevec_l2_ops'),
    ('hnsw', 'sparsevec', 'sparsevec_ip_ops'), ('hnsw', 'sparsevec', 'sparsevec_cosine_ops'),
    ('hnsw', 'sparsevec', 'sparsevec_l1_ops'), ('ivfflat', 'bit', 'bit_hamming_ops'),
    ('hnsw', 'bit', 'bit_hamming_ops'), ('hnsw', 'bit', 'bit_jaccard_ops')
  loop
    kind := case kind when 'bit' then '' else '@extschema@.' end || kind;
    execute format('create operator class @extschema@.%s %s for type %s using %s as function 1 @extschema@._vector_hash(%s)',
      class, case when method = 'ivfflat' and class = 'vector_l2_ops' then 'default' else '' end, kind, method, kind);
  end loop;
end
$outer$;

-- Functions that pgvector does not have may be called by nobody, whatever the schema's default privileges are.
do $outer$
declare
  own regprocedure;
  grantee text;
begin
  for own in
    select p.oid from pg_depend d join pg_proc p on d.classid = 'pg_proc'::regclass and p.oid = d.objid
    join pg_extension e on d.refclassid = 'pg_extension'::regclass and e.oid = d.refobjid
    where d.deptype = 'e' and e.extname = 'vector' and p.proname ~ '^_vector_text'
  loop
    execute format('revoke all on function %s from public', own);
    for grantee in
      select distinct a.grantee::regrole::text from pg_proc p, aclexplode(p.proacl) a
      where p.oid = own and a.grantee not in (0, p.proowner)
    loop
      execute format('revoke all on function %s from %s', own, grantee);
    end loop;
  end loop;
end
$outer$;

comment on type @extschema@.vector is 'single-precision vector';
comment on type @extschema@.halfvec is 'half-precision vector';
comment on type @extschema@.sparsevec is 'single-precision sparse vector';
update pg_language set lanvalidator = 'pg_catalog.fmgr_sql_validator'::regproc where lanname = 'sql';
-- A grant on all functions of a schema fails at one that its grantor has no right on. These read what they are given.
grant execute on function @extschema@._vector_text_in(cstring), @extschema@._vector_text_out(@extschema@._vector_text), @extschema@._vector_text(text) to postgres;

-- A script with its schema's name in it is of an extension that does not move; this one does, as its functions are bound.
update pg_extension set extrelocatable = true where extname = 'vector';
