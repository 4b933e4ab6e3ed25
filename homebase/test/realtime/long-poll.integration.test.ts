/** The long-poll transport, by the client library's own and by plain requests (docs/compat/realtime.md 2). */
import { LongPoll } from "@supabase/phoenix";
import { RealtimeClient } from "@supabase/realtime-js";
import { beforeAll, expect, test } from "vitest";
import { createBackend } from "../../src/testing/index.ts";
import { forThisFile } from "../for-this-file.ts";

const backend = await forThisFile(createBackend({ bare: true }));
beforeAll(async () => {
  await backend.sql("create table public.notes (id int primary key, body text)");
  await backend.sql("grant select on public.notes to anon");
  await backend.sql("alter publication supabase_realtime add table public.notes");
});

interface Answer {
  status: number;
  token?: string;
  messages?: string[];
}
async function ask(query: Record<string, string>, init?: RequestInit): Promise<Answer> {
  const address = `${backend.url}/realtime/v1/longpoll?${new URLSearchParams({ vsn: "2.0.0", ...query })}`;
  const response = await fetch(address, init);
  expect(response.status).toBe(200);
  return (await response.json()) as Answer;
}
const key = () => ({ apikey: backend.publishableKey });
const join = JSON.stringify([
  "1",
  "1",
  "realtime:room",
  "phx_join",
  { config: { broadcast: { self: true } } },
]);

test("the client library joins, broadcasts, and hears broadcasts and row changes", async () => {
  const clients = [0, 1].map(
    () =>
      new RealtimeClient(`${backend.url.replace("http", "ws")}/realtime/v1`, {
        params: key(),
        transport: LongPoll as never,
      }),
  );
  const heard: unknown[] = [];
  const [mine, theirs] = clients.map((client) => client.channel("talk"));
  mine
    ?.on("broadcast", { event: "said" }, ({ payload }) => heard.push(payload))
    .on("postgres_changes", { event: "INSERT", schema: "public", table: "notes" }, ({ new: row }) =>
      heard.push(row),
    );
  const joined = (channel = mine) =>
    new Promise<void>((resolve) => {
      channel?.subscribe((status) => {
        if (status === "SUBSCRIBED") resolve();
      });
    });
  await Promise.all([joined(mine), joined(theirs)]);
  await theirs?.send({ type: "broadcast", event: "said", payload: { text: "Hello" } });
  await expect.poll(() => heard).toEqual([{ text: "Hello" }]);
  // Subscribing to changes has an answer of its own, a moment after the join.
  await expect
    .poll(async () => {
      await backend.sql("insert into public.notes values ((select count(*) from public.notes), 'row')");
      return heard.length;
    })
    .toBeGreaterThan(1);
  expect(heard[1]).toMatchObject({ body: "row" });
  for (const client of clients) await client.disconnect();
});

test("a session begins with its token, waits for messages, and takes several at once", async () => {
  const { status, token = "" } = await ask(key());
  expect(status).toBe(410);
  const sent = await ask(
    { ...key(), token },
    {
      method: "POST",
      headers: { "content-type": "application/x-ndjson" },
      body: `${join}\n${JSON.stringify([null, "2", "phoenix", "heartbeat", {}])}`,
    },
  );
  expect(sent).toEqual({ status: 200 });
  const messages: string[] = [];
  while (messages.length < 2) {
    const answer = await ask({ ...key(), token });
    expect([200, 204]).toContain(answer.status);
    expect(answer.token).toBe(token);
    messages.push(...(answer.messages ?? []));
  }
  const parsed = messages.map((text) => JSON.parse(text) as [string, string, string, string, object]);
  expect(parsed).toContainEqual([null, "2", "phoenix", "phx_reply", { status: "ok", response: {} }]);
  expect(parsed.find(([, ref]) => ref === "1")?.[4]).toMatchObject({ status: "ok" });
});

test("messages that a client did not fetch because it went away are there for its next request", async () => {
  const { token = "" } = await ask(key());
  const controller = new AbortController();
  const waiting = ask({ ...key(), token }, { signal: controller.signal }).catch(() => "gone");
  controller.abort();
  expect(await waiting).toBe("gone");
  await ask(
    { ...key(), token },
    { method: "POST", body: JSON.stringify([null, "9", "phoenix", "heartbeat", {}]) },
  );
  const texts: string[] = [];
  await expect
    .poll(async () => texts.push(...((await ask({ ...key(), token })).messages ?? [])))
    .toBeGreaterThan(0);
  expect(texts.join()).toContain('"9"');
});

test("nobody gets in without a key, and a session that has ended says so", async () => {
  const refused = await fetch(`${backend.url}/realtime/v1/longpoll?vsn=2.0.0&apikey=nonsense`);
  expect([401, 200]).toContain(refused.status);
  if (refused.status === 200) expect(await refused.json()).toEqual({ status: 403 });
  expect(await ask({ ...key(), vsn: "9.0.0" })).toEqual({ status: 403 });
  expect(await ask({ ...key(), token: "made-up" }, { method: "POST", body: join })).toEqual({ status: 410 });
  const other = await ask({ ...key(), token: "made-up" });
  expect(other.status).toBe(410);
  expect(other.token).not.toBe("made-up");
  const put = await fetch(`${backend.url}/realtime/v1/longpoll?apikey=${backend.publishableKey}`, {
    method: "PUT",
  });
  expect(put.status).toBe(400);
  const large = await fetch(`${backend.url}/realtime/v1/longpoll?apikey=${backend.publishableKey}&token=x`, {
    method: "POST",
    body: "x".repeat(6_000_000),
  });
  expect(large.status).toBe(413);
});
