-- The conversation in an order that a client can catch up by, photos within it, and what one has read of it.

-- Every change of a message (its reactions included) takes the plan's next number under a lock that is held
-- until the end of the transaction. So a number that is seen means that all smaller ones are there, which
-- no clock can promise: who has read up to n has missed just what is above n.
create table private.message_counters (
  plan_id uuid primary key references public.plans (id) on delete cascade,
  last bigint not null
);

alter table public.messages
  add column revision bigint not null default 0,
  -- The revision at which its text was last written; reactions do not move it.
  add column text_revision bigint not null default 0,
  add column photo_id uuid;

alter table public.photos add constraint photos_id_plan_key unique (id, plan_id);
alter table public.messages
  add constraint messages_photo_fkey foreign key (photo_id, plan_id)
    references public.photos (id, plan_id) on delete set null (photo_id),
  drop constraint body_has_length,
  add constraint body_has_length check (
    case
      when deleted_at is not null then body = ''
      when photo_id is not null then private.is_text(body, 0, 2000)
      else private.is_text(body, 1, 2000)
    end
  );
create index messages_photo_idx on public.messages (photo_id, plan_id);

-- Messages that were there before are numbered in the order in which they were said. Nobody needs to hear of it.
alter table public.messages disable trigger broadcast;
with numbered as (
  select m.id, row_number() over (partition by m.plan_id order by m.created_at, m.id) as revision
  from public.messages as m
)
update public.messages as m set revision = numbered.revision, text_revision = numbered.revision from numbered where numbered.id = m.id;
alter table public.messages enable trigger broadcast;
insert into private.message_counters (plan_id, last)
  select m.plan_id, max(m.revision) from public.messages as m group by m.plan_id;

create unique index messages_plan_revision_key on public.messages (plan_id, revision);

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

create trigger number_message before insert or update on public.messages
  for each row execute function private.number_message();

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

create trigger renumber_message after insert or delete on public.reactions
  for each row execute function private.renumber_message();

-- A message that was only its photo goes with it.
create function private.empty_photo_messages() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  update public.messages as m set deleted_at = now(), photo_id = null
    where m.photo_id = old.id and m.body = '' and m.deleted_at is null
      and exists (select 1 from public.plans as p where p.id = m.plan_id);
  return old;
end $$;

create trigger empty_photo_messages before delete on public.photos
  for each row execute function private.empty_photo_messages();

grant insert (photo_id) on public.messages to authenticated;

create or replace function public.delete_message(message uuid) returns void
  language plpgsql security definer set search_path = '' as $$
begin
  update public.messages as m set body = '', photo_id = null, deleted_at = now()
    where m.id = message and m.deleted_at is null and m.plan_id in (select private.my_plan_ids())
      and (m.author_id = auth.uid() or m.plan_id in (select private.my_hosted_plan_ids()));
  if not found then
    perform private.refuse('message_not_found');
  end if;
end $$;

-- An edit may say which text it was made from (`based_on`: a revision at which the client knew the message):
-- two tabs that edit one message do not undo each other without a word.
insert into private.errors (code, status, message, hint) values
  ('message_changed', 409, 'That message was changed somewhere else meanwhile.', 'What you wrote is kept. Look at the message, then decide.');

drop function public.edit_message(uuid, text);
create function public.edit_message(message uuid, body text, based_on bigint default null) returns bigint
  language plpgsql security definer set search_path = '' as $$
declare
  this public.messages;
begin
  select * into this from public.messages as m
    where m.id = message and m.author_id = auth.uid() and m.deleted_at is null
      and m.plan_id in (select private.my_plan_ids()) for update;
  if not found then
    perform private.refuse('message_not_found');
  -- The same edit again, a retry whose first answer was lost, changes nothing and tells nobody.
  elsif this.body = btrim(edit_message.body) then
    return this.revision;
  elsif this.text_revision > based_on then
    perform private.refuse('message_changed');
  end if;
  update public.messages as m set body = btrim(edit_message.body), edited_at = now()
    where m.id = message returning m.revision into this.revision;
  return this.revision;
end $$;

-- ---------------------------------------------------------------------------------------------------------
-- What one has read

create table public.message_reads (
  plan_id uuid not null,
  user_id uuid not null,
  read_at timestamptz not null, -- the newest message that was on the screen was said then
  primary key (plan_id, user_id),
  foreign key (plan_id, user_id) references public.plan_members (plan_id, user_id) on delete cascade
);
create index message_reads_user_idx on public.message_reads (user_id);

alter table public.message_reads enable row level security;
grant select on public.message_reads to authenticated;
create policy "reads are read by their person" on public.message_reads
  for select to authenticated using (user_id = (select auth.uid()));

-- Says that the caller has seen the conversation up to a message. Never goes back, so that an old tab cannot
-- make read messages new again.
create function public.mark_read(plan uuid, up_to timestamptz) returns void
  language plpgsql security definer set search_path = '' as $$
begin
  if not private.is_plan_member(plan) then
    perform private.refuse('plan_not_found');
  end if;
  insert into public.message_reads as r (plan_id, user_id, read_at)
    values (plan, auth.uid(), least(up_to, now()))
    on conflict (plan_id, user_id) do update set read_at = greatest(r.read_at, excluded.read_at);
end $$;

-- How many messages of others the caller has not seen, for each plan that has any. At most 100 are counted.
create function public.unread_counts() returns table (plan_id uuid, unread integer)
  language sql stable security definer set search_path = ''
  begin atomic
    select seat.plan_id, counted.unread
    from public.plan_members as seat
    left join public.message_reads as r on r.plan_id = seat.plan_id and r.user_id = seat.user_id
    cross join lateral (
      select count(*)::integer as unread from (
        select 1 from public.messages as m
        where m.plan_id = seat.plan_id and m.created_at > coalesce(r.read_at, seat.joined_at)
          and m.author_id is distinct from seat.user_id and m.deleted_at is null
        limit 100
      ) as unseen
    ) as counted
    where seat.user_id = (select auth.uid()) and counted.unread > 0;
  end;

grant execute on function public.mark_read(uuid, timestamptz), public.unread_counts(),
  public.edit_message(uuid, text, bigint) to authenticated;
