/** Standing dinners: plans made ahead by the schedule, with rotating hosts; admins skip, pause, change and end them. */
import { beforeEach, describe, expect, test } from "vitest";
import { createBackend, forThisFile } from "../target/integration.ts";
import { dataOf, people, signedIn, signedInEach } from "./people.ts";

const ZONE = "Europe/Lisbon";
let circle: string;

const backend = await forThisFile(createBackend());
const [ana, ben] = await signedInEach(backend, "ana", "ben");
beforeEach(async () => {
  circle = dataOf(await ana.rpc("create_circle", { name: "Thursdays" }));
  await backend.sql(
    `insert into public.circle_members (circle_id, user_id, joined_at)
     values ($1, $2, now() + interval '1 second'), ($1, $3, now() + interval '2 seconds')`,
    [circle, people.ben, people.chiara],
  );
});

/** The date a number of days from now: "2026-11-27". */
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
type Rhythm = "weekly" | "biweekly" | "monthly";

async function start(more: { rhythm?: Rhythm; first?: string; rotation?: "joining" | "longest_ago" } = {}) {
  return dataOf(
    await ana.rpc("save_standing_dinner", {
      circle,
      title: "Thursday table",
      rhythm: more.rhythm ?? "weekly",
      rotation: more.rotation ?? "longest_ago",
      first_on: more.first ?? inDays(5),
      starts_at: "19:30",
      minutes: 120,
      time_zone: ZONE,
    }),
  );
}
const run = () => backend.sql<{ made: number }>("select private.make_standing_plans() as made");
const plansOf = (dinner: string) =>
  backend.sql<{
    id: string;
    on: string;
    host: string;
    clock: string;
    decides_itself: boolean;
    people: number;
  }>(
    `select p.id, p.standing_on::text as on, m.user_id as host, p.decides_itself,
       to_char(t.starts_at at time zone p.time_zone, 'YYYY-MM-DD HH24:MI') as clock,
       (select count(*)::integer from public.plan_members as c where c.plan_id = p.id) as people
     from public.plans as p
     join public.plan_members as m on m.plan_id = p.id and m.role = 'host'
     join public.time_options as t on t.plan_id = p.id
     where p.standing_id = $1 order by p.standing_on`,
    [dinner],
  );
const nextOf = async (dinner: string) =>
  dataOf(await ben.from("standing_dinners").select("next_on, paused, next_host").eq("id", dinner).single());

test("concurrent runs make one plan some days ahead, for the whole circle, which decides itself", async () => {
  const dinner = await start();
  await Promise.all([run(), run(), run()]);
  await run();
  expect(await plansOf(dinner)).toEqual([
    {
      id: expect.any(String),
      on: inDays(5),
      host: people.ana,
      clock: `${inDays(5)} 19:30`,
      decides_itself: true,
      people: 3,
    },
  ]);
  expect(await nextOf(dinner)).toEqual({ next_on: inDays(12), paused: false, next_host: people.ben });
  const [plan] = await plansOf(dinner);
  const told = await backend.sql(
    "select user_id from public.notifications where plan_id = $1 and kind = 'standing_planned'",
    [plan?.id],
  );
  expect(told).toHaveLength(3);
});

test("the host rotates: the one who has not hosted for the longest time, or in the order of joining", async () => {
  for (const rotation of ["longest_ago", "joining"] as const) {
    const dinner = await start({ rotation });
    const hosts: string[] = [];
    for (let round = 0; round < 4; round += 1) {
      await run();
      hosts.push((await plansOf(dinner)).at(-1)?.host ?? "");
      // Moves everything a week back, so that the next day is due.
      await backend.sql("update public.plans set standing_on = standing_on - 7 where standing_id = $1", [
        dinner,
      ]);
      await backend.sql("update public.standing_dinners set next_on = next_on - 7 where id = $1", [dinner]);
    }
    expect(hosts).toEqual([people.ana, people.ben, people.chiara, people.ana]);
  }
});

test("the places rotate: the last one comes after the others, which are sorted by the circle's ratings", async () => {
  const [first, second] = await backend.sql<{ id: string }>(
    "select id from public.places order by id limit 2",
  );
  const [, , third] = await backend.sql<{ id: string }>("select id from public.places order by id limit 3");
  for (const [place, stars, daysAgo] of [
    [first?.id, 2, 21],
    [second?.id, 5, 14],
    [third?.id, 5, 7],
  ]) {
    const [plan] = await backend.sql<{ id: string }>(
      `insert into public.plans (circle_id, title, time_zone) values ($1, 'Before', 'UTC') returning id`,
      [circle],
    );
    await backend.sql("insert into public.plan_members (plan_id, user_id, role) values ($1, $2, 'host')", [
      plan?.id,
      people.ana,
    ]);
    await backend.sql(
      `insert into public.time_options (plan_id, starts_at, ends_at) values
       ($1, now() - make_interval(days => $2), now() - make_interval(days => $2) + interval '2 hours')`,
      [plan?.id, daysAgo],
    );
    await backend.sql("insert into public.place_options (plan_id, place_id) values ($1, $2)", [
      plan?.id,
      place,
    ]);
    await backend.sql(
      `update public.plans as p set status = 'confirmed',
         chosen_time_id = (select o.id from public.time_options as o where o.plan_id = p.id),
         chosen_place_id = (select o.id from public.place_options as o where o.plan_id = p.id) where p.id = $1`,
      [plan?.id],
    );
    await backend.sql(
      "insert into public.ratings (plan_id, user_id, place_id, stars) values ($1, $2, $3, $4)",
      [plan?.id, people.ana, place, stars],
    );
  }
  const dinner = await start();
  const places = await backend.sql<{ place: string }>(
    "select private.standing_places(s) as place from public.standing_dinners as s where s.id = $1",
    [dinner],
  );
  expect(places.map((row) => row.place)).toEqual([second?.id, first?.id, third?.id]);
});

