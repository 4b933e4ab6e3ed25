create type vector;
create type halfvec;
create type sparsevec;

-- What an output function written in SQL returns: C's text. SQL itself may not return the pseudo-type cstring.
create type _vector_text;
create function _vector_text_in(cstring) returns _vector_text language internal strict immutable as 'cstring_in';
create function _vector_text_out(_vector_text) returns cstring language internal strict immutable as 'cstring_out';
create type _vector_text (input = _vector_text_in, output = _vector_text_out);
update pg_type set typlen = -2, typalign = 'c', typstorage = 'p' where oid = '_vector_text'::regtype;
create function _vector_text(text) returns _vector_text language internal strict immutable parallel safe as 'textout';

-- The functions below read C's text, which the validator of SQL functions refuses. Only this transaction is without it.
update pg_language set lanvalidator = 0 where lanname = 'sql';

create function sparsevec_in(cstring, oid, integer) returns sparsevec language internal strict immutable as 'textin';
create function sparsevec_out(sparsevec) returns cstring language internal strict immutable parallel safe as 'textout';
create function sparsevec_recv(internal, oid, integer) returns sparsevec language internal strict immutable as 'bytearecv';
create function sparsevec_send(sparsevec) returns bytea language internal strict immutable as 'byteasend';
create function sparsevec_typmod_in(cstring[]) returns integer
language sql strict immutable parallel safe security definer begin atomic
  select pg_catalog.homebase_typmod(cardinality($1), pg_catalog.homebase_text($1[1]), 'sparsevec', 1000000000) limit 1;
end;
create type sparsevec (
  input = sparsevec_in, output = sparsevec_out, typmod_in = sparsevec_typmod_in, receive = sparsevec_recv,
  send = sparsevec_send, storage = external
);

do $outer$
declare
  kind text;
  names text;
begin
  foreach kind in array array['vector', 'halfvec'] loop
    execute replace($$
      create function KIND_in(cstring, oid, integer) returns KIND language internal strict immutable as 'textin';
      create function KIND_out(KIND) returns cstring language internal strict immutable as 'textout';
      create function KIND_typmod_in(cstring[]) returns integer
      language sql strict immutable parallel safe security definer begin atomic
        select pg_catalog.homebase_typmod(cardinality($1), pg_catalog.homebase_text($1[1]), 'KIND', 16000) limit 1;
      end;
      create function KIND_recv(internal, oid, integer) returns KIND language internal strict immutable as 'bytearecv';
      create function KIND_send(KIND) returns bytea language internal strict immutable as 'byteasend';
      create type KIND (
        input = KIND_in, output = KIND_out, typmod_in = KIND_typmod_in, receive = KIND_recv, send = KIND_send,
        alignment = double, storage = external
      );
    $$, 'KIND', kind);
  end loop;
end
$outer$;

