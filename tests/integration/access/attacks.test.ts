/**
 * Attacks with the public key and a user's own session, across the rules that other tests check one by one.
 */
import { expect, test } from "vitest";
import { createBackend, forThisFile } from "../../target/integration.ts";
import { clientOf, dataOf, guest, people, place, plans, signedInEach } from "../people.ts";
import { atOnce } from "../plan/races.ts";

const backend = await forThisFile(createBackend());
const [ana, ben, dev] = await signedInEach(backend, "ana", "ben", "dev");

const any = (value: unknown) => value as never;

test("a card shows a stranger nothing, whatever they filter or embed", async () => {
  for (const query of [
    dev.from("plan_cards").select("*").eq("id", plans.noodles),
    dev.from("plan_cards").select("*").ilike("title", "%noodles%"),
    dev.from("plan_cards").select("title").or(`id.eq.${plans.noodles},title.neq.x`).eq("id", plans.noodles),
  ]) {
    expect(dataOf(await query)).toEqual([]);
  }
  const nobody = await clientOf(backend).from("plan_cards").select("*");
  expect(nobody.error?.code).toBe("42501");
  for (const write of [
    ana.from("plan_cards").insert(any({ title: "x" })),
    ana
      .from("plan_cards")
      .update(any({ title: "x" }))
      .eq("id", plans.dinner),
    ana.from("plan_cards").delete().eq("id", plans.dinner),
  ]) {
    expect((await write).error).not.toBeNull();
  }
});

test("nobody speaks for another, or for the source, about a diet", async () => {
  const claim = { place_id: place(4), diet: "vegan", made_by: people.ana, holds: true };
  for (const [client, row] of [
    [ben, claim],
    [ben, { ...claim, made_by: people.ben }],
    [ben, { ...claim, made_by: null, from_source: true }],
  ] as const) {
    expect((await client.from("place_diet_claims").insert(any(row))).error?.code).toBe("42501");
  }
  const before = dataOf(await ana.from("place_diet_claims").select("id, holds").eq("place_id", place(4)));
  await ben
    .from("place_diet_claims")
    .update(any({ holds: true }))
    .eq("place_id", place(4));
  await ben.from("place_diet_claims").delete().eq("place_id", place(4));
  expect(dataOf(await ana.from("place_diet_claims").select("id, holds").eq("place_id", place(4)))).toEqual(
    before,
  );
  const anonymous = await guest(backend, "Guest");
  const said = await anonymous.client.rpc("say_diet", { place: place(4), diet: "vegan", holds: true });
  expect(said.error?.details).toBe("needs_account");
});

test("a doubt and a confirmation at once are both counted", async () => {
  const fields = { name: "Race", latitude: 1, longitude: 1, price: 1, time_zone: "UTC", everybody: true };
  const id = dataOf(await ana.rpc("save_place", { fields }));
  const results = await atOnce(
    backend,
    "select 1 from public.places where id = $1 for no key update",
    [id],
    [
      () => ana.rpc("say_diet", { place: id, diet: "halal", holds: true }),
      () => ben.rpc("say_diet", { place: id, diet: "halal", holds: false }),
    ],
  );
  expect(results.map(({ error }) => error)).toEqual([null, null]);
  const { safe_diets } = dataOf(await ana.from("places").select("safe_diets").eq("id", id).single());
  expect(safe_diets).toEqual([]);
});

test("the columns that the database keeps are not for writing", async () => {
  const own = dataOf(await ana.rpc("create_plan", { title: "Own", time_zone: "UTC" }));
  for (const fields of [
    { status: "confirmed" },
    { chosen_time_id: null },
    { ready_at: new Date().toISOString() },
    { circle_id: null },
    { time_zone: "UTC" },
    { created_at: "2020-01-01" },
    { revision: 9 },
    { id: crypto.randomUUID() },
  ]) {
    const { error } = await ana.from("plans").update(any(fields)).eq("id", own);
    expect([fields, error?.code]).toEqual([fields, "42501"]);
  }
  for (const [table, fields] of [
    ["plan_members", { accepted_at: "2020-01-01" }],
    ["plan_members", { answered_at: null }],
    ["plan_channels", { epoch: 0 }],
    ["messages", { created_at: "2020-01-01" }],
    ["messages", { revision: 1 }],
    ["notifications", { kind: "plan_confirmed" }],
    ["places", { source: "openstreetmap" }],
    ["places", { external_id: "node/1" }],
    ["profiles", { is_guest: false }],
  ] as const) {
    const { error } = await ana.from(table).update(any(fields)).not("created_at", "is", null);
    expect([table, fields, error === null]).toEqual([table, fields, false]);
  }
});

