/**
 * Web push, from the change of a plan to the text on the device: the function runs in its real runtime and sends to a
 * push service of the tests, whose device decrypts the message and checks the sender's token.
 */
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { makeVapidKeys } from "../../scripts/vapid-keys.ts";
import { createBackend, type TestBackend } from "../target/integration.ts";
import { dataOf, guest, type NoshClient, people, plans, signedIn, signedInEach } from "./people.ts";
import { type Device, newDevice, startPushService } from "./push-service.ts";

const vapid = makeVapidKeys("mailto:table@nosh.test");
let ana: NoshClient;
let ben: NoshClient;

const service = await startPushService();
const backend = await createBackend({
  config: { edge_runtime: { secrets: { ...vapid, PUSH_STAND_IN: service.standIn } } },
});
beforeAll(async () => {
  await setProjectUrl(backend.url);
  // Messages wait until a decision can no longer be undone.
  await backend.sql("update private.limits set value = 1 where name = 'undo_seconds'");
  // No hours are known, so that the day of the test does not matter.
  await backend.sql("delete from public.place_hours");
  [ana, ben] = await signedInEach(backend, "ana", "ben");
});
afterAll(async () => {
  await backend.drop();
  service?.close();
});
afterEach(async () => {
  service.received.length = 0;
  service.answers.clear();
  await setProjectUrl(backend.url);
  await backend.sql("delete from public.push_subscriptions");
  await backend.sql(
    `update public.plans set status = 'polling', chosen_time_id = null, chosen_place_id = null, nudged_at = null,
       title = 'Dinner before the holidays', note = '' where id = $1`,
    [plans.dinner],
  );
  await backend.sql("update public.private_profiles set language = 'en', mail_reminders = true");
});

/** Sets the URL at which the database calls the functions; with null nothing is delivered. */
async function setProjectUrl(url: string | null): Promise<void> {
  await backend.sql(
    "select vault.update_secret((select id from vault.secrets where name in ('project_url', 'off')), $1, $2)",
    [url, url === null ? "off" : "project_url"],
  );
}

async function deviceOf(client: NoshClient): Promise<Device> {
  const device = newDevice(vapid.VAPID_PUBLIC_KEY);
  dataOf(await client.rpc("save_push_subscription", device.subscription));
  return device;
}

/** Confirms the dinner of the seed, at its first time and place. */
async function confirm(): Promise<void> {
  const [option] = await backend.sql<{ time: string; place: string; everybody: string[] }>(
    `select (select id from public.time_options where plan_id = p.id order by starts_at limit 1) as time,
       (select id from public.place_options where plan_id = p.id order by id limit 1) as place,
       (select array_agg(user_id) from public.plan_members where plan_id = p.id) as everybody
     from public.plans as p where p.id = '${plans.dinner}'`,
  );
  const { error } = await ana.rpc("confirm_plan", {
    plan: plans.dinner,
    time_option: option?.time ?? "",
    place_option: option?.place ?? "",
    unsafe_for: option?.everybody ?? [],
  });
  expect(error).toBeNull();
}

/** Changes the confirmed dinner to its last time, at the same place. */
async function moveToLastTime() {
  const [plan] = await backend.sql<{ was: string; place: string; time: string; everybody: string[] }>(
    `select p.chosen_time_id as was, p.chosen_place_id as place,
       (select id from public.time_options where plan_id = p.id order by starts_at desc limit 1) as time,
       (select array_agg(user_id) from public.plan_members where plan_id = p.id) as everybody
     from public.plans as p where p.id = '${plans.dinner}'`,
  );
  const { error } = await ana.rpc("change_choice", {
    plan: plans.dinner,
    was_time: plan?.was ?? "",
    was_place: plan?.place ?? "",
    time_option: plan?.time ?? "",
    place_option: plan?.place ?? "",
    unsafe_for: plan?.everybody ?? [],
  });
  return error;
}

const waiting = () => backend.sql("select kind, attempts, failure from private.outgoing_push");

test("a device is notified of a decision, a change and a cancellation in the person's language", async () => {
  dataOf(await ben.from("private_profiles").update({ language: "de" }).eq("id", people.ben).select());
  const [phone, laptop] = [await deviceOf(ben), await deviceOf(ben)];
  const hosts = await deviceOf(ana);
  await confirm();
  await expect.poll(() => phone.messages(service).length).toBe(1);
  await expect.poll(() => laptop.messages(service).length).toBe(1);
  const [decided] = phone.messages(service);
  expect(decided).toMatchObject({
    title: "Dinner before the holidays",
    body: expect.stringMatching(/^Es steht fest: \w\w\., \d+\. \S+, \d\d:\d\d, \S/),
    path: `/plans/${plans.dinner}`,
    tag: `plan:${plans.dinner}`,
    lang: "de",
    topic: plans.dinner.replaceAll("-", ""),
  });
  expect(decided?.ttl).toBeGreaterThan(0);

  const changed = await ana
    .from("plans")
    .update({ note: "Back entrance" })
    .eq("id", plans.dinner)
    .select("id");
  expect(dataOf(changed)).toHaveLength(1);
  await expect.poll(() => phone.messages(service).length).toBe(2);
  expect(phone.messages(service)[1]?.body).toMatch(/^Name oder Notiz wurde geändert\. /);

  expect(await moveToLastTime()).toBeNull();
  await expect
    .poll(() => phone.messages(service).at(-1)?.body)
    .toMatch(/^Geändert: \w\w\., \d+\. \S+, \d\d:\d\d, .+\. Bist du dabei\?$/);

  expect((await ana.rpc("cancel_plan", { plan: plans.dinner })).error).toBeNull();
  await expect.poll(() => phone.messages(service).at(-1)?.body).toBe("Abgesagt.");
  await expect.poll(waiting).toEqual([]);
  // The host made the decision and is not notified.
  expect(hosts.messages(service)).toEqual([]);
});

