-- Answers of the geocoder that are kept for a while, so that it is asked once.

create table private.look_ups (
  digest text primary key check (char_length(digest) = 64),
  answers jsonb not null,
  asked_at timestamptz not null default now()
);

create index look_ups_asked_at_idx on private.look_ups (asked_at);

-- ---------------------------------------------------------------------------------------------------------
-- Functions

-- Says that the caller looks something up now, for the function look-up, which asks only after it.
create function public.count_look_up() returns void
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
begin
  if caller is not null and not private.count_use('look_ups_per_hour', interval '1 hour') then
    perform private.refuse('too_many_look_ups');
  end if;
end $$;

-- Keeps answers, and removes some that are too old.
create function public.keep_look_up(digest text, answers jsonb) returns void
  language sql volatile security definer set search_path = ''
  begin atomic
    insert into private.look_ups (digest, answers) values (keep_look_up.digest, keep_look_up.answers)
      on conflict (digest) do update set answers = excluded.answers, asked_at = now();
    delete from private.look_ups as l where l.digest in (
      select old.digest from private.look_ups as old
      where old.asked_at < now() - make_interval(days => private.limit_of('look_up_days'))
      limit 20
    );
  end;

-- The kept answers to a question; null when there are none, or they are too old.
create function public.kept_look_up(digest text) returns jsonb
  language sql stable security definer set search_path = ''
  begin atomic
    select l.answers from private.look_ups as l
    where l.digest = kept_look_up.digest
      and l.asked_at > now() - make_interval(days => private.limit_of('look_up_days'));
  end;

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant execute on function public.count_look_up() to authenticated;
grant execute on function public.keep_look_up(text, jsonb), public.kept_look_up(text) to service_role;
