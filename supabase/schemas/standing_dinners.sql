-- Functions of standing dinners for admins of a circle, and the job that makes their plans.

-- ---------------------------------------------------------------------------------------------------------
-- Functions

-- The dinner, locked, for an admin of its circle.
create function private.standing_of_admin(dinner uuid) returns public.standing_dinners
  language plpgsql security definer set search_path = '' as $$
declare
  this public.standing_dinners;
begin
  perform private.require_caller();
  select * into this from public.standing_dinners as s
    where s.id = dinner and s.circle_id in (select private.my_circle_ids());
  if not found then
    perform private.refuse('standing_not_found');
  end if;
  perform private.require_circle_admin(this.circle_id);
  select * into this from public.standing_dinners as s where s.id = dinner for update;
  if not found then
    perform private.refuse('standing_not_found');
  end if;
  return this;
end $$;

-- The first day of the rhythm after a day.
create function private.next_dinner_on(rhythm public.dinner_rhythm, first_on date, after date) returns date
  language plpgsql immutable set search_path = '' as $$
declare
  step integer := case rhythm when 'weekly' then 7 when 'biweekly' then 14 end;
  nth integer := (extract(day from first_on)::integer + 6) / 7;
  month date;
  day date;
begin
  if after < first_on then
    return first_on;
  elsif step is not null then
    return first_on + ((after - first_on) / step + 1) * step;
  end if;
  for ahead in 0..2 loop
    month := (date_trunc('month', after) + make_interval(months => ahead))::date;
    day := month + ((extract(isodow from first_on)::integer - extract(isodow from month)::integer + 7) % 7) + 7 * (nth - 1);
    -- There may be no fifth: then it is the last.
    if day >= (month + interval '1 month')::date then
      day := day - 7;
    end if;
    if day > after then
      return day;
    end if;
  end loop;
end $$;

-- The next host: in the order of joining the circle, or the person who has not hosted this dinner for the longest
-- time.
create function private.standing_host(dinner public.standing_dinners) returns uuid
  language sql stable security definer set search_path = ''
  begin atomic
    with hosted as (
      select m.user_id, max(p.standing_on) as last_on
      from public.plans as p join public.plan_members as m on m.plan_id = p.id and m.role = 'host'
      where p.standing_id = dinner.id group by m.user_id
    ), line as (
      select c.user_id, hosted.last_on, row_number() over (order by c.joined_at, c.user_id) as place
      from public.circle_members as c left join hosted on hosted.user_id = c.user_id
      where c.circle_id = dinner.circle_id
    ), latest as (
      select line.place from line where line.last_on is not null order by line.last_on desc limit 1
    )
    select line.user_id from line left join latest on true
    order by
      case dinner.rotation when 'joining' then (line.place <= coalesce(latest.place, 0))::integer else 0 end,
      case dinner.rotation when 'longest_ago' then line.last_on end nulls first,
      line.place
    limit 1;
  end;

-- The places to vote on: those of the circle's plans, without the last one that was chosen if others are left, the best
-- rated by the people who are in the circle now first, then those that were not chosen for the longest time. Only such
-- as everyone in the circle reads already: offering one opens it to the table.
create function private.standing_places(dinner public.standing_dinners) returns setof uuid
  language sql stable security definer set search_path = ''
  begin atomic
    with known as (
      select o.place_id, max(t.starts_at) as eaten_at
      from public.plans as p
      join public.place_options as o on o.plan_id = p.id
      left join public.time_options as t
        on t.id = p.chosen_time_id and p.chosen_place_id = o.id and p.status = 'confirmed'
      where p.circle_id = dinner.circle_id
      group by o.place_id
    ), rated as (
      select r.place_id, avg(r.stars) as stars
      from public.ratings as r
      join public.plans as p on p.id = r.plan_id and p.circle_id = dinner.circle_id
      join public.circle_members as c on c.circle_id = dinner.circle_id and c.user_id = r.user_id
      group by r.place_id
    )
    select known.place_id from known
    join public.places as k on k.id = known.place_id
    left join rated on rated.place_id = known.place_id
    where not k.home and (k.everybody
      or exists (
        select 1 from public.circle_places as c where c.circle_id = dinner.circle_id and c.place_id = known.place_id)
      or not exists (
        select 1 from public.circle_members as c
        where c.circle_id = dinner.circle_id and c.user_id is distinct from k.created_by and not exists (
          select 1 from public.place_options as o
          join public.plan_members as m on m.plan_id = o.plan_id and m.user_id = c.user_id
          where o.place_id = known.place_id)))
    order by
      (known.eaten_at is not null and known.eaten_at = (select max(k.eaten_at) from known as k)),
      round(coalesce(rated.stars, 3)) desc, known.eaten_at nulls first, known.place_id
    limit (select private.limit_of('standing_places'));
  end;