test("nobody moves a row of theirs into another's plan, circle or place", async () => {
  const mine = dataOf(
    await dev
      .from("messages")
      .insert({ plan_id: plans.dinner, author_id: people.dev, client_id: crypto.randomUUID(), body: "Mine" })
      .select("id")
      .single(),
  );
  const moves = [
    dev
      .from("messages")
      .update(any({ plan_id: plans.noodles }))
      .eq("id", mine.id),
    dev
      .from("reactions")
      .insert({ message_id: mine.id, plan_id: plans.noodles, user_id: people.dev, emoji: "👍" }),
    dev.from("messages").insert({
      plan_id: plans.noodles,
      author_id: people.dev,
      client_id: crypto.randomUUID(),
      body: "In",
    }),
    dev.from("messages").insert({
      plan_id: plans.dinner,
      author_id: people.ana,
      client_id: crypto.randomUUID(),
      body: "As Ana",
    }),
    dev.from("place_hours").insert({ place_id: place(4), weekday: 1, opens: "01:00", closes: "02:00" }),
    dev.from("saved_places").insert({ user_id: people.ana, place_id: place(4) }),
  ];
  for (const move of moves) expect((await move).error).not.toBeNull();
});

test("a photo that is somebody's, or no picture of this plan, goes into no message", async () => {
  const [photo] = await backend.sql<{ id: string }>(
    `insert into public.photos (plan_id, author_id, path, width, height)
     values ($1, $2, $3, 1, 1) returning id`,
    [plans.noodles, people.ben, `${plans.noodles}/${people.ben}/a.webp`],
  );
  const stolen = await dev.from("messages").insert(
    any({
      plan_id: plans.dinner,
      author_id: people.dev,
      client_id: crypto.randomUUID(),
      body: "",
      photo_id: photo?.id,
    }),
  );
  expect(stolen.error).not.toBeNull();
});

test("a removal and an answer at once leave no seat behind", async () => {
  const plan = dataOf(await ana.rpc("create_plan", { title: "Race", time_zone: "UTC", capacity: 2 }));
  const [invite] = dataOf(await ana.rpc("create_invite", { plan }));
  dataOf(await ben.rpc("accept_invite", { token: invite?.token ?? "" }));
  const results = await atOnce<{ error: { details: string } | null }>(
    backend,
    "select 1 from public.plans where id = $1 for no key update",
    [plan],
    [
      () => ana.rpc("remove_member", { plan, person: people.ben }) as never,
      () => ben.rpc("set_rsvp", { plan, answer: "going" }) as never,
    ],
  );
  expect(results.map(({ error }) => error?.details ?? null)).toEqual([null, "plan_not_found"]);
  expect(dataOf(await ana.from("plan_members").select("user_id").eq("plan_id", plan))).toEqual([
    { user_id: people.ana },
  ]);
  const back = await ben.rpc("accept_invite", { token: invite?.token ?? "" });
  expect(back.error?.details).toBe("removed_before");
});

test("two take the last seat at once: one sits, one waits, and so it stays", async () => {
  const plan = dataOf(
    await ana.rpc("create_plan", {
      title: "Last seat",
      time_zone: "UTC",
      capacity: 2,
      times: [
        {
          starts_at: new Date(Date.now() + 86_400_000).toISOString(),
          ends_at: new Date(Date.now() + 93_600_000).toISOString(),
        },
      ],
    }),
  );
  const [invite] = dataOf(await ana.rpc("create_invite", { plan }));
  for (const client of [ben, dev]) dataOf(await client.rpc("accept_invite", { token: invite?.token ?? "" }));
  const [time] = dataOf(await ana.from("time_options").select("id").eq("plan_id", plan));
  expect((await ana.rpc("confirm_plan", { plan, time_option: time?.id ?? "" })).error).toBeNull();
  const answers = await atOnce(
    backend,
    "select 1 from public.plans where id = $1 for no key update",
    [plan],
    [
      () => ben.rpc("set_rsvp", { plan, answer: "going" }),
      () => dev.rpc("set_rsvp", { plan, answer: "going", plus_ones: 1 }),
    ],
  );
  expect(answers.map(({ data }) => data)).toEqual(["going", "waitlisted"]);
});

test("nobody wears another's picture, and no path climbs", async () => {
  for (const avatar_path of [
    `${people.ana}/face.webp`,
    `${people.dev}/../${people.ana}/face.webp`,
    `${people.dev}/a/b.webp`,
    "https://example.org/track.png",
    "",
  ]) {
    const { error } = await dev.from("profiles").update({ avatar_path }).eq("id", people.dev);
    expect([avatar_path, error?.code]).toEqual([avatar_path, "23514"]);
  }
  const own = await dev
    .from("profiles")
    .update({ avatar_path: `${people.dev}/face.webp` })
    .eq("id", people.dev);
  expect(own.error).toBeNull();
  for (const end of ["../x.webp", "a/b.webp", "..", "a b.webp"]) {
    const path = `${plans.dinner}/${people.dev}/${end}`;
    const row = { plan_id: plans.dinner, author_id: people.dev, path, width: 1, height: 1 };
    expect([path, (await dev.from("photos").insert(row)).error?.code]).toEqual([path, "23514"]);
  }
});
