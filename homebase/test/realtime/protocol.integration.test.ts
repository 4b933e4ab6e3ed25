/** The wire protocol: handshake, frames of both serializers, joins, leaves, tokens. */
import { afterAll, expect, test } from "vitest";
import { createBackend } from "../../src/testing/index.ts";
import { forThisFile } from "../for-this-file.ts";
import { PhoenixSocket, Refused, readUserBroadcast, userPush, withLimits } from "./phoenix-socket.ts";

const backend = await forThisFile(createBackend({ bare: true }));
/** The service itself checks the keys of handshakes. */
const bare = await withLimits(backend, {});
afterAll(() => bare[Symbol.asyncDispose]());

const seconds = () => Math.floor(backend.clock.now() / 1000);
const sign = (claims: Record<string, unknown>) => backend.backend.keys.sign(claims);
const token = (sub: string, more: Record<string, unknown> = {}) =>
  sign({ sub, role: "authenticated", exp: seconds() + 3600, ...more });

/** Status and body of a rejected handshake. */
async function refused(options: Parameters<typeof PhoenixSocket.open>[1]): Promise<[number, unknown]> {
  const error = await PhoenixSocket.open(bare, options).then(
    (socket) => {
      socket.close();
      return undefined;
    },
    (failure: unknown) => failure,
  );
  if (!(error instanceof Refused)) throw new Error("The handshake was not refused.");
  return [error.status, error.body === "" ? "" : JSON.parse(error.body)];
}

test("a handshake is refused with the reason that hosted gives", async () => {
  expect(await refused({ key: "nonsense" })).toEqual([
    401,
    { error: "The token provided is not a valid JWT" },
  ]);
  expect(await refused({ key: null })).toEqual([401, { error: "API key is missing" }]);
  expect(await refused({ key: await token("a", { exp: seconds() - 10 }) })).toEqual([
    401,
    { error: "Token has expired" },
  ]);
  expect(await refused({ key: await sign({ role: "anon" }) })).toEqual([
    401,
    { error: "Fields `role` and `exp` are required in JWT" },
  ]);
  expect(await refused({ key: `${backend.anonKey.slice(0, -4)}AAAA` })).toEqual([
    401,
    { error: "Failed to validate JWT signature" },
  ]);
  expect(await refused({ version: "3.0.0" })).toEqual([403, ""]);
});

test("an x-api-key header goes before the key in the address", async () => {
  expect(await refused({ headers: { "x-api-key": "nonsense" } })).toEqual([
    401,
    { error: "The token provided is not a valid JWT" },
  ]);
  using socket = await PhoenixSocket.open(bare, {
    key: "nonsense",
    headers: { "x-api-key": backend.secretKey },
  });
  expect((await socket.join("kitchen")).status).toBe("ok");
});

test("a claim of time may have a fraction, and white space in a token is nothing", async () => {
  const text = await token("a", { exp: seconds() + 100.99, iat: seconds() - 100.99 });
  using socket = await PhoenixSocket.open(bare, { key: `${text.slice(0, 20)}\n${text.slice(20)}\t` });
  expect((await socket.join("kitchen")).status).toBe("ok");
});

test("serializer 2.0.0 answers arrays with join_ref, and a heartbeat without", async () => {
  using socket = await PhoenixSocket.open(backend);
  socket.raw(["7", "7", "realtime:kitchen", "phx_join", { config: {} }, "ignored"]);
  expect(await socket.wait(([, ref]) => ref === "7")).toEqual([
    "7",
    "7",
    "realtime:kitchen",
    "phx_reply",
    { status: "ok", response: { postgres_changes: [] } },
  ]);
  socket.raw([null, "8", "phoenix", "heartbeat", {}]);
  expect(await socket.wait(([, ref]) => ref === "8")).toEqual([
    null,
    "8",
    "phoenix",
    "phx_reply",
    { status: "ok", response: {} },
  ]);
});

test("serializer 1.0.0 answers objects of exactly four keys", async () => {
  using socket = await PhoenixSocket.open(backend, { version: "1.0.0" });
  const texts: string[] = [];
  socket.socket.on("message", (data: Buffer) => texts.push(data.toString()));
  await socket.join("kitchen", { presence: { enabled: true } });
  await socket.wait(([, , , event]) => event === "presence_state");
  expect(texts.map((text) => Object.keys(JSON.parse(text)).sort())).toEqual([
    ["event", "payload", "ref", "topic"],
    ["event", "payload", "ref", "topic"],
  ]);
  expect(texts[1]).toContain('"ref":null');
});

