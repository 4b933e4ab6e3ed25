/** take_over_guest on the real stack: the data that moves, realtime channels, and that races lose nothing acknowledged. */
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { createBackend, forThisFile } from "../../target/integration.ts";
import { joinPrivate, planTopic, silence, until } from "../live.ts";
import { dataOf, guest, type NoshClient, people, signedIn, signedInEach } from "../people.ts";
import { atOnce } from "../plan/races.ts";

let gus: { client: NoshClient; id: string };
let plan: string;
let times: string[];
let link: string;

const backend = await forThisFile(createBackend());
const [ana, ben] = await signedInEach(backend, "ana", "ben");
beforeAll(async () => {
  await backend.sql("update private.limits set value = 1000 where name = 'plans_per_day'");
});
afterEach(() => Promise.all([ana, ben, gus.client].map((client) => client.removeAllChannels())));

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
const tokenOf = async (client: NoshClient) => {
  const [made] = dataOf(await client.rpc("create_personal_link"));
  return made?.token ?? "";
};
const takeOver = (client: NoshClient, token: string) => client.rpc("take_over_guest", { token });
const say = (client: NoshClient, author_id: string, body: string, client_id = crypto.randomUUID()) =>
  client.from("messages").insert({ plan_id: plan, author_id, client_id, body });

/** A plan of Ana's with two times, which guest Gus has joined by a link. */
beforeEach(async () => {
  gus = await guest(backend, "Gus");
  plan = dataOf(
    await ana.rpc("create_plan", {
      title: "Two who are one",
      time_zone: "UTC",
      times: [1, 2].map((day) => ({ starts_at: inDays(day), ends_at: inDays(day + 0.1) })),
    }),
  );
  const options = dataOf(await ana.from("time_options").select("id").eq("plan_id", plan).order("starts_at"));
  times = options.map(({ id }) => id);
  const [invite] = dataOf(await ana.rpc("create_invite", { plan }));
  link = invite?.token ?? "";
  dataOf(await gus.client.rpc("accept_invite", { token: link }));
});

const seats = async () =>
  dataOf(await ana.from("plan_members").select("user_id, role, rsvp").eq("plan_id", plan).order("role"));
const votes = async () => {
  const rows = dataOf(await ana.from("time_votes").select("option_id, user_id, answer").eq("plan_id", plan));
  return Object.fromEntries(
    rows.map(({ option_id, user_id, answer }) => [times.indexOf(option_id), [user_id, answer]]),
  );
};

test("an account takes over a guest's seat with votes and messages; the guest's session has no rights afterwards", async () => {
  expect((await gus.client.rpc("cast_votes", { plan, times: { [times[0] ?? ""]: "yes" } })).error).toBeNull();
  const client_id = crypto.randomUUID();
  expect((await say(gus.client, gus.id, "I bring bread", client_id)).error).toBeNull();
  expect(dataOf(await takeOver(ben, await tokenOf(gus.client)))).toBe(1);

  expect(await seats()).toEqual([
    { user_id: people.ana, role: "host", rsvp: "pending" },
    { user_id: people.ben, role: "guest", rsvp: "pending" },
  ]);
  expect(await votes()).toEqual({ 0: [people.ben, "yes"] });
  // An outbox that lost the response sends the message again, now as the account: it is stored once.
  expect((await say(ben, people.ben, "I bring bread", client_id)).error?.code).toBe("23505");
  expect(dataOf(await ben.from("messages").select("author_id, body").eq("plan_id", plan))).toEqual([
    { author_id: people.ben, body: "I bring bread" },
  ]);
  // The guest's access token is still valid, but gives access to nothing.
  expect(dataOf(await gus.client.from("plans").select("id"))).toEqual([]);
  expect((await gus.client.rpc("cast_votes", { plan })).error?.details).toBe("plan_not_found");
  expect((await say(gus.client, gus.id, "Still here")).error?.code).toBe("42501");
  expect((await gus.client.auth.refreshSession()).error).not.toBeNull();
});

test("where both sit, the account's answers count, missing ones are filled, and others see one person", async () => {
  dataOf(await ben.rpc("accept_invite", { token: link }));
  const [first, second] = [times[0] ?? "", times[1] ?? ""];
  expect((await ben.rpc("cast_votes", { plan, times: { [first]: "no" } })).error).toBeNull();
  expect(
    (await gus.client.rpc("cast_votes", { plan, times: { [first]: "yes", [second]: "if_need_be" } })).error,
  ).toBeNull();
  dataOf(await gus.client.rpc("set_rsvp", { plan, answer: "maybe" }));
  expect(dataOf(await takeOver(ben, await tokenOf(gus.client)))).toBe(1);
  expect(await votes()).toEqual({ 0: [people.ben, "no"], 1: [people.ben, "if_need_be"] });
  expect((await seats()).filter(({ role }) => role === "guest")).toEqual([
    { user_id: people.ben, role: "guest", rsvp: "maybe" },
  ]);
});

