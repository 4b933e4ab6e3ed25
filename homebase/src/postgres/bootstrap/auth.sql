-- Schema auth as a hosted project has it (docs/compat/auth.md 3): tables, types, indexes, functions, row level
-- security, owners and grants. Everything is made by supabase_auth_admin, whose default privileges
-- (schemas.sql) give role postgres all rights on what it makes.

set role supabase_auth_admin;
set search_path = auth;

create type aal_level as enum ('aal1', 'aal2', 'aal3');
create type factor_type as enum ('totp', 'webauthn', 'phone', 'recovery_code');
create type factor_status as enum ('unverified', 'verified');
create type code_challenge_method as enum ('s256', 'plain');
create type one_time_token_type as enum (
  'confirmation_token', 'reauthentication_token', 'recovery_token', 'email_change_token_new',
  'email_change_token_current', 'phone_change_token'
);
create type oauth_registration_type as enum ('dynamic', 'manual');
create type oauth_authorization_status as enum ('pending', 'approved', 'denied', 'expired');
create type oauth_response_type as enum ('code');
create type oauth_client_type as enum ('public', 'confidential');

create table schema_migrations (version varchar(255) not null primary key);

create table instances (
  id uuid not null primary key,
  uuid uuid,
  raw_base_config text,
  created_at timestamptz,
  updated_at timestamptz
);

create table users (
  instance_id uuid,
  id uuid not null primary key,
  aud varchar(255),
  role varchar(255),
  email varchar(255),
  encrypted_password varchar(255),
  email_confirmed_at timestamptz,
  invited_at timestamptz,
  confirmation_token varchar(255),
  confirmation_sent_at timestamptz,
  recovery_token varchar(255),
  recovery_sent_at timestamptz,
  email_change_token_new varchar(255),
  email_change varchar(255),
  email_change_sent_at timestamptz,
  last_sign_in_at timestamptz,
  raw_app_meta_data jsonb,
  raw_user_meta_data jsonb,
  is_super_admin boolean,
  created_at timestamptz,
  updated_at timestamptz,
  phone text default null unique,
  phone_confirmed_at timestamptz,
  phone_change text default '',
  phone_change_token varchar(255) default '',
  phone_change_sent_at timestamptz,
  confirmed_at timestamptz generated always as (least(email_confirmed_at, phone_confirmed_at)) stored,
  email_change_token_current varchar(255) default '',
  email_change_confirm_status smallint default 0
    constraint users_email_change_confirm_status_check check (email_change_confirm_status between 0 and 2),
  banned_until timestamptz,
  reauthentication_token varchar(255) default '',
  reauthentication_sent_at timestamptz,
  is_sso_user boolean not null default false,
  deleted_at timestamptz,
  is_anonymous boolean not null default false
);
create unique index users_email_partial_key on users (email) where is_sso_user = false;
create index users_instance_id_idx on users (instance_id);
create index users_instance_id_email_idx on users (instance_id, lower(email));
create index users_is_anonymous_idx on users (is_anonymous);
create unique index confirmation_token_idx on users (confirmation_token)
  where confirmation_token !~ '^[0-9 ]*$';
create unique index recovery_token_idx on users (recovery_token) where recovery_token !~ '^[0-9 ]*$';
create unique index email_change_token_current_idx on users (email_change_token_current)
  where email_change_token_current !~ '^[0-9 ]*$';
create unique index email_change_token_new_idx on users (email_change_token_new)
  where email_change_token_new !~ '^[0-9 ]*$';
create unique index reauthentication_token_idx on users (reauthentication_token)
  where reauthentication_token !~ '^[0-9 ]*$';

create table identities (
  provider_id text not null,
  user_id uuid not null references users (id) on delete cascade,
  identity_data jsonb not null,
  provider text not null,
  last_sign_in_at timestamptz,
  created_at timestamptz,
  updated_at timestamptz,
  email text generated always as (lower(identity_data ->> 'email')) stored,
  id uuid not null default gen_random_uuid() primary key,
  constraint identities_provider_id_provider_unique unique (provider_id, provider)
);
create index identities_user_id_idx on identities (user_id);
create index identities_email_idx on identities (email text_pattern_ops);

