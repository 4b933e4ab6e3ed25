/** Owns a bare socket for tests: raw frames, without a client library's own behaviour. */
import { WebSocket } from "ws";
import { Gateway } from "../../src/gateway/gateway.ts";
import { defaultLimits, type Limits } from "../../src/realtime/kit/limits.ts";
import { createRealtimeService } from "../../src/realtime/service.ts";
import type { TestBackend } from "../../src/testing/index.ts";

/** `[join_ref, ref, topic, event, payload]`; of serializer 1.0.0 without join_ref, which is undefined then. */
export type Frame = [
  joinRef: string | null | undefined,
  ref: string | null,
  topic: string,
  event: string,
  payload: Payload,
];
export type Payload = Record<string, unknown> & { status?: string; response?: unknown };

const WAIT_MS = 5_000;

export class PhoenixSocket {
  readonly socket: WebSocket;
  readonly frames: Frame[] = [];
  readonly binary: Buffer[] = [];
  /** Close code, when it is closed. */
  closed: number | undefined;
  readonly #version: string;
  #ref = 0;

  private constructor(url: string, version: string, headers: Record<string, string>) {
    this.#version = version;
    this.socket = new WebSocket(url, { headers, perMessageDeflate: false });
    this.socket.on("message", (data: Buffer, binary: boolean) => {
      if (binary) this.binary.push(data);
      else {
        const value = JSON.parse(data.toString("utf8"));
        this.frames.push(
          Array.isArray(value)
            ? (value as Frame)
            : [undefined, value.ref, value.topic, value.event, value.payload],
        );
      }
    });
    this.socket.on("close", (code) => {
      this.closed = code;
    });
  }

  /** Opens a socket; `key` undefined uses the publishable key, null none. */
  static async open(
    { url, publishableKey }: { url: string; publishableKey: string },
    options: { version?: string; key?: string | null; headers?: Record<string, string>; token?: string } = {},
  ): Promise<PhoenixSocket> {
    const version = options.version ?? "2.0.0";
    const key = options.key === undefined ? publishableKey : options.key;
    const query = new URLSearchParams({ vsn: version, ...(key === null ? {} : { apikey: key }) });
    const socket = new PhoenixSocket(
      `${url.replace("http", "ws")}/realtime/v1/websocket?${query}`,
      version,
      options.headers ?? {},
    );
    await new Promise((resolve, reject) => {
      socket.socket.once("open", resolve);
      socket.socket.once("error", reject);
      socket.socket.once("unexpected-response", (_request, response) => {
        let body = "";
        response.on("data", (part: Buffer) => {
          body += part;
        });
        response.on("end", () => reject(new Refused(response.statusCode ?? 0, body)));
      });
    });
    return socket;
  }

