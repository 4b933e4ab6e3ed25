-- Vault's key lies beside the data folder, and the extension http dials the server as a role of its own.

do $$
begin
  if to_regprocedure('vault._key(bytea,bytea)') is null then return; end if;
  execute format($body$
    create or replace function vault._key(additional bytea, nonce bytea) returns text
    language plpgsql set search_path = pg_catalog, pg_temp as $key$
declare
  key bytea := pg_read_binary_file(current_setting('data_directory') || '.vault-key', 0, 33, true);
begin
  if length(key) is distinct from 32 then
    raise exception using errcode = '58030',
      message = format('The key of Vault is %%s.', case when key is null then 'missing' else 'damaged' end),
      hint = 'Restore its file and start again.';
  end if;
  return encode(%s.hmac(additional || nonce, key, 'sha256'), 'hex');
end
$key$ $body$, (select quote_ident(nspname) from pg_extension e join pg_namespace n on n.oid = e.extnamespace
    where extname = 'pgcrypto'));
end
$$;

do $$
declare
  place name := (select nspname from pg_extension e join pg_namespace n on n.oid = e.extnamespace where extname = 'http');
  dials oid;
begin
  if place is null then return; end if;
  dials := to_regprocedure(format('%I._http_exchange(text,text,jsonb,bytea,integer)', place));
  if dials is null then return; end if;
  execute replace(replace(pg_get_functiondef(dials),
    'dbname=%L user=%L application_name=http', 'dbname=%L user=homebase_http application_name=http'),
    'current_database(), current_user))', 'current_database()))');
  execute format('grant usage on schema %I to homebase_http', place);
  execute format('grant select, insert, delete on %I._http_exchange to homebase_http', place);
end
$$;
