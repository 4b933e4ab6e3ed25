/**
 * Guarantees of a plan's channels: removed members hear nothing more, and senders are those that the database
 * knows.
 */

import { afterEach, expect, test } from "vitest";
import { createBackend, forThisFile } from "../../target/integration.ts";
import { joinPrivate, planTopic, silence, until } from "../live.ts";
import { dataOf, type NoshClient, people, signedInEach } from "../people.ts";

const backend = await forThisFile(createBackend());
const [ana, ben, chiara] = await signedInEach(backend, "ana", "ben", "chiara");
afterEach(() => Promise.all([ana, ben, chiara].map((client) => client.removeAllChannels())));

/** A plan of Ana's at which Ben and Chiara sit. */
async function planOfThree(): Promise<string> {
  const plan = dataOf(await ana.rpc("create_plan", { title: "Out", time_zone: "UTC" }));
  const [invite] = dataOf(await ana.rpc("create_invite", { plan }));
  for (const client of [ben, chiara])
    dataOf(await client.rpc("accept_invite", { token: invite?.token ?? "" }));
  // Once a later message has arrived, none of these changes is delivered to a client that joins from here on.
  const topic = await planTopic(ana, plan);
  const witness = await joinPrivate(ana, topic);
  await backend.sql("select realtime.send('{}', 'marker', $1)", [topic]);
  await expect.poll(() => witness.heard.map(({ event }) => event)).toContain("marker");
  await witness.leave();
  return plan;
}

const say = (client: NoshClient, author_id: string, plan_id: string, body: string) =>
  client.from("messages").insert({ plan_id, author_id, client_id: crypto.randomUUID(), body });

test.each([
  ["removed by the host", (plan: string) => ana.rpc("remove_member", { plan, person: people.ben })],
  ["leaving", (plan: string) => ben.rpc("remove_member", { plan, person: people.ben })],
])("who is %s while subscribed hears nothing of what happens afterwards", async (_how, goes) => {
  const plan = await planOfThree();
  const before = await planTopic(ana, plan);
  const heardByBen = await joinPrivate(ben, before);
  const benOnAnas = await joinPrivate(ben, `${before}:${people.ana}`);
  expect([heardByBen.status, benOnAnas.status]).toEqual(["SUBSCRIBED", "SUBSCRIBED"]);
  expect((await goes(plan)).error).toBeNull();
  await until(heardByBen.heard, 1);
  const farewell = [...heardByBen.heard];
  // The last message has no content: only that there is something to read.
  expect(JSON.stringify(farewell)).not.toContain("record");

  const after = await planTopic(ana, plan);
  expect(after).not.toBe(before);
  const heardByChiara = await joinPrivate(chiara, after);
  const chiaraOnAnas = await joinPrivate(chiara, `${after}:${people.ana}`);
  const anas = ana.channel(`${after}:${people.ana}`, {
    config: { private: true, broadcast: { ack: true } },
  });
  await new Promise<void>((resolve) => {
    anas.subscribe((status) => status === "SUBSCRIBED" && resolve());
  });
  expect((await say(ana, people.ana, plan, "Without Ben now")).error).toBeNull();
  expect(await anas.send({ type: "broadcast", event: "position", payload: { latitude: 1 } })).toBe("ok");
  await until(heardByChiara.heard, 1);
  await until(chiaraOnAnas.heard, 1);
  await silence();
  expect(heardByBen.heard).toEqual(farewell);
  expect(benOnAnas.heard).toEqual([]);
  expect((await joinPrivate(ben, after)).status).toBe("CHANNEL_ERROR");
  expect((await joinPrivate(chiara, `${before}:${people.ana}`)).status).toBe("CHANNEL_ERROR");
});

test("who is removed hears nothing of whom their seat goes to", async () => {
  const plan = await planOfThree();
  expect((await ana.from("plans").update({ capacity: 2 }).eq("id", plan)).error).toBeNull();
  for (const client of [ana, ben, chiara]) dataOf(await client.rpc("set_rsvp", { plan, answer: "going" }));
  const bens = await joinPrivate(ben, await planTopic(ana, plan));
  expect((await ana.rpc("remove_member", { plan, person: people.ben })).error).toBeNull();
  const [seat] = dataOf(
    await ana.from("plan_members").select("rsvp").eq("plan_id", plan).eq("user_id", people.chiara),
  );
  expect(seat?.rsvp).toBe("going");
  await until(bens.heard, 1);
  await silence();
  expect(JSON.stringify(bens.heard)).not.toContain(people.chiara);
  expect(bens.heard).toHaveLength(1);
});

test("nobody speaks as another, or as the database", async () => {
  const plan = await planOfThree();
  const topic = await planTopic(ana, plan);
  const [rows, anas] = await Promise.all([
    joinPrivate(chiara, topic),
    joinPrivate(chiara, `${topic}:${people.ana}`),
  ]);
  const token = (await ben.auth.getSession()).data.session?.access_token ?? "";
  const over = (to: string) =>
    fetch(`${backend.url}/realtime/v1/api/broadcast`, {
      method: "POST",
      headers: {
        apikey: backend.publishableKey,
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({
        messages: [{ topic: to, event: "position", payload: { user_id: people.ana }, private: true }],
      }),
    });
  for (const to of [topic, `${topic}:${people.ana}`]) {
    expect((await over(to)).status).toBe(202);
    const joined = ben.channel(to, { config: { private: true, presence: { key: "x" } } });
    await new Promise<void>((resolve) => {
      joined.on("presence", { event: "sync" }, () => undefined);
      joined.subscribe((status) => status === "SUBSCRIBED" && resolve());
    });
    await joined.send({ type: "broadcast", event: "position", payload: { user_id: people.ana } });
    expect(await joined.track({ user_id: people.ana })).not.toBe("ok");
  }
  const bens = await joinPrivate(chiara, `${topic}:${people.ben}`);
  await over(`${topic}:${people.ben}`);
  await until(bens.heard, 1);
  await silence();
  expect([rows.heard, anas.heard]).toEqual([[], []]);
});