  /** Sends a push and returns its ref. */
  push(topic: string, event: string, payload: unknown, joinRef: string | null = null): string {
    this.#ref += 1;
    const ref = String(this.#ref);
    this.raw(
      this.#version === "2.0.0"
        ? [joinRef, ref, topic, event, payload]
        : { topic, event, payload, ref, ...(joinRef === null ? {} : { join_ref: joinRef }) },
    );
    return ref;
  }

  raw(frame: unknown): void {
    this.socket.send(typeof frame === "string" || Buffer.isBuffer(frame) ? frame : JSON.stringify(frame));
  }

  /** Joins a channel and resolves to its join_ref and the reply's payload. */
  async join(name: string, config: unknown = {}, more: Record<string, unknown> = {}): Promise<Joined> {
    const ref = String(this.#ref + 1);
    this.push(`realtime:${name}`, "phx_join", { config, ...more }, ref);
    const [, , , , payload] = await this.wait(
      ([, own, topic, event]) => event === "phx_reply" && own === ref && topic === `realtime:${name}`,
    );
    return {
      ref,
      topic: `realtime:${name}`,
      status: String(payload.status),
      response: payload.response as Payload,
    };
  }

  /** Joins and waits until row changes are delivered. */
  async subscribe(name: string, changes: unknown[], more: Record<string, unknown> = {}): Promise<Joined> {
    const joined = await this.join(name, { postgres_changes: changes }, more);
    await this.wait(
      ([, , topic, event, { message }]) =>
        topic === joined.topic && event === "system" && message === "Subscribed to PostgreSQL",
    );
    return joined;
  }

  /** The reply to a push. */
  async reply(ref: string): Promise<Payload> {
    return (await this.wait(([, own, , event]) => event === "phx_reply" && own === ref))[4];
  }

  /** The first matching frame, past or future. */
  async wait(fits: (frame: Frame) => boolean): Promise<Frame> {
    const deadline = performance.now() + WAIT_MS;
    for (let looked = 0; ; ) {
      // A frame is looked at once: a hundred sockets may have a million.
      for (; looked < this.frames.length; looked += 1) {
        const frame = this.frames[looked];
        if (frame && fits(frame)) return frame;
      }
      if (performance.now() > deadline) throw new Error(`No such frame among ${JSON.stringify(this.frames)}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  /** Payloads of an event on a topic, so far. */
  heard(event: string, topic?: string): Payload[] {
    return this.frames
      .filter(([, , on, name]) => name === event && (topic === undefined || on === topic))
      .map(([, , , , payload]) => payload);
  }

  /** `data` of the row changes so far. */
  get changes(): Change[] {
    return this.heard("postgres_changes").map(({ data }) => data as Change);
  }

  async whenClosed(): Promise<number> {
    if (this.closed !== undefined) return this.closed;
    return new Promise((resolve) => this.socket.once("close", resolve));
  }

  /** Ensures that everything sent before was processed: a heartbeat is answered in order. */
  async settle(): Promise<void> {
    await this.reply(this.push("phoenix", "heartbeat", {}));
  }

  close(): void {
    this.socket.close();
  }

  [Symbol.dispose](): void {
    this.socket.terminate();
  }
}

export interface Joined {
  ref: string;
  topic: string;
  status: string;
  response: Payload;
}

export interface Change {
  schema: string;
  table: string;
  type: string;
  commit_timestamp: string | null;
  columns: { name: string; type: string }[];
  errors: string[] | null;
  record?: Record<string, unknown>;
  old_record?: Record<string, unknown>;
}

/** A handshake that got an HTTP response. */
export class Refused extends Error {
  readonly status: number;
  readonly body: string;
  constructor(status: number, body: string) {
    super(`${status} ${body}`);
    this.status = status;
    this.body = body;
  }
}

/** A kind 3 frame: a user broadcast of a client. */
export function userPush(
  { topic, ref: joinRef }: Joined,
  ref: string,
  event: string,
  payload: Buffer | string,
): Buffer {
  const names = [joinRef, ref, topic, event, ""].map((text) => Buffer.from(text));
  const encoding = typeof payload === "string" ? 1 : 0;
  return Buffer.concat([
    Buffer.from([3, ...names.map(({ length }) => length), encoding]),
    ...names,
    Buffer.from(payload),
  ]);
}

/** Parses a kind 4 frame. */
export function readUserBroadcast(frame: Buffer) {
  const [kind, topicLength = 0, eventLength = 0, metaLength = 0, encoding] = frame;
  let at = 5;
  const take = (length: number) => {
    at += length;
    return frame.toString("utf8", at - length, at);
  };
  const [topic, event, meta] = [take(topicLength), take(eventLength), take(metaLength)];
  return { kind, encoding, topic, event, meta, payload: frame.subarray(at) };
}

/**
 * A realtime service with its own limits next to a Backend's, on the same database, behind a gateway that
 * does not check keys.
 */
export async function withLimits(backend: TestBackend, limits: Partial<Limits>) {
  const { keys, clock, log } = backend.backend;
  const service = await createRealtimeService(
    {
      config: backend.config,
      keys,
      clock,
      log,
      database: backend.database,
      url: backend.url,
      storageFolder: backend.storageFolder,
      sendMail: async () => undefined,
      happened: () => {},
    },
    { ...defaultLimits, ...limits },
  );
  const gateway = new Gateway({ keys, log, keylessAllowed: true, service: () => service });
  const port = await gateway.listen(0);
  return {
    url: `http://127.0.0.1:${port}`,
    publishableKey: backend.publishableKey,
    service,
    [Symbol.asyncDispose]: async () => {
      await service.close();
      await gateway.close();
    },
  };
}
