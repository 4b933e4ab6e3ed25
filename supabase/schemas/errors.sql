-- The errors a person can meet. Their rows are in rows/errors.sql.

create table private.errors (
  code text primary key check (code ~ '^[a-z][a-z_]*$'),
  status smallint not null check (status between 400 and 499),
  message text not null,
  hint text not null
);

-- ---------------------------------------------------------------------------------------------------------
-- Functions

-- Raises the error of the catalogue. PostgREST turns SQLSTATE PTxyz into HTTP status xyz and passes DETAIL
-- (the stable machine code) and HINT on to the client.
create function private.refuse(code text) returns void
  language plpgsql stable security definer set search_path = '' as $$
declare
  entry private.errors;
begin
  select * into entry from private.errors as e where e.code = refuse.code;
  if not found then
    raise exception 'The error catalogue has no entry %', refuse.code;
  end if;
  raise exception using
    errcode = 'PT' || entry.status, message = entry.message, detail = entry.code, hint = entry.hint;
end $$;

-- ---------------------------------------------------------------------------------------------------------
-- Comments

comment on table private.errors is
  'Every refusal of a database function. The API answers with this status; DETAIL carries the code, HINT what to do.';