test("malformed frames are dropped and leave the socket open", async () => {
  using socket = await PhoenixSocket.open(backend);
  for (const frame of [
    "",
    "nonsense",
    "{}",
    "[]",
    "[1,2]",
    Buffer.from([9, 9]),
    Buffer.from([3, 255, 1, 1, 1, 0, 1]),
  ])
    socket.raw(frame);
  await socket.settle();
  expect(socket.frames).toHaveLength(1);
});

test("a frame over five million bytes closes the socket with 1009", async () => {
  using socket = await PhoenixSocket.open(backend);
  socket.raw("x".repeat(5_000_001));
  expect(await socket.whenClosed()).toBe(1009);
});

test("leaving is answered and closed under the join's reference, whether joined or not", async () => {
  using socket = await PhoenixSocket.open(backend);
  const { ref, topic } = await socket.join("kitchen");
  const leave = socket.push(topic, "phx_leave", {}, ref);
  await socket.wait(([, , , event]) => event === "phx_close");
  expect(socket.frames.slice(-2)).toEqual([
    [ref, leave, topic, "phx_reply", { status: "ok", response: {} }],
    [ref, ref, topic, "phx_close", {}],
  ]);
  expect(await socket.reply(socket.push(topic, "phx_leave", {}, "99"))).toEqual({
    status: "ok",
    response: {},
  });
});

test("joining a topic again closes the earlier channel under its own reference", async () => {
  using socket = await PhoenixSocket.open(backend);
  const first = await socket.join("kitchen", { broadcast: { self: true } });
  const second = await socket.join("kitchen", { broadcast: { self: true } });
  expect(socket.frames.map(([joinRef, , , event]) => [joinRef, event])).toEqual([
    [first.ref, "phx_reply"],
    [first.ref, "phx_close"],
    [second.ref, "phx_reply"],
  ]);
});

// supabase/realtime 2.129.5, which took the refusal of stale references back (#2111).
test.each([
  ["stale", (first: string) => first],
  ["missing", () => null],
])("a %s reference matters neither to a broadcast nor to presence nor to leaving", async (_, referenceOf) => {
  using socket = await PhoenixSocket.open(backend);
  const config = { broadcast: { self: true, ack: true }, presence: { enabled: true } };
  const first = await socket.join("kitchen", config);
  const { ref, topic } = await socket.join("kitchen", config);
  const joinRef = referenceOf(first.ref);
  const sent = socket.push(topic, "broadcast", { event: "e", payload: {}, type: "broadcast" }, joinRef);
  expect(await socket.reply(sent)).toEqual({ status: "ok", response: {} });
  const tracked = socket.push(topic, "presence", { type: "presence", event: "track", payload: {} }, joinRef);
  expect(await socket.reply(tracked)).toMatchObject({ status: "ok" });
  await socket.wait(([, , , event]) => event === "presence_diff");
  expect(socket.heard("broadcast").map(({ event }) => event)).toEqual(["e"]);
  const left = socket.push(topic, "phx_leave", {}, joinRef);
  await socket.wait(([own, , , event]) => own === ref && event === "phx_close");
  expect(socket.frames.filter(([, own]) => own === left)).toEqual([
    [ref, left, topic, "phx_reply", { status: "ok", response: {} }],
  ]);
});

test("topics that are not joined or not ours are answered as unmatched", async () => {
  using socket = await PhoenixSocket.open(backend);
  const unmatched = { status: "error", response: { reason: "unmatched topic" } };
  expect(await socket.reply(socket.push("realtime:nowhere", "broadcast", {}))).toEqual(unmatched);
  expect(await socket.reply(socket.push("room:1", "phx_join", {}, "2"))).toEqual(unmatched);
});

test("an unknown event on a joined channel is not answered", async () => {
  using socket = await PhoenixSocket.open(backend);
  const { topic, ref } = await socket.join("kitchen");
  socket.push(topic, "dance", {}, ref);
  await socket.settle();
  expect(socket.frames).toHaveLength(2);
});

