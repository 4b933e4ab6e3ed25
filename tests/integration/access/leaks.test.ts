/**
 * Attempts to read another person's data, through every API of the client. Dev is at Ana's dinner with Ana
 * and Ben; he is not on the plan "Noodles after climbing" nor at the lunch, whose photo is Ben's.
 */

import { afterEach, describe, expect, test } from "vitest";
import { createBackend, forThisFile } from "../../target/integration.ts";
import { joinPrivate, silence, until } from "../live.ts";
import { clientOf, dataOf, type NoshClient, people, plans, signedIn, signedInEach } from "../people.ts";

const backend = await forThisFile(createBackend());
const [ben, dev] = await signedInEach(backend, "ben", "dev");
const nobody = clientOf(backend);
afterEach(() => Promise.all([ben, dev, nobody].map((client) => client.removeAllChannels())));

const tables = [
  "plans",
  "plan_members",
  "time_options",
  "place_options",
  "time_votes",
  "place_votes",
  "messages",
  "reactions",
  "photos",
  "ratings",
  "arrivals",
  "invites",
] as const;

describe("rows", () => {
  test.each(tables)("a stranger to a plan reads none of its %s, and counts none", async (table) => {
    const column = table === "plans" ? "id" : "plan_id";
    const others = [plans.noodles, plans.lunch];
    const answer = await dev
      .from(table)
      .select(column as "id", { count: "exact" })
      .in(column as "id", others);
    expect(answer).toMatchObject({ error: null, data: [], count: 0 });
    // Nor are they among all rows that he may read.
    const all = dataOf(await dev.from(table).select(column as "id")) as unknown as Record<string, unknown>[];
    for (const row of all) expect(others).not.toContain(row[column]);
  });

  test("embedding from a row that one may read leads to no row that one may not", async () => {
    const ana = dataOf(
      await dev
        .from("profiles")
        .select(
          "display_name, plan_members(plan_id), saved_places(place_id), messages(body, plan_id), private_profiles(start_latitude)",
        )
        .eq("id", people.ana)
        .single(),
    );
    expect(ana.display_name).toBe("Ana Duarte");
    expect(ana.plan_members.length).toBeGreaterThan(0);
    for (const { plan_id } of [...ana.plan_members, ...ana.messages]) expect(plan_id).not.toBe(plans.noodles);
    expect(ana.saved_places).toEqual([]);
    expect(ana.private_profiles).toBeNull();
  });

  test("another's start point and mail settings are in no answer, filter or aggregate", async () => {
    const mine = dataOf(await dev.from("private_profiles").select());
    expect(mine.map((row) => row.id)).toEqual([people.dev]);
    const filtered = await dev.from("private_profiles").select("id").gt("start_latitude", 0);
    expect(dataOf(filtered)).toEqual([{ id: people.dev }]);
    const inner = await dev.from("profiles").select("id, private_profiles!inner(id)").eq("id", people.ana);
    expect(dataOf(inner)).toEqual([]);
    const ordered = await dev
      .from("private_profiles")
      .select("id", { count: "exact" })
      .order("start_latitude");
    expect(ordered.count).toBe(1);
  });

  test("mail addresses are in no table of the API, and schema auth is not served", async () => {
    const { data } = await dev.from("profiles").select().eq("id", people.ana).single();
    expect(JSON.stringify(data)).not.toContain("@");
    const auth = await dev
      .schema("auth" as "public")
      .from("users" as "profiles")
      .select("*");
    expect(auth.error).toMatchObject({ code: "PGRST106" });
    const { error } = await dev.auth.admin.listUsers();
    expect(error?.status).toBe(403);
  });

  test("trips tell minutes to those at the table, and nothing to others", async () => {
    const own = dataOf(await dev.rpc("plan_trips", { plan: plans.dinner }));
    expect(own.length).toBeGreaterThan(0);
    expect(Object.keys(own[0] ?? {}).sort()).toEqual(["minutes", "place_id", "user_id"]);
    expect(dataOf(await dev.rpc("plan_trips", { plan: plans.noodles }))).toEqual([]);
  });

  test("an update or a delete of another's row touches nothing", async () => {
    const renamed = await dev.from("plans").update({ title: "Dev's now" }).eq("id", plans.noodles).select();
    expect(dataOf(renamed)).toEqual([]);
    expect(
      dataOf(await dev.from("profiles").update({ display_name: "x" }).eq("id", people.ana).select()),
    ).toEqual([]);
    expect(dataOf(await dev.from("photos").delete().eq("plan_id", plans.lunch).select())).toEqual([]);
    const [plan] = await backend.sql("select title from public.plans where id = $1", [plans.noodles]);
    expect(plan).toEqual({ title: "Noodles after climbing" });
  });

  test("a row cannot be written in another's name or into another's plan", async () => {
    const message = { plan_id: plans.noodles, client_id: crypto.randomUUID(), body: "hi" };
    const into = await dev.from("messages").insert({ ...message, author_id: people.dev });
    expect(into).toMatchObject({ status: 403, error: { code: "42501" } });
    const as = await dev
      .from("messages")
      .insert({ ...message, plan_id: plans.dinner, author_id: people.ana });
    expect(as).toMatchObject({ status: 403, error: { code: "42501" } });
  });

  test.each([
    ["cast_votes", { plan: plans.noodles }],
    ["cancel_plan", { plan: plans.noodles }],
    ["create_invite", { plan: plans.noodles }],
    ["set_rsvp", { plan: plans.noodles, answer: "going" }],
    ["remove_member", { plan: plans.noodles, person: people.fatou }],
    ["mark_arrival", { plan: plans.lunch, status: "arrived" }],
    ["call_to_table", { plan: plans.lunch, said: "Come in" }],
  ] as const)("the function %s answers a stranger as if there were no such plan", async (name, args) => {
    const { error, status } = await dev.rpc(name, args as never);
    expect(status).toBe(404);
    expect(error).toMatchObject({ details: "plan_not_found" });
  });

  test("signed out, no table answers at all", async () => {
    for (const table of [...tables, "profiles", "private_profiles", "circles", "places"] as const) {
      expect((await nobody.from(table).select("*").limit(1)).error, table).toMatchObject({ code: "42501" });
    }
  });
});

