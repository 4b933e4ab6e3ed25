-- A plan: its people, the times and places they can vote on, their votes, and the links that let people in.
-- Status, membership and votes change only through functions (see the transitions migrations).

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
  constraint choice_is_whole check ((chosen_time_id is null) = (chosen_place_id is null)),
  constraint confirmed_has_choice check (status <> 'confirmed' or chosen_time_id is not null)
);

create table public.plan_members (
  plan_id uuid not null references public.plans (id) on delete cascade,
  user_id uuid not null references public.profiles (id) on delete cascade,
  role public.plan_role not null default 'guest',
  rsvp public.rsvp_status not null default 'pending',
  plus_ones smallint not null default 0 check (plus_ones between 0 and 5),
  waitlisted_at timestamptz,
  joined_at timestamptz not null default now(),
  primary key (plan_id, user_id),
  constraint waitlist_has_order check ((rsvp = 'waitlisted') = (waitlisted_at is not null))
);

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

create table public.place_options (
  id uuid primary key default gen_random_uuid(),
  plan_id uuid not null references public.plans (id) on delete cascade,
  place_id uuid not null references public.places (id) on delete cascade,
  proposed_by uuid references public.profiles (id) on delete set null,
  created_at timestamptz not null default now(),
  unique (plan_id, place_id),
  unique (id, plan_id)
);

-- The composite keys hold that a vote's option, its voter's seat and a plan's choice are of one plan.
create table public.time_votes (
  option_id uuid not null,
  plan_id uuid not null,
  user_id uuid not null,
  answer public.vote_answer not null,
  voted_at timestamptz not null default now(),
  primary key (option_id, user_id),
  foreign key (option_id, plan_id) references public.time_options (id, plan_id) on delete cascade,
  foreign key (plan_id, user_id) references public.plan_members (plan_id, user_id) on delete cascade
);

create table public.place_votes (
  option_id uuid not null,
  plan_id uuid not null,
  user_id uuid not null,
  answer public.vote_answer not null,
  voted_at timestamptz not null default now(),
  primary key (option_id, user_id),
  foreign key (option_id, plan_id) references public.place_options (id, plan_id) on delete cascade,
  foreign key (plan_id, user_id) references public.plan_members (plan_id, user_id) on delete cascade
);

alter table public.plans
  add constraint plans_chosen_time_fkey foreign key (chosen_time_id, id)
    references public.time_options (id, plan_id),
  add constraint plans_chosen_place_fkey foreign key (chosen_place_id, id)
    references public.place_options (id, plan_id);

-- A link into a plan or a circle. Only the hash of its token is kept: who reads this table cannot use it.
create table public.invites (
  id uuid primary key default gen_random_uuid(),
  plan_id uuid references public.plans (id) on delete cascade,
  circle_id uuid references public.circles (id) on delete cascade,
  token_hash bytea not null unique,
  created_by uuid references public.profiles (id) on delete set null,
  expires_at timestamptz not null,
  max_uses smallint not null check (max_uses between 1 and 20),
  uses smallint not null default 0,
  revoked_at timestamptz,
  created_at timestamptz not null default now(),
  constraint invite_leads_somewhere check (num_nonnulls(plan_id, circle_id) = 1),
  constraint uses_within_limit check (uses <= max_uses)
);

create index plans_circle_id_idx on public.plans (circle_id);
create index plans_chosen_time_idx on public.plans (chosen_time_id, id);
create index plans_chosen_place_idx on public.plans (chosen_place_id, id);
create index plan_members_user_id_idx on public.plan_members (user_id);
create unique index plan_members_one_host on public.plan_members (plan_id) where role = 'host';
create index time_options_proposed_by_idx on public.time_options (proposed_by);
create index place_options_proposed_by_idx on public.place_options (proposed_by);
create index place_options_place_id_idx on public.place_options (place_id);
create index time_votes_option_plan_idx on public.time_votes (option_id, plan_id);
create index time_votes_member_idx on public.time_votes (plan_id, user_id);
create index place_votes_option_plan_idx on public.place_votes (option_id, plan_id);
create index place_votes_member_idx on public.place_votes (plan_id, user_id);
create index invites_plan_id_idx on public.invites (plan_id);
create index invites_circle_id_idx on public.invites (circle_id);
create index invites_created_by_idx on public.invites (created_by);

create trigger touch before update on public.plans
  for each row execute function private.touch_updated_at();
create trigger limit_people before insert on public.plan_members
  for each row execute function private.enforce_limit('plans', 'plan_id', 'plan_people', 'plan_full');
create trigger limit_times before insert on public.time_options
  for each row execute function private.enforce_limit('plans', 'plan_id', 'time_options', 'too_many_times');
create trigger limit_places before insert on public.place_options
  for each row execute function private.enforce_limit('plans', 'plan_id', 'place_options', 'too_many_places');

-- ---------------------------------------------------------------------------------------------------------
-- Who is at which table

