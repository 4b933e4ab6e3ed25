/**
 * Real-time messages and their recipients: row changes under row level security, and a plan's private
 * channel.
 */

import { afterEach, expect, test } from "vitest";
import { createBackend, forThisFile } from "../../target/integration.ts";
import { joinPrivate, listenToRows, planTopic, type RowChange, silence, until } from "../live.ts";
import { clientOf, dataOf, people, plans, signedInEach } from "../people.ts";

const backend = await forThisFile(createBackend());
const [ana, ben, dev] = await signedInEach(backend, "ana", "ben", "dev");
afterEach(() => Promise.all([ana, ben, dev].map((client) => client.removeAllChannels())));

const notify = (person: string) =>
  backend.sql("insert into public.notifications (user_id, kind, plan_id) values ($1, 'plan_reopened', $2)", [
    person,
    plans.dinner,
  ]);

test("a notification reaches its person and nobody else", async () => {
  const [anas, bens] = await Promise.all([
    listenToRows(ana, "notifications"),
    listenToRows(ben, "notifications"),
  ]);
  await notify(people.ana);
  await until(anas, 1);
  expect(anas[0]).toMatchObject({ eventType: "INSERT", new: { user_id: people.ana, kind: "plan_reopened" } });
  await silence();
  expect(bens).toEqual([]);
});

test.each(["secret key", "service_role key"])("a client with the %s hears every row", async (kind) => {
  const key = kind === "secret key" ? backend.secretKey : backend.serviceRoleKey;
  const service = clientOf(backend, key);
  try {
    const heard = await listenToRows(service, "notifications");
    await notify(people.ana);
    await notify(people.ben);
    await until(heard, 2);
    expect(heard.map((change) => change.new.user_id)).toEqual([people.ana, people.ben]);
  } finally {
    await service.removeAllChannels();
  }
});

test.each(["default", "full"])(
  "a row that changes hands is heard by its new owner only (replica identity %s)",
  async (identity) => {
    await backend.sql(`alter table public.notifications replica identity ${identity}`);
    const [anas = [], bens = [], devs = []] = await Promise.all(
      [ana, ben, dev].map((client) => listenToRows(client, "notifications")),
    );
    const [row] = await backend.sql<{ id: string }>(
      "insert into public.notifications (user_id, kind, plan_id) values ($1, 'plan_cancelled', $2) returning id",
      [people.ana, plans.dinner],
    );
    await until(anas, 1);
    await backend.sql("update public.notifications set user_id = $1 where id = $2", [people.ben, row?.id]);
    await until(bens, 1);
    await backend.sql("delete from public.notifications where id = $1", [row?.id]);
    await until(bens, 2);
    await silence();
    const kinds = (heard: RowChange[]) => heard.map((change) => change.eventType);
    // Policies cannot be evaluated for a deleted row: every subscriber gets the event, with its key only.
    expect(kinds(anas)).toEqual(["INSERT", "DELETE"]);
    expect(kinds(bens)).toEqual(["UPDATE", "DELETE"]);
    expect(kinds(devs)).toEqual(["DELETE"]);
    for (const heard of [anas, bens, devs]) expect(heard.at(-1)?.old).toEqual({ id: row?.id });
    if (identity === "default") expect(bens[0]?.old).toEqual({ id: row?.id });
  },
);

test("a message comes live with its content to the table's channel, a vote as a bare notice", async () => {
  const topic = await planTopic(ana, plans.noodles);
  const [anas, bens] = await Promise.all([ana, ben].map((client) => joinPrivate(client, topic)));
  expect([anas?.status, bens?.status]).toEqual(["SUBSCRIBED", "SUBSCRIBED"]);
  const body = "Noodles it is";
  const client_id = crypto.randomUUID();
  await ana.from("messages").insert({ plan_id: plans.noodles, author_id: people.ana, client_id, body });
  await until(bens?.heard ?? [], 1);
  expect(bens?.heard[0]).toMatchObject({
    event: "messages",
    payload: { operation: "INSERT", record: { body } },
  });

  const [option] = dataOf(await ben.from("time_options").select("id").eq("plan_id", plans.noodles).limit(1));
  await ana.rpc("cast_votes", { plan: plans.noodles, times: { [option?.id ?? ""]: "yes" } });
  await until(bens?.heard ?? [], 2);
  const { payload } = bens?.heard[1] ?? {};
  expect(payload).toMatchObject({ table: "time_votes", operation: "INSERT", user_id: people.ana });
  expect(JSON.stringify(payload)).not.toContain("yes");
});

test("thirty painted cells are one message with the plan's revision, which a reader of the plan has then", async () => {
  const plan = dataOf(await ana.rpc("create_plan", { title: "Many times", time_zone: "UTC" }));
  for (let hour = 1; hour <= 30; hour += 1) {
    const starts = Date.now() + hour * 3_600_000;
    const [starts_at, ends_at] = [starts, starts + 3_600_000].map((ms) => new Date(ms).toISOString());
    dataOf(await ana.rpc("propose_time", { plan, starts_at: starts_at ?? "", ends_at: ends_at ?? "" }));
  }
  const times = dataOf(await ana.from("time_options").select("id").eq("plan_id", plan));
  const { heard } = await joinPrivate(ana, await planTopic(ana, plan));
  const paint = (cells: typeof times, answer: "yes" | "no") =>
    ana.rpc("cast_votes", { plan, times: Object.fromEntries(cells.map(({ id }) => [id, answer])) });
  expect((await paint(times.slice(0, 15), "yes")).error).toBeNull();
  // Fifteen of these are inserts and fifteen updates.
  expect((await paint(times, "no")).error).toBeNull();
  await until(heard, 2);
  await silence();
  const read = dataOf(await ana.from("plan_channels").select("revision").eq("plan_id", plan).single());
  expect(heard.map(({ payload }) => (payload as { revision: number }).revision)).toEqual([
    read.revision - 1,
    read.revision,
  ]);
});
