-- The tables and functions of supabase_vault (docs/compat/platform.md 1.7). Secrets are stored as ciphertext: AES-256
-- by pgcrypto, with a key of their own each, made from the row and from a key that is a file of the server.

-- Fixes the search path: a project's overload or operator would be bound here, or run as the superuser.
set local search_path = pg_catalog, pg_temp;

-- pgcrypto's functions by their library: a project may move or drop that extension, and put its own code in its place.
create function vault._random_bytes(int) returns bytea language c strict as '$libdir/pgcrypto', 'pg_random_bytes';
create function vault._hmac(bytea, bytea, text) returns bytea language c strict immutable as '$libdir/pgcrypto', 'pg_hmac';
create function vault._pgp_encrypt(bytea, text, text) returns bytea language c strict
  as '$libdir/pgcrypto', 'pgp_sym_encrypt_bytea';
create function vault._pgp_decrypt(bytea, text) returns bytea language c strict immutable
  as '$libdir/pgcrypto', 'pgp_sym_decrypt_bytea';

create table vault.secrets (
  id uuid primary key default gen_random_uuid(),
  name text,
  description text not null default '',
  secret text not null,
  key_id uuid,
  nonce bytea default vault._random_bytes(16),
  created_at timestamptz not null default current_timestamp,
  updated_at timestamptz not null default current_timestamp
);
create unique index on vault.secrets (name) where name is not null;
comment on table vault.secrets is 'Table with encrypted `secret` column for storing sensitive information on disk.';

-- The key lies beside the data folder. A part of it would still encrypt, with a key that is easier to guess.
create function vault._key(additional bytea, nonce bytea) returns text
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  key bytea := pg_read_binary_file(current_setting('data_directory') || '.vault-key', 0, 33, true);
begin
  -- Whatever function of a project it calls: what it reads goes to assistants.
  if session_user = 'homebase_reader' then
    raise exception using errcode = '42501', message = 'Vault: this login reads no secrets.';
  end if;
  if length(key) is distinct from 32 then
    raise exception using errcode = '58030',
      message = format('The key of Vault is %s.', case when key is null then 'missing' else 'damaged' end),
      hint = 'Restore its file and start again.';
  end if;
  return encode(vault._hmac(additional || nonce, key, 'sha256'), 'hex');
end
$$;

-- Named as the extension's own function: a role that may not decrypt sees this name in the error.
create function vault._crypto_aead_det_encrypt(
  message bytea, additional bytea, key_id bigint, context bytea default 'pgsodium', nonce bytea default null
) returns bytea language sql as $$
  select vault._pgp_encrypt(
    message, vault._key(additional, nonce), 'cipher-algo=aes256, s2k-mode=0, compress-algo=0')
$$;
create function vault._crypto_aead_det_decrypt(
  message bytea, additional bytea, key_id bigint, context bytea default 'pgsodium', nonce bytea default null
) returns bytea language sql security definer set search_path = pg_catalog, pg_temp as $$
  select vault._pgp_decrypt(message, vault._key(additional, nonce))
$$;

create function vault._encrypt(secret text, id uuid, nonce bytea) returns text language sql as $$
  select translate(encode(
    vault._crypto_aead_det_encrypt(convert_to(secret, 'utf8'), convert_to(id::text, 'utf8'), 0, nonce => nonce),
    'base64'), chr(10), '')
$$;

create view vault.decrypted_secrets as
  select id, name, description, secret,
    convert_from(
      vault._crypto_aead_det_decrypt(
        decode(secret, 'base64'), convert_to(id::text, 'utf8'), 0, nonce => nonce), 'utf8') as decrypted_secret,
    key_id, nonce, created_at, updated_at
  from vault.secrets;

create function vault.create_secret(
  new_secret text, new_name text default null, new_description text default '', new_key_id uuid default null
) returns uuid language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  new_id uuid := gen_random_uuid();
  new_nonce bytea := vault._random_bytes(16);
begin
  insert into vault.secrets (id, name, description, secret, nonce)
  values (new_id, new_name, new_description, vault._encrypt(new_secret, new_id, new_nonce), new_nonce);
  return new_id;
end
$$;

create function vault.update_secret(
  secret_id uuid, new_secret text default null, new_name text default null, new_description text default null,
  new_key_id uuid default null
) returns void language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  update vault.secrets set
    secret = case when new_secret is null then secret else vault._encrypt(new_secret, id, nonce) end,
    name = coalesce(new_name, name),
    description = coalesce(new_description, description),
    updated_at = now()
  where id = secret_id;
end
$$;

revoke all on all tables in schema vault from public;
-- Renewed.
revoke all on all functions in schema vault from public;
grant usage on schema vault to postgres with grant option;
grant usage on schema vault to service_role;
grant select, delete, truncate, references on vault.secrets, vault.decrypted_secrets to postgres with grant option;
-- Not to be lent (bootstrap/powers.sql).
revoke grant option for references on vault.secrets from postgres;
grant select, delete on vault.secrets, vault.decrypted_secrets to service_role;
grant execute on function vault.create_secret, vault.update_secret, vault._crypto_aead_det_decrypt to postgres with grant option;
grant execute on function vault.create_secret, vault.update_secret, vault._crypto_aead_det_decrypt to service_role;
