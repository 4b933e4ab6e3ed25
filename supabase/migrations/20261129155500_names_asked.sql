-- How often a network may ask in a day whether a name is taken at the table of an invite is limited.

insert into private.errors (code, status, message, hint) values
  ('too_many_names', 429, 'Those were many names for one invite in a day.', 'Try again tomorrow, or sign in.');

insert into private.limits (name, value, reason) values
  ('names_per_network', 60, 'Three tries for each seat of a whole table in one room; more are guesses at who is there.');

create or replace function public.namesake(token text, name text) returns text
  language plpgsql security definer set search_path = '' as $$
declare
  invite public.invites := private.usable_invite(namesake.token);
begin
  if invite.plan_id is not null and not private.count_daily_use(
    'names ' || invite.plan_id || ' network ' || private.network_of_caller(), private.limit_of('names_per_network')
  ) then
    perform private.refuse('too_many_names');
  end if;
  return (
    select case when count(*) > 1 then 'several' when bool_and(p.is_guest) then 'guest' when count(*) = 1 then 'account' end
    from private.people_named(invite.plan_id, namesake.name) as p);
end $$;
