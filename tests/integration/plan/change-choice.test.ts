/** Changing the time or place of a decided plan, with two hosts at once, and with what people then read and answer. */
import { beforeAll, expect, test } from "vitest";
import { createBackend, forThisFile } from "../../target/integration.ts";
import { dataOf, type NoshClient, people, place, signedInEach } from "../people.ts";
import { atOnce } from "./races.ts";

const DAY_MS = 86_400_000;

const backend = await forThisFile(createBackend());
const [ana, ben, chiara] = await signedInEach(backend, "ana", "ben", "chiara");
beforeAll(async () => {
  await backend.sql("update public.profiles set diets = '{}'");
  // No hours are known, so that the day of the test does not matter.
  await backend.sql("delete from public.place_hours");
});

interface Made {
  id: string;
  times: string[];
  places: string[];
}

/** Ana's plan with Chiara as cohost and Ben, at the first of three evenings and two places; Ben is going. */
async function confirmed(more: { capacity?: number } = {}): Promise<Made> {
  const id = dataOf(
    await ana.rpc("create_plan", {
      title: "Changes",
      time_zone: "Europe/Lisbon",
      times: [4, 5, 6].map((days) => ({
        starts_at: new Date(Date.now() + days * DAY_MS).toISOString(),
        ends_at: new Date(Date.now() + days * DAY_MS + 7_200_000).toISOString(),
      })),
      places: [place(4), place(2)],
      people: [people.ben, people.chiara],
      ...more,
    }),
  );
  const promoted = await ana.rpc("set_member_role", { plan: id, person: people.chiara, role: "cohost" });
  expect(promoted.error).toBeNull();
  const ids = async (sql: string) => (await backend.sql<{ id: string }>(sql, [id])).map((row) => row.id);
  const made = {
    id,
    times: await ids("select id from public.time_options where plan_id = $1 order by starts_at"),
    places: await ids("select id from public.place_options where plan_id = $1 order by place_id"),
  };
  const [time_option = "", place_option = ""] = [made.times[0], made.places[0]];
  expect((await ana.rpc("confirm_plan", { plan: id, time_option, place_option })).error).toBeNull();
  dataOf(await ben.rpc("set_rsvp", { plan: id, answer: "going" }));
  return made;
}

/** Changes the choice from the first pair to that time, at the first place. */
const change = async (client: NoshClient, { id, times, places }: Made, time: number, was = 0) =>
  (
    await client.rpc("change_choice", {
      plan: id,
      was_time: times[was] ?? "",
      was_place: places[0] ?? "",
      time_option: times[time] ?? "",
      place_option: places[0] ?? "",
    })
  ).error;

const chosenTime = async ({ id, times }: Made) => {
  const row = dataOf(await ben.from("plans").select("chosen_time_id").eq("id", id).single());
  return times.indexOf(row.chosen_time_id ?? "");
};
const rsvpOf = async ({ id }: Made, person: string) =>
  dataOf(
    await ana.from("plan_members").select("rsvp, plus_ones").eq("plan_id", id).eq("user_id", person).single(),
  );
const lock = "select 1 from public.plans where id = $1 for update";

test("a change asks again who had said yes, and tells them", async () => {
  const plan = await confirmed();
  expect(await change(ana, plan, 1)).toBeNull();
  expect(await chosenTime(plan)).toBe(1);
  expect(await rsvpOf(plan, people.ben)).toMatchObject({ rsvp: "pending" });
  expect(await rsvpOf(plan, people.ana)).toMatchObject({ rsvp: "going" });
  const told = await ben
    .from("notifications")
    .select("kind, actor_id")
    .eq("plan_id", plan.id)
    .eq("kind", "plan_moved");
  expect(dataOf(told)).toEqual([{ kind: "plan_moved", actor_id: people.ana }]);
  expect(dataOf(await ben.rpc("set_rsvp", { plan: plan.id, answer: "going" }))).toBe("going");
});

test("of two hosts who change at once one is told that the other was quicker", async () => {
  const plan = await confirmed();
  const [first, second] = await atOnce(
    backend,
    lock,
    [plan.id],
    [() => change(ana, plan, 1), () => change(chiara, plan, 2)],
  );
  expect(first).toBeNull();
  expect([second?.code, second?.details]).toEqual(["PT409", "choice_changed"]);
  expect(await chosenTime(plan)).toBe(1);
  // They look at it, and may then decide otherwise.
  expect(await change(chiara, plan, 2, 1)).toBeNull();
  expect(await chosenTime(plan)).toBe(2);
});

test("of two hosts who change to the same at once both succeed, and it is told once", async () => {
  const plan = await confirmed();
  const outcomes = await atOnce(
    backend,
    lock,
    [plan.id],
    [() => change(ana, plan, 1), () => change(chiara, plan, 1)],
  );
  expect(outcomes).toEqual([null, null]);
  const told = await ben.from("notifications").select("id").eq("plan_id", plan.id).eq("kind", "plan_moved");
  expect(dataOf(told)).toHaveLength(1);
});

test("a plan that is cancelled or reopened at the same moment is not changed", async () => {
  for (const [call, code] of [
    ["cancel_plan", "plan_cancelled"],
    ["reopen_plan", "plan_not_confirmed"],
  ] as const) {
    const plan = await confirmed();
    const [ended, refused] = await atOnce(
      backend,
      lock,
      [plan.id],
      [async () => (await ana.rpc(call, { plan: plan.id })).error, () => change(chiara, plan, 1)],
    );
    expect(ended).toBeNull();
    expect([refused?.code, refused?.details]).toEqual(["PT409", code]);
  }
});

test("an answer that arrives after the change counts for the new time, one before it is asked again", async () => {
  const plan = await confirmed();
  await atOnce<unknown>(
    backend,
    lock,
    [plan.id],
    [() => ben.rpc("set_rsvp", { plan: plan.id, answer: "maybe" }), () => change(ana, plan, 1)],
  );
  expect(await rsvpOf(plan, people.ben)).toMatchObject({ rsvp: "pending" });
});

test("with few seats they are given anew, in the order of the new answers", async () => {
  const plan = await confirmed({ capacity: 2 });
  dataOf(await chiara.rpc("set_rsvp", { plan: plan.id, answer: "going" }));
  expect(await rsvpOf(plan, people.chiara)).toMatchObject({ rsvp: "waitlisted" });
  expect(await change(ana, plan, 1)).toBeNull();
  expect(await rsvpOf(plan, people.chiara)).toMatchObject({ rsvp: "pending" });
  expect(dataOf(await chiara.rpc("set_rsvp", { plan: plan.id, answer: "going" }))).toBe("going");
  expect(dataOf(await ben.rpc("set_rsvp", { plan: plan.id, answer: "going" }))).toBe("waitlisted");
});

test("a time that is over, one of another plan and one that is gone are refused", async () => {
  const [plan, other] = [await confirmed(), await confirmed()];
  const [, past = "", gone = ""] = plan.times;
  await backend.sql(
    "update public.time_options set starts_at = now() - interval '3 hours', ends_at = now() - interval '1 hour' where id = $1",
    [past],
  );
  expect((await change(ana, plan, 1))?.details).toBe("time_in_past");
  expect((await change(ana, { ...plan, times: [plan.times[0] ?? "", ...other.times] }, 2))?.details).toBe(
    "option_not_found",
  );
  await backend.sql("delete from public.time_options where id = $1", [gone]);
  expect((await change(ana, plan, 2))?.details).toBe("option_not_found");
  expect(await chosenTime(plan)).toBe(0);
});
