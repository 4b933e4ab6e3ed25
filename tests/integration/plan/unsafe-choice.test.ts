/** A place that is not known to be safe for somebody can only be confirmed by naming them. */

import { expect, test } from "vitest";
import { createBackend, forThisFile } from "../../target/integration.ts";
import { dataOf, people, signedIn } from "../people.ts";

const backend = await forThisFile(createBackend());
const ana = await signedIn(backend, "ana");

/** A plan of vegetarian Ana with vegan Dev and Ben, who eats everything, at a place with these diets known safe. */
async function choice(safe_diets: "vegan"[] | "vegetarian"[]) {
  const place = dataOf(
    await ana.rpc("save_place", {
      fields: { name: "Kitchen", latitude: 38.7, longitude: -9.1, price: 1, time_zone: "UTC", safe_diets },
    }),
  );
  const plan = dataOf(
    await ana.rpc("create_plan", {
      title: "Safe",
      time_zone: "UTC",
      people: [people.ben, people.dev],
      places: [place],
      times: [
        {
          starts_at: new Date(Date.now() + 86_400_000).toISOString(),
          ends_at: new Date(Date.now() + 90_000_000).toISOString(),
        },
      ],
    }),
  );
  const [time] = dataOf(await ana.from("time_options").select("id").eq("plan_id", plan));
  const [option] = dataOf(await ana.from("place_options").select("id").eq("plan_id", plan));
  return { plan, time_option: time?.id ?? "", place_option: option?.id ?? "" };
}

const confirm = async (chosen: Awaited<ReturnType<typeof choice>>, unsafe_for?: string[]) =>
  (await ana.rpc("confirm_plan", { ...chosen, ...(unsafe_for ? { unsafe_for } : {}) })).error?.details ??
  null;

test("a place that is known to be safe for everyone is chosen without a word", async () => {
  expect(await confirm(await choice(["vegan"]))).toBeNull();
});

test("one that is not is refused until all whom it concerns are named, and nobody else's name helps", async () => {
  const chosen = await choice(["vegetarian"]);
  expect(await confirm(chosen)).toBe("unsafe_for_some");
  expect(await confirm(chosen, [people.ben, people.ana])).toBe("unsafe_for_some");
  expect(await confirm(chosen, [people.dev])).toBeNull();
});

test("who has said that they do not come is not at risk", async () => {
  const declined = await choice(["vegetarian"]);
  const dev = await signedIn(backend, "dev");
  dataOf(await dev.rpc("set_rsvp", { plan: declined.plan, answer: "declined" }));
  expect(await confirm(declined)).toBeNull();

  const cannot = await choice(["vegetarian"]);
  const answer = await dev.rpc("cast_votes", { plan: cannot.plan, times: { [cannot.time_option]: "no" } });
  expect(answer.error).toBeNull();
  expect(await confirm(cannot)).toBeNull();
});