create table oauth_clients (
  id uuid not null primary key,
  client_secret_hash text,
  registration_type oauth_registration_type not null,
  redirect_uris text not null,
  grant_types text not null,
  client_name text check (char_length(client_name) <= 1024),
  client_uri text check (char_length(client_uri) <= 2048),
  logo_uri text check (char_length(logo_uri) <= 2048),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  client_type oauth_client_type not null default 'confidential',
  token_endpoint_auth_method text not null default 'client_secret_basic'
    check (token_endpoint_auth_method in ('client_secret_basic', 'client_secret_post', 'none'))
);
create index oauth_clients_deleted_at_idx on oauth_clients (deleted_at);

create table sessions (
  id uuid not null primary key,
  user_id uuid not null references users (id) on delete cascade,
  created_at timestamptz,
  updated_at timestamptz,
  factor_id uuid,
  aal aal_level,
  not_after timestamptz,
  refreshed_at timestamp,
  user_agent text,
  ip inet,
  tag text,
  oauth_client_id uuid references oauth_clients (id) on delete cascade,
  refresh_token_hmac_key text,
  refresh_token_counter bigint,
  scopes text constraint sessions_scopes_length check (char_length(scopes) <= 4096)
);
create index sessions_user_id_idx on sessions (user_id);
create index user_id_created_at_idx on sessions (user_id, created_at);
create index sessions_not_after_idx on sessions (not_after desc);
create index sessions_oauth_client_id_idx on sessions (oauth_client_id);

create table refresh_tokens (
  instance_id uuid,
  id bigserial primary key,
  token varchar(255) constraint refresh_tokens_token_unique unique,
  user_id varchar(255),
  revoked boolean,
  created_at timestamptz,
  updated_at timestamptz,
  parent varchar(255),
  session_id uuid references sessions (id) on delete cascade
);
create index refresh_tokens_instance_id_idx on refresh_tokens (instance_id);
create index refresh_tokens_instance_id_user_id_idx on refresh_tokens (instance_id, user_id);
create index refresh_tokens_parent_idx on refresh_tokens (parent);
create index refresh_tokens_session_id_revoked_idx on refresh_tokens (session_id, revoked);
create index refresh_tokens_updated_at_idx on refresh_tokens (updated_at desc);

create table mfa_factors (
  id uuid not null primary key,
  user_id uuid not null references users (id) on delete cascade,
  friendly_name text,
  factor_type factor_type not null,
  status factor_status not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  secret text,
  phone text,
  last_challenged_at timestamptz unique,
  web_authn_credential jsonb,
  web_authn_aaguid uuid,
  last_webauthn_challenge_data jsonb
);
create unique index mfa_factors_user_friendly_name_unique on mfa_factors (friendly_name, user_id)
  where trim(friendly_name) <> '';
create unique index unique_phone_factor_per_user on mfa_factors (user_id, phone);
create index factor_id_created_at_idx on mfa_factors (user_id, created_at);
create index mfa_factors_user_id_idx on mfa_factors (user_id);