create function private.my_plan_ids() returns setof uuid
  language sql stable security definer set search_path = ''
  begin atomic
    select m.plan_id from public.plan_members as m where m.user_id = (select auth.uid());
  end;

create function private.my_hosted_plan_ids() returns setof uuid
  language sql stable security definer set search_path = ''
  begin atomic
    select m.plan_id from public.plan_members as m
    where m.user_id = (select auth.uid()) and m.role in ('host', 'cohost');
  end;

create function private.is_plan_member(plan uuid) returns boolean
  language sql stable security definer set search_path = ''
  return exists (
    select 1 from public.plan_members as m where m.plan_id = plan and m.user_id = (select auth.uid())
  );

create function private.is_plan_host(plan uuid) returns boolean
  language sql stable security definer set search_path = ''
  return exists (
    select 1 from public.plan_members as m
    where m.plan_id = plan and m.user_id = (select auth.uid()) and m.role in ('host', 'cohost')
  );

-- Everyone one shares a plan or a circle with.
create function private.known_people() returns setof uuid
  language sql stable security definer set search_path = ''
  begin atomic
    select m.user_id from public.plan_members as m
    where m.plan_id in (select private.my_plan_ids())
    union
    select m.user_id from public.circle_members as m
    where m.circle_id in (select private.my_circle_ids());
  end;

-- The plans whose votes of others one may see: all, except those that hide results until one has voted.
create function private.open_result_plan_ids() returns setof uuid
  language sql stable security definer set search_path = ''
  begin atomic
    select p.id from public.plans as p
    where p.id in (select private.my_plan_ids())
      and (
        not p.results_hidden
        or p.status <> 'polling'
        or exists (select 1 from public.time_votes as v where v.plan_id = p.id and v.user_id = (select auth.uid()))
        or exists (select 1 from public.place_votes as v where v.plan_id = p.id and v.user_id = (select auth.uid()))
      );
  end;

grant execute on function private.my_plan_ids(), private.my_hosted_plan_ids(), private.is_plan_member(uuid),
  private.is_plan_host(uuid), private.known_people(), private.open_result_plan_ids()
  to authenticated, service_role;

-- ---------------------------------------------------------------------------------------------------------
-- Row policies

alter table public.plans enable row level security;
alter table public.plan_members enable row level security;
alter table public.time_options enable row level security;
alter table public.place_options enable row level security;
alter table public.time_votes enable row level security;
alter table public.place_votes enable row level security;
alter table public.invites enable row level security;

grant select on public.plans, public.plan_members, public.time_options, public.place_options,
  public.time_votes, public.place_votes to authenticated;
grant update (title, note, vote_deadline, capacity, guests_may_propose, results_hidden) on public.plans
  to authenticated;
grant delete on public.time_options, public.place_options to authenticated;
-- The hash stays unreadable even for hosts: nobody has a use for it.
grant select (id, plan_id, circle_id, created_by, expires_at, max_uses, uses, revoked_at, created_at)
  on public.invites to authenticated;

create policy "profiles are read by people who share a table or circle" on public.profiles
  for select to authenticated
  using (id = (select auth.uid()) or id in (select private.known_people()));

create policy "plans are read by their people" on public.plans
  for select to authenticated using (id in (select private.my_plan_ids()));
create policy "plans are edited by their hosts" on public.plans
  for update to authenticated
  using (id in (select private.my_hosted_plan_ids())) with check (id in (select private.my_hosted_plan_ids()));

create policy "members are read by the table" on public.plan_members
  for select to authenticated using (plan_id in (select private.my_plan_ids()));

create policy "times are read by the table" on public.time_options
  for select to authenticated using (plan_id in (select private.my_plan_ids()));
create policy "times are withdrawn by proposer or host" on public.time_options
  for delete to authenticated using (
    plan_id in (select p.id from public.plans as p where p.status = 'polling')
    and (plan_id in (select private.my_hosted_plan_ids()) or proposed_by = (select auth.uid()))
  );
create policy "places are read by the table" on public.place_options
  for select to authenticated using (plan_id in (select private.my_plan_ids()));
create policy "places are withdrawn by proposer or host" on public.place_options
  for delete to authenticated using (
    plan_id in (select p.id from public.plans as p where p.status = 'polling')
    and (plan_id in (select private.my_hosted_plan_ids()) or proposed_by = (select auth.uid()))
  );

create policy "time votes are read by the table" on public.time_votes
  for select to authenticated
  using (user_id = (select auth.uid()) or plan_id in (select private.open_result_plan_ids()));
create policy "place votes are read by the table" on public.place_votes
  for select to authenticated
  using (user_id = (select auth.uid()) or plan_id in (select private.open_result_plan_ids()));

create policy "invites are read by hosts and circle admins" on public.invites
  for select to authenticated using (
    plan_id in (select private.my_hosted_plan_ids()) or circle_id in (select private.my_admin_circle_ids())
  );
