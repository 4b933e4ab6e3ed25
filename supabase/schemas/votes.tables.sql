-- The times and places that people can vote on, and their votes.

create table public.time_options (
  id uuid primary key default gen_random_uuid(),
  plan_id uuid not null references public.plans (id) on delete cascade,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  proposed_by uuid references public.profiles (id) on delete set null,
  created_at timestamptz not null default now(),
  unique (plan_id, starts_at, ends_at),
  unique (id, plan_id),
  constraint meal_has_length check (ends_at - starts_at between interval '15 minutes' and interval '12 hours')
);

create index time_options_proposed_by_idx on public.time_options (proposed_by);

create table public.place_options (
  id uuid primary key default gen_random_uuid(),
  plan_id uuid not null references public.plans (id) on delete cascade,
  place_id uuid not null references public.places (id) on delete cascade,
  proposed_by uuid references public.profiles (id) on delete set null,
  created_at timestamptz not null default now(),
  unique (plan_id, place_id),
  unique (id, plan_id)
);

create index place_options_proposed_by_idx on public.place_options (proposed_by);
create index place_options_place_id_idx on public.place_options (place_id);

-- The composite keys hold that a vote's option, its voter's seat and a plan's choice are of one plan. A seat can pass
-- to another person with all that hangs on it (votes, reactions, reads, ratings, arrivals, waiting messages): the
-- keys follow the seat. Only functions of the owner change a seat's person.
create table public.time_votes (
  option_id uuid not null,
  plan_id uuid not null,
  user_id uuid not null,
  answer public.vote_answer not null,
  voted_at timestamptz not null default now(),
  yes_at timestamptz, -- the first yes; later answers do not move it
  primary key (option_id, user_id),
  foreign key (option_id, plan_id) references public.time_options (id, plan_id) on delete cascade,
  foreign key (plan_id, user_id) references public.plan_members (plan_id, user_id)
    on update cascade on delete cascade
);

create index time_votes_option_plan_idx on public.time_votes (option_id, plan_id);
create index time_votes_member_idx on public.time_votes (plan_id, user_id);
create index time_votes_user_idx on public.time_votes (user_id);

create table public.place_votes (
  option_id uuid not null,
  plan_id uuid not null,
  user_id uuid not null,
  answer public.vote_answer not null,
  voted_at timestamptz not null default now(),
  primary key (option_id, user_id),
  foreign key (option_id, plan_id) references public.place_options (id, plan_id) on delete cascade,
  foreign key (plan_id, user_id) references public.plan_members (plan_id, user_id)
    on update cascade on delete cascade
);

create index place_votes_option_plan_idx on public.place_votes (option_id, plan_id);
create index place_votes_member_idx on public.place_votes (plan_id, user_id);
create index place_votes_user_idx on public.place_votes (user_id);

alter table public.plans
  add constraint plans_chosen_time_fkey foreign key (chosen_time_id, id)
    references public.time_options (id, plan_id),
  add constraint plans_chosen_place_fkey foreign key (chosen_place_id, id)
    references public.place_options (id, plan_id),
  add constraint plans_proposed_time_fkey foreign key (proposed_time_id, id)
    references public.time_options (id, plan_id),
  add constraint plans_proposed_place_fkey foreign key (proposed_place_id, id)
    references public.place_options (id, plan_id),
  add constraint plans_moved_from_time_fkey foreign key (moved_from_time_id, id)
    references public.time_options (id, plan_id),
  add constraint plans_moved_from_place_fkey foreign key (moved_from_place_id, id)
    references public.place_options (id, plan_id);
