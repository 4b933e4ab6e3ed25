-- The conversation of a plan, in an order that a client can catch up by, and what one has read of it.

create table public.messages (
  id uuid primary key default gen_random_uuid(),
  plan_id uuid not null references public.plans (id) on delete cascade,
  author_id uuid default private.caller() references public.profiles (id) on delete set null,
  client_id uuid not null, -- made by the sender, so that sending again is not sending twice
  body text not null,
  reply_to uuid,
  edited_at timestamptz,
  deleted_at timestamptz,
  created_at timestamptz not null default now(),
  revision bigint not null default 0,
  -- The revision at which its text was last written; reactions do not move it.
  text_revision bigint not null default 0,
  photo_id uuid,
  unique (plan_id, author_id, client_id),
  unique (id, plan_id),
  foreign key (reply_to, plan_id) references public.messages (id, plan_id) on delete set null (reply_to),
  constraint messages_photo_fkey foreign key (photo_id, plan_id)
    references public.photos (id, plan_id) on delete set null (photo_id),
  constraint body_has_length check (
    case
      when deleted_at is not null then body = ''
      when photo_id is not null then private.is_text(body, 0, 2000)
      else private.is_text(body, 1, 2000)
    end
  )
);

create index messages_plan_time_idx on public.messages (plan_id, created_at);
create index messages_author_time_idx on public.messages (author_id, created_at);
create index messages_reply_idx on public.messages (reply_to, plan_id);
create index messages_photo_idx on public.messages (photo_id, plan_id);
create unique index messages_plan_revision_key on public.messages (plan_id, revision);

-- Every change of a message (its reactions included) takes the plan's next number under a lock that is held
-- until the end of the transaction. So a number that is seen means that all smaller ones are there, which
-- no clock can promise: who has read up to n has missed just what is above n.
create table private.message_counters (
  plan_id uuid primary key references public.plans (id) on delete cascade,
  last bigint not null
);

create table public.reactions (
  message_id uuid not null,
  plan_id uuid not null,
  user_id uuid not null default private.caller(),
  emoji text not null check (emoji in ('❤️', '👍', '😂', '😋', '🎉', '😮')),
  created_at timestamptz not null default now(),
  primary key (message_id, user_id, emoji),
  foreign key (message_id, plan_id) references public.messages (id, plan_id) on delete cascade,
  foreign key (plan_id, user_id) references public.plan_members (plan_id, user_id)
    on update cascade on delete cascade
);

create index reactions_message_idx on public.reactions (message_id, plan_id);
create index reactions_member_idx on public.reactions (plan_id, user_id);
create index reactions_user_idx on public.reactions (user_id);

create table public.message_reads (
  plan_id uuid not null,
  user_id uuid not null,
  read_at timestamptz not null, -- the newest message that was on the screen was said then
  primary key (plan_id, user_id),
  foreign key (plan_id, user_id) references public.plan_members (plan_id, user_id)
    on update cascade on delete cascade
);

create index message_reads_user_idx on public.message_reads (user_id);

-- ---------------------------------------------------------------------------------------------------------
-- Functions

create function private.limit_messages() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.caller();
begin
  -- Only people are limited: rows that the owner inserts (seed, sample plans) bear another's name.
  if caller is not null then
    -- Two messages at once are counted one after the other.
    perform 1 from public.profiles as p where p.id = caller for no key update;
    if (
      select count(*) from public.messages as m
      where m.author_id = caller and m.created_at > now() - interval '1 minute'
    ) >= private.limit_of('messages_per_minute') then
      perform private.refuse('too_many_messages');
    end if;
  end if;
  return new;
end $$;

create function private.limit_reactions() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if private.caller() is not null and not private.count_use('reactions_per_minute', interval '1 minute') then
    perform private.refuse('too_many_reactions');
  end if;
  return new;
end $$;

create function private.number_message() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  insert into private.message_counters as c (plan_id, last) values (new.plan_id, 1)
    on conflict (plan_id) do update set last = c.last + 1
    returning c.last into new.revision;
  if tg_op = 'INSERT' or new.body is distinct from old.body then
    new.text_revision := new.revision;
  end if;
  return new;
end $$;

-- A reaction belongs to its message: who catches up on messages gets it with them.
create function private.renumber_message() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  update public.messages as m set revision = m.revision
    where m.id = coalesce(new.message_id, old.message_id)
      -- Not while the whole plan goes: there is no counter left to take a number from.
      and exists (select 1 from public.plans as p where p.id = m.plan_id);
  return null;
end $$;