test("the account of a guest who hosts becomes the host, past every limit", async () => {
  const hosted = dataOf(await gus.client.rpc("create_plan", { title: "By Gus", time_zone: "UTC" }));
  await backend.sql("update private.limits set value = 0 where name = 'plans_per_day'");
  expect(dataOf(await takeOver(ben, await tokenOf(gus.client)))).toBe(2);
  await backend.sql("update private.limits set value = 1000 where name = 'plans_per_day'");
  expect(dataOf(await ben.from("plan_members").select("user_id, role").eq("plan_id", hosted))).toEqual([
    { user_id: people.ben, role: "host" },
  ]);
  dataOf(await ben.rpc("create_invite", { plan: hosted }));
});

test("the account can remove the guest's photo and its file, another guest of the plan cannot", async () => {
  const path = `${plan}/${gus.id}/${crypto.randomUUID()}.webp`;
  const picture = new Blob([new Uint8Array([1, 2, 3])], { type: "image/webp" });
  dataOf(await gus.client.storage.from("plan-photos").upload(path, picture));
  const added = await gus.client
    .from("photos")
    .insert({ plan_id: plan, author_id: gus.id, path, width: 10, height: 10 })
    .select("id")
    .single();
  const { id } = dataOf(added);
  const face = `${gus.id}/face.webp`;
  dataOf(await gus.client.storage.from("avatars").upload(face, picture));
  const chiara = await signedIn(backend, "chiara");
  dataOf(await chiara.rpc("accept_invite", { token: link }));
  dataOf(await takeOver(ben, await tokenOf(gus.client)));

  await chiara.from("photos").delete().eq("id", id);
  await chiara.storage.from("plan-photos").remove([path]);
  await chiara.storage.from("avatars").remove([face]);
  dataOf(await ben.storage.from("plan-photos").download(path));
  expect(dataOf(await ben.storage.from("avatars").list(gus.id)).map(({ name }) => name)).toEqual([
    "face.webp",
  ]);
  expect((await ben.from("photos").delete().eq("id", id)).error).toBeNull();
  expect(dataOf(await ben.storage.from("plan-photos").remove([path]))).toHaveLength(1);
  expect(dataOf(await ben.storage.from("avatars").remove([face]))).toHaveLength(1);
  expect(
    await backend.sql("select 1 from storage.objects where owner_id in ($1, $2)", [gus.id, people.ben]),
  ).toEqual([]);
});

test("the guest's open channel hears nothing more, the account's does", async () => {
  const before = await planTopic(ana, plan);
  const heardByGus = await joinPrivate(gus.client, before);
  expect(heardByGus.status).toBe("SUBSCRIBED");
  dataOf(await takeOver(ben, await tokenOf(gus.client)));
  await until(heardByGus.heard, 1);
  expect(JSON.stringify(heardByGus.heard)).not.toContain("record");
  const after = await planTopic(ana, plan);
  expect(after).not.toBe(before);
  const heardByBen = await joinPrivate(ben, after);
  expect(heardByBen.status).toBe("SUBSCRIBED");
  await silence();
  const farewell = heardByGus.heard.length;
  expect((await say(ana, people.ana, "Only to those who sit here")).error).toBeNull();
  await until(heardByBen.heard, 1);
  await silence();
  expect(heardByGus.heard).toHaveLength(farewell);
  expect((await joinPrivate(gus.client, after)).status).toBe("CHANNEL_ERROR");
});

test("an account that was removed from a plan does not return with a guest's seat", async () => {
  dataOf(await ben.rpc("accept_invite", { token: link }));
  expect((await ana.rpc("remove_member", { plan, person: people.ben })).error).toBeNull();
  expect(dataOf(await takeOver(ben, await tokenOf(gus.client)))).toBe(0);
  expect((await seats()).map(({ user_id }) => user_id)).toEqual([people.ana]);
  expect((await ben.rpc("accept_invite", { token: link })).error?.details).toBe("removed_before");
});

test("a guest who was removed does not return through an account", async () => {
  const token = await tokenOf(gus.client);
  expect((await ana.rpc("remove_member", { plan, person: gus.id })).error).toBeNull();
  expect(dataOf(await takeOver(ben, token))).toBe(0);
  expect((await ben.rpc("accept_invite", { token: link })).error?.details).toBe("removed_before");
});

test.each([
  ["two devices of one account", () => signedIn(backend, "ben")],
  ["two accounts", async () => ana],
])("%s at once: one takes over everything, the other is told that the link is used", async (_who, other) => {
  const [token, second] = await Promise.all([tokenOf(gus.client), other()]);
  const results = await atOnce(
    backend,
    "select 1 from public.plans where id = $1 for update",
    [plan],
    [() => takeOver(ben, token), () => takeOver(second, token)],
  );
  expect(results.map(({ data, error }) => data ?? error?.details)).toEqual([1, "personal_link_gone"]);
  expect(await seats()).toHaveLength(2);
});

