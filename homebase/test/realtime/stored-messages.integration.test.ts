/**
 * Broadcasts from the database and over HTTP, replay, and the limits (docs/compat/realtime.md 9 to 11, 15).
 */
import { createClient } from "@supabase/supabase-js";
import { beforeAll, expect, test } from "vitest";
import { createBackend } from "../../src/testing/index.ts";
import { forThisFile } from "../for-this-file.ts";
import { ANA, ChangeRig } from "./change-rig.ts";
import { PhoenixSocket, readUserBroadcast, withLimits } from "./phoenix-socket.ts";
import { createRoomPolicies, memberOf, present, say } from "./room-rig.ts";

const backend = await forThisFile(createBackend({ bare: true }));
const rig = new ChangeRig(backend);
const member = memberOf(backend);
beforeAll(() => createRoomPolicies(backend));

test("what the database sends comes with its id, as bytes where it is bytes, to readers only", async () => {
  using one = await member("r:feed", { private: true, broadcast: { replication_ready: true } });
  await one.socket.wait(
    ([, , , event, { message }]) => event === "system" && message === "Replication connection established",
  );
  using open = await member("r:feed");
  await backend.sql("select realtime.send('{\"id\": \"mine\"}', 'json', 'r:feed')");
  await backend.sql("select realtime.send_binary('\\xdeadbeef00ff', 'bytes', 'r:feed')");
  await backend.sql("select realtime.send('{}', 'public', 'r:feed', false)");
  await backend.sql(
    "insert into realtime.messages (topic, extension, event) values ('r:feed', 'broadcast', 'no payload')",
  );
  await expect.poll(() => [one.socket.binary.length, open.socket.binary.length]).toEqual([2, 1]);
  const [json, bytes] = one.socket.binary.map(readUserBroadcast);
  expect(JSON.parse(json?.meta ?? "")).toEqual({ id: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  expect([json?.event, json?.payload.toString()]).toEqual(["json", '{"id": "mine"}']);
  expect([bytes?.encoding, bytes?.payload.toString("hex")]).toEqual([0, "deadbeef00ff"]);
});

test("messages are heard where a block of the project made the publication without their table", async () => {
  await using made = await createBackend({ bare: true });
  await createRoomPolicies(made);
  await made.sql("do $$ begin create publication supabase_realtime_messages_publication; end $$");
  using one = await memberOf(made)("r:feed", { private: true, broadcast: { replication_ready: true } });
  await one.socket.wait(
    ([, , , event, { message }]) => event === "system" && message === "Replication connection established",
  );
  await made.sql("select realtime.send('{}', 'json', 'r:feed')");
  await expect.poll(() => one.socket.binary.length).toBe(1);
});

test("sending into a topic without rights warns and does not undo the caller's work", async () => {
  await backend.sql("create table public.kept (id int)");
  const client = await backend.database.pool("postgres").connect();
  const notices: unknown[] = [];
  client.on("notice", (notice) => notices.push(notice.message));
  await client.query(
    "begin; set local role authenticated; select realtime.send('{}', 'x', 'none'); reset role; insert into kept values (1); commit",
  );
  client.release();
  expect(notices).toEqual([
    expect.stringMatching(/^WarnSendingBroadcastMessage: new row violates row-level security/),
  ]);
  expect(await backend.sql("select id from kept")).toEqual([{ id: 1 }]);
});

test("broadcast_changes refuses statements and other operations, and undoes the caller's work", async () => {
  const call = (operation: string, level: string) =>
    backend.sql(
      `select realtime.broadcast_changes('t', 'e', '${operation}', 'a', 'b', null, null, '${level}')`,
    );
  await expect(call("INSERT", "STATEMENT")).rejects.toThrow(
    "function can only be triggered for each row, not for each statement",
  );
  await expect(call("TRUNCATE", "ROW")).rejects.toThrow(/^Failed to process the row: /);
});

test("stored messages are replayed oldest first as pushes, bytes as kind 4, and do not come again", async () => {
  const since = Date.now() - 1_000;
  using witness = await member("r:replay", { private: true });
  for (const n of [1, 2, 3]) await backend.sql(`select realtime.send('{"n": ${n}}', 'past', 'r:replay')`);
  await backend.sql("select realtime.send_binary('\\xff', 'past', 'r:replay')");
  // The witness has received all of them, so none is delivered live to a client that joins from here on.
  await expect.poll(() => witness.socket.binary.length).toBe(4);
  using one = await member("r:replay", { private: true, broadcast: { replay: { since, limit: 3 } } });
  await expect.poll(() => one.socket.binary.length).toBe(1);
  const frames = one.socket.frames.filter(([, , , event]) => event === "broadcast");
  expect(
    frames.map(([joinRef, ref, , , { payload, meta, type }]) => [joinRef, ref, payload, meta, type]),
  ).toMatchObject([
    [one.ref, null, { n: 2 }, { replayed: true }, "broadcast"],
    [one.ref, null, { n: 3 }, { replayed: true }, "broadcast"],
  ]);
  expect(JSON.parse(readUserBroadcast(one.socket.binary[0] ?? Buffer.alloc(0)).meta)).toMatchObject({
    replayed: true,
  });
  using old = await PhoenixSocket.open(backend, { version: "1.0.0" });
  await old.join(
    "r:replay",
    { private: true, broadcast: { replay: { since } } },
    { access_token: await rig.token() },
  );
  await expect.poll(() => old.heard("broadcast").length).toBe(3);
  using presenceOnly = await PhoenixSocket.open(backend);
  const denied = await presenceOnly.join(
    "R:replay",
    { private: true, presence: { enabled: true }, broadcast: { replay: { since } } },
    { access_token: await rig.token() },
  );
  expect(denied.response.reason).toBe(
    "Unauthorized: You do not have permissions to read from this Channel topic: R:replay",
  );
});

test("a replay that is no map is nothing on a private channel, and refused on a public one like any", async () => {
  using socket = await PhoenixSocket.open(backend);
  const token = { access_token: await rig.token() };
  const join = async (isPrivate: boolean, replay: unknown) =>
    (await socket.join("r:none", { private: isPrivate, broadcast: { replay } }, token)).response;
  for (const replay of [null, 25, []]) {
    expect(await join(true, replay)).toEqual({ postgres_changes: [] });
    expect(await join(false, replay)).toEqual({
      reason: "UnableToReplayMessages: Replay is not allowed for public channels",
    });
  }
});

test("HTTP broadcasts one message as it is, with the answers of hosted", async () => {
  using one = await member("rw:http", { private: true });
  const post = async (path: string, body: string, type = "application/json", sub = ANA) => {
    const response = await fetch(`${backend.url}/realtime/v1/api/broadcast${path}`, {
      method: "POST",
      headers: {
        apikey: backend.publishableKey,
        authorization: `Bearer ${await rig.token(sub)}`,
        "content-type": type,
      },
      body,
    });
    const text = await response.text();
    return [response.status, text === "" ? "" : JSON.parse(text)];
  };
  expect(await post("/rw%3Ahttp/events/a%20b?private=true", '{"n":1}')).toEqual([202, ""]);
  expect(
    await post("/rw%3Ahttp/events/raw?private=true", "\u0001\u0002", "application/octet-stream"),
  ).toEqual([202, ""]);
  expect(await post("/none/events/x?private=true", "{}")).toEqual([403, { message: "Unauthorized" }]);
  expect(await post("/failw/events/x?private=true", "{}")).toEqual([422, { message: "RLS policy error" }]);
  expect(await post("/x/events/x", "{}", "text/plain")).toEqual([
    415,
    { error: "Unsupported Media Type. Use application/json or application/octet-stream" },
  ]);
  await expect.poll(() => one.socket.binary.length).toBe(2);
  const [json, raw] = one.socket.binary.map(readUserBroadcast);
  expect([json?.event, json?.payload.toString(), raw?.encoding]).toEqual(["a b", '{"n":1}', 0]);
  expect(
    await post(
      "",
      '{"messages":[{"topic":"t","event":"e","payload":{}},{"topic":7,"event":"","payload":[]}]}',
    ),
  ).toEqual([
    422,
    {
      errors: {
        messages: [{}, { payload: ["is invalid"], event: ["can't be blank"], topic: ["is invalid"] }],
      },
    },
  ]);
  expect(await post("", "{}")).toEqual([422, { errors: { messages: ["can't be blank"] } }]);
  const ping = await fetch(`${backend.url}/realtime/v1/api/ping`, {
    headers: { apikey: backend.publishableKey },
  });
  expect(await ping.json()).toEqual({ message: "Success" });
});

test("limits have hosted's texts and effects", async () => {
  await using small = await withLimits(backend, {
    connections: 2,
    channelsPerSocket: 2,
    broadcastBytes: 100,
    presencePerWindow: 2,
    messagesPerSecond: 20,
  });
  using one = await PhoenixSocket.open(small);
  using two = await PhoenixSocket.open(small);
  using three = await PhoenixSocket.open(small);
  const first = await one.join("a", { broadcast: { ack: true, self: true }, presence: { enabled: true } });
  await one.join("b");
  expect((await one.join("c")).response).toEqual({ reason: "ChannelRateLimitReached: Too many channels" });
  await two.join("a");
  expect((await three.join("a")).response).toEqual({
    reason: "ConnectionRateLimitReached: Too many connected users",
  });
  await expect(PhoenixSocket.open(small)).rejects.toThrow('429 {"error":"Too many connected users"}');

  const large = one.push(first.topic, "broadcast", say("x", "y".repeat(200)), first.ref);
  expect(await one.reply(large)).toEqual({ status: "error", response: "payload_size_exceeded" });
  const ended = (socket: PhoenixSocket, topic: string) =>
    socket.wait(([, , on, event]) => on === topic && event === "phx_close");
  for (const n of [1, 2, 3]) one.push(first.topic, "presence", present("track", { n }), first.ref);
  await ended(one, first.topic);
  expect(one.heard("system", first.topic)).toMatchObject([
    { message: "Client presence rate limit exceeded" },
  ]);

  const sized = await one.join("sized", { presence: { enabled: true } });
  one.push(sized.topic, "presence", present("track", { text: "y".repeat(200) }), sized.ref);
  await ended(one, sized.topic);
  expect(one.heard("system", sized.topic)).toMatchObject([{ message: "Track message size exceeded" }]);

  const busy = await one.join("busy", { broadcast: { self: true } });
  for (let n = 0; n < 30; n += 1) one.push(busy.topic, "broadcast", say("x"), busy.ref);
  await ended(one, busy.topic);
  expect(one.heard("system", busy.topic)).toMatchObject([{ message: "Too many messages per second" }]);
  const post = await fetch(`${small.url}/realtime/v1/api/broadcast`, {
    method: "POST",
    headers: { apikey: backend.publishableKey, "content-type": "application/json" },
    body: JSON.stringify({
      messages: Array.from({ length: 30 }, () => ({ topic: "t", event: "e", payload: {} })),
    }),
  });
  expect([post.status, await post.json()]).toEqual([
    429,
    { message: expect.stringMatching(/rate limit|batch size/) },
  ]);
});

test("too many joins close the socket; a project may refuse public channels; silence ends a socket", async () => {
  await using hasty = await withLimits(backend, { joinsPerSecond: 3 });
  using one = await PhoenixSocket.open(hasty);
  for (let n = 0; n < 12; n += 1) one.push(`realtime:${n}`, "phx_join", { config: {} }, String(n + 1));
  expect(await one.whenClosed()).toBe(1001);
  expect(one.heard("phx_reply").map(({ response }) => (response as { reason?: string }).reason)).toContain(
    "ClientJoinRateLimitReached: Too many joins per second",
  );
  await using closed = await withLimits(backend, { privateOnly: true, idleMilliseconds: 1_000 });
  using two = await PhoenixSocket.open(closed, { key: backend.secretKey });
  expect((await two.join("a")).response).toEqual({
    reason: "PrivateOnly: This project only allows private channels",
  });
  expect((await two.join("a", { private: true })).status).toBe("ok");
  expect(await two.whenClosed()).toBe(1000);
});

test("a private channel without a partition for today is refused with the reason", async () => {
  await using own = await createBackend({ bare: true });
  using one = await PhoenixSocket.open(own, { key: own.secretKey });
  expect((await one.join("x", { private: true })).status).toBe("ok");
  const [admin] = await own.database
    .query<{ names: string }>(
      "supabase_admin",
      "select string_agg(inhrelid::regclass::text, ', ') as names from pg_inherits where inhparent = 'realtime.messages'::regclass",
      [],
    )
    .then(({ rows }) => rows);
  await own.database.query("supabase_admin", `drop table ${admin?.names}`, []);
  expect((await one.join("x", { private: true })).response.reason).toBe(
    "MissingPartition: Realtime was unable to find the expected messages partition",
  );
});

// supabase/realtime, pull 2022: stored only with the feature flag `broadcast_persistence`, which a project does not have.
test("a message that asks to be stored is delivered, not stored, and the log says so once", async () => {
  const token = await rig.token(ANA);
  const open = () => {
    const realtime = { params: { vsn: "2.0.0" } };
    const client = createClient(backend.url, backend.publishableKey, {
      realtime,
      accessToken: async () => token,
    });
    const config = { private: true, broadcast: { ack: true } };
    return { client, channel: client.channel("rw:persisted", { config }) };
  };
  const [sender, reader] = [open(), open()];
  try {
    const heard: unknown[] = [];
    reader.channel.on("broadcast", { event: "*" }, ({ event }) => heard.push(event));
    for (const { channel } of [sender, reader]) {
      await new Promise<void>((ready) =>
        channel.subscribe((status) => {
          if (status === "SUBSCRIBED") ready();
        }),
      );
    }
    const message = { type: "broadcast", payload: { n: 1 } } as const;
    expect(await sender.channel.send({ ...message, event: "always", persist: true })).toBe("ok");
    expect(await sender.channel.send({ ...message, event: "an hour", persist: { ttl: 3_600 } })).toBe("ok");
    expect(await sender.channel.httpSend("over http", { n: 1 }, { persist: true })).toEqual({
      success: true,
    });
    await expect.poll(() => heard).toEqual(["always", "an hour", "over http"]);
    expect(await backend.sql("select from realtime.messages where topic = 'rw:persisted'")).toEqual([]);
    expect(backend.logs.filter(({ message: text }) => text.includes("`persist`"))).toHaveLength(1);
  } finally {
    for (const { client } of [sender, reader]) await client.removeAllChannels();
  }
});