create function public.edit_message(message uuid, body text, based_on bigint default null) returns bigint
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  this public.messages;
begin
  select * into this from public.messages as m
    where m.id = message and m.author_id = caller and m.deleted_at is null
      and m.plan_id in (select private.my_plan_ids()) for update;
  if not found then
    perform private.refuse('message_not_found');
  -- The same edit again, a retry whose first answer was lost, changes nothing and tells nobody.
  elsif this.body = private.trimmed(edit_message.body) then
    return this.revision;
  elsif this.text_revision > based_on then
    perform private.refuse('message_changed');
  end if;
  update public.messages as m set body = private.trimmed(edit_message.body), edited_at = now()
    where m.id = message returning m.revision into this.revision;
  return this.revision;
end $$;

-- Empties a message; its place in the conversation stays, so replies keep their meaning.
create function public.delete_message(message uuid) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
begin
  update public.messages as m set body = '', photo_id = null, deleted_at = now()
    where m.id = message and m.deleted_at is null and m.plan_id in (select private.my_plan_ids())
      and (m.author_id = caller or m.plan_id in (select private.my_hosted_plan_ids()));
  if not found then
    perform private.refuse('message_not_found');
  end if;
end $$;

-- Says that the caller has seen the conversation up to a message. Never goes back, so that an old tab cannot
-- make read messages new again.
create function public.mark_read(plan uuid, up_to timestamptz) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
begin
  if not private.is_plan_member(plan) then
    perform private.refuse('plan_not_found');
  end if;
  insert into public.message_reads as r (plan_id, user_id, read_at)
    values (plan, caller, least(up_to, now()))
    on conflict (plan_id, user_id) do update set read_at = greatest(r.read_at, excluded.read_at);
end $$;

-- How many messages of others a person of a plan has not seen. At most 100 are counted.
create function private.unread_of(seat public.plan_members) returns integer
  language sql stable security definer set search_path = ''
  return (
    select count(*)::integer from (
      select 1 from public.messages as m
      where m.plan_id = seat.plan_id and m.author_id is distinct from seat.user_id and m.deleted_at is null
        and m.created_at > coalesce((
          select r.read_at from public.message_reads as r where r.plan_id = seat.plan_id and r.user_id = seat.user_id
        ), seat.joined_at)
      limit 100
    ) as unseen
  );

-- Of the caller's plans, each that has unread messages.
create function public.unread_counts() returns table (plan_id uuid, unread integer)
  language sql stable security definer set search_path = ''
  begin atomic
    select seat.plan_id, counted.unread
    from public.plan_members as seat cross join lateral private.unread_of(seat) as counted (unread)
    where seat.user_id = (select private.require_caller()) and counted.unread > 0;
  end;

-- ---------------------------------------------------------------------------------------------------------
-- Policies

alter table public.messages enable row level security;
alter table public.reactions enable row level security;
alter table public.message_reads enable row level security;

create policy "messages are read by the table" on public.messages
  for select to authenticated using (plan_id = any (array(select private.my_plan_ids())));
create policy "messages are written by the table" on public.messages
  for insert to authenticated
  with check (author_id = (select private.caller()) and plan_id = any (array(select private.my_plan_ids())));

create policy "reactions are read by the table" on public.reactions
  for select to authenticated using (plan_id = any (array(select private.my_plan_ids())));
create policy "reactions are added by their person" on public.reactions
  for insert to authenticated
  with check (user_id = (select private.caller()) and plan_id = any (array(select private.my_plan_ids())));
create policy "reactions are removed by their person" on public.reactions
  for delete to authenticated using (user_id = (select private.caller()));

create policy "reads are read by their person" on public.message_reads
  for select to authenticated using (user_id = (select private.caller()));

-- ---------------------------------------------------------------------------------------------------------
-- Triggers

create trigger limit_messages before insert on public.messages
  for each row execute function private.limit_messages();
create trigger number_message before insert or update on public.messages
  for each row execute function private.number_message();
create trigger renumber_message after insert or delete on public.reactions
  for each row execute function private.renumber_message();
create trigger limit_reactions before insert on public.reactions
  for each row execute function private.limit_reactions();
create trigger a_trim before insert or update of body on public.messages
  for each row execute function private.trim_columns('body');

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant select, insert (plan_id, author_id, client_id, body, reply_to, photo_id) on public.messages to authenticated;
grant select, insert (message_id, plan_id, user_id, emoji), delete on public.reactions to authenticated;
grant select on public.message_reads to authenticated;
grant execute on function public.edit_message(uuid, text, bigint), public.delete_message(uuid),
  public.mark_read(uuid, timestamptz), public.unread_counts() to authenticated;
