/** Owns hostile WebSocket traffic to Realtime: valid, damaged and meaningless frames of every kind. */
import { once } from "node:events";
import { WebSocket } from "ws";
import { INJECTIONS, random } from "../rest/hostile.ts";
import type { HostileServer } from "./server.ts";

const TOPICS = [
  "realtime:a",
  "realtime:public:things",
  "phoenix",
  "realtime:",
  "a",
  "realtime:\u0000",
  ...INJECTIONS,
];
const EVENTS = ["phx_join", "phx_leave", "heartbeat", "broadcast", "presence", "access_token", "x", ""];
const CHANGES = [
  { event: "*", schema: "public", table: "things" },
  { event: "INSERT", schema: "public", table: "things", filter: "id=eq.1" },
  { event: 1, schema: null, filter: "x" },
  { filter: "id=in.(1,2" },
  null,
  "x",
];
const PAYLOADS: readonly unknown[] = [
  {},
  null,
  1,
  "x",
  [],
  { config: null },
  {
    config: {
      broadcast: { ack: true, self: true },
      presence: { enabled: true, key: "__proto__" },
      private: true,
    },
  },
  { config: { postgres_changes: CHANGES } },
  { config: { broadcast: { replay: { since: "x", limit: -1 } }, private: true } },
  { type: "broadcast", event: "shout", payload: { a: 1 } },
  { event: "track", payload: { __proto__: 1, a: "x".repeat(1_000) } },
  { event: "track", payload: [] },
  { event: "untrack" },
  { access_token: "a.b.c" },
  { access_token: 1 },
];

/**
 * Sends hostile frames on consecutive sockets.
 * @returns the number of frames.
 */
export async function sendHostileFrames(server: HostileServer, seed: number, count: number): Promise<number> {
  const next = random(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T;
  let sent = 0;
  while (sent < count) {
    const version = next() < 0.5 ? "1.0.0" : "2.0.0";
    const socket = new WebSocket(
      `${server.url.replace("http", "ws")}/realtime/v1/websocket?apikey=${server.anonKey}&vsn=${version}`,
      { perMessageDeflate: false },
    );
    socket.on("error", () => {});
    await once(socket, "open");
    const closed = once(socket, "close");
    for (let left = 60; left > 0 && sent < count && socket.readyState === WebSocket.OPEN; left--) {
      sent += 1;
      socket.send(frame(version, next, pick));
      // Responses are read now and then, as by a client.
      if (left % 10 === 0) await new Promise<void>((flushed) => socket.ping("", true, () => flushed()));
    }
    // Last, an invalid frame: reserved bits, an unknown opcode, a length that never arrives.
    const { _socket: raw } = socket as unknown as { _socket?: NodeJS.WritableStream };
    if (next() < 0.5) raw?.write(Buffer.from(Array.from({ length: 20 }, () => Math.floor(next() * 256))));
    socket.terminate();
    await closed;
  }
  return sent;
}

function frame(version: string, next: () => number, pick: <T>(list: readonly T[]) => T): string | Buffer {
  const kind = next();
  if (kind < 0.1)
    return Buffer.from(Array.from({ length: Math.floor(next() * 40) }, () => Math.floor(next() * 256)));
  if (kind < 0.2) {
    const parts = ["1", "2", String(pick(TOPICS)), pick(EVENTS), "{}"].map((part) =>
      Buffer.from(part).subarray(0, 255),
    );
    return Buffer.concat([
      Buffer.from([3, ...parts.map((part) => part.length), 1]),
      ...parts,
      Buffer.from('{"a":1}'),
    ]);
  }
  if (kind < 0.23) return `["1","2","realtime:a","broadcast",${"[".repeat(30_000)}${"]".repeat(30_000)}]`;
  const [joinRef, ref, topic, event, payload] = [
    pick(["1", null, 1, {}]),
    pick(["2", null, 2, []]),
    pick(TOPICS),
    pick(EVENTS),
    pick(PAYLOADS),
  ];
  const text = JSON.stringify(
    version === "2.0.0"
      ? [joinRef, ref, topic, event, payload]
      : { join_ref: joinRef, ref, topic, event, payload },
  );
  return kind < 0.3 ? text.slice(0, Math.floor(next() * text.length)) : text;
}