test("the subscription of a device that the push service no longer knows is deleted", async () => {
  const [gone, missing, kept] = [await deviceOf(ben), await deviceOf(ben), await deviceOf(ben)];
  service.answers.set(gone.path, 410);
  service.answers.set(missing.path, 404);
  await confirm();
  await expect.poll(() => kept.messages(service).length).toBe(1);
  await expect
    .poll(() => backend.sql("select endpoint from public.push_subscriptions"))
    .toEqual([{ endpoint: kept.subscription.endpoint }]);
  await expect.poll(waiting).toEqual([]);
});

test("no message is lost while a push service is down; of several decisions the newest is sent", async () => {
  const device = await deviceOf(ben);
  const answered = async () => (await backend.sql("select from net._http_response")).length;
  const before = await answered();
  service.answers.set(device.path, 503);
  await confirm();
  await expect
    .poll(waiting)
    .toEqual([
      { kind: "plan_confirmed", attempts: 1, failure: expect.stringContaining("push service answered 503") },
    ]);
  service.answers.clear();
  await backend.sql("update private.outgoing_push set taken_at = now() - interval '11 minutes'");
  await backend.sql("select private.deliver_push()");
  await expect.poll(() => device.messages(service).length).toBe(1);

  // Until its answer the function asks for more messages, and would take the next one.
  await expect.poll(answered).toBeGreaterThanOrEqual(before + 2);
  await setProjectUrl(null);
  expect(await moveToLastTime()).toBeNull();
  dataOf(await ana.from("plans").update({ note: "Ring twice" }).eq("id", plans.dinner).select("id"));
  expect((await waiting()).map(({ kind }) => kind)).toEqual(["plan_moved"]);
  expect((await ana.rpc("cancel_plan", { plan: plans.dinner })).error).toBeNull();
  expect((await ana.rpc("restore_plan", { plan: plans.dinner })).error).toBeNull();
  dataOf(await ana.from("plans").update({ title: "Late dinner" }).eq("id", plans.dinner).select("id"));
  expect((await waiting()).map(({ kind }) => kind)).toEqual(["plan_restored"]);
});

test("a private address is never called, and its subscription is deleted", async () => {
  const { p256dh, auth } = newDevice(vapid.VAPID_PUBLIC_KEY).subscription;
  for (const endpoint of [
    "https://127.0.0.1/push",
    "https://[::1]/push",
    "https://169.254.169.254/latest",
    "https://vault.internal/push",
    "https://push.test:8443/push",
  ]) {
    dataOf(await ben.rpc("save_push_subscription", { endpoint, p256dh, auth }));
  }
  await confirm();
  await expect.poll(() => backend.sql("select endpoint from public.push_subscriptions")).toEqual([]);
});

test("invalid subscriptions are refused, and so is an eleventh device", async () => {
  const { endpoint, p256dh, auth } = newDevice(vapid.VAPID_PUBLIC_KEY).subscription;
  for (const bad of [
    { endpoint: "http://push.test/x", p256dh, auth },
    { endpoint: "https://me@push.test/x", p256dh, auth },
    { endpoint: `https://push.test/${"x".repeat(1000)}`, p256dh, auth },
    { endpoint, p256dh: p256dh.slice(1), auth },
    { endpoint, p256dh, auth: `${auth}==` },
  ]) {
    const { error } = await ben.rpc("save_push_subscription", bad);
    expect([error?.code, error?.details]).toEqual(["PT400", "push_bad_subscription"]);
  }
  for (let count = 0; count < 10; count += 1) await deviceOf(ben);
  const { error } = await ben.rpc("save_push_subscription", { endpoint, p256dh, auth });
  expect([error?.code, error?.details]).toEqual(["PT409", "too_many_push_devices"]);
});

