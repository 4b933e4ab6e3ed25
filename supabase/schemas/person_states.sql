-- The state of a person in a plan: derived from what they voted and said and where they are, never stored. The app has
-- the same rule (personState in functions/_shared/table); both pass one table of cases.

create type public.person_state as enum (
  'asked', 'voted', 'expected', 'maybe', 'waitlisted', 'not_coming', 'on_the_way', 'here', 'was_there');

-- ---------------------------------------------------------------------------------------------------------
-- Functions

-- What the votes for the chosen time and place say about coming. After a change of the choice they were for something
-- else; a host without an answer comes.
create function private.answer_of_votes(
  moved boolean, role public.plan_role, time_vote public.vote_answer, place_vote public.vote_answer
) returns public.rsvp_status
  language sql immutable parallel safe set search_path = ''
  return case
    when moved then 'pending'
    when time_vote = 'no' then 'declined'
    when place_vote = 'no' then 'pending'
    when time_vote = 'if_need_be' then 'maybe'
    when time_vote = 'yes' or role = 'host' then 'going'
    else 'pending'
  end::public.rsvp_status;

create function private.person_state(
  plan text, moved boolean, role public.plan_role, said public.rsvp_status, voted boolean,
  time_vote public.vote_answer, place_vote public.vote_answer, arrival public.arrival_status
) returns public.person_state
  language sql immutable parallel safe set search_path = ''
  begin atomic
    select case
      when plan = 'cancelled' then 'not_coming'
      when plan = 'polling' then case
        when said = 'declined' then 'not_coming' when voted or said <> 'pending' then 'voted' else 'asked' end
      when plan = 'done' then case
        when arrival in ('arrived', 'on_the_way') or answer = 'going' then 'was_there'
        when answer = 'maybe' then 'maybe' else 'not_coming' end
      when arrival = 'arrived' then 'here'
      when arrival = 'on_the_way' then 'on_the_way'
      else case answer
        when 'pending' then 'asked' when 'going' then 'expected' when 'declined' then 'not_coming'
        else answer::text end
    end::public.person_state
    from (
      select case said
        when 'pending' then private.answer_of_votes(moved, role, time_vote, place_vote) else said end as answer
    ) as given;
  end;

-- The people of a plan: their state, the seats that they take (0 while they are not expected), and since when: the
-- time of what they said, or of the first yes to the chosen time.
create function private.plan_people(plan uuid)
  returns table (user_id uuid, role public.plan_role, state public.person_state, seats integer, since timestamptz)
  language sql stable security definer set search_path = ''
  begin atomic
    select one.user_id, one.role, one.state,
      case when one.state in ('expected', 'on_the_way', 'here', 'was_there') then 1 + one.plus_ones else 0 end,
      one.since
    from (
      select m.user_id, m.role, m.plus_ones,
        private.person_state(private.plan_state(p), p.moved_from_time_id is not null, m.role, m.rsvp,
          m.answered_at is not null, t.answer, k.answer, a.status) as state,
        coalesce(
          least(case m.rsvp when 'going' then m.rsvp_at end, case t.answer when 'yes' then coalesce(t.yes_at, t.voted_at) end),
          m.joined_at) as since
      from public.plans as p
      join public.plan_members as m on m.plan_id = p.id
      left join public.time_votes as t on t.option_id = p.chosen_time_id and t.user_id = m.user_id
      left join public.place_votes as k on k.option_id = p.chosen_place_id and k.user_id = m.user_id
      left join public.arrivals as a on a.plan_id = p.id and a.user_id = m.user_id
      where p.id = plan_people.plan
    ) as one;
  end;

-- The question of a plan that a person has not answered: no time, or no place where places are suggested. An option that
-- is added later opens nothing again.
create function private.open_question(
  said public.rsvp_status, times_answered boolean, places_answered boolean, places integer
) returns text
  language sql immutable parallel safe set search_path = ''
  return case
    when said = 'declined' then null
    when not times_answered then 'times'
    when places > 0 and not places_answered then 'places'
  end;

create function private.open_question(seat public.plan_members) returns text
  language sql stable security definer set search_path = ''
  return private.open_question(seat.rsvp, seat.times_answered, seat.places_answered,
    (select count(*)::integer from public.place_options as o where o.plan_id = seat.plan_id));