describe("the next day", () => {
  const next = async (rhythm: Rhythm, first: string, after: string) => {
    const [row] = await backend.sql<{ day: string }>(
      "select private.next_dinner_on($1::public.dinner_rhythm, $2::date, $3::date)::text as day",
      [rhythm, first, after],
    );
    return row?.day;
  };
  test.each<[Rhythm, string, string, string]>([
    ["weekly", "2026-12-03", "2026-12-01", "2026-12-03"],
    ["weekly", "2026-12-03", "2026-12-03", "2026-12-10"],
    ["biweekly", "2026-12-03", "2026-12-04", "2026-12-17"],
    ["biweekly", "2026-12-03", "2027-02-01", "2027-02-11"],
    // The first Thursday, across the year.
    ["monthly", "2026-12-03", "2026-12-03", "2027-01-07"],
    // The fifth Thursday is the last one where there are four.
    ["monthly", "2026-12-31", "2026-12-31", "2027-01-28"],
    ["monthly", "2026-12-31", "2027-01-28", "2027-02-25"],
    ["monthly", "2026-12-31", "2027-03-25", "2027-04-29"],
  ])("%s from %s after %s is %s", async (rhythm, first, after, day) => {
    expect(await next(rhythm, first, after)).toBe(day);
  });
});

test("dinner keeps its local time when the clocks change", async () => {
  const dinner = await start();
  // Two days, one before and one after Lisbon's change on 2027-03-28, each made when it is near.
  for (const day of ["2027-03-25", "2027-04-01"]) {
    const [row] = await backend.sql<{ wall: string; utc: string }>(
      `select to_char(at at time zone s.time_zone, 'HH24:MI') as wall, to_char(at at time zone 'UTC', 'HH24:MI') as utc
       from public.standing_dinners as s, lateral (select ($2::date + s.starts_at) at time zone s.time_zone as at) as t
       where s.id = $1`,
      [dinner, day],
    );
    expect(row).toEqual({ wall: "19:30", utc: day < "2027-03-28" ? "19:30" : "18:30" });
  }
});

test("a day is skipped once, a pause makes no plans and none afterwards for its days, and ending keeps the plans", async () => {
  const dinner = await start();
  for (const _ of [1, 2]) {
    expect((await ana.rpc("skip_standing_dinner", { dinner, day: inDays(5) })).error).toBeNull();
  }
  expect(await nextOf(dinner)).toMatchObject({ next_on: inDays(12), next_host: people.ana });
  await run();
  expect(await plansOf(dinner)).toEqual([]);

  await ana.rpc("pause_standing_dinner", { dinner, paused: true });
  await backend.sql(
    "update public.standing_dinners set first_on = first_on - 21, next_on = next_on - 21 where id = $1",
    [dinner],
  );
  await run();
  expect(await plansOf(dinner)).toEqual([]);
  await ana.rpc("pause_standing_dinner", { dinner, paused: false });
  await run();
  expect((await plansOf(dinner)).map((plan) => plan.on)).toEqual([inDays(5)]);

  const [plan] = await plansOf(dinner);
  expect((await ana.rpc("end_standing_dinner", { dinner })).error).toBeNull();
  expect(await backend.sql("select standing_id from public.plans where id = $1", [plan?.id])).toEqual([
    { standing_id: null },
  ]);
});

test("days that passed while nothing ran have no plan", async () => {
  const dinner = await start();
  await backend.sql(
    "update public.standing_dinners set first_on = first_on - 28, next_on = next_on - 28 where id = $1",
    [dinner],
  );
  await run();
  expect((await plansOf(dinner)).map((plan) => plan.on)).toEqual([inDays(5)]);
});

test("admins write, members read, others see nothing; three at most", async () => {
  const dinner = await start();
  const dev = await signedIn(backend, "dev");
  expect(await nextOf(dinner)).toMatchObject({ next_host: people.ana });
  expect(dataOf(await dev.from("standing_dinners").select("id").eq("id", dinner))).toEqual([]);
  expect((await ben.rpc("skip_standing_dinner", { dinner, day: inDays(5) })).error?.details).toBe(
    "not_circle_admin",
  );
  expect((await dev.rpc("end_standing_dinner", { dinner })).error?.details).toBe("standing_not_found");
  const another = {
    circle,
    title: "x",
    rhythm: "weekly",
    rotation: "joining",
    first_on: inDays(5),
    starts_at: "19:30",
    minutes: 120,
    time_zone: ZONE,
  } as const;
  expect((await dev.rpc("save_standing_dinner", another)).error?.details).toBe("circle_not_found");
  expect((await ana.rpc("save_standing_dinner", { ...another, first_on: inDays(-1) })).error?.details).toBe(
    "time_in_past",
  );
  await start();
  await start();
  expect((await ana.rpc("save_standing_dinner", another)).error?.details).toBe("too_many_standing");
  // Changing a dinner is possible at the limit.
  expect((await ana.rpc("save_standing_dinner", { ...another, title: "Changed", dinner })).error).toBeNull();
});
