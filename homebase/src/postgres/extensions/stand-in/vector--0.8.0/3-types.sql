create type @extschema@.vector;
create type @extschema@.halfvec;
create type @extschema@.sparsevec;

-- What an output function written in SQL returns: C's text. SQL itself may not return the pseudo-type cstring.
create type @extschema@._vector_text;
create function @extschema@._vector_text_in(cstring) returns @extschema@._vector_text language internal strict immutable as 'cstring_in';
create function @extschema@._vector_text_out(@extschema@._vector_text) returns cstring language internal strict immutable as 'cstring_out';
create type @extschema@._vector_text (input = @extschema@._vector_text_in, output = @extschema@._vector_text_out);
update pg_type set typlen = -2, typalign = 'c', typstorage = 'p' where oid = '@extschema@._vector_text'::regtype;
create function @extschema@._vector_text(text) returns @extschema@._vector_text language internal strict immutable parallel safe as 'textout';

-- The functions below read C's text, which the validator of SQL functions refuses. Only this transaction is without it.
update pg_language set lanvalidator = 0 where lanname = 'sql';

create function @extschema@.sparsevec_in(cstring, oid, integer) returns @extschema@.sparsevec language internal strict immutable as 'textin';
create function @extschema@.sparsevec_out(@extschema@.sparsevec) returns cstring language internal strict immutable parallel safe as 'textout';
create function @extschema@.sparsevec_recv(internal, oid, integer) returns @extschema@.sparsevec language internal strict immutable as 'bytearecv';
create function @extschema@.sparsevec_send(@extschema@.sparsevec) returns bytea language internal strict immutable as 'byteasend';
create function @extschema@.sparsevec_typmod_in(cstring[]) returns integer
language sql strict immutable parallel safe security definer begin atomic
  select pg_catalog.homebase_typmod(cardinality($1), pg_catalog.homebase_text($1[1]), 'sparsevec', 1000000000) limit 1;
end;
create type @extschema@.sparsevec (
  input = @extschema@.sparsevec_in, output = @extschema@.sparsevec_out, typmod_in = @extschema@.sparsevec_typmod_in, receive = @extschema@.sparsevec_recv,
  send = @extschema@.sparsevec_send, storage = external
);

do $outer$
declare
  kind text;
  names text;
begin
  foreach kind in array array['vector', 'halfvec'] loop
    execute replace($$
      create function @extschema@.KIND_in(cstring, oid, integer) returns @extschema@.KIND language internal strict immutable as 'textin';
      create function @extschema@.KIND_out(@extschema@.KIND) returns cstring language internal strict immutable as 'textout';
      create function @extschema@.KIND_typmod_in(cstring[]) returns integer
      language sql strict immutable parallel safe security definer begin atomic
        select pg_catalog.homebase_typmod(cardinality($1), pg_catalog.homebase_text($1[1]), 'KIND', 16000) limit 1;
      end;
      create function @extschema@.KIND_recv(internal, oid, integer) returns @extschema@.KIND language internal strict immutable as 'bytearecv';
      create function @extschema@.KIND_send(@extschema@.KIND) returns bytea language internal strict immutable as 'byteasend';
      create type @extschema@.KIND (
        input = @extschema@.KIND_in, output = @extschema@.KIND_out, typmod_in = @extschema@.KIND_typmod_in, receive = @extschema@.KIND_recv, send = @extschema@.KIND_send,
        alignment = double, storage = external
      );
    $$, 'KIND', kind);
  end loop;
end
$outer$;

