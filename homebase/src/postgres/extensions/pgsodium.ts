/**
 * Owns the catalogue of pgsodium without its library: types, tables, views and the signatures of its functions, as
 * version 3.1.8 has them. Keys can be made and found, as migrations do; nothing is encrypted.
 */

/** Objects that are there without the library, with the functions that make and find keys. */
export const PGSODIUM_OBJECTS = `
do $$
declare
  name text;
begin
  foreach name in array array['pgsodium_keyiduser', 'pgsodium_keyholder', 'pgsodium_keymaker'] loop
    if to_regrole(name) is null then execute format('create role %I', name); end if;
  end loop;
  grant pgsodium_keyholder to pgsodium_keymaker;
  grant pgsodium_keyiduser to pgsodium_keymaker;
  grant pgsodium_keyiduser to pgsodium_keyholder;
  grant pgsodium_keyiduser, pgsodium_keyholder, pgsodium_keymaker to postgres with admin option;
  grant pgsodium_keyiduser to service_role;
end
$$;
create type pgsodium.key_status as enum ('default', 'valid', 'invalid', 'expired');
create type pgsodium.key_type as enum (
  'aead-ietf', 'aead-det', 'hmacsha512', 'hmacsha256', 'auth', 'shorthash', 'generichash', 'kdf', 'secretbox',
  'secretstream', 'stream_xchacha20');
create type pgsodium._key_id_context as (key_id bigint, key_context bytea);
create type pgsodium.crypto_box_keypair as (public bytea, secret bytea);
create type pgsodium.crypto_sign_keypair as (public bytea, secret bytea);
create type pgsodium.crypto_kx_keypair as (public bytea, secret bytea);
create type pgsodium.crypto_kx_session as (rx bytea, tx bytea);
create type pgsodium.crypto_signcrypt_state_key as (state bytea, shared_key bytea);
create type pgsodium.crypto_signcrypt_keypair as (public bytea, secret bytea);
create table pgsodium.key (
  id uuid primary key default gen_random_uuid(),
  status pgsodium.key_status default 'valid',
  created timestamptz not null default current_timestamp,
  expires timestamptz,
  key_type pgsodium.key_type,
  key_id bigserial,
  key_context bytea default 'pgsodium' check (length(key_context) = 8),
  name text unique,
  associated_data text default 'associated',
  raw_key bytea,
  raw_key_nonce bytea,
  parent_key uuid references pgsodium.key (id),
  comment text,
  user_data text
);
alter table pgsodium.key alter column key_id drop not null;
create view pgsodium.valid_key as
  select id, name, status, key_type, key_id, key_context, created, expires, associated_data from pgsodium.key
  where status in ('valid', 'default') and (expires is null or expires > now());
create view pgsodium.decrypted_key as
  select id, status, created, expires, key_type, key_id, key_context, name, associated_data, raw_key,
    null::bytea as decrypted_raw_key, raw_key_nonce, parent_key, comment
  from pgsodium.key;
create view pgsodium.masking_rule as
  select null::oid as attrelid, null::integer as attnum, null::regnamespace as relnamespace, null::name as relname,
    null::name as attname, null::text as format_type, null::text as col_description, null::text as key_id_column,
    null::text as key_id, null::text as associated_columns, null::text as nonce_column, null::text as view_name,
    100 as priority
  where false;
create view pgsodium.mask_columns as
  select attname, attrelid, key_id, key_id_column, associated_columns, nonce_column, format_type from pgsodium.masking_rule;
grant usage on schema pgsodium to postgres with grant option;
grant usage on schema pgsodium to pgsodium_keyiduser;
-- No TRIGGER: create_key, which runs as the superuser, would run the project's function. REFERENCES: see powers.sql.
  grant select, insert, update, delete, truncate on pgsodium.key to postgres with grant option;
  grant references on pgsodium.key to postgres;
  grant all on pgsodium.valid_key to postgres with grant option;
grant select on pgsodium.decrypted_key, pgsodium.masking_rule, pgsodium.mask_columns
  to postgres with grant option;
grant select on pgsodium.valid_key to pgsodium_keyiduser;
grant usage, select on sequence pgsodium.key_key_id_seq to postgres with grant option;

create function pgsodium.version() returns text language sql set search_path = pg_catalog, pg_temp as
  $$ select e.extversion from pg_catalog.pg_extension e where e.extname = 'pgsodium' $$;
create function pgsodium.randombytes_buf(size int) returns bytea language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  bytes bytea := '';
begin
  while pg_catalog.length(bytes) < size loop
    bytes := bytes operator(pg_catalog.||) pg_catalog.sha512(pg_catalog.uuid_send(pg_catalog.gen_random_uuid())
      operator(pg_catalog.||) pg_catalog.uuid_send(pg_catalog.gen_random_uuid()));
  end loop;
  return pg_catalog.substring(bytes, 1, size);
end
$$;
create function pgsodium.crypto_aead_det_noncegen() returns bytea language sql set search_path = pg_catalog, pg_temp as
  $$ select pgsodium.randombytes_buf(16) $$;
create function pgsodium.crypto_aead_det_keygen() returns bytea language sql set search_path = pg_catalog, pg_temp as
  $$ select pgsodium.randombytes_buf(64) $$;
create function pgsodium.create_key(
  key_type pgsodium.key_type default 'aead-det', name text default null, raw_key bytea default null,
  raw_key_nonce bytea default null, parent_key uuid default null, key_context bytea default 'pgsodium',
  expires timestamptz default null, associated_data text default '') returns pgsodium.valid_key
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_variable
declare
  made pgsodium.valid_key;
  new_id uuid;
begin
  insert into pgsodium.key (key_id, key_context, key_type, raw_key, raw_key_nonce, parent_key, expires, name, associated_data)
  values (
    case when raw_key is null then pg_catalog.nextval('pgsodium.key_key_id_seq') end,
    case when raw_key is null then key_context end, key_type, raw_key,
    case when raw_key is not null then coalesce(raw_key_nonce, pgsodium.crypto_aead_det_noncegen()) end,
    case when raw_key is not null then coalesce(parent_key, (pgsodium.create_key('aead-det')).id) else parent_key end,
    expires, name, associated_data)
  returning id into new_id;
  select * into made from pgsodium.valid_key k where k.id operator(pg_catalog.=) new_id;
  return made;
end
$$;
create function pgsodium.get_key_by_id(uuid) returns pgsodium.valid_key language sql security definer set search_path = pg_catalog, pg_temp as
  $$ select * from pgsodium.valid_key k where k.id operator(pg_catalog.=) $1 $$;
create function pgsodium.get_key_by_name(text) returns pgsodium.valid_key language sql security definer set search_path = pg_catalog, pg_temp as
  $$ select * from pgsodium.valid_key k where k.name operator(pg_catalog.=) $1 $$;
create function pgsodium.get_named_keys(filter text default '%') returns setof pgsodium.valid_key
language sql security definer set search_path = pg_catalog, pg_temp as
  $$ select * from pgsodium.valid_key k where k.name operator(pg_catalog.~~*) filter $$;
`;

