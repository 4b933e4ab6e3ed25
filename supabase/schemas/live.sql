-- The live channels of a plan. Topics have an epoch that grows when a person leaves, because an open channel is not
-- authorised again: later messages are sent on a topic that only the remaining people can join. Only the database
-- sends on `plan:<id>:<epoch>`, only that person on `plan:<id>:<epoch>:<person>`, so the topic proves the sender.

create table public.plan_channels (
  plan_id uuid primary key references public.plans (id) on delete cascade,
  epoch integer not null default 0,
  -- Grows once in each transaction that changes what a plan is read with, in commit order: the row is locked.
  revision bigint not null default 0,
  changed_in xid8
);

-- ---------------------------------------------------------------------------------------------------------
-- Functions

create function private.plan_topic(plan uuid, epoch integer) returns text
  language sql immutable set search_path = ''
  return 'plan:' || plan || ':' || epoch;

create function private.open_plan_channel() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  insert into public.plan_channels (plan_id) values (new.id);
  return null;
end $$;

-- Says once in a transaction that the plan has changed: everybody reads it again as a whole. `person` is who changed
-- it, where that is known.
create function private.announce_plan(plan uuid, source text, operation text, person uuid) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  this public.plan_channels;
begin
  update public.plan_channels as c set revision = c.revision + 1, changed_in = pg_current_xact_id()
    where c.plan_id = plan and c.changed_in is distinct from pg_current_xact_id()
      -- Not while the whole plan goes: nobody is left to tell.
      and exists (select 1 from public.plans as p where p.id = plan)
    returning * into this;
  if found then
    perform realtime.send(
      jsonb_build_object('table', source, 'operation', operation, 'revision', this.revision, 'user_id', person),
      source, private.plan_topic(plan, this.epoch), true);
  end if;
end $$;

-- Before the seat goes and before anything that follows from it (the line moves): the old topic hears a last notice
-- without content, and all later messages of this transaction and of others are said on the next one. Also when a
-- seat passes to another person: the earlier one must not hear later messages.
create function private.close_plan_channel() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  this public.plan_channels;
begin
  select * into this from public.plan_channels as c
    where c.plan_id = old.plan_id and exists (select 1 from public.plans as p where p.id = c.plan_id)
    for no key update;
  if found then
    update public.plan_channels as c
      set epoch = c.epoch + 1, revision = this.revision + 1, changed_in = pg_current_xact_id()
      where c.plan_id = old.plan_id;
    perform realtime.send(
      jsonb_build_object('table', 'plan_members', 'operation', 'DELETE', 'revision', this.revision + 1),
      'plan_members', private.plan_topic(old.plan_id, this.epoch), true);
  end if;
  return coalesce(new, old);
end $$;

-- Tables that a plan is read with: one notice a transaction, without content. A plan may hide results until one has
-- voted, so who may read votes asks for them under row level security.
create function private.announce_part() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  this record;
begin
  -- What follows from a change (who has voted, whom a seat goes to) is announced with that change.
  if tg_table_name = 'plan_members' and tg_op = 'UPDATE' and pg_trigger_depth() > 1 then
    return null;
  end if;
  for this in
    select coalesce(row ->> 'plan_id', row ->> 'id')::uuid as plan,
      case when count(distinct row ->> 'user_id') = 1 then min(row ->> 'user_id')::uuid end as person
    from (select to_jsonb(c) as row from changed as c) as rows
    group by 1 order by 1
  loop
    perform private.announce_plan(this.plan, tg_table_name, tg_op, this.person);
  end loop;
  return null;
end $$;

-- Tables that everyone at the plan may read: one message a statement and plan, with the row if it is one.
create function private.announce_rows() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  this record;
begin
  for this in
    select c.plan_id as plan, case when count(*) = 1 then (array_agg(to_jsonb(c)))[1] end as row
    from changed as c group by c.plan_id order by c.plan_id
  loop
    perform realtime.send(
      jsonb_build_object(
        'table', tg_table_name, 'operation', tg_op,
        case when tg_op = 'DELETE' then 'old_record' else 'record' end, this.row),
      tg_table_name, private.plan_topic(c.plan_id, c.epoch), true)
    from public.plan_channels as c where c.plan_id = this.plan;
  end loop;
  return null;
end $$;

