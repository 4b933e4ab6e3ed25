/**
 * Broadcast and presence on the wire: rooms, order, policies, presence state (docs/compat/realtime.md 8, 12,
 * 16).
 */
import { beforeAll, expect, test } from "vitest";
import { createBackend } from "../../src/testing/index.ts";
import { forThisFile } from "../for-this-file.ts";
import { ANA, ChangeRig } from "./change-rig.ts";
import { PhoenixSocket } from "./phoenix-socket.ts";
import { createRoomPolicies, memberOf, present, say } from "./room-rig.ts";

const BO = "22222222-2222-2222-2222-222222222222";

const backend = await forThisFile(createBackend({ bare: true }));
const rig = new ChangeRig(backend);
const member = memberOf(backend);
beforeAll(() => createRoomPolicies(backend));

test("a room is all channels of a name and privacy, other channels of the same socket's user included", async () => {
  using one = await member("rw:room");
  using two = await member("rw:room", {}, BO);
  using closed = await member("rw:room", { private: true });
  one.socket.push(one.topic, "broadcast", say("hello", { n: 1 }), one.ref);
  await two.socket.wait(([, , , event]) => event === "broadcast");
  await Promise.all([one, closed].map(({ socket }) => socket.settle()));
  expect(two.socket.frames.at(-1)).toEqual([null, null, two.topic, "broadcast", say("hello", { n: 1 })]);
  expect([one, closed].map(({ socket }) => socket.heard("broadcast"))).toEqual([[], []]);
});

test("a payload that is no object passes on as it is", async () => {
  using one = await member("odd", { broadcast: { self: true } });
  one.socket.push(one.topic, "broadcast", "not a map", one.ref);
  const [, , , , payload] = await one.socket.wait(([, , , event]) => event === "broadcast");
  expect(payload).toBe("not a map");
});

test("broadcasts of one sender keep their order, the first of them waiting for the policies included", async () => {
  using one = await member("rw:order", { private: true });
  using two = await member("rw:order", { private: true }, BO);
  for (let n = 0; n < 50; n += 1) one.socket.push(one.topic, "broadcast", say("n", n), one.ref);
  await expect.poll(() => two.socket.heard("broadcast").length).toBe(50);
  expect(two.socket.heard("broadcast").map(({ payload }) => payload)).toEqual([...Array(50).keys()]);
});

test("who may only read hears and is not heard: refused where acknowledgement was asked for, else silent", async () => {
  using reader = await member("r:hall", { private: true });
  using asking = await member("r:hall", { private: true, broadcast: { ack: true } });
  const push = asking.socket.push(asking.topic, "broadcast", say("x"), asking.ref);
  expect(await asking.socket.reply(push)).toEqual({ status: "error", response: { error: "unauthorized" } });
  reader.socket.push(reader.topic, "broadcast", say("x"), reader.ref);
  await reader.socket.settle();
  expect(reader.socket.frames).toHaveLength(2);
  await backend.sql("select realtime.send('{\"a\": 1}', 'told', 'r:hall')");
  await expect.poll(() => reader.socket.binary.length).toBe(1);
});

test("write rights are asked for once a token", async () => {
  using one = await member(`rw:own:${ANA}`, { private: true, broadcast: { ack: true } });
  const status = async () =>
    (await one.socket.reply(one.socket.push(one.topic, "broadcast", say("x"), one.ref))).status;
  expect(await status()).toBe("ok");
  await backend.sql("drop policy writing on realtime.messages");
  expect(await status()).toBe("ok");
  const renewed = await rig.token(ANA, { again: true });
  one.socket.push(one.topic, "access_token", { access_token: renewed }, one.ref);
  expect(await status()).toBe("error");
  await backend.sql(`create policy writing on realtime.messages for insert to authenticated
    with check ((extension = 'broadcast' and allows('w')) or (extension = 'presence' and allows('W')))`);
});

test("a new token that may not read ends the channel, and one that may read less", async () => {
  const ending = async (
    name: string,
    config: Record<string, unknown>,
    change: () => Promise<unknown>,
    sub: string,
  ) => {
    using one = await member(name, { private: true, ...config });
    await change();
    const renewed = await rig.token(sub, { again: true });
    one.socket.push(one.topic, "access_token", { access_token: renewed }, one.ref);
    await one.socket.wait(([, , , event]) => event === "phx_close");
    return one.socket.heard("system").at(-1);
  };
  expect(await ending(`r:own:${ANA}`, {}, async () => {}, BO)).toEqual({
    extension: "system",
    status: "error",
    message: `You do not have permissions to read from this Channel topic: r:own:${ANA}`,
    channel: `r:own:${ANA}`,
  });
  const deny = () =>
    backend.sql(
      "create policy no_more on realtime.messages as restrictive for select to authenticated using (extension = 'broadcast')",
    );
  expect(await ending("rR:less", { presence: { enabled: true } }, deny, ANA)).toMatchObject({
    message: "You no longer have permission to read from this Channel topic: rR:less",
  });
  await backend.sql("drop policy no_more on realtime.messages");
});

test("presence alone lets join: no broadcasts, but who is here", async () => {
  using one = await member("RW:lobby", { private: true, presence: { enabled: true, key: "ana" } });
  using other = await PhoenixSocket.open(backend, { key: backend.secretKey });
  const admin = await other.join("RW:lobby", { private: true });
  other.push(admin.topic, "broadcast", say("x"), admin.ref);
  expect(
    await one.socket.reply(one.socket.push(one.topic, "presence", present("track", { a: 1 }), one.ref)),
  ).toEqual({
    status: "ok",
    response: {},
  });
  await other.settle();
  expect(one.socket.heard("broadcast")).toEqual([]);
  expect(one.socket.heard("presence_diff")).toMatchObject([
    { joins: { ana: { metas: [{ a: 1 }] } }, leaves: {} },
  ]);
});

