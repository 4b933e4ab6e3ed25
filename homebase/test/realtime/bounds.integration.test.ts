/** Limits on the memory that a client or a transaction can make the service use. */
import { queryObjects } from "node:v8";
import fc from "fast-check";
import { expect, it } from "vitest";
import { silentLog } from "../../src/core/log.ts";
import { HttpRequest } from "../../src/http/request.ts";
import { ChangeStream, type Transaction } from "../../src/realtime/changes/replication/stream.ts";
import { createBackend } from "../../src/testing/index.ts";
import { forThisFile } from "../for-this-file.ts";
import { ChangeRig, on } from "./change-rig.ts";
import { PhoenixSocket, Refused, withLimits } from "./phoenix-socket.ts";

const backend = await forThisFile(createBackend({ bare: true }));

const REFUSED = { extension: "system", status: "error", message: "Too many messages per second" };

/** Policies of private channels are tried with rows of this table, so a join waits for its lock. */
const whileJoinsWait = (work: () => Promise<void>) =>
  backend.database.transaction("postgres", async (client) => {
    await client.query("lock table realtime.messages in access exclusive mode");
    await work();
  });

it("messages before a join is accepted wait for it, so many and no more", async () => {
  await using small = await withLimits(backend, { waitingMessages: 5 });
  const socket = await PhoenixSocket.open(small);
  const send = (name: string, count: number, isPrivate = false) => {
    const config = { private: isPrivate, broadcast: { self: true } };
    socket.push(`realtime:${name}`, "phx_join", { config }, name);
    for (let index = 0; index < count; index += 1) {
      socket.push(`realtime:${name}`, "broadcast", { type: "broadcast", event: "e", payload: { index } });
    }
  };
  send("few", 5);
  await expect.poll(() => socket.heard("broadcast", "realtime:few").length).toBe(5);
  await whileJoinsWait(async () => {
    send("many", 6, true);
    await socket.wait(([, , topic, event]) => topic === "realtime:many" && event === "phx_close");
  });
  expect(socket.heard("system", "realtime:many")).toMatchObject([REFUSED]);
  expect(socket.heard("broadcast", "realtime:many")).toEqual([]);
  socket.close();
});

it("and no more bytes than that", async () => {
  await using small = await withLimits(backend, { waitingBytes: 10_000 });
  const socket = await PhoenixSocket.open(small);
  await whileJoinsWait(async () => {
    socket.push("realtime:large", "phx_join", { config: { private: true } }, "large");
    for (let index = 0; index < 3; index += 1) {
      socket.push("realtime:large", "broadcast", { event: "e", payload: "x".repeat(4_000) });
    }
    await socket.wait(([, , topic, event]) => topic === "realtime:large" && event === "phx_close");
  });
  expect(socket.heard("system", "realtime:large")).toMatchObject([REFUSED]);
  socket.close();
});

it("a frame nested too deeply is dropped, and the socket goes on", async () => {
  const socket = await PhoenixSocket.open(backend);
  const joined = await socket.join("deep", { broadcast: { self: true }, presence: { enabled: true } });
  const deep = "[".repeat(100_000) + "]".repeat(100_000);
  for (const event of ["presence", "broadcast", "access_token", "phx_join"]) {
    socket.socket.send(
      `["${joined.ref}","9","${joined.topic}","${event}",{"event":"track","payload":{"a":${deep}}}]`,
    );
  }
  await socket.settle();
  expect(socket.closed).toBeUndefined();
  expect(socket.heard("phx_close")).toEqual([]);
  socket.close();
});

