-- Arrivals on the day, and ratings afterwards.

create type public.arrival_status as enum ('not_left', 'on_the_way', 'arrived');

create table public.arrivals (
  plan_id uuid not null,
  user_id uuid not null,
  status public.arrival_status not null default 'not_left',
  eta timestamptz,
  updated_at timestamptz not null default now(),
  primary key (plan_id, user_id),
  foreign key (plan_id, user_id) references public.plan_members (plan_id, user_id)
    on update cascade on delete cascade
);

create table public.ratings (
  plan_id uuid not null,
  user_id uuid not null,
  place_id uuid references public.places (id) on delete cascade, -- null: the meal had none in the plan
  stars smallint not null check (stars between 1 and 5),
  comment text not null default '' check (char_length(comment) <= 500),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (plan_id, user_id),
  foreign key (plan_id, user_id) references public.plan_members (plan_id, user_id)
    on update cascade on delete cascade
);

create index ratings_place_idx on public.ratings (place_id);
