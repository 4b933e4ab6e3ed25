/**
 * One dinner from its first idea to the seats, through the app's own calls. The tests of this file are steps:
 * each continues from the previous one.
 */

import { expect, test } from "vitest";
import { createBackend, forThisFile } from "../../target/integration.ts";
import { clientOf, dataOf, guest, type NoshClient, people, place, signedInEach } from "../people.ts";

let bo: { client: NoshClient; id: string };
let circle: string;
let plan: string;
let token: string;

const backend = await forThisFile(createBackend());
const [ana, ben] = await signedInEach(backend, "ana", "ben");

/** The next Friday, at least two days away, at an hour of UTC. Every place used here is open then. */
function friday(hour: number): string {
  const day = new Date();
  day.setUTCDate(day.getUTCDate() + 2 + ((5 - (day.getUTCDay() + 2) + 14) % 7));
  day.setUTCHours(hour, 0, 0, 0);
  return day.toISOString();
}

async function options() {
  return dataOf(
    await ana
      .from("plans")
      .select(
        "status, time_options!time_options_plan_id_fkey(id, starts_at), place_options!place_options_plan_id_fkey(id, place_id)",
      )
      .eq("id", plan)
      .single(),
  );
}

test("Ana starts a circle, and Ben joins it by its link", async () => {
  circle = dataOf(await ana.rpc("create_circle", { name: "Test kitchen" }));
  const [invite] = dataOf(await ana.rpc("create_circle_invite", { circle }));
  expect(dataOf(await ben.rpc("accept_invite", { token: invite?.token ?? "" }))).toEqual([
    { kind: "circle", target: circle },
  ]);
  const members = dataOf(await ben.from("circle_members").select("user_id, role").eq("circle_id", circle));
  expect(members).toHaveLength(2);
  expect(members).toContainEqual({ user_id: people.ana, role: "owner" });
});

test("Ana makes a plan with two times and three places, and Ben finds it", async () => {
  plan = dataOf(
    await ana.rpc("create_plan", {
      title: "Integration dinner",
      time_zone: "Europe/Lisbon",
      circle,
      times: [19, 20].map((hour) => ({ starts_at: friday(hour), ends_at: friday(hour + 2) })),
      places: [place(4), place(16)],
      people: [people.ben],
    }),
  );
  expect(dataOf(await ben.from("plans").select("title, status").eq("id", plan))).toEqual([
    { title: "Integration dinner", status: "polling" },
  ]);
  const noticed = dataOf(await ben.from("notifications").select("kind, actor_id").eq("plan_id", plan));
  expect(noticed).toEqual([{ kind: "plan_invited", actor_id: people.ana }]);
});

test("signed out, the invite link shows title, host, count, and the times and places to vote on, and nothing else of the plan", async () => {
  const [invite] = dataOf(await ana.rpc("create_invite", { plan }));
  token = invite?.token ?? "";
  const stranger = clientOf(backend);
  expect(dataOf(await stranger.rpc("preview_invite", { token }))).toEqual([
    {
      kind: "plan",
      title: "Integration dinner",
      host_name: "Ana",
      people: 1,
      plan_state: "polling",
      joined: false,
      target: null,
      starts_at: null,
      time_zone: "Europe/Lisbon",
      language: "en",
      times: dataOf(
        await ana.from("time_options").select("starts_at").eq("plan_id", plan).order("starts_at"),
      ).map(({ starts_at }) => starts_at),
      places: expect.arrayContaining([expect.any(String)]),
    },
  ]);
  expect((await stranger.from("plans").select("title")).error).toMatchObject({ code: "42501" });
});

test("Bo joins by the link with a name only", async () => {
  bo = await guest(backend, "Bo");
  expect(dataOf(await bo.client.rpc("accept_invite", { token }))).toEqual([{ kind: "plan", target: plan }]);
  const seen = dataOf(await ana.from("plan_members").select("profiles(display_name)").eq("plan_id", plan));
  expect(seen).toContainEqual({ profiles: { display_name: "Bo" } });
});

