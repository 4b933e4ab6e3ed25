create schema hooks;
grant usage on schema hooks to supabase_auth_admin;
create table hooks.attempts (user_id uuid primary key, failed_at timestamptz not null default now());
grant select, insert, update, delete on hooks.attempts to supabase_auth_admin;

create function hooks.before_user_created(event jsonb) returns jsonb language plpgsql as $$
begin
  if split_part(event -> 'user' ->> 'email', '@', 2) <> 'example.com' then
    return jsonb_build_object('error', jsonb_build_object('http_code', 403, 'message', 'By invitation only'));
  end if;
  return '{}';
end $$;
create function hooks.password_verification_attempt(event jsonb) returns jsonb language plpgsql as $$
begin
  if (event ->> 'valid')::boolean then
    delete from hooks.attempts where user_id = (event ->> 'user_id')::uuid;
  else
    insert into hooks.attempts (user_id) values ((event ->> 'user_id')::uuid)
      on conflict (user_id) do update set failed_at = now();
  end if;
  return '{"decision": "continue"}';
end $$;
revoke execute on all functions in schema hooks from public, anon, authenticated;
grant execute on all functions in schema hooks to supabase_auth_admin;
