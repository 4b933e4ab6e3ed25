-- Only the schedule delivers mail: the function plan-reminders asks for a secret that stands in the vault. It is made
-- here, at random, and nobody has to know it.

select vault.create_secret(encode(extensions.gen_random_bytes(32), 'hex'), 'reminders_secret',
  'What the schedule shows to the function plan-reminders.');

-- Whether the text is that secret. Digests are compared, so that the time says nothing of how much of it is right.
create function public.is_reminders_secret(given text) returns boolean
  language sql stable security definer set search_path = ''
  return exists (
    select 1 from vault.decrypted_secrets as s
    where s.name = 'reminders_secret'
      and extensions.digest(s.decrypted_secret, 'sha256') = extensions.digest(given, 'sha256')
  );

revoke execute on function public.is_reminders_secret(text) from public, anon, authenticated;
grant execute on function public.is_reminders_secret(text) to service_role;

create or replace function private.deliver_mail() returns void
  language plpgsql security definer set search_path = '' as $$
declare
  project text := (select s.decrypted_secret from vault.decrypted_secrets as s where s.name = 'project_url');
  secret text := (select s.decrypted_secret from vault.decrypted_secrets as s where s.name = 'reminders_secret');
begin
  if project is not null and exists (select 1 from private.outgoing_mail as m where m.sent_at is null and m.attempts < 5) then
    perform net.http_post(
      url := project || '/functions/v1/plan-reminders',
      body := '{}'::jsonb,
      headers := jsonb_build_object('Content-Type', 'application/json', 'x-reminders-secret', secret));
  end if;
end $$;
