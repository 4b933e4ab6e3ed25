-- A starting point of which only the city is known, by its name and without a position.

SET check_function_bodies = off;

ALTER TABLE "public"."private_profiles" ADD COLUMN "start_city" text;

CREATE OR REPLACE FUNCTION private.pass_work(guest uuid, account uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  update storage.objects as o set owner_id = account::text, owner = account
    where o.owner_id = guest::text and (
      o.bucket_id = 'plan-photos' and o.name in (select p.path from public.photos as p where p.author_id = guest)
      or o.bucket_id = 'avatars' and o.name ~>=~ (guest || '/') and o.name ~<~ (guest || '0'));
  update public.photos as p set author_id = account where p.author_id = guest;
  update public.time_options as o set proposed_by = account where o.proposed_by = guest;
  update public.place_options as o set proposed_by = account where o.proposed_by = guest;
  update public.invites as i set created_by = account where i.created_by = guest;
  update public.plans as p set ready_by = account where p.ready_by = guest;
  update public.plans as p set vetoed_by = account where p.vetoed_by = guest;
  update public.places as p set created_by = account where p.created_by = guest;
  update public.place_homes as h set user_id = account where h.user_id = guest;
  update private.outgoing_mail as m set sender_id = account where m.sender_id = guest;
  update public.push_subscriptions as s set user_id = account where s.user_id = guest;

  -- One word for each person: the account's counts.
  delete from public.place_diet_claims as c where c.made_by = guest and exists (
    select 1 from public.place_diet_claims as own
    where own.place_id = c.place_id and own.diet = c.diet and own.made_by = account);
  update public.place_diet_claims as c set made_by = account where c.made_by = guest;
  insert into public.saved_places (user_id, place_id, saved_at)
    select account, s.place_id, s.saved_at from public.saved_places as s where s.user_id = guest
    on conflict (user_id, place_id) do nothing;
  insert into public.usual_times (user_id, weekday, part, answer)
    select account, u.weekday, u.part, u.answer from public.usual_times as u where u.user_id = guest
    on conflict (user_id, weekday, part) do nothing;
  update private.calendar_feeds as f set user_id = account
    where f.user_id = guest and not exists (select 1 from private.calendar_feeds as own where own.user_id = account);
  insert into private.reminders (plan_id, user_id, kind, due_for)
    select r.plan_id, account, r.kind, r.due_for from private.reminders as r where r.user_id = guest
    on conflict do nothing;
  update private.join_requests as r set user_id = account
    where r.user_id = guest
      and not exists (select 1 from public.plan_members as m where m.plan_id = r.plan_id and m.user_id = account)
      and not exists (select 1 from private.join_requests as own where own.plan_id = r.plan_id and own.user_id = account);

  -- Not what both were told at once, what one of them did, and what is on a plan that is closed to the account.
  delete from public.notifications as n
    where n.user_id = account and n.actor_id = guest
      or n.user_id = guest and (
        n.actor_id = account
        or exists (
          select 1 from public.notifications as own
          where own.user_id = account and own.plan_id = n.plan_id and own.kind = n.kind and own.created_at = n.created_at)
        or exists (select 1 from private.removals as r where r.user_id = account and r.plan_id = n.plan_id));
  update public.notifications as n set user_id = account where n.user_id = guest;
  update public.notifications as n set actor_id = account where n.actor_id = guest;

  update public.profiles as mine set
      diets = case when mine.diets_known then mine.diets else theirs.diets end,
      diets_known = mine.diets_known or theirs.diets_known,
      -- Two is what every profile begins with.
      budget = case when mine.budget = 2 then theirs.budget else mine.budget end
    from public.profiles as theirs
    where mine.id = account and theirs.id = guest;
  update public.private_profiles as mine
    set start_latitude = theirs.start_latitude, start_longitude = theirs.start_longitude, start_city = theirs.start_city
    from public.private_profiles as theirs
    where mine.id = account and theirs.id = guest and mine.start_latitude is null
      and (theirs.start_latitude is not null or mine.start_city is null and theirs.start_city is not null);
end $function$;

-- lint: allow lock: the column is new, and null in every row
ALTER TABLE "public"."private_profiles" ADD CONSTRAINT "start_is_point_or_city" CHECK (((start_city IS NULL) OR (start_latitude IS NULL)));

REVOKE ALL ("start_city") ON TABLE "public"."private_profiles" FROM "authenticated";

GRANT UPDATE ("start_city") ON TABLE "public"."private_profiles" TO "authenticated";

-- lint: allow lock: the column is new, and null in every row
ALTER TABLE "public"."private_profiles" ADD CONSTRAINT "private_profiles_start_city_check" CHECK (private.is_text(start_city, 1, 80));

RESET check_function_bodies;
