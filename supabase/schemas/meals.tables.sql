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
  -- The person's diets for which there was a proper meal, those for which there was none, and when the meal was.
  ate public.diet[] not null default '{}',
  lacked public.diet[] not null default '{}',
  eaten_at timestamptz,
  primary key (plan_id, user_id),
  foreign key (plan_id, user_id) references public.plan_members (plan_id, user_id)
    on update cascade on delete cascade,
  -- Any other diet needs a claim about the kitchen (place_diet_claims).
  constraint ratings_meal_check check (
    cardinality(ate || lacked) <= 3 and not ate operator(pg_catalog.&&) lacked
    and ate || lacked operator(pg_catalog.<@) '{vegetarian,vegan,pescatarian}'::public.diet[]
    and (eaten_at is not null or cardinality(ate || lacked) = 0))
);

create index ratings_place_idx on public.ratings (place_id);