test("a vote that the guest sends meanwhile is moved or refused", async () => {
  const token = await tokenOf(gus.client);
  const vote = (answer: string) => () =>
    gus.client.rpc("cast_votes", { plan, times: { [times[0] ?? ""]: answer } });
  const [before, , after] = await atOnce<{ error: { details: string } | null }>(
    backend,
    "select 1 from public.plans where id = $1 for update",
    [plan],
    [vote("yes"), () => takeOver(ben, token), vote("no")],
  );
  expect(before?.error).toBeNull();
  expect(after?.error?.details).toBe("plan_not_found");
  expect(await votes()).toEqual({ 0: [people.ben, "yes"] });
});

test("a message that the guest sends meanwhile is moved or refused", async () => {
  const token = await tokenOf(gus.client);
  const [first, taken, second] = await atOnce<{ error: unknown }>(
    backend,
    "select 1 from public.profiles where id = $1 for update",
    [gus.id],
    [
      () => say(gus.client, gus.id, "Before"),
      () => takeOver(ben, token),
      () => say(gus.client, gus.id, "After"),
    ],
  );
  expect(taken?.error).toBeNull();
  const acknowledged = [first?.error === null && "Before", second?.error === null && "After"].filter(Boolean);
  const stored = dataOf(
    await ana.from("messages").select("author_id, body").eq("plan_id", plan).order("revision"),
  );
  expect(stored).toEqual(acknowledged.map((body) => ({ author_id: people.ben, body })));
  expect(acknowledged).toContain("Before");
});

test("a session without its second factor cannot take over a guest", async () => {
  const { digits } = await import("../../e2e/authenticator.ts");
  const whole = await signedIn(backend, "dev");
  const { id, totp } = dataOf(await whole.auth.mfa.enroll({ factorType: "totp" }));
  dataOf(await whole.auth.mfa.challengeAndVerify({ factorId: id, code: digits(totp.secret) }));
  const half = await signedIn(backend, "dev");
  const token = await tokenOf(gus.client);
  expect((await takeOver(half, token)).error?.details).toBe("second_step_needed");
  expect(dataOf(await takeOver(whole, token))).toBe(1);
});

test("under concurrent requests of the guest, everything acknowledged is moved, and nothing stays with the guest", async () => {
  for (let round = 0; round < 4; round += 1) {
    if (round > 0) {
      gus = await guest(backend, "Gus");
      dataOf(await gus.client.rpc("accept_invite", { token: link }));
    }
    const token = await tokenOf(gus.client);
    const posts = dataOf(
      await ana
        .from("messages")
        .insert({ plan_id: plan, author_id: people.ana, client_id: crypto.randomUUID(), body: "React" })
        .select("id"),
    );
    const [message_id = ""] = posts.map(({ id }) => id);
    const acknowledged: string[] = [];
    const errors: string[] = [];
    const note = (what: string, error: { code?: string; details?: string; message: string } | null) => {
      if (error) errors.push(`${error.code} ${error.details} ${error.message}`);
      else acknowledged.push(what);
    };
    const work = Array.from({ length: 6 }, (_, at) => async () => {
      const body = `Message ${round}.${at}`;
      const [option = ""] = times;
      const calls = await Promise.all([
        say(gus.client, gus.id, body),
        gus.client.rpc("cast_votes", { plan, times: { [option]: at % 2 ? "yes" : "no" } }),
        gus.client
          .from("reactions")
          .insert({ message_id, plan_id: plan, user_id: gus.id, emoji: at % 2 ? "👍" : "🎉" }),
        gus.client.rpc("set_rsvp", { plan, answer: at % 2 ? "going" : "maybe" }),
        gus.client.rpc("mark_read", { plan, up_to: new Date().toISOString() }),
        ana.from("plans").update({ note: body }).eq("id", plan),
        say(ana, people.ana, `From Ana ${round}.${at}`),
      ]);
      note(body, calls[0].error);
      for (const { error } of calls.slice(1)) if (error) errors.push(`${error.code} ${error.details}`);
    });
    const [taken] = await Promise.all([takeOver(ben, token), ...work.map((each) => each())]);
    expect(taken.error).toBeNull();
    const rows = dataOf(
      await ana
        .from("messages")
        .select("author_id, body")
        .eq("plan_id", plan)
        .like("body", `Message ${round}.%`)
        .order("body"),
    );
    expect(rows).toEqual(acknowledged.sort().map((body) => ({ author_id: people.ben, body })));
    // A refusal is fine; a deadlock or a timeout is not.
    expect(errors.filter((error) => /^40|57014/.test(error))).toEqual([]);
    expect(await backend.sql("select 1 from public.plan_members where user_id = $1", [gus.id])).toEqual([]);
    expect((await seats()).filter(({ user_id }) => user_id === people.ben)).toHaveLength(1);
  }
});

test("a guest who has become an account meanwhile cannot be taken over", async () => {
  const token = await tokenOf(gus.client);
  dataOf(await gus.client.auth.updateUser({ email: `${gus.id}@nosh.test` }));
  expect((await takeOver(ben, token)).error?.details).toBe("no_longer_guest");
  expect((await seats()).map(({ user_id }) => user_id)).toContain(gus.id);
});