test("a device belongs to the person who subscribed last, and messages for the one before are deleted", async () => {
  const device = await deviceOf(ben);
  const dev = await signedIn(backend, "dev");
  const mine = dataOf(await dev.rpc("save_push_subscription", device.subscription));
  expect(dataOf(await ben.from("push_subscriptions").select("id"))).toEqual([]);
  expect(dataOf(await dev.from("push_subscriptions").select("id, user_id"))).toEqual([
    { id: mine, user_id: people.dev },
  ]);
  // Saving it again keeps the row.
  expect(dataOf(await dev.rpc("save_push_subscription", device.subscription))).toBe(mine);
  expect(dataOf(await dev.rpc("export_my_data"))).toMatchObject({
    push_subscriptions: [{ id: mine, service: "https://push.test" }],
  });
  expect((await dev.rpc("delete_my_account")).error).toBeNull();
  expect(await backend.sql("select id from public.push_subscriptions")).toEqual([]);
});

test("hosts nudge people with an open question once a day, about that question; nobody else is notified", async () => {
  const [bens, chiaras] = [await deviceOf(ben), await deviceOf(await signedIn(backend, "chiara"))];
  await backend.sql("update public.plans set vote_deadline = null where id = $1", [plans.dinner]);
  for (const kind of ["time", "place"])
    await backend.sql(
      `insert into public.${kind}_votes (option_id, plan_id, user_id, answer)
       select o.id, o.plan_id, m.user_id, 'yes' from public.${kind}_options as o
       join public.plan_members as m on m.plan_id = o.plan_id
       where o.plan_id = $1 and m.user_id <> $2 on conflict do nothing`,
      [plans.dinner, people.ben],
    );
  for (const votes of ["time_votes", "place_votes"]) {
    await backend.sql(`delete from public.${votes} where plan_id = $1 and user_id = $2`, [
      plans.dinner,
      people.ben,
    ]);
  }
  expect((await ben.rpc("nudge_voters", { plan: plans.dinner })).error?.details).toBe("not_host");
  expect(dataOf(await ana.rpc("nudge_voters", { plan: plans.dinner }))).toBe(1);
  await expect
    .poll(() => bens.messages(service))
    .toMatchObject([
      {
        title: "Dinner before the holidays",
        body: "When can you make it?",
        path: `/plans/${plans.dinner}?tab=when`,
      },
    ]);
  expect(chiaras.messages(service)).toEqual([]);
  expect((await ana.rpc("nudge_voters", { plan: plans.dinner })).error?.details).toBe("nudged_today");
  const told = dataOf(await ben.from("notifications").select("kind, actor_id").eq("kind", "vote_nudge"));
  expect(told).toEqual([{ kind: "vote_nudge", actor_id: people.ana }]);

  const [time] = dataOf(await ben.from("time_options").select("id").eq("plan_id", plans.dinner).limit(1));
  await ben.rpc("cast_votes", { plan: plans.dinner, times: { [time?.id ?? ""]: "no" } });
  await backend.sql("update public.plans set nudged_at = null where id = $1", [plans.dinner]);
  expect(dataOf(await ana.rpc("nudge_voters", { plan: plans.dinner }))).toBe(1);
  await expect
    .poll(() => bens.messages(service).at(-1))
    .toMatchObject({ body: "Where would you like to eat?", path: `/plans/${plans.dinner}?tab=where` });
});

test("hosts see the ids of people who get neither mail nor push, guests do not", async () => {
  const greta = await guest(backend, "Greta");
  const [invite] = dataOf(await ana.rpc("create_invite", { plan: plans.dinner }));
  dataOf(await greta.client.rpc("accept_invite", { token: invite?.token ?? "" }));
  const unreached = async () => dataOf(await ana.rpc("plan_unreachable", { plan: plans.dinner }));
  const before = await unreached();
  expect(before).toContain(greta.id);
  expect(before).not.toContain(people.ben);
  await deviceOf(greta.client);
  expect(await unreached()).not.toContain(greta.id);
  dataOf(await ben.from("private_profiles").update({ mail_reminders: false }).eq("id", people.ben).select());
  expect(await unreached()).toContain(people.ben);
  expect((await ben.rpc("plan_unreachable", { plan: plans.dinner })).error?.details).toBe("not_host");
});

test("without keys the public key is null, and sending responds 503", async () => {
  const ask = async (at: TestBackend, init: RequestInit = {}) => {
    const response = await fetch(`${at.url}/functions/v1/web-push`, {
      ...init,
      headers: { apikey: at.publishableKey, ...init.headers },
    });
    return { status: response.status, body: await response.json() };
  };
  expect(await ask(backend)).toEqual({ status: 200, body: { public_key: vapid.VAPID_PUBLIC_KEY } });
  expect((await ask(backend, { method: "POST" })).status).toBe(401);
  const guess = { method: "POST", headers: { "x-reminders-secret": "guess" } };
  expect((await ask(backend, guess)).status).toBe(403);

  await using without = await createBackend();
  expect(await ask(without)).toEqual({ status: 200, body: { public_key: null } });
  const [row] = await without.sql<{ secret: string }>(
    "select decrypted_secret as secret from vault.decrypted_secrets where name = 'reminders_secret'",
  );
  const known = { method: "POST", headers: { "x-reminders-secret": row?.secret ?? "" } };
  expect(await ask(without, known)).toMatchObject({ status: 503, body: { code: "push_not_configured" } });
});
