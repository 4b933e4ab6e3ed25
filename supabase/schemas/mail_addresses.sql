-- Addresses that guests leave at a plan to be told about it by mail, without an account.

-- ---------------------------------------------------------------------------------------------------------
-- Functions

-- Asks by mail whether the caller, a guest at the plan, may be told about it at this address. Answers `asked`,
-- `confirmed` (they have confirmed it at another plan), or `not_sent` (the address wants no such mail). A newer address
-- replaces the one before.
create function public.leave_address(plan uuid, address text) returns text
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  wanted text := lower(btrim(leave_address.address));
  recipient private.mail_recipients;
  secret text := translate(encode(extensions.gen_random_bytes(18), 'base64'), '+/', '-_');
  known boolean;
begin
  if not private.is_plan_member(plan) then
    perform private.refuse('plan_not_found');
  elsif not private.is_guest() then
    perform private.refuse('not_a_guest');
  elsif not coalesce(private.is_mail_address(wanted), false) then
    perform private.refuse('mail_bad_address');
  end if;
  known := exists (
    select 1 from private.left_addresses as l
    where l.user_id = caller and l.address = wanted and l.confirmed_at is not null);
  if not known and not (
    private.count_daily_use('confirm person ' || caller, private.limit_of('confirmations_per_person'))
    and private.count_daily_use('confirm network ' || private.network_of_caller(), private.limit_of('confirmations_per_network'))
    and private.count_daily_use('confirm address ' || wanted, private.limit_of('confirmations_per_address'))
  ) then
    perform private.refuse('too_many_confirmations');
  end if;
  recipient := private.recipient(wanted);
  if recipient.no_reminders_since is not null or exists (
    select 1 from auth.users as u join public.private_profiles as p on p.id = u.id
    where lower(u.email) = wanted and not p.mail_reminders
  ) then
    return 'not_sent';
  end if;
  insert into private.left_addresses as l (plan_id, user_id, address, token_hash, confirmed_at)
    values (plan, caller, wanted, case when not known then private.token_hash(secret) end, case when known then now() end)
    on conflict on constraint left_addresses_pkey do update set
      address = excluded.address, token_hash = excluded.token_hash, asked_at = now(), confirmed_at = excluded.confirmed_at;
  if known then
    return 'confirmed';
  end if;
  insert into private.outgoing_mail (address, kind, plan_id, sender_id, language, secret)
    select wanted, 'confirm_address', plan, caller, p.language, secret
    from public.private_profiles as p where p.id = caller;
  perform private.deliver_mail();
  return 'asked';
end $$;

-- What the link of that mail does, for whoever has it; doing it again changes nothing. Returns the plan.
create function public.confirm_address(token text) returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  confirmed uuid;
begin
  update private.left_addresses as l set confirmed_at = coalesce(l.confirmed_at, now())
    where l.token_hash = private.token_hash(confirm_address.token)
      and l.asked_at > now() - make_interval(days => private.limit_of('confirmation_days'))
    returning l.plan_id into confirmed;
  if not found then
    perform private.refuse('confirmation_gone');
  end if;
  return confirmed;
end $$;

-- The address that the caller has left at a plan, without most of its name, as others may look at the screen.
create function public.my_left_address(plan uuid) returns table (address text, confirmed boolean)
  language sql stable security definer set search_path = ''
  begin atomic
    select regexp_replace(l.address, '^(.)[^@]*', '\1…'), l.confirmed_at is not null
    from private.left_addresses as l
    where l.plan_id = my_left_address.plan and l.user_id = (select private.require_caller());
  end;

create function public.remove_left_address(plan uuid) returns void
  language sql volatile security definer set search_path = ''
  begin atomic
    delete from private.left_addresses as l
    where l.plan_id = remove_left_address.plan and l.user_id = (select private.require_caller());
  end;

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant execute on function public.leave_address(uuid, text), public.my_left_address(uuid),
  public.remove_left_address(uuid) to authenticated;
grant execute on function public.confirm_address(text) to anon, authenticated;