-- The same, as a column for who may see the circle.
create function public.next_host(standing public.standing_dinners) returns uuid
  language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_caller();
  return case when standing.circle_id in (select private.my_circle_ids()) then private.standing_host(standing) end;
end $$;

-- Starts a standing dinner of a circle, or changes one (`dinner`). `first_on` is the next day that has no plan yet.
create function public.save_standing_dinner(
  circle uuid, title text, rhythm public.dinner_rhythm, rotation public.host_rotation,
  first_on date, starts_at time, minutes integer, time_zone text, dinner uuid default null
) returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  this public.standing_dinners;
  saved uuid;
begin
  if dinner is null then
    perform private.require_circle_admin(circle);
  else
    this := private.standing_of_admin(dinner);
  end if;
  if private.is_time_zone(time_zone) and (first_on + save_standing_dinner.starts_at) at time zone time_zone <= now() then
    perform private.refuse('time_in_past');
  elsif first_on > current_date + private.limit_of('time_option_days') then
    perform private.refuse('time_too_far');
  end if;
  if dinner is null then
    if (select count(*) from public.standing_dinners as s where s.circle_id = circle)
      >= private.limit_of('standing_dinners') then
      perform private.refuse('too_many_standing');
    end if;
    insert into public.standing_dinners
        (circle_id, title, rhythm, rotation, first_on, starts_at, minutes, time_zone, next_on)
      values (circle, private.trimmed(save_standing_dinner.title), save_standing_dinner.rhythm,
        save_standing_dinner.rotation, save_standing_dinner.first_on, save_standing_dinner.starts_at,
        save_standing_dinner.minutes, save_standing_dinner.time_zone, save_standing_dinner.first_on)
      returning id into saved;
  else
    update public.standing_dinners as s set title = private.trimmed(save_standing_dinner.title),
        rhythm = save_standing_dinner.rhythm, rotation = save_standing_dinner.rotation,
        first_on = save_standing_dinner.first_on, starts_at = save_standing_dinner.starts_at,
        minutes = save_standing_dinner.minutes, time_zone = save_standing_dinner.time_zone,
        next_on = save_standing_dinner.first_on
      where s.id = dinner returning s.id into saved;
  end if;
  return saved;
end $$;

create function public.pause_standing_dinner(dinner uuid, paused boolean) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  this public.standing_dinners := private.standing_of_admin(dinner);
begin
  update public.standing_dinners as s set paused = pause_standing_dinner.paused,
      -- What was due during the pause is not made up for.
      next_on = case when pause_standing_dinner.paused then s.next_on
        else greatest(s.next_on, private.next_dinner_on(s.rhythm, s.first_on, (now() at time zone s.time_zone)::date)) end
    where s.id = dinner and s.paused <> pause_standing_dinner.paused;
end $$;