test("a join is refused with hosted's reasons", async () => {
  using socket = await PhoenixSocket.open(backend);
  const reason = async (more: Record<string, unknown>, name = "kitchen", config: unknown = {}) => {
    const { status, response } = await socket.join(name, config, more);
    expect(status).toBe("error");
    return response.reason;
  };
  expect(await reason({}, "")).toBe("TopicNameRequired: You must provide a topic name");
  expect(await reason({ access_token: await token("a", { exp: seconds() - 7 }) })).toMatch(
    /^InvalidJWTToken: Token has expired [78] seconds ago$/,
  );
  expect(await reason({ access_token: await sign({ exp: seconds() + 9 }) })).toBe(
    "InvalidJWTToken: Fields `role` and `exp` are required in JWT",
  );
  expect(await reason({ access_token: "" })).toBe("MalformedJWT: The token provided is not a valid JWT");
  expect(await reason({ access_token: `${backend.anonKey.slice(0, -4)}AAAA` })).toBe(
    "JwtSignatureError: Failed to validate JWT signature",
  );
  expect(await reason({}, "kitchen", { private: true })).toBe(
    "Unauthorized: You do not have permissions to read from this Channel topic: kitchen",
  );
  const replay = (since: unknown, limit?: unknown) => ({ broadcast: { replay: { since, limit } } });
  expect(await reason({}, "kitchen", replay(1))).toBe(
    "UnableToReplayMessages: Replay is not allowed for public channels",
  );
  const admin = { access_token: backend.serviceRoleKey };
  for (const wrong of [replay("x"), replay(1, "x"), { broadcast: { replay: {} } }]) {
    expect(await reason(admin, "kitchen", { private: true, ...wrong })).toBe(
      "UnableToReplayMessages: Replay params are not valid",
    );
  }
  // The socket itself stays open.
  expect((await socket.join("kitchen")).status).toBe("ok");
});

test("an opaque key in place of a token leaves the handshake's", async () => {
  using socket = await PhoenixSocket.open(backend, { key: backend.secretKey });
  expect((await socket.join("kitchen", { private: true }, { access_token: "sb_publishable_x" })).status).toBe(
    "ok",
  );
  // user_token takes precedence over access_token.
  const both = { access_token: "nonsense", user_token: await token("a") };
  expect((await socket.join("cellar", {}, both)).status).toBe("ok");
});

test("flags may be strings, and what does not parse is as if it were not there", async () => {
  using socket = await PhoenixSocket.open(backend);
  const { topic, ref, status } = await socket.join("kitchen", {
    broadcast: { self: "TRUE", ack: "true" },
    presence: "nonsense",
    postgres_changes: null,
  });
  expect(status).toBe("ok");
  const push = socket.push(topic, "broadcast", { event: "x", payload: { big: 1 }, type: "broadcast" }, ref);
  expect(await socket.reply(push)).toEqual({ status: "ok", response: {} });
  await socket.wait(([, , , event]) => event === "broadcast");
});

test("without a config the topic is the subscription, and changes come under their action's name", async () => {
  await backend.sql("create table public.old_style (id int primary key, body text)");
  await backend.sql("alter publication supabase_realtime add table public.old_style");
  using socket = await PhoenixSocket.open(backend);
  socket.push("realtime:public:old_style:id=eq.2", "phx_join", {}, "1");
  const [, , , , reply] = await socket.wait(([, , , event]) => event === "phx_reply");
  expect(reply.response).toEqual({
    postgres_changes: [{ schema: "public", table: "old_style", filter: "id=eq.2", id: expect.any(Number) }],
  });
  await socket.wait(
    ([, , , event, { message }]) => event === "system" && message === "Subscribed to PostgreSQL",
  );
  await backend.sql("insert into old_style values (1, 'a'), (2, 'b')");
  const [, , , , data] = await socket.wait(([, , , event]) => event === "INSERT");
  expect(data).toMatchObject({ table: "old_style", record: { id: 2, body: "b" } });
});

test("a text broadcast passes on letter by letter, digits that JavaScript cannot keep included", async () => {
  using sender = await PhoenixSocket.open(backend);
  using reader = await PhoenixSocket.open(backend);
  const { topic, ref } = await sender.join("digits");
  await reader.join("digits");
  const texts: string[] = [];
  reader.socket.on("message", (data: Buffer) => texts.push(data.toString()));
  sender.raw(
    `["${ref}","9","${topic}","broadcast", {"event":"x","payload":{"n":9007199254740993, "f":1.0}} ]`,
  );
  await expect
    .poll(() => texts[0])
    .toBe(`[null,null,"${topic}","broadcast",{"event":"x","payload":{"n":9007199254740993, "f":1.0}}]`);
});