-- Whether the caller sits at the plan of the topic and the topic is of the present epoch: the plan's own, or that of
-- somebody who sits there (`person`: of this one only).
create function private.is_live_topic(topic text, person uuid default null) returns boolean
  language sql stable security definer set search_path = ''
  return exists (
    select 1
    from public.plan_channels as c
    join public.plan_members as mine on mine.plan_id = c.plan_id and mine.user_id = (select private.caller())
    where c.plan_id = private.uuid_or_null(split_part(topic, ':', 2))
      and (
        (person is null and topic = private.plan_topic(c.plan_id, c.epoch))
        or exists (
          select 1 from public.plan_members as m
          where m.plan_id = c.plan_id and (person is null or m.user_id = person)
            and topic = private.plan_topic(c.plan_id, c.epoch) || ':' || m.user_id
        )
      )
  );

-- ---------------------------------------------------------------------------------------------------------
-- Policies

alter table public.plan_channels enable row level security;

create policy "channels are read by the table" on public.plan_channels
  for select to authenticated using (plan_id = any (array(select private.my_plan_ids())));

create policy "the table listens" on realtime.messages
  for select to authenticated using (
    extension in ('broadcast', 'presence')
    and (select private.is_live_topic((select realtime.topic())))
  );
create policy "the table speaks" on realtime.messages
  for insert to authenticated with check (
    extension in ('broadcast', 'presence')
    and (select private.caller()) is not null
    and (select private.is_live_topic((select realtime.topic()), (select private.caller())))
  );

-- ---------------------------------------------------------------------------------------------------------
-- Triggers

create trigger open_channel after insert on public.plans
  for each row execute function private.open_plan_channel();
create trigger close_channel before delete on public.plan_members
  for each row execute function private.close_plan_channel();
create trigger close_channel_of_passed before update of user_id on public.plan_members
  for each row when (new.user_id is distinct from old.user_id)
  execute function private.close_plan_channel();
create trigger announce_update after update on public.plans referencing new table as changed
  for each statement execute function private.announce_part();
create trigger announce_insert after insert on public.plan_members referencing new table as changed
  for each statement execute function private.announce_part();
create trigger announce_update after update on public.plan_members referencing new table as changed
  for each statement execute function private.announce_part();
create trigger announce_delete after delete on public.plan_members referencing old table as changed
  for each statement execute function private.announce_part();
create trigger announce_insert after insert on public.time_options referencing new table as changed
  for each statement execute function private.announce_part();
create trigger announce_delete after delete on public.time_options referencing old table as changed
  for each statement execute function private.announce_part();
create trigger announce_insert after insert on public.place_options referencing new table as changed
  for each statement execute function private.announce_part();
create trigger announce_delete after delete on public.place_options referencing old table as changed
  for each statement execute function private.announce_part();
create trigger announce_insert after insert on public.time_votes referencing new table as changed
  for each statement execute function private.announce_part();
create trigger announce_update after update on public.time_votes referencing new table as changed
  for each statement execute function private.announce_part();
create trigger announce_delete after delete on public.time_votes referencing old table as changed
  for each statement execute function private.announce_part();
create trigger announce_insert after insert on public.place_votes referencing new table as changed
  for each statement execute function private.announce_part();
create trigger announce_update after update on public.place_votes referencing new table as changed
  for each statement execute function private.announce_part();
create trigger announce_delete after delete on public.place_votes referencing old table as changed
  for each statement execute function private.announce_part();
create trigger announce_insert after insert on public.arrivals referencing new table as changed
  for each statement execute function private.announce_part();
create trigger announce_update after update on public.arrivals referencing new table as changed
  for each statement execute function private.announce_part();
create trigger announce_delete after delete on public.arrivals referencing old table as changed
  for each statement execute function private.announce_part();
create trigger announce_insert after insert on public.messages referencing new table as changed
  for each statement execute function private.announce_rows();
create trigger announce_update after update on public.messages referencing new table as changed
  for each statement execute function private.announce_rows();
create trigger announce_insert after insert on public.reactions referencing new table as changed
  for each statement execute function private.announce_rows();
create trigger announce_delete after delete on public.reactions referencing old table as changed
  for each statement execute function private.announce_rows();
create trigger announce_insert after insert on public.photos referencing new table as changed
  for each statement execute function private.announce_rows();
create trigger announce_update after update on public.photos referencing new table as changed
  for each statement execute function private.announce_rows();
create trigger announce_delete after delete on public.photos referencing old table as changed
  for each statement execute function private.announce_rows();
create trigger announce_insert after insert on public.ratings referencing new table as changed
  for each statement execute function private.announce_rows();
create trigger announce_update after update on public.ratings referencing new table as changed
  for each statement execute function private.announce_rows();

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant select (plan_id, epoch, revision) on public.plan_channels to authenticated;
grant execute on function private.is_live_topic(text, uuid) to authenticated, service_role;
