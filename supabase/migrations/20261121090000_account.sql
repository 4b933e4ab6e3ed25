-- What a person may do with everything of theirs: take it along, and take it away.

-- A table or circle must not lose the one who looks after it: before a person goes, another takes over. Runs
-- however the person goes, an administrator's deletion included.
create function private.hand_over() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  hosted record;
  owned record;
  successor uuid;
begin
  for hosted in
    select p.id, private.plan_state(p) as state from public.plans as p
    join public.plan_members as m on m.plan_id = p.id and m.user_id = old.id and m.role = 'host'
  loop
    select m.user_id into successor from public.plan_members as m
      join public.profiles as who on who.id = m.user_id and not who.is_guest
      where m.plan_id = hosted.id and m.user_id <> old.id
      order by m.role = 'cohost' desc, m.rsvp = 'going' desc, m.joined_at limit 1;
    update public.plan_members as m set role = 'guest' where m.plan_id = hosted.id and m.user_id = old.id;
    if successor is not null then
      update public.plan_members as m set role = 'host' where m.plan_id = hosted.id and m.user_id = successor;
    elsif not exists (select from public.plan_members as m where m.plan_id = hosted.id and m.user_id <> old.id) then
      delete from public.plans where id = hosted.id;
    elsif hosted.state in ('polling', 'confirmed') then
      -- Only guests are left, and nobody who could confirm or change anything.
      update public.plans set status = 'cancelled', revision = revision + 1 where id = hosted.id;
    end if;
  end loop;
  for owned in
    select m.circle_id from public.circle_members as m where m.user_id = old.id and m.role = 'owner'
  loop
    select m.user_id into successor from public.circle_members as m
      where m.circle_id = owned.circle_id and m.user_id <> old.id
      order by m.role = 'admin' desc, m.joined_at limit 1;
    if successor is null then
      delete from public.circles where id = owned.circle_id;
    else
      update public.circle_members as m set role = 'member'
        where m.circle_id = owned.circle_id and m.user_id = old.id;
      update public.circle_members as m set role = 'owner'
        where m.circle_id = owned.circle_id and m.user_id = successor;
    end if;
  end loop;
  return old;
end $$;

create trigger hand_over before delete on public.profiles
  for each row execute function private.hand_over();

-- The caller goes: sessions, votes, seats, saved places. What they gave to a table, its messages and photos,
-- stays there without a name; their own files are theirs to remove before.
create function public.delete_my_account() returns void
  language sql volatile security definer set search_path = ''
  begin atomic
    delete from auth.users where id = (select auth.uid());
  end;

-- Everything that is kept about the caller, as one JSON object.
create function public.export_my_data() returns jsonb
  language sql stable security definer set search_path = ''
  begin atomic
    select jsonb_build_object(
      'exported_at', now(),
      'account', (
        select jsonb_build_object('id', u.id, 'email', u.email, 'created_at', u.created_at, 'last_sign_in_at', u.last_sign_in_at)
        from auth.users as u where u.id = auth.uid()),
      'profile', (select to_jsonb(p) from public.profiles as p where p.id = auth.uid()),
      'private_profile', (select to_jsonb(p) from public.private_profiles as p where p.id = auth.uid()),
      'circles', (
        select coalesce(jsonb_agg(jsonb_build_object('name', c.name, 'role', m.role, 'joined_at', m.joined_at) order by m.joined_at), '[]')
        from public.circle_members as m join public.circles as c on c.id = m.circle_id where m.user_id = auth.uid()),
      'plans', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'id', p.id, 'title', p.title, 'status', private.plan_state(p), 'role', m.role, 'rsvp', m.rsvp,
          'plus_ones', m.plus_ones, 'joined_at', m.joined_at) order by m.joined_at), '[]')
        from public.plan_members as m join public.plans as p on p.id = m.plan_id where m.user_id = auth.uid()),
      'time_votes', (select coalesce(jsonb_agg(to_jsonb(v)), '[]') from public.time_votes as v where v.user_id = auth.uid()),
      'place_votes', (select coalesce(jsonb_agg(to_jsonb(v)), '[]') from public.place_votes as v where v.user_id = auth.uid()),
      'messages', (
        select coalesce(jsonb_agg(jsonb_build_object('plan_id', m.plan_id, 'body', m.body, 'created_at', m.created_at) order by m.created_at), '[]')
        from public.messages as m where m.author_id = auth.uid()),
      'reactions', (select coalesce(jsonb_agg(to_jsonb(r)), '[]') from public.reactions as r where r.user_id = auth.uid()),
      'photos', (
        select coalesce(jsonb_agg(jsonb_build_object('plan_id', p.plan_id, 'path', p.path, 'caption', p.caption, 'created_at', p.created_at) order by p.created_at), '[]')
        from public.photos as p where p.author_id = auth.uid()),
      'ratings', (select coalesce(jsonb_agg(to_jsonb(r)), '[]') from public.ratings as r where r.user_id = auth.uid()),
      'arrivals', (select coalesce(jsonb_agg(to_jsonb(a)), '[]') from public.arrivals as a where a.user_id = auth.uid()),
      'saved_places', (
        select coalesce(jsonb_agg(jsonb_build_object('place', p.name, 'saved_at', s.saved_at)), '[]')
        from public.saved_places as s join public.places as p on p.id = s.place_id where s.user_id = auth.uid()),
      'notifications', (
        select coalesce(jsonb_agg(jsonb_build_object('kind', n.kind, 'plan_id', n.plan_id, 'created_at', n.created_at, 'read_at', n.read_at) order by n.created_at), '[]')
        from public.notifications as n where n.user_id = auth.uid())
    );
  end;

revoke execute on function public.delete_my_account(), public.export_my_data() from public, anon;
grant execute on function public.delete_my_account(), public.export_my_data() to authenticated;
