-- A plan and its people. Status and membership change only through functions.

-- `done` is never stored: it follows from the chosen time (private.plan_state), so no job can forget it.
create type public.plan_status as enum ('polling', 'confirmed', 'cancelled');

create type public.plan_role as enum ('host', 'cohost', 'guest');

create type public.rsvp_status as enum ('pending', 'going', 'maybe', 'declined', 'waitlisted');

create table public.plans (
  id uuid primary key default gen_random_uuid(),
  circle_id uuid references public.circles (id) on delete set null,
  title text not null check (private.is_text(title, 1, 80)),
  note text not null default '' check (char_length(note) <= 1000),
  status public.plan_status not null default 'polling',
  time_zone text not null check (private.is_time_zone(time_zone)),
  vote_deadline timestamptz,
  capacity smallint check (capacity between 2 and 20), -- null: no limit but the table's
  guests_may_propose boolean not null default true,
  results_hidden boolean not null default false, -- others' votes show once one has voted
  chosen_time_id uuid,
  chosen_place_id uuid,
  -- Grows with every change that a calendar must hear of (the SEQUENCE of its ICS event).
  revision integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Since when the chosen table is ready, and which host said so. A broadcast on the plan's channel says nothing of who
  -- sent it, so what is shown is what the plan says when it is read.
  ready_at timestamptz,
  ready_by uuid references public.profiles (id) on delete set null,
  nudged_at timestamptz,
  decides_itself boolean not null default false,
  proposed_time_id uuid,
  proposed_place_id uuid,
  proposed_at timestamptz,
  -- Until when people may object; then the proposal is confirmed.
  veto_until timestamptz,
  vetoed_by uuid references public.profiles (id) on delete set null,
  vetoed_at timestamptz,
  veto_reason text not null default '' check (char_length(veto_reason) <= 140),
  -- Why there is no proposal, though the deadline has passed.
  undecided text check (undecided in (
    'nobody_voted', 'no_pair', 'unsafe', 'required_out', 'too_late', 'tie', 'closed', 'options_changed')),
  -- The deadline that was acted upon: each deadline has one proposal at most.
  decided_deadline timestamptz,
  standing_id uuid,
  -- Which one it is: a standing dinner has one plan for each day.
  standing_on date,
  -- The pair before the hosts' last change of the choice; null as long as the choice is the one that was voted for.
  moved_from_time_id uuid,
  moved_from_place_id uuid,
  -- Whether the plan's own address takes a seat for anybody with a name, without asking the hosts.
  joins_by_link boolean not null default false,
  -- For how many people, and under which name, a host has booked the chosen place. Another choice clears both.
  booked_seats smallint check (booked_seats between 1 and 120), -- twenty people, each with five more
  booked_name text check (private.is_name(booked_name, 40)),
  constraint plans_standing_fkey foreign key (standing_id) references public.standing_dinners (id) on delete set null,
  constraint choice_is_whole check (chosen_time_id is not null or chosen_place_id is null), -- the place may follow
  constraint confirmed_has_choice check (status <> 'confirmed' or chosen_time_id is not null),
  constraint booking_is_whole check (
    (booked_seats is null) = (booked_name is null) and (booked_seats is null or chosen_place_id is not null)),
  constraint deadline_is_a_day check (isfinite(vote_deadline)),
  constraint proposal_is_whole check (num_nulls(proposed_time_id, proposed_at, veto_until) in (0, 3)
    and (proposed_time_id is not null or proposed_place_id is null))
);

create index plans_circle_id_idx on public.plans (circle_id);
create index plans_chosen_time_idx on public.plans (chosen_time_id, id);
create index plans_chosen_place_idx on public.plans (chosen_place_id, id);
create index plans_ready_by_idx on public.plans (ready_by);
create index plans_proposed_time_idx on public.plans (proposed_time_id, id);
create index plans_proposed_place_idx on public.plans (proposed_place_id, id);
create index plans_vetoed_by_idx on public.plans (vetoed_by);
create index plans_to_decide_idx on public.plans (vote_deadline) where decides_itself and status = 'polling';
create index plans_veto_until_idx on public.plans (veto_until) where veto_until is not null;
create index plans_moved_from_time_idx on public.plans (moved_from_time_id, id);
create index plans_moved_from_place_idx on public.plans (moved_from_place_id, id);
create unique index plans_standing_idx on public.plans (standing_id, standing_on);

create table public.plan_members (
  plan_id uuid not null references public.plans (id) on delete cascade,
  user_id uuid not null references public.profiles (id) on delete cascade,
  role public.plan_role not null default 'guest',
  rsvp public.rsvp_status not null default 'pending',
  plus_ones smallint not null default 0 check (plus_ones between 0 and 5),
  waitlisted_at timestamptz,
  joined_at timestamptz not null default now(),
  -- Since when this person has answered at least one time or place. Says that they answered, never what: a plan may hide
  -- results, and the others still want to know whom they wait for.
  answered_at timestamptz,
  -- The host says so: without them there is no dinner.
  required boolean not null default false,
  -- When the answer was given: the order in which a confirmed table is filled.
  rsvp_at timestamptz,
  -- Since when a person has taken part in the plan: came by a link, answered, or said that they come. Null for
  -- those whom the host seated and who have done nothing yet.
  accepted_at timestamptz,
  -- Whether the person has answered any of the times, and any of the places: as answered_at, never what.
  times_answered boolean not null default false,
  places_answered boolean not null default false,
  primary key (plan_id, user_id),
  constraint waitlist_has_order check ((rsvp = 'waitlisted') = (waitlisted_at is not null))
);

create index plan_members_user_id_idx on public.plan_members (user_id);
create unique index plan_members_one_host on public.plan_members (plan_id) where role = 'host';
