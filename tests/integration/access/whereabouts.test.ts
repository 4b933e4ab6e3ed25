/**
 * Nobody's home can be located: what an attacker at the table can learn about a starting point, and who is
 * allowed there.
 */

import { expect, test } from "vitest";
import { createBackend, forThisFile } from "../../target/integration.ts";
import { clientOf, dataOf, people, place, signedIn, signedInEach } from "../people.ts";

const backend = await forThisFile(createBackend());
const [ben, victim] = await signedInEach(backend, "ben", "ana");

/** Half a cell of the grid is about 280 m in each direction. */
const cell = 0.005;
const setStart = async (latitude: number, longitude: number) =>
  dataOf(
    await victim
      .from("private_profiles")
      .update({ start_latitude: latitude, start_longitude: longitude })
      .eq("id", people.ana)
      .select("start_latitude, start_longitude"),
  );

/** A plan of Ben's with Ana, and a place of his that he may move. */
async function trap(): Promise<{ plan: string; lure: string }> {
  const lure = dataOf(
    await ben.rpc("save_place", {
      fields: { name: "Lure", latitude: 38.7, longitude: -9.14, price: 1, time_zone: "UTC" },
    }),
  );
  const plan = dataOf(
    await ben.rpc("create_plan", { title: "Trap", time_zone: "UTC", people: [people.ana], places: [lure] }),
  );
  return { plan, lure };
}

async function minutesFrom(
  { plan, lure }: { plan: string; lure: string },
  latitude: number,
  longitude: number,
) {
  dataOf(await ben.from("places").update({ latitude, longitude }).eq("id", lure).select("id"));
  const trips = dataOf(await ben.rpc("plan_trips", { plan }));
  return trips.find((trip) => trip.user_id === people.ana)?.minutes;
}

test("a start point is kept on a grid of about 500 metres, whoever writes it and however", async () => {
  const [kept] = await setStart(38.71691234, -9.13991234);
  expect(Math.abs((kept?.start_latitude ?? 0) - 38.71691234)).toBeLessThanOrEqual(cell / 2 + 1e-9);
  // Every address in one cell is stored as the same point.
  const all = new Set<string>();
  for (const [north, east] of [
    [0.002, 0.002],
    [-0.002, 0.002],
    [0.002, -0.002],
    [-0.002, -0.002],
  ] as const) {
    const [point] = await setStart((kept?.start_latitude ?? 0) + north, (kept?.start_longitude ?? 0) + east);
    all.add(JSON.stringify(point));
  }
  expect([...all]).toEqual([JSON.stringify(kept)]);
  for (const [latitude, longitude] of [
    [90, 180],
    [-90, -180],
    [0, 0],
  ] as const) {
    const [edge] = await setStart(latitude, longitude);
    expect(Math.abs(edge?.start_latitude ?? 999)).toBeLessThanOrEqual(90);
    expect(Math.abs(edge?.start_longitude ?? 999)).toBeLessThanOrEqual(180);
  }
  const [stored] = await backend.sql<{ off: number }>(
    "select count(*)::integer as off from public.private_profiles where mod(round(start_latitude * 1000)::integer, 5) <> 0",
  );
  expect(stored).toEqual({ off: 0 });
});

test("bisecting with a place that is moved leads to the grid and no nearer", async () => {
  const trapped = await trap();
  /**
   * Where the minutes change, going west to east and south to north past Ana's starting point: an edge of a
   * threshold.
   */
  async function thresholds(): Promise<number[]> {
    const found: number[] = [];
    const searches: [number, number, (value: number) => readonly [number, number]][] = [
      [-9.3, -9.14, (value) => [38.717, value]],
      [-9.14, -8.98, (value) => [38.717, value]],
      [38.6, 38.717, (value) => [value, -9.14]],
    ];
    for (const [from, to, at] of searches) {
      let [low, high] = [from, to];
      const first = await minutesFrom(trapped, ...at(low));
      for (let step = 0; step < 20; step += 1) {
        const middle = (low + high) / 2;
        if ((await minutesFrom(trapped, ...at(middle))) === first) low = middle;
        else high = middle;
      }
      found.push(low);
    }
    return found;
  }
  // Two addresses, 400 metres apart in one cell, are indistinguishable.
  const [kept] = await setStart(38.717, -9.14);
  const centre = [kept?.start_latitude ?? 0, kept?.start_longitude ?? 0] as const;
  await setStart(centre[0] + 0.0018, centre[1] + 0.0018);
  const one = await thresholds();
  await setStart(centre[0] - 0.0018, centre[1] - 0.0018);
  expect(await thresholds()).toEqual(one);
  // Another cell is distinguishable: the search itself works.
  await setStart(centre[0] + 5 * cell, centre[1] + 5 * cell);
  expect(await thresholds()).not.toEqual(one);
});

test("trips are told for the plan's own places only", async () => {
  await setStart(38.717, -9.14);
  const { plan, lure } = await trap();
  const named = { plan, places: [place(1), lure] };
  const trips = dataOf(await ben.rpc("plan_trips", named));
  expect(new Set(trips.map((trip) => trip.place_id))).toEqual(new Set([lure]));
  expect(
    dataOf(await clientOf(backend, backend.serviceRoleKey).from("places").select("id").limit(1)),
  ).toHaveLength(1);
});

test("candidates come from the database: near the table, safe for everyone, not on the plan yet", async () => {
  const { plan, lure } = await trap();
  const candidates = dataOf(await ben.rpc("plan_candidates", { plan }));
  expect(candidates.length).toBeGreaterThan(0);
  expect(candidates.map((candidate) => candidate.place_id)).not.toContain(lure);
  expect(Object.keys((candidates[0]?.trips ?? {}) as object)).toContain(people.ana);
  const dev = await signedIn(backend, "dev");
  expect(dataOf(await dev.rpc("plan_candidates", { plan }))).toEqual([]);
});

test("a plan seats only people who joined a circle or an earlier plan with its host themselves", async () => {
  const stranger = clientOf(backend);
  const address = `${crypto.randomUUID()}@nosh.test`;
  const { user } = dataOf(
    await stranger.auth.signUp({
      email: address,
      password: "nosh-demo-2",
      options: { data: { display_name: "Reach" } },
    }),
  );
  await backend.sql("update auth.users set email_confirmed_at = now() where id = $1", [user?.id]);
  const third = await signedIn(backend, "chiara");
  // Chiara's plan has Reach, who joined by a link, and Dev, whom she seated and who has not answered.
  const plan = dataOf(
    await third.rpc("create_plan", { title: "First", time_zone: "UTC", people: [people.dev] }),
  );
  const [invite] = dataOf(await third.rpc("create_invite", { plan }));
  await stranger.auth.signInWithPassword({ email: address, password: "nosh-demo-2" });
  dataOf(await stranger.rpc("accept_invite", { token: invite?.token ?? "" }));
  const seatedWith = async (person: string) => {
    const made = dataOf(
      await stranger.rpc("create_plan", { title: "Second", time_zone: "UTC", people: [person] }),
    );
    const rows = dataOf(await stranger.from("plan_members").select("user_id").eq("plan_id", made));
    return rows.some((row) => row.user_id === person);
  };
  expect(await seatedWith(people.dev)).toBe(false);
  expect(await seatedWith(people.chiara)).toBe(true);
  const dev = await signedIn(backend, "dev");
  dataOf(await dev.rpc("set_rsvp", { plan, answer: "going" }));
  expect(await seatedWith(people.dev)).toBe(true);
});
