-- A plan as the home screen shows it in a row, without its votes. Read page by page, by a key: the next meals
-- first, then plans in voting, the newest first, then plans that are over or cancelled.

-- ---------------------------------------------------------------------------------------------------------
-- Views

create view public.plan_cards with (security_invoker = true) as
  select p.id, p.circle_id, p.title, p.status, p.time_zone, p.vote_deadline, p.created_at,
    meal.starts_at, meal.ends_at,
    (
      select kitchen.name
      from public.place_options as o join public.places as kitchen on kitchen.id = o.place_id
      where o.id = p.chosen_place_id and o.plan_id = p.id
    ) as place_name,
    -- The key, with `id`: 0 to come, 1 in voting, 2 over; in each, microseconds that grow from first to last.
    case
      when p.status = 'polling' then 1
      when p.status = 'confirmed' and meal.ends_at
        + make_interval(hours => (select private.limit_of('done_after_hours'))) > now() then 0
      else 2
    end as section,
    (
      extract(epoch from
        case when p.status = 'polling' then p.created_at else coalesce(meal.starts_at, p.created_at) end)
      * case
        when p.status = 'confirmed' and meal.ends_at
          + make_interval(hours => (select private.limit_of('done_after_hours'))) > now() then 1000000
        else -1000000
      end
    )::bigint as position,
    (select count(*)::integer from public.time_options as o where o.plan_id = p.id) as times,
    (select count(*)::integer from public.place_options as o where o.plan_id = p.id) as places,
    private.my_next_step(p.id) as next,
    -- How many times the caller has answered.
    (
      select count(*)::integer from public.time_votes as v where v.plan_id = p.id and v.user_id = (select private.caller())
    ) as voted,
    -- In the order of the table. `answer` is a person's answer to the chosen time, in voting the best of those to times, as
    -- far as the caller may see it.
    (
      select jsonb_agg(
        jsonb_build_object(
          'user_id', m.user_id, 'display_name', who.display_name, 'avatar_path', who.avatar_path,
          'role', m.role, 'rsvp', m.rsvp, 'plus_ones', m.plus_ones, 'answered', m.answered_at is not null,
          'arrival', a.status, 'answer', said.best, 'yes', coalesce(said.yes, 0), 'place_answer', kitchen.answer
        ) order by m.role, m.joined_at, m.user_id
      )
      from public.plan_members as m
      left join public.profiles as who on who.id = m.user_id
      left join public.arrivals as a on a.plan_id = m.plan_id and a.user_id = m.user_id
      left join lateral (
        select min(v.answer) as best, count(*) filter (where v.answer = 'yes')::integer as yes
        from public.time_votes as v
        where v.plan_id = m.plan_id and v.user_id = m.user_id and (p.status = 'polling' or v.option_id = p.chosen_time_id)
      ) as said on true
      left join public.place_votes as kitchen on kitchen.option_id = p.chosen_place_id and kitchen.user_id = m.user_id
      where m.plan_id = p.id
    ) as people,
    p.moved_from_time_id is not null as moved
  from public.plans as p
  left join public.time_options as meal on meal.id = p.chosen_time_id and meal.plan_id = p.id;

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant select on public.plan_cards to authenticated;