-- The one thing that a plan waits for from a person, the most useful first; null if nothing. The app has the same rule
-- (nextStep in functions/_shared/table); both pass one table of cases.
-- hosts: whether they are a host; alone: whether nobody else has a seat; accepts: whether the plan takes answers;
-- decides: whether a host can decide now; placed: whether the place is decided; today: whether the arrival board is
-- open; rates: whether a rating is missing and still wanted; diet: whether they have neither said what they eat nor
-- skipped the question; shares: whether another person who has not answered hears of it from the hosts only; books:
-- whether the place can be booked, and is not for as many as come; unread: whether a message of somebody else is unread.
create function private.next_step(
  plan text, state public.person_state, question text, hosts boolean, alone boolean, accepts boolean, decides boolean,
  placed boolean, today boolean, rates boolean, diet boolean, shares boolean, books boolean, unread boolean
) returns text
  language sql immutable parallel safe set search_path = ''
  return case plan
    when 'polling' then case
      when hosts and alone then 'invite'
      when accepts and question is not null then question
      -- Before the decision, as the place depends on it.
      when accepts and diet and state <> 'not_coming' then 'diet'
      when hosts and decides then 'decide'
      when hosts and accepts and shares then 'share'
      when unread and state <> 'not_coming' then 'chat'
    end
    when 'confirmed' then case
      when state = 'asked' then 'rsvp'
      when hosts and not placed then 'place'
      when today and state = 'expected' then 'set_out'
      when hosts and shares then 'share'
      when hosts and books then 'book'
      when unread and state <> 'not_coming' then 'chat'
    end
    when 'done' then case when state = 'was_there' and rates then 'rate' end
  end;

-- What a plan waits for from one of its people, or from each (null). In plpgsql, as it reads of messages and devices,
-- which later files make.
create function private.steps_of(plan uuid, person uuid) returns table (user_id uuid, step text)
  language plpgsql stable security definer set search_path = '' as $$
begin
  return query
    select who.user_id, private.next_step(private.plan_state(p), who.state, private.open_question(m),
      is_host.yes, seats.alone, options.upcoming and coalesce(p.vote_deadline > now(), true),
      options.upcoming and not p.decides_itself and p.proposed_time_id is null
        and (p.vote_deadline <= now() or not seats.asked),
      p.chosen_place_id is not null,
      meal.starts_at - make_interval(hours => private.limit_of('arrival_opens_hours')) <= now(),
      meal.ends_at > now() - interval '14 days' and not exists (
        select 1 from public.ratings as r where r.plan_id = p.id and r.user_id = m.user_id),
      mine.asked_at is null and not shown.diets_known,
      -- Of the people whom no message reaches, one whose answer is missing.
      case when is_host.yes and p.status <> 'cancelled' then exists (
        select 1 from private.unreached(p.id) as other (id)
        join public.plan_members as s on s.plan_id = p.id and s.user_id = other.id
        join private.plan_people(p.id) as asked on asked.user_id = other.id
        where other.id <> m.user_id
          and case p.status when 'polling' then private.open_question(s) is not null else asked.state = 'asked' end) end,
      case when is_host.yes and meal.starts_at > now() and (kitchen.phone <> '' or kitchen.booking_url <> '') then (
        select sum(one.seats) > 0 and p.booked_seats is distinct from sum(one.seats) from private.plan_people(p.id) as one) end,
      private.unread_of(m) > 0)
    from public.plans as p
    left join public.time_options as meal on meal.id = p.chosen_time_id
    left join public.place_options as chosen on chosen.id = p.chosen_place_id
    left join public.places as kitchen on kitchen.id = chosen.place_id
    cross join lateral (
      select count(*) = 1 as alone, bool_or(private.open_question(s) is not null) as asked
      from public.plan_members as s where s.plan_id = p.id
    ) as seats
    cross join lateral (
      select exists (select 1 from public.time_options as o where o.plan_id = p.id and o.starts_at > now()) as upcoming
    ) as options
    cross join lateral private.plan_people(p.id) as who
    join public.plan_members as m on m.plan_id = p.id and m.user_id = who.user_id
    join public.profiles as shown on shown.id = m.user_id
    left join public.private_profiles as mine on mine.id = m.user_id
    cross join lateral (select m.role in ('host', 'cohost') as yes) as is_host
    where p.id = steps_of.plan and m.user_id = coalesce(steps_of.person, m.user_id);
end $$;

-- For each of a plan's people. Nobody but the person and the database reads it. Reminders and nudges speak of the two
-- questions only: what a person eats or reads is theirs, and a host is not asked by mail to write to others.
create function private.plan_next(plan uuid) returns table (user_id uuid, step text)
  language sql stable security definer set search_path = ''
  begin atomic
    select n.user_id, n.step from private.steps_of(plan_next.plan, null) as n;
  end;

create function private.my_next_step(plan uuid) returns text
  language sql stable security definer set search_path = ''
  return (select n.step from private.steps_of(plan, (select private.caller())) as n);

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant execute on function private.my_next_step(uuid) to authenticated;
