/** The suggested places, and the number of rows read for them. */

import { expect, test } from "vitest";
import { createBackend, forThisFile } from "../../target/integration.ts";
import { dataOf, guest, people, place, plans, signedIn } from "../people.ts";

const backend = await forThisFile(createBackend());
const ana = await signedIn(backend, "ana");

const suggestions = async (plan: string) =>
  dataOf(
    await ana.functions.invoke<{ suggestions: unknown[] }>("suggest-places", { body: { plan_id: plan } }),
  ).suggestions;

test("photos are read with the caller's rights, and count only on plans with the people who took them", async () => {
  const rows = dataOf(await ana.from("place_photos").select("place_id, author_id, photos, plan_title"));
  expect(rows.filter(({ place_id }) => place_id === place(4))).toHaveLength(3);
  const { client: stranger } = await guest(backend, "Gita");
  expect(dataOf(await stranger.from("place_photos").select("place_id"))).toEqual([]);
  // The place is a candidate again once it is not an option of the plan.
  await backend.sql("delete from public.place_options where plan_id = $1 and place_id = $2", [
    plans.noodles,
    place(4),
  ]);
  await backend.sql("update public.profiles set diets = '{}'");
  await backend.sql("delete from public.place_hours where place_id <> $1", [place(4)]);
  const [first] = await suggestions(plans.noodles);
  expect(first).toMatchObject({ place_id: place(4) });
  // Ana's and Fatou's photos count; Dev is not on this plan.
  const reasons = (first as { reasons: { code: string; text: string }[] }).reasons;
  expect(reasons.find(({ code }) => code === "photos")?.text).toBe("2 photos from earlier meals there");
});

test("times that are over are not ranked", async () => {
  expect((await suggestions(plans.noodles)).length).toBeGreaterThan(0);
  await backend.sql(
    "update public.time_options set starts_at = starts_at - interval '200 days', ends_at = ends_at - interval '200 days' where plan_id = $1",
    [plans.noodles],
  );
  expect(await suggestions(plans.noodles)).toEqual([]);
});

test("each candidate is one row with everybody's minutes, however many people have a start", async () => {
  await backend.sql("update public.private_profiles set start_latitude = 38.72, start_longitude = -9.14");
  await backend.sql(
    "insert into public.plan_members (plan_id, user_id) select $1, unnest($2::uuid[]) on conflict do nothing",
    [plans.dinner, Object.values(people)],
  );
  const seats = dataOf(await ana.from("plan_members").select("user_id").eq("plan_id", plans.dinner));
  expect(seats.length).toBeGreaterThanOrEqual(6);
  const rows = dataOf(await ana.rpc("plan_candidates", { plan: plans.dinner }));
  expect(rows.length).toBeGreaterThan(0);
  for (const row of rows) {
    expect(Object.keys(row.trips as object).sort()).toEqual(seats.map((seat) => seat.user_id).sort());
  }
});

test("everybody's places are candidates within reach of the table and on its clock only, a person's own anywhere", async () => {
  const candidates = async () =>
    dataOf(await ana.rpc("plan_candidates", { plan: plans.dinner, most: 200 })).map(
      ({ place_id }) => place_id,
    );
  const [far, own] = await backend.sql<{ id: string }>(
    `insert into public.places (name, latitude, longitude, time_zone, everybody, created_by, safe_diets)
       values ('Far', 41.15, -8.61, 'Europe/Lisbon', true, null, enum_range(null::public.diet)),
         ('Far, but hers', 41.15, -8.61, 'Europe/Lisbon', false, $1, enum_range(null::public.diet)) returning id`,
    [people.ana],
  );
  expect(await candidates()).toContain(own?.id);
  expect(await candidates()).not.toContain(far?.id);
  await backend.sql("update public.places set latitude = 38.9 , longitude = -9.2 where id = $1", [far?.id]);
  expect(await candidates()).toContain(far?.id);
  // As for a dinner elsewhere, of whose people only those here have a start.
  await backend.sql("update public.places set time_zone = 'Asia/Kathmandu' where id = $1", [far?.id]);
  expect(await candidates()).not.toContain(far?.id);
});