create table mfa_recovery_code_sets (
  id uuid not null primary key,
  user_id uuid not null unique references users (id) on delete cascade,
  mfa_factor_id uuid not null unique references mfa_factors (id) on delete cascade,
  failed_verification_count integer not null default 0 check (failed_verification_count >= 0),
  verification_locked_until timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create table mfa_recovery_codes (
  id uuid not null primary key,
  mfa_recovery_code_set_id uuid not null references mfa_recovery_code_sets (id) on delete cascade,
  code_hash text not null,
  consumed_at timestamptz,
  created_at timestamptz not null default now()
);
create index mfa_recovery_codes_set_id_idx on mfa_recovery_codes (mfa_recovery_code_set_id);

create table mfa_challenges (
  id uuid not null primary key,
  factor_id uuid not null
    constraint mfa_challenges_auth_factor_id_fkey references mfa_factors (id) on delete cascade,
  created_at timestamptz not null,
  verified_at timestamptz,
  ip_address inet not null,
  otp_code text,
  web_authn_session_data jsonb
);
create index mfa_challenge_created_at_idx on mfa_challenges (created_at desc);

create table mfa_amr_claims (
  session_id uuid not null references sessions (id) on delete cascade,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  authentication_method text not null,
  id uuid not null constraint amr_id_pk primary key,
  constraint mfa_amr_claims_session_id_authentication_method_pkey unique (session_id, authentication_method)
);

create table one_time_tokens (
  id uuid not null primary key,
  user_id uuid not null references users (id) on delete cascade,
  token_type one_time_token_type not null,
  token_hash text not null check (char_length(token_hash) > 0),
  relates_to text not null,
  created_at timestamp not null default now(),
  updated_at timestamp not null default now()
);
create unique index one_time_tokens_user_id_token_type_key on one_time_tokens (user_id, token_type);
create index one_time_tokens_token_hash_hash_idx on one_time_tokens using hash (token_hash);
create index one_time_tokens_relates_to_hash_idx on one_time_tokens using hash (relates_to);

create table flow_state (
  id uuid not null primary key,
  user_id uuid,
  auth_code text,
  code_challenge_method code_challenge_method,
  code_challenge text,
  provider_type text not null,
  provider_access_token text,
  provider_refresh_token text,
  created_at timestamptz,
  updated_at timestamptz,
  authentication_method text not null,
  auth_code_issued_at timestamptz,
  invite_token text,
  referrer text,
  oauth_client_state_id uuid,
  linking_target_id uuid,
  email_optional boolean not null default false
);
create index idx_auth_code on flow_state (auth_code);
create index idx_user_id_auth_method on flow_state (user_id, authentication_method);
create index flow_state_created_at_idx on flow_state (created_at desc);

create table audit_log_entries (
  instance_id uuid,
  id uuid not null primary key,
  payload json,
  created_at timestamptz,
  ip_address varchar(64) not null default ''
);
create index audit_logs_instance_id_idx on audit_log_entries (instance_id);

create table sso_providers (
  id uuid not null primary key,
  resource_id text constraint "resource_id not empty" check (resource_id is null or char_length(resource_id) > 0),
  created_at timestamptz,
  updated_at timestamptz,
  disabled boolean
);
create unique index sso_providers_resource_id_idx on sso_providers (lower(resource_id));
create index sso_providers_resource_id_pattern_idx on sso_providers (resource_id text_pattern_ops);

create table sso_domains (
  id uuid not null primary key,
  sso_provider_id uuid not null references sso_providers (id) on delete cascade,
  domain text not null constraint "domain not empty" check (char_length(domain) > 0),
  created_at timestamptz,
  updated_at timestamptz
);
create unique index sso_domains_domain_idx on sso_domains (lower(domain));
create index sso_domains_sso_provider_id_idx on sso_domains (sso_provider_id);

create table saml_providers (
  id uuid not null primary key,
  sso_provider_id uuid not null references sso_providers (id) on delete cascade,
  entity_id text not null unique constraint "entity_id not empty" check (char_length(entity_id) > 0),
  metadata_xml text not null constraint "metadata_xml not empty" check (char_length(metadata_xml) > 0),
  metadata_url text
    constraint "metadata_url not empty" check (metadata_url is null or char_length(metadata_url) > 0),
  attribute_mapping jsonb,
  created_at timestamptz,
  updated_at timestamptz,
  name_id_format text
);
create index saml_providers_sso_provider_id_idx on saml_providers (sso_provider_id);

create table saml_relay_states (
  id uuid not null primary key,
  sso_provider_id uuid not null references sso_providers (id) on delete cascade,
  request_id text not null constraint "request_id not empty" check (char_length(request_id) > 0),
  for_email text,
  redirect_to text,
  created_at timestamptz,
  updated_at timestamptz,
  flow_state_id uuid references flow_state (id) on delete cascade
);
create index saml_relay_states_sso_provider_id_idx on saml_relay_states (sso_provider_id);
create index saml_relay_states_for_email_idx on saml_relay_states (for_email);
create index saml_relay_states_created_at_idx on saml_relay_states (created_at desc);

create table oauth_authorizations (
  id uuid not null primary key,
  authorization_id text not null unique,
  client_id uuid not null references oauth_clients (id) on delete cascade,
  user_id uuid references users (id) on delete cascade,
  redirect_uri text not null check (char_length(redirect_uri) <= 2048),
  scope text not null check (char_length(scope) <= 4096),
  state text check (char_length(state) <= 4096),
  resource text check (char_length(resource) <= 2048),
  code_challenge text check (char_length(code_challenge) <= 128),
  code_challenge_method code_challenge_method,
  response_type oauth_response_type not null default 'code',
  status oauth_authorization_status not null default 'pending',
  authorization_code text unique check (char_length(authorization_code) <= 255),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null default (now() + interval '3 minutes'),
  approved_at timestamptz,
  nonce text check (char_length(nonce) <= 255),
  constraint oauth_authorizations_expires_at_future check (expires_at > created_at)
);
create index oauth_auth_pending_exp_idx on oauth_authorizations (expires_at) where status = 'pending';

create table oauth_consents (
  id uuid not null primary key,
  user_id uuid not null references users (id) on delete cascade,
  client_id uuid not null references oauth_clients (id) on delete cascade,
  scopes text not null check (char_length(scopes) <= 2048),
  granted_at timestamptz not null default now(),
  revoked_at timestamptz,
  constraint oauth_consents_revoked_after_granted check (revoked_at is null or revoked_at >= granted_at),
  constraint oauth_consents_scopes_not_empty check (char_length(trim(scopes)) > 0),
  constraint oauth_consents_user_client_unique unique (user_id, client_id)
);
create index oauth_consents_user_order_idx on oauth_consents (user_id, granted_at desc);
create index oauth_consents_active_client_idx on oauth_consents (client_id) where revoked_at is null;
create index oauth_consents_active_user_client_idx on oauth_consents (user_id, client_id)
  where revoked_at is null;

create table oauth_client_states (
  id uuid not null primary key,
  provider_type text not null,
  code_verifier text,
  created_at timestamptz not null
);
create index idx_oauth_client_states_created_at on oauth_client_states (created_at);

create table custom_oauth_providers (
  id uuid not null default gen_random_uuid() primary key,
  provider_type text not null check (provider_type in ('oauth2', 'oidc')),
  identifier text not null unique,
  name text not null,
  client_id text not null,
  client_secret text not null,
  acceptable_client_ids text[] not null default '{}',
  scopes text[] not null default '{}',
  pkce_enabled boolean not null default true,
  attribute_mapping jsonb not null default '{}',
  authorization_params jsonb not null default '{}',
  enabled boolean not null default true,
  email_optional boolean not null default false,
  issuer text,
  discovery_url text,
  skip_nonce_check boolean not null default false,
  cached_discovery jsonb,
  discovery_cached_at timestamptz,
  authorization_url text,
  token_url text,
  userinfo_url text,
  jwks_uri text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  custom_claims_allowlist text[] not null default '{}'
);
create index custom_oauth_providers_created_at_idx on custom_oauth_providers (created_at);
create index custom_oauth_providers_enabled_idx on custom_oauth_providers (enabled);

create table webauthn_credentials (
  id uuid not null default gen_random_uuid() primary key,
  user_id uuid not null references users (id) on delete cascade,
  credential_id bytea not null unique,
  public_key bytea not null,
  attestation_type text not null default '',
  aaguid uuid,
  sign_count bigint not null default 0,
  transports jsonb not null default '[]',
  backup_eligible boolean not null default false,
  backed_up boolean not null default false,
  friendly_name text not null default '',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  last_used_at timestamptz
);
create index webauthn_credentials_user_id_idx on webauthn_credentials (user_id);

create table webauthn_challenges (
  id uuid not null default gen_random_uuid() primary key,
  user_id uuid references users (id) on delete cascade,
  challenge_type text not null check (challenge_type in ('signup', 'registration', 'authentication')),
  session_data jsonb not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index webauthn_challenges_user_id_idx on webauthn_challenges (user_id);
create index webauthn_challenges_expires_at_idx on webauthn_challenges (expires_at);

alter table schema_migrations enable row level security;
alter table instances enable row level security;
alter table users enable row level security;
alter table identities enable row level security;
alter table sessions enable row level security;
alter table refresh_tokens enable row level security;
alter table mfa_factors enable row level security;
alter table mfa_challenges enable row level security;
alter table mfa_amr_claims enable row level security;
alter table one_time_tokens enable row level security;
alter table flow_state enable row level security;
alter table audit_log_entries enable row level security;
alter table sso_providers enable row level security;
alter table sso_domains enable row level security;
alter table saml_providers enable row level security;
alter table saml_relay_states enable row level security;

create function uid() returns uuid language sql stable as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.sub', true), ''),
    (nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub')
  )::uuid
$$;

create function role() returns text language sql stable as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.role', true), ''),
    (nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'role')
  )::text
$$;

create function email() returns text language sql stable as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.email', true), ''),
    (nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'email')
  )::text
$$;

create function jwt() returns jsonb language sql stable as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')
  )::jsonb
$$;

grant execute on function uid(), role(), email(), jwt() to dashboard_user;

-- The Auth server's own record of its schema: not for postgres, on hosted neither.
revoke all on table schema_migrations from postgres, dashboard_user;

reset role;
reset search_path;