-- Leaves out one day; naming the day makes skipping twice, after a lost answer, skip once.
create function public.skip_standing_dinner(dinner uuid, day date) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  this public.standing_dinners := private.standing_of_admin(dinner);
begin
  update public.standing_dinners as s set next_on = private.next_dinner_on(s.rhythm, s.first_on, s.next_on)
    where s.id = dinner and s.next_on = day;
end $$;

-- Plans that were made stay.
create function public.end_standing_dinner(dinner uuid) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  this public.standing_dinners := private.standing_of_admin(dinner);
begin
  delete from public.standing_dinners as s where s.id = dinner;
end $$;

-- Makes the plans that are due. Two runs at once make one: the dinner's row is locked, and a day has one plan.
create function private.make_standing_plans() returns integer
  language plpgsql security definer set search_path = '' as $$
declare
  due uuid;
  this public.standing_dinners;
  begins timestamptz;
  deadline timestamptz;
  host uuid;
  new_plan uuid;
  made integer := 0;
begin
  for due in
    select s.id from public.standing_dinners as s
    where not s.paused and s.next_on <= (now() at time zone s.time_zone)::date + private.limit_of('standing_days_ahead')
    order by s.id
  loop
    select * into this from public.standing_dinners as s where s.id = due and not s.paused for update skip locked;
    continue when not found;
    begins := (this.next_on + this.starts_at) at time zone this.time_zone;
    -- Days that passed while nothing ran have no plan.
    while begins <= now() loop
      this.next_on := private.next_dinner_on(this.rhythm, this.first_on, this.next_on);
      begins := (this.next_on + this.starts_at) at time zone this.time_zone;
    end loop;
    update public.standing_dinners as s set next_on = this.next_on where s.id = due;
    continue when this.next_on > (now() at time zone this.time_zone)::date + private.limit_of('standing_days_ahead');
    host := private.standing_host(this);
    deadline := begins - make_interval(hours => private.limit_of('standing_vote_hours'));
    insert into public.plans (circle_id, title, time_zone, vote_deadline, decides_itself, standing_id, standing_on)
      values (this.circle_id, this.title, this.time_zone, case when deadline > now() then deadline end,
        deadline > now(), this.id, this.next_on)
      on conflict do nothing returning id into new_plan;
    if new_plan is not null then
      insert into public.plan_members (plan_id, user_id, role) values (new_plan, host, 'host');
      insert into public.plan_members (plan_id, user_id)
        select new_plan, c.user_id from public.circle_members as c
        where c.circle_id = this.circle_id and c.user_id <> host
        order by c.joined_at, c.user_id limit private.limit_of('plan_people') - 1;
      insert into public.time_options (plan_id, starts_at, ends_at, proposed_by)
        values (new_plan, begins, begins + make_interval(mins => this.minutes), host);
      insert into public.place_options (plan_id, place_id, proposed_by)
        select new_plan, place, host from private.standing_places(this) as place;
      perform private.notify_table(new_plan, 'standing_planned');
      made := made + 1;
    end if;
    update public.standing_dinners as s set next_on = private.next_dinner_on(this.rhythm, this.first_on, this.next_on)
      where s.id = due;
  end loop;
  return made;
end $$;

-- ---------------------------------------------------------------------------------------------------------
-- Policies

alter table public.standing_dinners enable row level security;

create policy "standing dinners are read by the circle" on public.standing_dinners
  for select to authenticated using (circle_id = any (array(select private.my_circle_ids())));

-- ---------------------------------------------------------------------------------------------------------
-- Triggers

create trigger a_trim before insert or update of title on public.standing_dinners
  for each row execute function private.trim_columns('title');

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant select on public.standing_dinners to authenticated;
grant execute on function public.next_host(public.standing_dinners),
  public.save_standing_dinner(uuid, text, public.dinner_rhythm, public.host_rotation, date, time, integer, text, uuid),
  public.pause_standing_dinner(uuid, boolean), public.skip_standing_dinner(uuid, date),
  public.end_standing_dinner(uuid) to authenticated;
