/**
 * A place at Ana's home, where a plan of Ana and Ben was: what Ben reads by each way, and that Dev, who has an account and
 * sits at another table, reads nothing by the same way, with the ids known.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { createBackend, forThisFile } from "../../target/integration.ts";
import { dataOf, type NoshClient, people, plans, signedInEach } from "../people.ts";

let plan: string;
let place: string;
let path: string;

const backend = await forThisFile(createBackend());
const [ana, ben, dev] = await signedInEach(backend, "ana", "ben", "dev");
beforeAll(async () => {
  const starts = new Date(Date.now() + 3_600_000).toISOString();
  const ends = new Date(Date.now() + 7_200_000).toISOString();
  plan = dataOf(
    await ana.rpc("create_plan", {
      title: "At mine",
      time_zone: "UTC",
      times: [{ starts_at: starts, ends_at: ends }],
      new_places: [
        { name: "Ana's kitchen", home: true, address: "Mill lane 3", latitude: 38.7, longitude: -9.1 },
      ],
    }),
  );
  const [invite] = dataOf(await ana.rpc("create_invite", { plan }));
  dataOf(await ben.rpc("accept_invite", { token: invite?.token ?? "" }));
  const [option] = dataOf(await ana.from("place_options").select("id, place_id").eq("plan_id", plan));
  const [time] = dataOf(await ana.from("time_options").select("id").eq("plan_id", plan));
  if (!option || !time) throw new Error("a time and a place");
  place = option.place_id;
  const votes = { plan, times: { [time.id]: "yes" }, places: { [option.id]: "yes" } };
  expect((await ben.rpc("cast_votes", votes)).error).toBeNull();
  // Everybody eats everything, so the place is not refused.
  await backend.sql("update public.profiles set diets = '{}'");
  const chosen = await ana.rpc("confirm_plan", {
    plan,
    time_option: time.id,
    place_option: option.id,
  });
  expect(chosen.error).toBeNull();
  path = `${plan}/${people.ben}/dish.webp`;
  dataOf(await ben.storage.from("plan-photos").upload(path, new Blob(["x"], { type: "image/webp" })));
  dataOf(
    await ben
      .from("photos")
      .insert({ plan_id: plan, author_id: people.ben, path, width: 10, height: 10 })
      .select("id"),
  );
  await backend.sql("insert into public.ratings (plan_id, user_id, place_id, stars) values ($1, $2, $3, 4)", [
    plan,
    people.ben,
    place,
  ]);
});

/** Each way to the place, with the ids known: what a person reads there. */
const ways: Record<string, (as: NoshClient) => PromiseLike<{ data: unknown[] | null; error: unknown }>> = {
  "the place": (as) => as.from("places").select("*, place_hours(*)").eq("id", place),
  "the home": (as) => as.from("place_homes").select("*, places(*)").eq("place_id", place),
  "the place of its plan": (as) =>
    as.from("plans").select("*, place_options!place_options_plan_id_fkey(*, places(*))").eq("id", plan),
  "the place of an option": (as) =>
    as.from("place_options").select("*, places!inner(*)").eq("place_id", place),
  "the place of a vote": (as) =>
    as.from("place_votes").select("*, place_options!inner(places(*))").eq("plan_id", plan),
  "the place of a rating": (as) => as.from("ratings").select("*, places!inner(*)").eq("place_id", place),
  "the place with its ratings": (as) => as.from("places").select("*, ratings!inner(*)").eq("id", place),
  "the place's photos": (as) => as.from("place_photos").select().eq("place_id", place),
  "the plan's photos": (as) => as.from("photos").select().eq("plan_id", plan),
  "the files of its photos": (as) => as.storage.from("plan-photos").list(`${plan}/${people.ben}`),
};

describe("a place at a home", () => {
  test.each(Object.entries(ways))(
    "%s: read at its table, and nothing of it by a stranger",
    async (_way, read) => {
      expect(await read(ben)).toMatchObject({
        error: null,
        data: expect.arrayContaining([expect.anything()]),
      });
      const stranger = await read(dev);
      expect(stranger).toMatchObject({ error: null, data: [] });
    },
  );

  test("its address is read where one is expected", async () => {
    expect(dataOf(await ben.from("place_homes").select("address").eq("place_id", place))).toEqual([
      { address: "Mill lane 3" },
    ]);
  });

  test("its photos are neither signed nor downloaded for a stranger", async () => {
    const bucket = (as: NoshClient) => as.storage.from("plan-photos");
    expect((await bucket(ben).createSignedUrl(path, 60)).error).toBeNull();
    expect((await bucket(dev).createSignedUrl(path, 60)).error).not.toBeNull();
    expect((await bucket(ben).download(path)).error).toBeNull();
    expect((await bucket(dev).download(path)).error).not.toBeNull();
    expect((await fetch(bucket(dev).getPublicUrl(path).data.publicUrl)).ok).toBe(false);
  });

  test("a stranger who knows its id takes it nowhere", async () => {
    expect((await dev.rpc("propose_place", { plan: plans.dinner, place })).error?.details).toBe(
      "place_not_found",
    );
    const inserted = await dev
      .from("place_options")
      .insert({ plan_id: plans.dinner, place_id: place } as never);
    expect(inserted.error).not.toBeNull();
    // A row of their own that names it, or says that it does, opens nothing either.
    expect(
      (await dev.from("saved_places").insert({ user_id: people.dev, place_id: place })).error,
    ).not.toBeNull();
    expect(dataOf(await dev.from("saved_places").select("*, places!inner(*)").eq("place_id", place))).toEqual(
      [],
    );
  });
});