test("a binary push arrives as kind 4 with its bytes, and as text at serializer 1.0.0 when it is JSON", async () => {
  using sender = await PhoenixSocket.open(backend);
  using modern = await PhoenixSocket.open(backend);
  using old = await PhoenixSocket.open(backend, { version: "1.0.0" });
  const joined = await sender.join("bytes", { broadcast: { ack: true, self: true } });
  await modern.join("bytes");
  await old.join("bytes");
  const bytes = Buffer.from([0xca, 0xfe, 0, 255]);
  sender.raw(userPush(joined, "41", "picture", bytes));
  sender.raw(userPush(joined, "42", "grüße", '{"a":1}'));
  expect(await sender.reply("41")).toEqual({ status: "ok", response: {} });
  expect(await sender.reply("42")).toEqual({ status: "ok", response: {} });
  for (const socket of [sender, modern]) {
    await expect.poll(() => socket.binary.length).toBe(2);
    const [first, second] = socket.binary.map(readUserBroadcast);
    expect(first).toMatchObject({
      kind: 4,
      encoding: 0,
      topic: "realtime:bytes",
      event: "picture",
      meta: "",
    });
    expect(first?.payload).toEqual(bytes);
    expect(second).toMatchObject({ encoding: 1, event: "grüße" });
    expect(second?.payload.toString()).toBe('{"a":1}');
  }
  await old.settle();
  expect(old.heard("broadcast")).toEqual([{ event: "grüße", payload: { a: 1 }, type: "broadcast" }]);
});

test("a new token is never answered; a bad one ends the channel and not the socket", async () => {
  using socket = await PhoenixSocket.open(backend);
  const join = (name: string) => socket.join(name);
  const quiet = await join("quiet");
  for (const ignored of [null, "sb_publishable_x", 7, backend.anonKey, await token("b")])
    socket.push(quiet.topic, "access_token", { access_token: ignored }, quiet.ref);
  await socket.settle();
  expect(socket.frames.filter(([, , topic]) => topic === quiet.topic)).toHaveLength(1);

  const ended = async (text: string) => {
    const { topic, ref } = await join(`ended-${Math.random()}`);
    socket.push(topic, "access_token", { access_token: text }, ref);
    await socket.wait(([, , on, event]) => on === topic && event === "phx_close");
    const frames = socket.frames.filter(([, , on]) => on === topic);
    expect(frames.map(([joinRef, own, , event]) => [joinRef, own, event])).toEqual([
      [ref, ref, "phx_reply"],
      [ref, null, "system"],
      [ref, ref, "phx_close"],
    ]);
    expect(frames[1]?.[4]).toMatchObject({ extension: "system", status: "error", channel: topic.slice(9) });
    return frames[1]?.[4].message;
  };
  expect(await ended("")).toBe("The token provided is not a valid JWT");
  expect(await ended(await sign({ exp: seconds() + 99 }))).toBe(
    "Fields `role` and `exp` are required in JWT",
  );
  expect(await ended(await token("a", { exp: seconds() - 100 }))).toMatch(
    /^Token has expired 10[01] seconds ago$/,
  );
  expect(await ended(`${backend.anonKey.slice(0, -4)}AAAA`)).toBe(":signature_error");
  await socket.settle();
});

test("a token that runs out ends its channel when it does", async () => {
  using socket = await PhoenixSocket.open(backend);
  const { topic } = await socket.join(
    "short",
    {},
    { access_token: await token("a", { exp: seconds() + 2 }) },
  );
  const [, , , , { message }] = await socket.wait(([, , on, event]) => on === topic && event === "system");
  expect(message).toMatch(/^Token has expired \d seconds ago$/);
  await socket.wait(([, , on, event]) => on === topic && event === "phx_close");
  await socket.settle();
});

test("a Backend that closes tells its sockets to come again", async () => {
  const short = await createBackend({ bare: true });
  using socket = await PhoenixSocket.open(short);
  await socket.join("kitchen");
  await short.drop();
  expect(await socket.whenClosed()).toBe(1012);
});
