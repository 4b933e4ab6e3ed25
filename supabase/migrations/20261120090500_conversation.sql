-- What happens around the table: messages and reactions, photos, ratings, arrivals, notifications.

create table public.messages (
  id uuid primary key default gen_random_uuid(),
  plan_id uuid not null references public.plans (id) on delete cascade,
  author_id uuid default auth.uid() references public.profiles (id) on delete set null,
  client_id uuid not null, -- made by the sender, so that sending again is not sending twice
  body text not null,
  reply_to uuid,
  edited_at timestamptz,
  deleted_at timestamptz,
  created_at timestamptz not null default now(),
  unique (plan_id, author_id, client_id),
  unique (id, plan_id),
  foreign key (reply_to, plan_id) references public.messages (id, plan_id) on delete set null (reply_to),
  constraint body_has_length check (
    case when deleted_at is null then private.is_text(body, 1, 2000) else body = '' end
  )
);

create table public.reactions (
  message_id uuid not null,
  plan_id uuid not null,
  user_id uuid not null default auth.uid(),
  emoji text not null check (emoji in ('❤️', '👍', '😂', '😋', '🎉', '😮')),
  created_at timestamptz not null default now(),
  primary key (message_id, user_id, emoji),
  foreign key (message_id, plan_id) references public.messages (id, plan_id) on delete cascade,
  foreign key (plan_id, user_id) references public.plan_members (plan_id, user_id) on delete cascade
);

create table public.photos (
  id uuid primary key default gen_random_uuid(),
  plan_id uuid not null references public.plans (id) on delete cascade,
  author_id uuid default auth.uid() references public.profiles (id) on delete set null,
  path text not null unique, -- of the object in bucket plan-photos
  width integer not null check (width between 1 and 20000),
  height integer not null check (height between 1 and 20000),
  caption text not null default '' check (char_length(caption) <= 140),
  created_at timestamptz not null default now(),
  constraint path_begins_with_plan check (split_part(path, '/', 1) = plan_id::text)
);

create table public.ratings (
  plan_id uuid not null,
  user_id uuid not null,
  place_id uuid not null references public.places (id) on delete cascade,
  stars smallint not null check (stars between 1 and 5),
  comment text not null default '' check (char_length(comment) <= 500),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (plan_id, user_id),
  foreign key (plan_id, user_id) references public.plan_members (plan_id, user_id) on delete cascade
);

create table public.arrivals (
  plan_id uuid not null,
  user_id uuid not null,
  status public.arrival_status not null default 'not_left',
  eta timestamptz,
  updated_at timestamptz not null default now(),
  primary key (plan_id, user_id),
  foreign key (plan_id, user_id) references public.plan_members (plan_id, user_id) on delete cascade
);

create table public.notifications (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references public.profiles (id) on delete cascade,
  kind public.notification_kind not null,
  plan_id uuid not null references public.plans (id) on delete cascade,
  actor_id uuid references public.profiles (id) on delete set null,
  read_at timestamptz,
  created_at timestamptz not null default now()
);

create index messages_plan_time_idx on public.messages (plan_id, created_at);
create index messages_author_time_idx on public.messages (author_id, created_at);
create index messages_reply_idx on public.messages (reply_to, plan_id);
create index reactions_message_idx on public.reactions (message_id, plan_id);
create index reactions_member_idx on public.reactions (plan_id, user_id);
create index photos_plan_time_idx on public.photos (plan_id, created_at);
create index photos_author_idx on public.photos (author_id);
create index ratings_place_idx on public.ratings (place_id);
create index notifications_user_time_idx on public.notifications (user_id, created_at desc);
create index notifications_plan_idx on public.notifications (plan_id);
create index notifications_actor_idx on public.notifications (actor_id);

create trigger limit_photos before insert on public.photos
  for each row execute function private.enforce_limit('plans', 'plan_id', 'plan_photos', 'too_many_photos');
create trigger touch before update on public.ratings
  for each row execute function private.touch_updated_at();
create trigger touch before update on public.arrivals
  for each row execute function private.touch_updated_at();

create function private.limit_messages() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  -- Only people are limited: rows that the owner inserts (seed, sample plans) bear another's name.
  if auth.uid() is not null and (
    select count(*) from public.messages as m
    where m.author_id = auth.uid() and m.created_at > now() - interval '1 minute'
  ) >= private.limit_of('messages_per_minute') then
    perform private.refuse('too_many_messages');
  end if;
  return new;
end $$;

create trigger limit_messages before insert on public.messages
  for each row execute function private.limit_messages();

alter table public.messages enable row level security;
alter table public.reactions enable row level security;
alter table public.photos enable row level security;
alter table public.ratings enable row level security;
alter table public.arrivals enable row level security;
alter table public.notifications enable row level security;

grant select on public.messages, public.reactions, public.photos, public.ratings, public.arrivals,
  public.notifications to authenticated;
grant insert (plan_id, author_id, client_id, body, reply_to) on public.messages to authenticated;
grant insert (message_id, plan_id, user_id, emoji), delete on public.reactions to authenticated;
grant insert (plan_id, author_id, path, width, height, caption), update (caption), delete on public.photos
  to authenticated;
grant update (read_at) on public.notifications to authenticated;

create policy "messages are read by the table" on public.messages
  for select to authenticated using (plan_id in (select private.my_plan_ids()));
create policy "messages are written by the table" on public.messages
  for insert to authenticated
  with check (author_id = (select auth.uid()) and plan_id in (select private.my_plan_ids()));

create policy "reactions are read by the table" on public.reactions
  for select to authenticated using (plan_id in (select private.my_plan_ids()));
create policy "reactions are added by their person" on public.reactions
  for insert to authenticated
  with check (user_id = (select auth.uid()) and plan_id in (select private.my_plan_ids()));
create policy "reactions are removed by their person" on public.reactions
  for delete to authenticated using (user_id = (select auth.uid()));

create policy "photos are read by the table" on public.photos
  for select to authenticated using (plan_id in (select private.my_plan_ids()));
create policy "photos are added by the table" on public.photos
  for insert to authenticated with check (
    author_id = (select auth.uid())
    and plan_id in (select private.my_plan_ids())
    and split_part(path, '/', 2) = (select auth.uid())::text
  );
create policy "photos are captioned by their author" on public.photos
  for update to authenticated
  using (author_id = (select auth.uid()) and plan_id in (select private.my_plan_ids()));
create policy "photos are removed by author or host" on public.photos
  for delete to authenticated
  using (author_id = (select auth.uid()) or plan_id in (select private.my_hosted_plan_ids()));

create policy "ratings are read by the table" on public.ratings
  for select to authenticated using (plan_id in (select private.my_plan_ids()));
create policy "arrivals are read by the table" on public.arrivals
  for select to authenticated using (plan_id in (select private.my_plan_ids()));

create policy "notifications are read by their person" on public.notifications
  for select to authenticated using (user_id = (select auth.uid()));
create policy "notifications are marked read by their person" on public.notifications
  for update to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));
