/** The seats of a table with limited seats: the rule in docs/specification.md (States), and its races. */

import { beforeAll, beforeEach, expect, test } from "vitest";
import { createBackend, forThisFile } from "../../target/integration.ts";
import { dataOf, type NoshClient, people, place, signedInEach } from "../people.ts";
import { atOnce } from "./races.ts";

const backend = await forThisFile(createBackend());
const [ana, ben, chiara] = await signedInEach(backend, "ana", "ben", "chiara");
beforeAll(async () => {
  // These tests are about seats, not about the limit on new plans.
  await backend.sql("update private.limits set value = 1000 where name = 'plans_per_day'");
});

let plan: string;
const day = 86_400_000;

/** A plan of Ana with this many seats, one time and one place. */
async function lay(capacity: number | undefined): Promise<void> {
  plan = dataOf(
    await ana.rpc("create_plan", {
      title: "Seats",
      time_zone: "UTC",
      ...(capacity === undefined ? {} : { capacity }),
      people: [people.ben, people.chiara],
      places: [place(4)],
      times: [
        {
          starts_at: new Date(Date.now() + day).toISOString(),
          ends_at: new Date(Date.now() + day + 7_200_000).toISOString(),
        },
      ],
    }),
  );
  // A place whose hours are unknown is open at any time.
  await backend.sql("delete from public.place_hours where place_id = $1", [place(4)]);
}
beforeEach(() => lay(2));

const going = (client: NoshClient, plus_ones = 0) =>
  client.rpc("set_rsvp", { plan, answer: "going", plus_ones });

async function confirm(): Promise<void> {
  const [time] = dataOf(await ana.from("time_options").select("id").eq("plan_id", plan));
  const [option] = dataOf(await ana.from("place_options").select("id").eq("plan_id", plan));
  const { error } = await ana.rpc("confirm_plan", {
    plan,
    time_option: time?.id ?? "",
    place_option: option?.id ?? "",
  });
  expect(error).toBeNull();
}

/** Each person's state, by first name. */
async function seats(): Promise<Record<string, string>> {
  const rows = await backend.sql<{ name: string; state: string }>(
    `select split_part(p.display_name, ' ', 1) as name, who.state
     from private.plan_people($1) as who join public.profiles as p on p.id = who.user_id`,
    [plan],
  );
  return Object.fromEntries(rows.map(({ name, state }) => [name, state]));
}

const full = { code: "PT409", details: "no_seat_free" };

test("a companion who does not fit is refused, and whoever asked keeps the seat", async () => {
  await confirm();
  await going(ben);
  expect(dataOf(await going(chiara))).toBe("waitlisted");
  expect((await going(ana, 1)).error).toMatchObject(full);
  expect(await seats()).toEqual({ Ana: "expected", Ben: "expected", Chiara: "waitlisted" });
});

test("a party at the table does not grow past those who wait", async () => {
  await lay(3);
  await confirm();
  await going(ben);
  expect(dataOf(await going(chiara, 1))).toBe("waitlisted");
  expect((await going(ben, 1)).error).toMatchObject(full);
  // A person on the waitlist may change the party without losing their position, and is seated once it fits.
  expect(dataOf(await going(chiara))).toBe("going");
});

test("of two people who take the last seat at once, one has it and one waits", async () => {
  await confirm();
  const answers = await atOnce(
    backend,
    "select 1 from public.plans where id = $1 for update",
    [plan],
    [() => going(ben), () => going(chiara)],
  );
  expect(answers.map((answer) => answer.data)).toEqual(["going", "waitlisted"]);
});

test("of a companion and a guest for the last seat at once, the first has it", async () => {
  await confirm();
  const answers = await atOnce(
    backend,
    "select 1 from public.plans where id = $1 for update",
    [plan],
    [() => going(ben), () => going(ana, 1)],
  );
  expect(answers[0]?.data).toBe("going");
  expect(answers[1]?.error).toMatchObject(full);
});

test("confirming seats the host first, then in the order of the answers, and never above capacity", async () => {
  await going(chiara);
  await going(ben);
  await confirm();
  expect(await seats()).toEqual({ Ana: "expected", Chiara: "expected", Ben: "waitlisted" });
});

test("confirming a plan that was given fewer seats meanwhile does not seat more than there are", async () => {
  await lay(undefined);
  await going(ben, 1);
  await going(chiara);
  dataOf(await ana.from("plans").update({ capacity: 3 }).eq("id", plan).select("id"));
  await confirm();
  expect(await seats()).toEqual({ Ana: "expected", Ben: "expected", Chiara: "waitlisted" });
  // With more seats, the waitlist moves up.
  dataOf(await ana.from("plans").update({ capacity: 4 }).eq("id", plan).select("id"));
  expect(await seats()).toMatchObject({ Chiara: "expected" });
});

test("a yes to the chosen time seats its person", async () => {
  const [time] = dataOf(await ana.from("time_options").select("id").eq("plan_id", plan));
  for (const person of [chiara, ben]) {
    expect((await person.rpc("cast_votes", { plan, times: { [time?.id ?? ""]: "yes" } })).error).toBeNull();
  }
  await confirm();
  expect(await seats()).toEqual({ Ana: "expected", Chiara: "expected", Ben: "waitlisted" });
});

test("more seats at a plan that is over or cancelled seat nobody and notify nobody; restored, the line moves", async () => {
  await going(ana);
  await going(ben);
  await going(chiara);
  await confirm();
  const told = () =>
    backend.sql("select 1 from public.notifications where plan_id = $1 and kind = 'seat_freed'", [plan]);
  expect((await ana.rpc("cancel_plan", { plan })).error).toBeNull();
  dataOf(await ana.from("plans").update({ capacity: 3 }).eq("id", plan).select("id"));
  expect(await told()).toEqual([]);
  expect((await ana.rpc("restore_plan", { plan })).error).toBeNull();
  expect(await seats()).toMatchObject({ Chiara: "expected" });
  expect(await told()).toHaveLength(1);

  await lay(2);
  await going(ana);
  await going(ben);
  await going(chiara);
  await confirm();
  await backend.sql(
    "update public.time_options set starts_at = now() - interval '1 day', ends_at = now() - interval '22 hours' where plan_id = $1",
    [plan],
  );
  dataOf(await ana.from("plans").update({ capacity: 5 }).eq("id", plan).select("id"));
  expect(await seats()).toEqual({ Ana: "was_there", Ben: "was_there", Chiara: "not_coming" });
  expect(await told()).toEqual([]);
});