describe("files", () => {
  const path = `${plans.lunch}/${people.ben}/window.webp`;
  const bucket = (client: NoshClient) => client.storage.from("plan-photos");

  test("the table itself can read the file that the others are after", async () => {
    expect(dataOf(await bucket(ben).download(path)).size).toBeGreaterThan(0);
  });

  test.each([
    ["downloaded", () => bucket(dev).download(path)],
    ["looked at", () => bucket(dev).info(path)],
    ["signed", () => bucket(dev).createSignedUrl(path, 60)],
    ["moved", () => bucket(dev).move(path, `${plans.dinner}/${people.dev}/stolen.webp`)],
    ["copied", () => bucket(dev).copy(path, `${plans.dinner}/${people.dev}/stolen.webp`)],
    ["replaced", () => bucket(dev).update(path, new Blob(["x"], { type: "image/webp" }))],
    [
      "added to its folder",
      () =>
        bucket(dev).upload(`${plans.lunch}/${people.dev}/x.webp`, new Blob(["x"], { type: "image/webp" })),
    ],
    [
      "given an upload address beside",
      () => bucket(dev).createSignedUploadUrl(`${plans.lunch}/${people.dev}/x.webp`),
    ],
  ])("a file of another plan cannot be %s", async (_what, attempt) => {
    const { data, error } = await attempt();
    expect(error).not.toBeNull();
    expect(data).toBeNull();
    const left = await backend.sql("select name from storage.objects where name like any ($1)", [
      ["%stolen%", "%/x.webp"],
    ]);
    expect(left).toEqual([]);
  });

  test("the folder of another plan lists empty, and no folder of it shows", async () => {
    expect(dataOf(await bucket(dev).list(plans.lunch))).toEqual([]);
    expect(dataOf(await bucket(dev).list(`${plans.lunch}/${people.ben}`))).toEqual([]);
    const folders = dataOf(await bucket(dev).list("")).map((entry) => entry.name);
    expect(folders).not.toContain(plans.lunch);
  });

  test("signing many at once signs none of another plan", async () => {
    const signed = dataOf(await bucket(dev).createSignedUrls([path], 60));
    expect(signed).toEqual([expect.objectContaining({ signedUrl: null })]);
    expect(signed[0]?.error).not.toBeNull();
  });

  test("removing a file of another plan removes nothing", async () => {
    expect(dataOf(await bucket(dev).remove([path]))).toEqual([]);
    expect(dataOf(await bucket(ben).download(path)).size).toBeGreaterThan(0);
  });

  test("signed out, the file is not there", async () => {
    expect((await bucket(nobody).download(path)).error).not.toBeNull();
    expect((await bucket(nobody).createSignedUrl(path, 60)).error).not.toBeNull();
  });
});

