/** Owns creating a plan for one test, with the seed's people and places, directly in the database. */
import type { Stack } from "./stack.ts";

export const people = {
  ana: "00000000-0000-4000-8000-0000000000a1",
  ben: "00000000-0000-4000-8000-0000000000a2",
  chiara: "00000000-0000-4000-8000-0000000000a3",
  dev: "00000000-0000-4000-8000-0000000000a4",
  emre: "00000000-0000-4000-8000-0000000000a5",
  fatou: "00000000-0000-4000-8000-0000000000a6",
} as const;
type Name = keyof typeof people;

/** Two places of the seed; `layTable` opens them in the evening of every weekday. */
const places = ["00000000-0000-4000-8000-000000000d04", "00000000-0000-4000-8000-000000000d12"] as const;

export interface Table {
  id: string;
  path: string;
  /** Ordered by start. */
  times: string[];
}

export interface TableOptions {
  title: string;
  host?: Name;
  cohost?: Name;
  guests?: readonly Name[];
  /** Days from now, each at each hour (UTC). */
  days?: number;
  hours?: readonly number[];
  /** Number of additional people, who exist only here. */
  strangers?: number;
  withPlaces?: boolean;
}

export async function layTable(stack: Stack, options: TableOptions): Promise<Table> {
  const { title, host = "ana", cohost, guests = [], days = 3, hours = [19], strangers = 0 } = options;
  const sql = stack.backend.sql.bind(stack.backend);
  const id = crypto.randomUUID();
  await sql(`insert into public.plans (id, title, time_zone) values ('${id}', '${title}', 'Europe/Lisbon')`);
  const seats = [
    [people[host], "host"],
    ...(cohost ? [[people[cohost], "cohost"]] : []),
    ...guests.map((guest) => [people[guest], "guest"]),
  ];
  for (const [person, role] of seats) {
    await sql(
      `insert into public.plan_members (plan_id, user_id, role) values ('${id}', '${person}', '${role}')`,
    );
  }
  if (strangers > 0) {
    await sql(`
      with stranger as (
        insert into auth.users (id, email, aud, role, raw_user_meta_data)
        select gen_random_uuid(), '${id}-' || n || '@nosh.test', 'authenticated', 'authenticated',
          jsonb_build_object('display_name', 'Stranger ' || n)
        from generate_series(1, ${strangers}) as n returning id
      )
      select count(*) from stranger`);
    await sql(`
      insert into public.plan_members (plan_id, user_id)
      select '${id}', u.id from auth.users as u where u.email like '${id}-%'`);
  }
  await sql(`
    insert into public.time_options (plan_id, starts_at, ends_at, proposed_by)
    select '${id}', start, start + interval '2 hours', '${people[host]}'
    from generate_series(1, ${days}) as day, unnest(array[${hours.join(",")}]) as hour,
      lateral (select date_trunc('day', now()) + make_interval(days => day::integer + 2, hours => hour::integer) as start) as at`);
  if (options.withPlaces) {
    for (const place of places) {
      await sql(
        `insert into public.place_options (plan_id, place_id, proposed_by) values ('${id}', '${place}', '${people[host]}')`,
      );
      // On a day when one of them is closed, a pair is missing, so a test would pass or fail by its weekday.
      await sql(
        `insert into public.place_hours (place_id, weekday, opens, closes)
         select '${place}', weekday, '18:30', '23:59' from generate_series(1, 7) as weekday
         where not exists (select from public.place_hours as h where h.place_id = '${place}' and h.weekday = weekday.weekday)`,
      );
    }
  }
  if (strangers > 0) {
    await sql(`
      insert into public.time_votes (option_id, plan_id, user_id, answer)
      select o.id, o.plan_id, m.user_id, (array['yes', 'if_need_be', 'no'])[1 + row_number() over () % 3]::public.vote_answer
      from public.time_options as o join public.plan_members as m on m.plan_id = o.plan_id
      where o.plan_id = '${id}' and m.user_id not in (${Object.values(people)
        .map((person) => `'${person}'`)
        .join(",")})`);
  }
  const rows = await sql(
    `select id from public.time_options where plan_id = '${id}' order by starts_at, ends_at`,
  );
  return { id, path: `/plans/${id}`, times: rows.map((row) => String(row.id)) };
}

/** The answers to the plan's times, "ana yes" in the order of the times. */
export async function answersOf(stack: Stack, table: Table, name: Name): Promise<(string | null)[]> {
  const rows = await stack.backend.sql(
    `select option_id, answer from public.time_votes where plan_id = '${table.id}' and user_id = '${people[name]}'`,
  );
  return table.times.map((id) => {
    const answer = rows.find((row) => row.option_id === id)?.answer;
    return answer === undefined ? null : String(answer);
  });
}
