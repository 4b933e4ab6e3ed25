/** Owns rows of Nosh for measuring it: plans of one person beside ten times as many of others. */
import { join } from "node:path";
import { Connection, requestText } from "./load.ts";
import { startTarget, type Target } from "./target.ts";

/** The first page of the home screen. */
export const FIRST_PLANS = "/rest/v1/plan_cards?select=*&order=section,position,id&limit=31";
/** One in so many plans is the person's. */
const ONE_IN = 11;

/** How many people sit at the person's plans. */
const PEOPLE = 200;

/** Plans from the first to the last number: five people, six times and a vote for each time. */
const plansFrom = (first: number, last: number, person: string) => [
  `insert into public.profiles (id, display_name)
   select md5(role || n)::uuid, 'Person ' || n from unnest(array['host', 'a', 'b', 'c', 'd']) role,
     generate_series(0, ${PEOPLE / 4 - 1}) n on conflict do nothing`,
  `insert into public.plans (id, title, time_zone, created_at)
   select md5('plan' || n)::uuid, 'Dinner ' || n, 'Europe/Lisbon', timestamptz '2026-01-01' + n * interval '1 min'
   from generate_series(${first}, ${last}) n`,
  `insert into public.plan_members (plan_id, user_id, role)
   select md5('plan' || n)::uuid, who, (case at when 1 then 'host' else 'guest' end)::public.plan_role
   from generate_series(${first}, ${last}) n, lateral (select n % ${PEOPLE / 4}) known(k),
     unnest(case when n % ${ONE_IN} = 0 then '${person}' else md5('host' || k)::uuid end
       || array[md5('a' || k), md5('b' || k), md5('c' || k), md5('d' || k)]::uuid[]) with ordinality people(who, at)`,
  `insert into public.time_options (id, plan_id, starts_at, ends_at)
   select md5('time' || n || '.' || t)::uuid, md5('plan' || n)::uuid, day, day + interval '2 h'
   from generate_series(${first}, ${last}) n, generate_series(1, 6) t,
     lateral (select timestamptz '2027-01-01 19:00Z' + t * interval '1 day') at(day)`,
  `insert into public.time_votes (option_id, plan_id, user_id, answer)
   select md5('time' || n || '.' || t)::uuid, md5('plan' || n)::uuid, md5('a' || n % ${PEOPLE / 4})::uuid, 'yes'
   from generate_series(${first}, ${last}) n, generate_series(1, 6) t`,
];
const TABLES = ["plans", "plan_members", "time_options", "time_votes"];

/** A Backend with Nosh's migrations. */
export function startNosh(): Promise<Target> {
  return startTarget(join(import.meta.dirname, "..", ".."), { bare: false });
}

export async function signUpGuest(target: Target): Promise<{ id: string; headers: Record<string, string> }> {
  const apikey = target.publishableKey;
  const connection = new Connection(new URL(target.url));
  const answer = JSON.parse(
    await connection.send(requestText("POST", "/auth/v1/signup", { apikey }, "{}")),
  ) as { access_token: string; user: { id: string } };
  connection.close();
  return { id: answer.user.id, headers: { apikey, authorization: `Bearer ${answer.access_token}` } };
}

/** Adds plans until the person has `count`, where they have `already`. */
export async function addPlans(
  { database, sql }: Target,
  person: string,
  already: number,
  count: number,
): Promise<void> {
  await database.transaction("supabase_admin", async (client) => {
    // Triggers would notify people, and check rows of people that are not there.
    await client.query("set local session_replication_role = replica");
    for (const text of plansFrom(ONE_IN * already + 1, ONE_IN * count, person)) await client.query(text);
  });
  for (const table of TABLES) await sql(`analyze public.${table}`);
}