/** Arguments and result of each function that needs the library. */
const SIGNATURES = `
crypto_aead_det_encrypt(message bytea, additional bytea, key bytea, nonce bytea default null) bytea
crypto_aead_det_encrypt(message bytea, additional bytea, key_id bigint, context bytea default 'pgsodium', nonce bytea default null) bytea
crypto_aead_det_encrypt(message bytea, additional bytea, key_uuid uuid) bytea
crypto_aead_det_encrypt(message bytea, additional bytea, key_uuid uuid, nonce bytea) bytea
crypto_aead_det_decrypt(message bytea, additional bytea, key bytea, nonce bytea default null) bytea
crypto_aead_det_decrypt(message bytea, additional bytea, key_id bigint, context bytea default 'pgsodium', nonce bytea default null) bytea
crypto_aead_det_decrypt(message bytea, additional bytea, key_uuid uuid) bytea
crypto_aead_det_decrypt(message bytea, additional bytea, key_uuid uuid, nonce bytea) bytea
crypto_aead_ietf_encrypt(bytea, bytea, bytea, bytea) bytea
crypto_aead_ietf_encrypt(message bytea, additional bytea, nonce bytea, key_id bigint, context bytea default 'pgsodium') bytea
crypto_aead_ietf_encrypt(message bytea, additional bytea, nonce bytea, key_uuid uuid) bytea
crypto_aead_ietf_decrypt(message bytea, additional bytea, nonce bytea, key bytea) bytea
crypto_aead_ietf_decrypt(message bytea, additional bytea, nonce bytea, key_id bigint, context bytea default 'pgsodium') bytea
crypto_aead_ietf_decrypt(message bytea, additional bytea, nonce bytea, key_uuid uuid) bytea
crypto_aead_ietf_keygen() bytea
crypto_aead_ietf_noncegen() bytea
crypto_auth(message bytea, key bytea) bytea
crypto_auth(message bytea, key_id bigint, context bytea default 'pgsodium') bytea
crypto_auth(message bytea, key_uuid uuid) bytea
crypto_auth_keygen() bytea
crypto_auth_verify(mac bytea, message bytea, key bytea) boolean
crypto_auth_verify(mac bytea, message bytea, key_id bigint, context bytea default 'pgsodium') boolean
crypto_auth_verify(mac bytea, message bytea, key_uuid uuid) boolean
crypto_auth_hmacsha256(message bytea, secret bytea) bytea
crypto_auth_hmacsha256(message bytea, key_id bigint, context bytea default 'pgsodium') bytea
crypto_auth_hmacsha256(message bytea, key_uuid uuid) bytea
crypto_auth_hmacsha256_keygen() bytea
crypto_auth_hmacsha256_verify(hash bytea, message bytea, secret bytea) boolean
crypto_auth_hmacsha256_verify(hash bytea, message bytea, key_id bigint, context bytea default 'pgsodium') boolean
crypto_auth_hmacsha256_verify(signature bytea, message bytea, key_uuid uuid) boolean
crypto_auth_hmacsha512(message bytea, secret bytea) bytea
crypto_auth_hmacsha512(message bytea, key_id bigint, context bytea default 'pgsodium') bytea
crypto_auth_hmacsha512(message bytea, key_uuid uuid) bytea
crypto_auth_hmacsha512_keygen() bytea
crypto_auth_hmacsha512_verify(hash bytea, message bytea, secret bytea) boolean
crypto_auth_hmacsha512_verify(hash bytea, message bytea, key_id bigint, context bytea default 'pgsodium') boolean
crypto_auth_hmacsha512_verify(signature bytea, message bytea, key_uuid uuid) boolean
crypto_box(message bytea, nonce bytea, public bytea, secret bytea) bytea
crypto_box_new_keypair() pgsodium.crypto_box_keypair
crypto_box_new_seed() bytea
crypto_box_noncegen() bytea
crypto_box_open(ciphertext bytea, nonce bytea, public bytea, secret bytea) bytea
crypto_box_seal(message bytea, public_key bytea) bytea
crypto_box_seal_open(ciphertext bytea, public_key bytea, secret_key bytea) bytea
crypto_box_seed_new_keypair(seed bytea) pgsodium.crypto_box_keypair
crypto_cmp(text, text) boolean
crypto_generichash(message bytea, key bytea default null) bytea
crypto_generichash(message bytea, key bigint, context bytea default 'pgsodium') bytea
crypto_generichash(message bytea, key_uuid uuid) bytea
crypto_generichash_keygen() bytea
crypto_hash_sha256(message bytea) bytea
crypto_hash_sha512(message bytea) bytea
crypto_kdf_derive_from_key(subkey_size bigint, subkey_id bigint, context bytea, primary_key bytea) bytea
crypto_kdf_derive_from_key(subkey_size integer, subkey_id bigint, context bytea, primary_key uuid) bytea
crypto_kdf_keygen() bytea
crypto_kx_client_session_keys(client_pk bytea, client_sk bytea, server_pk bytea) pgsodium.crypto_kx_session
crypto_kx_new_keypair() pgsodium.crypto_kx_keypair
crypto_kx_new_seed() bytea
crypto_kx_seed_new_keypair(seed bytea) pgsodium.crypto_kx_keypair
crypto_kx_server_session_keys(server_pk bytea, server_sk bytea, client_pk bytea) pgsodium.crypto_kx_session
crypto_pwhash(password bytea, salt bytea) bytea
crypto_pwhash_saltgen() bytea
crypto_pwhash_str(password bytea) bytea
crypto_pwhash_str_verify(hashed_password bytea, password bytea) boolean
crypto_secretbox(message bytea, nonce bytea, key bytea) bytea
crypto_secretbox(message bytea, nonce bytea, key_id bigint, context bytea default 'pgsodium') bytea
crypto_secretbox(message bytea, nonce bytea, key_uuid uuid) bytea
crypto_secretbox_keygen() bytea
crypto_secretbox_noncegen() bytea
crypto_secretbox_open(ciphertext bytea, nonce bytea, key bytea) bytea
crypto_secretbox_open(message bytea, nonce bytea, key_id bigint, context bytea default 'pgsodium') bytea
crypto_secretbox_open(message bytea, nonce bytea, key_uuid uuid) bytea
crypto_secretstream_keygen() bytea
crypto_shorthash(message bytea, key bytea) bytea
crypto_shorthash(message bytea, key bigint, context bytea default 'pgsodium') bytea
crypto_shorthash(message bytea, key_uuid uuid) bytea
crypto_shorthash_keygen() bytea
crypto_sign(message bytea, key bytea) bytea
crypto_sign_detached(message bytea, key bytea) bytea
crypto_sign_final_create(state bytea, key bytea) bytea
crypto_sign_final_verify(state bytea, signature bytea, key bytea) boolean
crypto_sign_init() bytea
crypto_sign_new_keypair() pgsodium.crypto_sign_keypair
crypto_sign_new_seed() bytea
crypto_sign_open(signed_message bytea, key bytea) bytea
crypto_sign_seed_new_keypair(seed bytea) pgsodium.crypto_sign_keypair
crypto_sign_update(state bytea, message bytea) bytea
crypto_sign_update_agg1(state bytea, message bytea) bytea
crypto_sign_update_agg2(cur_state bytea, initial_state bytea, message bytea) bytea
crypto_sign_verify_detached(sig bytea, message bytea, key bytea) boolean
crypto_signcrypt_new_keypair() pgsodium.crypto_signcrypt_keypair
crypto_signcrypt_sign_after(state bytea, sender_sk bytea, ciphertext bytea) bytea
crypto_signcrypt_sign_before(sender bytea, recipient bytea, sender_sk bytea, recipient_pk bytea, additional bytea) pgsodium.crypto_signcrypt_state_key
crypto_signcrypt_verify_after(state bytea, signature bytea, sender_pk bytea, ciphertext bytea) boolean
crypto_signcrypt_verify_before(signature bytea, sender bytea, recipient bytea, additional bytea, sender_pk bytea, recipient_sk bytea) pgsodium.crypto_signcrypt_state_key
crypto_signcrypt_verify_public(signature bytea, sender bytea, recipient bytea, additional bytea, sender_pk bytea, ciphertext bytea) boolean
crypto_stream_xchacha20(bigint, bytea, bytea) bytea
crypto_stream_xchacha20(bigint, bytea, bigint, context bytea default 'pgsodium') bytea
crypto_stream_xchacha20_keygen() bytea
crypto_stream_xchacha20_noncegen() bytea
crypto_stream_xchacha20_xor(bytea, bytea, bytea) bytea
crypto_stream_xchacha20_xor(bytea, bytea, bigint, context bytea default 'pgsodium') bytea
crypto_stream_xchacha20_xor_ic(bytea, bytea, bigint, bytea) bytea
crypto_stream_xchacha20_xor_ic(bytea, bytea, bigint, bigint, context bytea default 'pgsodium') bytea
create_mask_view(relid oid, subid integer, debug boolean default false) void
decrypted_columns(relid oid) text
derive_key(key_id bigint, key_len integer default 32, context bytea default 'pgsodium') bytea
disable_security_label_trigger() void
enable_security_label_trigger() void
has_mask(role regrole, source_name text) boolean
mask_role(masked_role regrole, source_name text, view_name text) void
pgsodium_derive(key_id bigint, key_len integer default 32, context bytea default 'pgsodium') bytea
quote_assoc(text, boolean default false) text
randombytes_buf_deterministic(size integer, seed bytea) bytea
randombytes_new_seed() bytea
randombytes_random() integer
randombytes_uniform(upper_bound integer) integer
sodium_base642bin(base64 text) bytea
sodium_bin2base64(bin bytea) text
trg_mask_update() event_trigger
update_mask(target oid, debug boolean default false) void
update_masks(debug boolean default false) void
`;

/** As CREATE FUNCTION has them, without a body. */
export const PGSODIUM_FUNCTIONS: readonly string[] = SIGNATURES.trim()
  .split("\n")
  .map((line) => line.replace(/^(.*\)) (\S+)$/, "pgsodium.$1 returns $2"));
