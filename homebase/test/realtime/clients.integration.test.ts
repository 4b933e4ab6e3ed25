/**
 * Clients over time: lost sockets and reconnection, several devices of one person, tokens with more rights.
 */
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import { beforeAll, expect, test } from "vitest";
import { createBackend } from "../../src/testing/index.ts";
import { forThisFile } from "../for-this-file.ts";
import { ANA, ChangeRig } from "./change-rig.ts";
import { PhoenixSocket, withLimits } from "./phoenix-socket.ts";
import { present } from "./room-rig.ts";

const backend = await forThisFile(createBackend({ bare: true }));
const rig = new ChangeRig(backend);
beforeAll(async () => {
  await backend.sql(`
    create table public.steps (id int primary key);
    alter publication supabase_realtime add table public.steps;
    create policy own_claim on realtime.messages for select to authenticated
      using (extension = 'presence' or auth.jwt() ->> 'aal' = 'aal2')`);
});

type Metas = Record<string, { metas: Record<string, unknown>[] }>;

function client(): SupabaseClient {
  return createClient(backend.url, backend.publishableKey, {
    auth: { persistSession: false, autoRefreshToken: false },
  });
}

test("the client library comes back after its connection broke, and hears rows, broadcasts and presence again", async () => {
  const supabase = client();
  const heard: unknown[] = [];
  const here: string[][] = [];
  let subscribed = 0;
  let told = 0;
  const channel = supabase
    .channel("walk", { config: { presence: { key: "walker" }, broadcast: { self: true } } })
    .on("postgres_changes", { event: "INSERT", schema: "public", table: "steps" }, ({ new: row }) => {
      heard.push((row as { id: number }).id);
    })
    .on("broadcast", { event: "shout" }, ({ payload }) => heard.push(payload.word))
    .on("presence", { event: "sync" }, () => here.push(Object.keys(channel.presenceState())))
    .on("system", {}, ({ message }) => {
      if (message === "Subscribed to PostgreSQL") told += 1;
    })
    .subscribe((status) => {
      if (status !== "SUBSCRIBED") return;
      subscribed += 1;
      void channel.track({ at: "start" });
    });
  try {
    await expect.poll(() => told).toBe(1);
    await backend.sql("insert into steps values (1)");
    await expect.poll(() => heard).toEqual([1]);
    await expect.poll(() => here.at(-1)).toEqual(["walker"]);

    // The library treats any close code but the normal one as a loss: it waits a second and reconnects.
    const { socketAdapter } = supabase.realtime as unknown as {
      socketAdapter: { getSocket(): { conn: WebSocket } };
    };
    socketAdapter.getSocket().conn.close(4_000, "cut");
    await expect.poll(() => told, { timeout: 15_000 }).toBe(2);
    expect(subscribed).toBe(2);
    await backend.sql("insert into steps values (2)");
    await channel.send({ type: "broadcast", event: "shout", payload: { word: "back" } });
    await expect.poll(() => heard.length).toBe(3);
    expect(new Set(heard)).toEqual(new Set([1, 2, "back"]));
    await expect.poll(() => here.at(-1)).toEqual(["walker"]);
  } finally {
    await supabase.removeAllChannels();
  }
}, 120_000);

test("a person on several devices is here as long as one of them is, however the others end", async () => {
  const device = async (name: string) => {
    const socket = await PhoenixSocket.open(backend);
    const joined = await socket.join("home", { presence: { enabled: true, key: "ana" } });
    await socket.reply(socket.push(joined.topic, "presence", present("track", { name }), joined.ref));
    return { socket, ...joined };
  };
  using watcher = await PhoenixSocket.open(backend);
  const watching = await watcher.join("home", { presence: { enabled: true, key: "bo" } });
  const phone = await device("phone");
  const laptop = await device("laptop");
  const tablet = await device("tablet");
  using late = await PhoenixSocket.open(backend);
  await late.join("home", { presence: { enabled: true } });
  const [state] = late.heard("presence_state") as unknown as Metas[];
  expect(Object.keys(state ?? {})).toEqual(["ana"]);
  expect(state?.ana?.metas.map(({ name }) => name).sort()).toEqual(["laptop", "phone", "tablet"]);

  phone.socket.socket.terminate();
  laptop.socket.push(laptop.topic, "presence", present("untrack"), laptop.ref);
  const gone = () =>
    (watcher.heard("presence_diff", watching.topic) as unknown as { leaves: Metas; joins: Metas }[]).flatMap(
      ({ leaves }) => leaves.ana?.metas.map(({ name }) => name) ?? [],
    );
  await expect.poll(() => gone().sort()).toEqual(["laptop", "phone"]);
  using later = await PhoenixSocket.open(backend);
  await later.join("home", { presence: { enabled: true } });
  expect(later.heard("presence_state")).toMatchObject([{ ana: { metas: [{ name: "tablet" }] } }]);
  tablet.socket.push(tablet.topic, "phx_leave", {}, tablet.ref);
  await expect.poll(() => gone().sort()).toEqual(["laptop", "phone", "tablet"]);
  for (const { socket } of [laptop, tablet]) socket.close();
});

