-- All that is kept about a person goes along with an export, and goes away with the account: mail, what was read, and
-- places included.

-- What an export held before this left out: mail to and from the person, reads, own places, words about diets.
create function private.further_data(person uuid) returns jsonb
  language sql stable security definer set search_path = ''
  begin atomic
    select jsonb_build_object(
      'message_reads', (
        select coalesce(jsonb_agg(to_jsonb(r)), '[]') from public.message_reads as r where r.user_id = person),
      'places', (
        select coalesce(jsonb_agg(to_jsonb(p) - 'search_text' || jsonb_build_object('hours', (
          select coalesce(jsonb_agg(jsonb_build_object('weekday', h.weekday, 'opens', h.opens, 'closes', h.closes)), '[]')
          from public.place_hours as h where h.place_id = p.id))), '[]')
        from public.places as p where p.created_by = person),
      'diet_claims', (
        select coalesce(jsonb_agg(to_jsonb(c)), '[]') from public.place_diet_claims as c where c.made_by = person),
      'calendar_feed', (
        select jsonb_build_object('created_at', f.created_at) from private.calendar_feeds as f where f.user_id = person),
      'mail', (
        select jsonb_build_object(
          'choices', (
            select coalesce(jsonb_agg(jsonb_build_object('address', r.address,
              'no_invites_since', r.no_invites_since, 'no_reminders_since', r.no_reminders_since)), '[]')
            from private.mail_recipients as r where r.address = mine.address),
          'received', (
            select coalesce(jsonb_agg(jsonb_build_object('kind', m.kind, 'plan_id', m.plan_id,
              'created_at', m.created_at, 'sent_at', m.sent_at) order by m.created_at), '[]')
            from private.outgoing_mail as m where m.address = mine.address),
          'sent', (
            select coalesce(jsonb_agg(jsonb_build_object('kind', m.kind, 'plan_id', m.plan_id,
              'address', m.address, 'created_at', m.created_at, 'sent_at', m.sent_at) order by m.created_at), '[]')
            from private.outgoing_mail as m where m.sender_id = person))
        from (select lower(u.email) as address from auth.users as u where u.id = person) as mine)
    );
  end;

do $rewrite$
declare
  definition text := pg_catalog.pg_get_functiondef('public.export_my_data()'::regprocedure);
  changed text := regexp_replace(definition,
    'jsonb_build_object\(''exported_at'', now\(\),',
    'private.further_data((select private.require_caller())) || jsonb_build_object(''exported_at'', now(),');
begin
  if changed = definition then
    raise exception 'export_my_data() is not as this migration expects it';
  end if;
  execute changed;
end $rewrite$;

-- Mail to the address of an account that goes, and mail of its person that was not sent yet, go too. Runs however the
-- person goes, an administrator's deletion included.
create function private.forget_mail() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  delete from private.mail_recipients as r where r.address = lower(old.email); -- with what was sent to it
  delete from private.outgoing_mail as m where m.sender_id = old.id and m.sent_at is null;
  return old;
end $$;

create trigger forget_mail before delete on auth.users
  for each row execute function private.forget_mail();
