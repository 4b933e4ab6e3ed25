/** Owns bare sockets for measurements: the client library's own work is not what is measured. */
import { WebSocket } from "ws";
import { parseBinary } from "../src/realtime/kit/frames.ts";
import type { Target } from "./target.ts";

export interface ListenerOptions {
  topic: string;
  config: unknown;
  /** Also wait until row changes are told. */
  changes?: boolean;
  token?: string;
}

/** The server ends a socket that says nothing for a minute. */
const HEARTBEAT_MS = 25_000;
const HEARTBEAT = JSON.stringify([null, "0", "phoenix", "heartbeat", {}]);
const BEATEN = Buffer.from('"phoenix","phx_reply"');

/** One socket with one channel. */
export class Listener {
  readonly socket: WebSocket;
  closing = false;
  readonly joined: Promise<void>;
  onFrame: (frame: Buffer, binary: boolean) => void = () => {};
  #resolve: () => void = () => {};
  #awaited: Buffer;

  constructor(target: Target, { topic, config, changes = false, token }: ListenerOptions) {
    const url = `${target.url.replace("http", "ws")}/realtime/v1/websocket?vsn=2.0.0&apikey=${target.publishableKey}`;
    this.#awaited = Buffer.from(changes ? '"Subscribed to PostgreSQL"' : '"phx_reply"');
    this.socket = new WebSocket(url, { perMessageDeflate: false, skipUTF8Validation: true });
    this.joined = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.socket.on("error", reject);
    });
    const beat = setInterval(() => this.socket.send(HEARTBEAT), HEARTBEAT_MS);
    this.socket.on("close", () => {
      clearInterval(beat);
      // Who waits for its frames would wait for ever.
      if (!this.closing) throw new Error("The server closed a socket that is measured.");
    });
    this.socket.on("open", () => {
      const payload = { config, ...(token === undefined ? {} : { access_token: token }) };
      this.socket.send(JSON.stringify(["1", "1", `realtime:${topic}`, "phx_join", payload]));
    });
    this.socket.on("message", (data: Buffer, binary: boolean) => {
      if (this.#awaited.length > 0) {
        if (!data.includes(this.#awaited)) return;
        this.#awaited = Buffer.alloc(0);
        this.#resolve();
      } else if (!data.includes(BEATEN)) this.onFrame(data, binary);
    });
  }

  /** The frames from now on, counted; resolves when there are so many. */
  count(frames: number): Promise<void> {
    return new Promise((resolve) => {
      let left = frames;
      this.onFrame = () => {
        left -= 1;
        if (left === 0) resolve();
      };
    });
  }
}

/** Opens many, a few hundred at a time, and waits until all have joined. */
export async function openListeners(
  target: Target,
  count: number,
  options: (index: number) => ListenerOptions,
): Promise<Listener[]> {
  const listeners: Listener[] = [];
  while (listeners.length < count) {
    const some = Array.from({ length: Math.min(200, count - listeners.length) }, (_, index) => {
      return new Listener(target, options(listeners.length + index));
    });
    await Promise.all(some.map(({ joined }) => joined));
    listeners.push(...some);
  }
  return listeners;
}

/** Ends the sockets and waits until the server has noticed. */
export async function closeListeners(listeners: readonly Listener[]): Promise<void> {
  await Promise.all(
    listeners.map((listener) => {
      listener.closing = true;
      return new Promise<void>((resolve) => listener.socket.once("close", () => resolve()).close());
    }),
  );
}

/** A kind 3 frame, as the client library sends broadcasts. */
export function userBroadcast(topic: string, event: string, payload: string): Buffer {
  const names = ["1", "2", topic, event, ""].map((text) => Buffer.from(text));
  const frame = Buffer.concat([
    Buffer.from([3, ...names.map((name) => name.length), 1]),
    ...names,
    Buffer.from(payload),
  ]);
  if (!parseBinary(frame)) throw new Error("The bench writes a frame that the server would drop.");
  return frame;
}