it("arbitrary frames and bodies neither close a socket nor are failures of the server", async () => {
  const socket = await PhoenixSocket.open(backend);
  const joined = await socket.join("fuzz", { presence: { enabled: true } });
  const event = fc.constantFrom("broadcast", "presence", "access_token", "unknown");
  await fc.assert(
    fc.asyncProperty(event, fc.jsonValue(), fc.jsonValue(), async (name, payload, body) => {
      socket.socket.send(JSON.stringify([joined.ref, "9", joined.topic, name, payload]));
      socket.socket.send(JSON.stringify(body));
      const response = await fetch(`${backend.url}/realtime/v1/api/broadcast`, {
        method: "POST",
        headers: { apikey: backend.publishableKey, "content-type": "application/json" },
        body: JSON.stringify({ messages: [{ topic: "fuzz", event: name, payload: body }, payload] }),
      });
      expect(response.status, await response.text()).toBeLessThan(500);
    }),
    { seed: 13, numRuns: 80 },
  );
  await socket.settle();
  expect(socket.closed).toBeUndefined();
  socket.close();
});

it("by default, 100 sockets with 300 broadcasts each are over the limit: each channel is told, and closed", async () => {
  const sockets = await Promise.all(Array.from({ length: 100 }, () => PhoenixSocket.open(backend)));
  const joined = await Promise.all(sockets.map((socket) => socket.join("flood")));
  for (let count = 0; count < 300; count += 1) {
    for (const [index, socket] of sockets.entries()) {
      socket.push("realtime:flood", "broadcast", { event: "e", payload: {} }, joined[index]?.ref);
    }
  }
  await Promise.all(sockets.map((socket) => socket.wait(([, , , event]) => event === "phx_close")));
  for (const socket of sockets) expect(socket.heard("system")).toMatchObject([REFUSED]);
  const heard = sockets.reduce((sum, socket) => sum + socket.heard("broadcast").length, 0);
  // Of three millions, as many as the limit lets through in the time that this machine takes.
  expect(heard).toBeLessThan(1_000_000);
  for (const socket of sockets) socket.close();
});

it("more sockets than may be open are refused", async () => {
  await using small = await withLimits(backend, { sockets: 2 });
  const open = await Promise.all([PhoenixSocket.open(small), PhoenixSocket.open(small)]);
  await expect(PhoenixSocket.open(small)).rejects.toThrow(Refused);
  for (const socket of open) socket.close();
});

it("a large transaction comes in pieces, and all of it is told in order", async () => {
  const rig = new ChangeRig(backend);
  await rig.table("bulk", "id int primary key, text text", "grant select on public.bulk to authenticated");
  const pieces: Transaction[] = [];
  const stream = await ChangeStream.open({
    database: backend.database,
    log: silentLog,
    publications: ["supabase_realtime"],
    wants: () => true,
    onTransaction: (piece) => pieces.push(piece),
    onEnd: () => {},
  });
  const listener = await rig.listener([on("bulk")]);
  const count = 12_000;
  await backend.sql(
    "insert into public.bulk select n, repeat('x', 1000) from generate_series(1, $1::int) n",
    [count],
  );
  const size = () =>
    pieces.flatMap(({ messages }) => messages.filter(({ kind }) => kind === "insert")).length;
  await expect.poll(size, { timeout: 10_000 }).toBe(count);
  expect(new Set(pieces.map(({ xid }) => xid)).size).toBe(1);
  for (const { messages, bytes } of pieces) {
    expect(messages.length).toBeLessThanOrEqual(5_000);
    expect(bytes).toBeLessThan(4 * 1024 ** 2 + 10_000);
  }
  await stream.close();
  await expect.poll(() => listener.changes.length, { timeout: 15_000 }).toBe(count);
  expect(listener.changes.map(({ record }) => record?.id)).toEqual(
    Array.from({ length: count }, (_, index) => index + 1),
  );
  listener.close();
});

it("an open socket keeps neither the request that it came by nor its headers", async () => {
  const sockets: PhoenixSocket[] = [];
  for (let count = 0; count < 20; count += 1) {
    const socket = await PhoenixSocket.open(backend);
    await socket.join(`kept-${count}`);
    sockets.push(socket);
  }
  // The last request may still be on the stack.
  await expect.poll(() => queryObjects(HttpRequest, { format: "count" })).toBeLessThan(5);
  for (const socket of sockets) socket.close();
});