test("all three vote, and each sees the others' answers", async () => {
  const { time_options: times, place_options: places } = await options();
  const ballot = (answer: string, ids: { id: string }[]) =>
    Object.fromEntries(ids.map(({ id }) => [id, answer]));
  for (const [client, answer] of [
    [ana, "yes"],
    [ben, "if_need_be"],
    [bo.client, "yes"],
  ] as const) {
    const { error } = await client.rpc("cast_votes", {
      plan,
      times: ballot(answer, times),
      places: ballot(answer, places),
    });
    expect(error).toBeNull();
  }
  const votes = dataOf(await bo.client.from("time_votes").select("user_id, answer").eq("plan_id", plan));
  expect(votes).toHaveLength(6);
  expect(votes).toContainEqual({ user_id: people.ben, answer: "if_need_be" });
});

test("a vote that is taken back is unanswered, not a no", async () => {
  const { time_options: times } = await options();
  const first = times[0]?.id ?? "";
  await ben.rpc("cast_votes", { plan, times: { [first]: null } });
  const left = dataOf(
    await ana.from("time_votes").select("answer").match({ option_id: first, user_id: people.ben }),
  );
  expect(left).toEqual([]);
});

test("suggest-places answers with places that are safe for Ana's diet", async () => {
  const answer = dataOf(
    await bo.client.functions.invoke<{
      suggestions: { place_id: string; reasons: { code: string; text: string }[] }[];
    }>("suggest-places", { body: { plan_id: plan } }),
  );
  expect(answer.suggestions.length).toBeGreaterThan(0);
  expect(answer.suggestions[0]?.reasons.length).toBeGreaterThan(0);
  const safe = dataOf(
    await ana
      .from("places")
      .select("id")
      .in(
        "id",
        answer.suggestions.map((suggestion) => suggestion.place_id),
      )
      .contains("safe_diets", ["vegetarian"]),
  );
  expect(safe).toHaveLength(answer.suggestions.length);
});

test("only the host confirms; who sits at the table may answer, and a full table has a waitlist", async () => {
  const { time_options: times, place_options: places } = await options();
  const choice = { plan, time_option: times[0]?.id ?? "", place_option: places[0]?.id ?? "" };
  expect((await bo.client.rpc("confirm_plan", choice)).error).toMatchObject({ details: "not_host" });
  await ana.from("plans").update({ capacity: 2 }).eq("id", plan);
  expect((await ana.rpc("confirm_plan", choice)).error).toBeNull();
  expect((await options()).status).toBe("confirmed");
  expect(dataOf(await bo.client.rpc("set_rsvp", { plan, answer: "going" }))).toBe("going");
  expect(dataOf(await ben.rpc("set_rsvp", { plan, answer: "going" }))).toBe("waitlisted");
  expect(dataOf(await bo.client.rpc("set_rsvp", { plan, answer: "declined" }))).toBe("declined");
  const bens = dataOf(
    await ben.from("plan_members").select("rsvp").match({ plan_id: plan, user_id: people.ben }),
  );
  expect(bens).toEqual([{ rsvp: "going" }]);
});

test("a refusal carries its status, its stable code and what to do", async () => {
  const { error, status } = await ana.rpc("rate_plan", { plan, stars: 5 });
  expect(status).toBe(409);
  expect(error).toEqual(
    expect.objectContaining({
      code: "PT409",
      details: "plan_not_done",
      message: "You can rate a meal once it is over.",
      hint: "Come back after the meal.",
    }),
  );
});

test("sending a message again is not sending it twice", async () => {
  const message = { plan_id: plan, author_id: bo.id, client_id: crypto.randomUUID(), body: "On my way" };
  expect((await bo.client.from("messages").insert(message)).error).toBeNull();
  expect((await bo.client.from("messages").insert(message)).error).toMatchObject({ code: "23505" });
  const said = dataOf(await ana.from("messages").select("body").eq("plan_id", plan));
  expect(said).toEqual([{ body: "On my way" }]);
});

test("the thirty-first message within a minute is refused with 429", async () => {
  const send = (body: string) =>
    ben
      .from("messages")
      .insert({ plan_id: plan, author_id: people.ben, client_id: crypto.randomUUID(), body });
  for (let number = 1; number <= 30; number += 1) expect((await send(`${number}`)).error).toBeNull();
  const last = await send("31");
  expect(last.status).toBe(429);
  expect(last.error).toMatchObject({ details: "too_many_messages" });
});