test("the state comes once after the join, the changes to everybody, the tracker included", async () => {
  using one = await member("party", { presence: { enabled: true, key: "k" } });
  const [state] = one.socket.frames.slice(1);
  expect(state).toEqual([one.ref, null, one.topic, "presence_state", {}]);
  const call = async (who: typeof one, event: string, payload?: unknown) =>
    who.socket.reply(who.socket.push(who.topic, "presence", present(event, payload), who.ref));
  await call(one, "TRACK", { mood: "a" });
  await call(one, "track", { mood: "a" });
  await call(one, "track", { mood: "b" });
  // A second device of the same key is a meta of its own.
  using two = await member("party", { presence: { enabled: true, key: "k" } });
  await call(two, "track", { mood: "c" });
  await expect.poll(() => one.socket.heard("presence_diff").length).toBe(3);
  const [first, second, third] = one.socket.heard("presence_diff") as unknown as Diff[];
  const meta = (diff: Diff | undefined, side: "joins" | "leaves") => diff?.[side].k?.metas[0];
  expect(first).toMatchObject({
    joins: { k: { metas: [{ mood: "a", phx_ref: expect.any(String) }] } },
    leaves: {},
  });
  expect(meta(second, "joins")).toMatchObject({ mood: "b", phx_ref_prev: meta(first, "joins")?.phx_ref });
  expect(meta(second, "leaves")).toMatchObject({ mood: "a", phx_ref: meta(first, "joins")?.phx_ref });
  expect(two.socket.heard("presence_state")).toEqual([{ k: { metas: [meta(second, "joins")] } }]);
  expect(meta(third, "joins")?.mood).toBe("c");
  await call(one, "untrack");
  await call(one, "untrack");
  two.socket.socket.terminate();
  await expect.poll(() => one.socket.heard("presence_diff").length).toBe(5);
  expect(one.socket.heard("presence_diff").slice(3)).toMatchObject([
    { joins: {}, leaves: { k: { metas: [{ mood: "b" }] } } },
    { joins: {}, leaves: { k: { metas: [{ mood: "c" }] } } },
  ]);
});

interface Diff {
  joins: Record<string, { metas: Record<string, unknown>[] }>;
  leaves: Record<string, { metas: Record<string, unknown>[] }>;
}

test("who enables presence by tracking is shown who was here before", async () => {
  using one = await member("late", { presence: { enabled: true, key: "one" } });
  await one.socket.reply(one.socket.push(one.topic, "presence", present("track", {}), one.ref));
  using two = await member("late", { presence: { key: "two" } });
  await two.socket.settle();
  expect(two.socket.heard("presence_state")).toEqual([]);
  await two.socket.reply(two.socket.push(two.topic, "presence", present("track", {}), two.ref));
  expect(Object.keys(two.socket.heard("presence_state")[0] ?? {})).toEqual(["one"]);
  expect(two.socket.heard("presence_diff")).toMatchObject([{ joins: { two: {} } }]);
});

test("without a key each channel is somebody of its own, by a UUID of version 1", async () => {
  using one = await member("nameless", { presence: { enabled: true, key: "" } });
  await one.socket.reply(one.socket.push(one.topic, "presence", present("track", {}), one.ref));
  await one.socket.wait(([, , , event]) => event === "presence_diff");
  const [diff] = one.socket.heard("presence_diff") as unknown as Diff[];
  expect(Object.keys(diff?.joins ?? {})[0]).toMatch(
    /^[0-9a-f]{8}-[0-9a-f]{4}-1[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
});

test("a key may be a number or a flag; what can be none is replaced", async () => {
  for (const [key, shown] of [
    [7.5, "7.5"],
    [true, "true"],
    [false, "false"],
    [{ id: 1 }, expect.stringMatching(/^[0-9a-f-]{36}$/)],
  ] as const) {
    using one = await member(`keys ${JSON.stringify(key)}`, { presence: { enabled: true, key } });
    await one.socket.reply(one.socket.push(one.topic, "presence", present("track", {}), one.ref));
    await one.socket.wait(([, , , event]) => event === "presence_diff");
    const [diff] = one.socket.heard("presence_diff") as unknown as Diff[];
    expect(Object.keys(diff?.joins ?? {})).toEqual([shown]);
  }
});

test("presence messages that cannot be are answered, and those without rights", async () => {
  using one = await member("rR:party", { private: true, presence: { enabled: true } });
  const call = async (payload: unknown) =>
    one.socket.reply(one.socket.push(one.topic, "presence", payload, one.ref));
  expect(await call(present("track", {}))).toEqual({ status: "error", response: {} });
  expect(await call(present("dance"))).toEqual({ status: "error", response: {} });
  expect(await call({})).toEqual({ status: "ok", response: {} });
  expect(await call(present("untrack"))).toEqual({ status: "ok", response: {} });
  using two = await member("open");
  expect(
    await two.socket.reply(two.socket.push(two.topic, "presence", present("track", "x"), two.ref)),
  ).toEqual({
    status: "error",
    response: { reason: "Presence track payload must be a map" },
  });
});

test("a presence that may not be read is not told, though broadcasts are", async () => {
  using one = await member("rW:hidden", { private: true, presence: { enabled: true, key: "x" } });
  await one.socket.reply(one.socket.push(one.topic, "presence", present("track", {}), one.ref));
  await one.socket.settle();
  expect([one.socket.heard("presence_state"), one.socket.heard("presence_diff")]).toEqual([[], []]);
});