test("too many presence messages of a project end the channel with hosted's words", async () => {
  await using small = await withLimits(backend, { presencePerSecond: 3 });
  using one = await PhoenixSocket.open(small);
  const joined = await one.join("crowd", { presence: { enabled: true } });
  for (let n = 0; n < 8; n += 1) one.push(joined.topic, "presence", present("track", { n }), joined.ref);
  await one.wait(([, , , event]) => event === "phx_close");
  expect(one.heard("system")).toMatchObject([
    { extension: "system", status: "error", message: "Too many presence messages per second" },
  ]);
});

test("a socket that stays without any channel is cut off without a word", async () => {
  await using strict = await withLimits(backend, { channellessMilliseconds: 50 });
  using idle = await PhoenixSocket.open(strict);
  using busy = await PhoenixSocket.open(strict);
  await busy.join("stays");
  expect(await idle.whenClosed()).toBe(1006);
  await busy.settle();
  expect(busy.closed).toBeUndefined();
});

test("a new token that may read broadcasts lets them in, without a new join", async () => {
  using admin = await PhoenixSocket.open(backend, { key: backend.secretKey });
  const sender = await admin.join("news", { private: true });
  using one = await PhoenixSocket.open(backend);
  const joined = await one.join(
    "news",
    { private: true, presence: { enabled: true } },
    { access_token: await rig.token(ANA, { aal: "aal1" }) },
  );
  expect(joined.status).toBe("ok");
  const say = async (n: number) => {
    admin.push(sender.topic, "broadcast", { type: "broadcast", event: "n", payload: { n } }, sender.ref);
    await admin.settle();
  };
  await say(1);
  one.push(joined.topic, "access_token", { access_token: await rig.token(ANA, { aal: "aal2" }) }, joined.ref);
  await one.settle();
  await expect
    .poll(async () => {
      await say(2);
      return one.heard("broadcast").length;
    })
    .toBeGreaterThan(0);
  expect(one.heard("broadcast")[0]).toMatchObject({ payload: { n: 2 } });
});

test("an empty token ends the channel, a key in place of one changes nothing", async () => {
  using one = await PhoenixSocket.open(backend);
  const joined = await one.join("tokens");
  one.push(joined.topic, "access_token", { access_token: "sb_publishable_other" }, joined.ref);
  one.push(joined.topic, "access_token", { access_token: null }, joined.ref);
  await one.settle();
  expect(one.heard("system")).toEqual([]);
  one.push(joined.topic, "access_token", { access_token: "" }, joined.ref);
  await one.wait(([, , , event]) => event === "phx_close");
  expect(one.heard("system")).toMatchObject([
    { status: "error", message: "The token provided is not a valid JWT" },
  ]);
  expect(one.heard("phx_reply", joined.topic)).toHaveLength(1);
});

test("a public topic that is named like a private one hears nothing of it", async () => {
  using admin = await PhoenixSocket.open(backend, { key: backend.secretKey });
  const secret = await admin.join("plans", { private: true, broadcast: { self: true } });
  using spies = await PhoenixSocket.open(backend);
  for (const name of ["private:plans", "plans:private", "plans"]) await spies.join(name);
  admin.push(secret.topic, "broadcast", { type: "broadcast", event: "e", payload: {} }, secret.ref);
  await admin.wait(([, , , event]) => event === "broadcast");
  await spies.settle();
  expect(spies.heard("broadcast")).toEqual([]);
});
