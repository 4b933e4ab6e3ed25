-- Opening hours that touch or overlap are one: a place that is open round the clock is open across midnight. The rule
-- is that of openDuring in functions/_shared/ranking/hours.ts; hours_cases.ts there holds the cases of both.

create or replace function private.place_open_during(place uuid, starts_at timestamptz, ends_at timestamptz)
  returns boolean
  language sql stable security definer set search_path = ''
  begin atomic
    with local as (
      select
        starts_at at time zone p.time_zone as starts,
        ends_at at time zone p.time_zone as ends
      from public.places as p where p.id = place
    ), open as (
      select range_agg(tsrange(
        day.on_date + h.opens,
        day.on_date + h.closes + case when h.closes <= h.opens then interval '1 day' else interval '0' end
      )) as hours
      from local
      -- An interval of the day before may run past midnight, and the meal may end on a later day.
      cross join lateral (
        select local.starts::date + step as on_date
        from generate_series(-1, greatest(local.ends::date - local.starts::date, 0)) as step
      ) as day
      join public.place_hours as h
        on h.place_id = place and h.weekday = extract(isodow from day.on_date)::integer
    )
    select case
      when not exists (select 1 from public.place_hours as h where h.place_id = place) then null
      -- Not as a range of the meal: where the clock goes back, it may end before it began.
      else exists (
        select 1 from open cross join lateral unnest(open.hours) as span, local
        where local.starts >= lower(span) and local.ends <= upper(span)
      )
    end;
  end;
