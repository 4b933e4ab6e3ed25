/** The suggested places, and the number of rows read for them. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { createBackend, type TestBackend } from "../../target/integration.ts";
import { dataOf, type NoshClient, people, plans, signedIn } from "../people.ts";

let backend: TestBackend;
let ana: NoshClient;
beforeAll(async () => {
  backend = await createBackend();
  ana = await signedIn(backend, "ana");
});
afterAll(() => backend?.drop());

const suggestions = async (plan: string) =>
  dataOf(
    await ana.functions.invoke<{ suggestions: unknown[] }>("suggest-places", { body: { plan_id: plan } }),
  ).suggestions;

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
