/** A meal by a person's diet: the database and the ranking agree on what it says, and only its table reads it. */
import { expect, test } from "vitest";
import { eatenCases } from "../../../supabase/functions/_shared/ranking/eaten_cases.ts";
import { createBackend, forThisFile } from "../../target/integration.ts";
import { dataOf, people, signedIn } from "../people.ts";

const backend = await forThisFile(createBackend());
const [ana, dev] = await Promise.all([signedIn(backend, "ana"), signedIn(backend, "dev")]);
// The host eats everything, and these tests are not about rate limits.
await backend.sql("update public.profiles set diets = '{}' where id = $1", [people.ana]);
await backend.sql("update private.limits set value = 1000 where name = 'places_per_day'");

const hours = (count: number) => new Date(Date.now() + count * 3_600_000).toISOString();

async function placeWith(name: string, safe_diets: readonly string[]): Promise<string> {
  const fields = {
    name,
    latitude: 38.7,
    longitude: -9.1,
    price: 1,
    time_zone: "UTC",
    safe_diets: [...safe_diets],
  };
  return dataOf(await ana.rpc("save_place", { fields }));
}

/** A plan of Ana, the host, with these people at a place, tomorrow. */
async function planAt(place: string, others: string[]) {
  const plan = dataOf(
    await ana.rpc("create_plan", {
      title: "Supper",
      time_zone: "UTC",
      people: others,
      places: [place],
      times: [{ starts_at: hours(24), ends_at: hours(26) }],
    }),
  );
  const [time] = dataOf(await ana.from("time_options").select("id").eq("plan_id", plan));
  const [option] = dataOf(await ana.from("place_options").select("id").eq("plan_id", plan));
  return { plan, time_option: time?.id ?? "", place_option: option?.id ?? "" };
}

/** The same, decided, and over for some days. */
async function mealAt(place: string, others: string[], daysAgo = 3) {
  const chosen = await planAt(place, others);
  expect((await ana.rpc("confirm_plan", { ...chosen, unsafe_for: others })).error).toBeNull();
  await backend.sql("update public.time_options set starts_at = $2, ends_at = $3 where id = $1", [
    chosen.time_option,
    hours(-24 * daysAgo),
    hours(-24 * daysAgo + 2),
  ]);
  return chosen.plan;
}

for (const { name, needs, safe, meals, eaten, unknown } of eatenCases) {
  test(name, async () => {
    const [place, elsewhere] = await Promise.all([placeWith("Kitchen", safe), placeWith("Other", [])]);
    await backend.sql("update public.profiles set diets = $2 where id = $1", [people.dev, needs]);
    for (const { ate = [], lacked = [], daysAgo, by, at, unread } of meals) {
      const meal = await mealAt(at ? elsewhere : place, [people.dev, people.ben]);
      await backend.sql(
        `insert into public.ratings (plan_id, user_id, place_id, stars, ate, lacked, eaten_at)
         values ($1, $2, $3, 5, $4, $5, date_trunc('day', now()) - make_interval(days => $6))`,
        [meal, by ? people.ben : people.dev, at ? elsewhere : place, ate, lacked, daysAgo],
      );
      if (unread) {
        await backend.sql("delete from public.plan_members where plan_id = $1 and user_id = $2", [
          meal,
          people.ana,
        ]);
      }
    }
    const found = await backend.sql<{ diet: string }>(
      `select wanted as diet from unnest($3::public.diet[]) as wanted
       where not private.covers($4, wanted) and private.ate_here($1, $2, wanted, $5)`,
      [place, people.dev, needs, safe, people.ana],
    );
    expect(found.map(({ diet }) => diet)).toEqual(eaten);
    const next = await planAt(place, [people.dev]);
    // A plan that decides itself has no caller: its host reads.
    const atRisk = await backend.sql("select private.unsafe_for($1, $2, $3)", [
      next.plan,
      next.time_option,
      place,
    ]);
    expect(atRisk).toHaveLength(unknown.length > 0 ? 1 : 0);
    const { error } = await ana.rpc("confirm_plan", next);
    expect(error?.details ?? null).toBe(unknown.length > 0 ? "unsafe_for_some" : null);
  });
}

test("a person says so with their rating; people of that table read it, and nobody else", async () => {
  const chiara = await signedIn(backend, "chiara");
  const plan = await mealAt(await placeWith("Kitchen", []), [people.dev]);
  const rated = { plan, stars: 4, comment: "", ate: ["vegan" as const], lacked: [] };
  expect((await dev.rpc("rate_plan", rated)).error).toBeNull();
  const read = async (as: typeof ana) =>
    (await as.from("ratings").select("ate, lacked, eaten_at").eq("plan_id", plan)).data;
  const [rating] = (await read(ana)) ?? [];
  expect(rating).toMatchObject({ ate: ["vegan"], lacked: [] });
  expect(Date.parse(rating?.eaten_at ?? "")).toBeLessThan(Date.now() - 2 * 86_400_000);
  expect(await read(chiara)).toEqual([]);
  // An answer can be changed, and taken back with the next one.
  expect((await dev.rpc("rate_plan", { ...rated, ate: [], lacked: ["vegan"] })).error).toBeNull();
  expect((await read(ana))?.[0]).toMatchObject({ ate: [], lacked: ["vegan"] });
  for (const wrong of [{ ate: ["halal" as const] }, { lacked: ["vegan" as const] }])
    expect((await dev.rpc("rate_plan", { ...rated, ...wrong })).error?.code).toBe("23514");
});