describe("channels", () => {
  const topic = `plan:${plans.noodles}:0`;

  test.each([
    ["a stranger", () => dev],
    ["somebody signed out", () => nobody],
  ])("%s cannot join a plan's channel", async (_who, client) => {
    expect((await joinPrivate(client(), topic)).status).toBe("CHANNEL_ERROR");
  });

  test("a public channel of the same name hears none of the private broadcasts", async () => {
    const heard: unknown[] = [];
    const eavesdropper = dev.channel(topic).on("broadcast", { event: "*" }, (message) => heard.push(message));
    await new Promise<void>((resolve) => {
      eavesdropper.subscribe((status) => status === "SUBSCRIBED" && resolve());
    });
    const table = await joinPrivate(ben, topic);
    await ben.from("messages").insert({
      plan_id: plans.noodles,
      author_id: people.ben,
      client_id: crypto.randomUUID(),
      body: "for the table only",
    });
    await until(table.heard, 1);
    await silence();
    expect(heard).toEqual([]);
  });

  test("a stranger's broadcast over HTTP does not reach the table", async () => {
    const table = await joinPrivate(ben, topic);
    expect(table.status).toBe("SUBSCRIBED");
    const token = (await dev.auth.getSession()).data.session?.access_token ?? "";
    const response = await fetch(`${backend.url}/realtime/v1/api/broadcast`, {
      method: "POST",
      headers: {
        apikey: backend.publishableKey,
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({ messages: [{ topic, event: "fake", payload: {}, private: true }] }),
    });
    await response.body?.cancel();
    await silence();
    expect(table.heard).toEqual([]);
  });

  test("who leaves the table hears nothing of it any more, once they join again", async () => {
    const fatou = await signedIn(backend, "fatou");
    const before = await joinPrivate(fatou, topic);
    expect(before.status).toBe("SUBSCRIBED");
    await before.leave();
    await ben.rpc("remove_member", { plan: plans.noodles, person: people.fatou });
    expect((await joinPrivate(fatou, topic)).status).toBe("CHANNEL_ERROR");
    await fatou.removeAllChannels();
  });
});

describe("functions", () => {
  test("suggest-places tells a stranger that there is no such plan", async () => {
    const { error, response } = await dev.functions.invoke("suggest-places", {
      body: { plan_id: plans.noodles },
    });
    expect(error).not.toBeNull();
    expect(response?.status).toBe(404);
    expect(await response?.json()).toMatchObject({ code: "plan_not_found" });
  });

  test("suggest-places asks somebody signed out to sign in", async () => {
    const { data, response } = await nobody.functions.invoke("suggest-places", {
      body: { plan_id: plans.dinner },
    });
    expect(data).toBeNull();
    expect(response?.status).toBe(401);
    expect(await response?.json()).toMatchObject({ code: "not_signed_in" });
  });
});
