/**
 * Owns Phoenix's long-poll transport: sockets for clients whose network lets no WebSocket pass. A GET opens a session
 * or waits for messages, a POST sends them; the answer's `status` is in its body, and the HTTP status is always 200
 * (docs/compat/realtime.md 2; Phoenix, Phoenix.Transports.LongPoll).
 */
import { randomBytes } from "node:crypto";
import { errorBoundary } from "../../core/error-boundary.ts";
import type { Log } from "../../core/log.ts";
import { jsonResponse, type ServiceResponse } from "../../http/exchange.ts";
import { textOfUserBroadcast } from "../kit/frames.ts";
import type { Turns } from "../kit/turns.ts";
import type { Transport } from "./transport.ts";

/** Time that a GET waits for messages. */
const WINDOW_MS = 10_000;
/** A session that nobody has polled for this long has ended. */
const INACTIVE_MS = 15_000;

/** The socket on a session. */
interface PolledSocket {
  receive(data: Buffer, isBinary: boolean): void;
  /** The client is still there: it sends no heartbeats, because it polls. */
  heard(): void;
}

/** The messages for one client, kept until its next GET. */
class Session implements Transport {
  readonly token = randomBytes(24).toString("base64url");
  /** Set once it is made. */
  socket: PolledSocket | undefined;
  readonly #ended: () => void;
  readonly #log: Log;
  #messages: string[] = [];
  #queued = 0;
  #open = true;
  #wake: (() => void) | undefined;
  #timeout: NodeJS.Timeout | undefined;

  constructor(ended: () => void, log: Log) {
    this.#log = log;
    this.#ended = ended;
    this.#watch();
  }

  get open(): boolean {
    return this.#open;
  }

  get queued(): number {
    return this.#queued;
  }

  /** The answer is JSON: broadcasts of JSON travel as text, other bytes as base64. */
  send(frame: string | Buffer): void {
    if (!this.#open) return;
    const text = typeof frame === "string" ? frame : (textOfUserBroadcast(frame) ?? frame.toString("base64"));
    this.#messages.push(text);
    this.#queued += text.length;
    this.#wake?.();
  }

  sendEncoded(frame: Buffer): void {
    const [first = 0, length = 0] = frame;
    const header = length === 127 ? 10 : length === 126 ? 4 : 2;
    const payload = frame.subarray(header);
    this.send((first & 0x0f) === 2 ? payload : payload.toString("utf8"));
  }

  /** There is no close frame: the client's next request finds no session, and begins another. */
  close(): void {
    this.terminate();
  }

  terminate(): void {
    if (!this.#open) return;
    this.#open = false;
    clearTimeout(this.#timeout);
    this.#wake?.();
    this.#ended();
  }

  /**
   * Resolves with the messages that wait, or with those that come within the window.
   * @param signal aborted when the client goes away: its messages are kept for its next GET.
   */
  async poll(signal: AbortSignal): Promise<string[]> {
    clearTimeout(this.#timeout);
    // A second GET ends the wait of the first.
    this.#wake?.();
    if (this.#messages.length === 0 && this.#open) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, WINDOW_MS);
        const wake = () => {
          clearTimeout(timer);
          resolve();
        };
        this.#wake = wake;
        signal.addEventListener("abort", wake, { once: true });
      });
      this.#wake = undefined;
    }
    this.#watch();
    if (signal.aborted) return [];
    const messages = this.#messages;
    this.#messages = [];
    this.#queued = 0;
    return messages;
  }

  #watch(): void {
    clearTimeout(this.#timeout);
    if (!this.#open) return;
    this.#timeout = setTimeout(
      errorBoundary(this.#log, "the timer of a long poll", () => this.terminate()),
      INACTIVE_MS,
    );
    this.#timeout.unref();
  }
}

/** The sessions of a service, by token. */
export class LongPolls {
  readonly #sessions = new Map<string, Session>();
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  /**
   * Opens a session.
   * @param connect makes the socket on the transport.
   * @param ended called when the session is over.
   */
  open(connect: (transport: Transport) => PolledSocket, ended: () => void): ServiceResponse {
    const session = new Session(() => {
      this.#sessions.delete(session.token);
      ended();
    }, this.#log);
    session.socket = connect(session);
    this.#sessions.set(session.token, session);
    return answer(410, { token: session.token, messages: [] });
  }

  /** Waits for messages; undefined when there is no such session. */
  async poll(token: string | null, signal: AbortSignal): Promise<ServiceResponse | undefined> {
    const session = this.#sessions.get(token ?? "");
    if (!session) return undefined;
    session.socket?.heard();
    const messages = await session.poll(signal);
    return answer(messages.length > 0 ? 200 : 204, { token, messages });
  }

  /** Takes a client's messages: one, or with `application/x-ndjson` one on each line. */
  async publish(
    token: string | null,
    body: Buffer,
    contentType: string,
    turns: Turns,
  ): Promise<ServiceResponse> {
    const session = this.#sessions.get(token ?? "");
    if (!session) return answer(410, {});
    const text = body.toString("utf8");
    const lines = contentType.startsWith("application/x-ndjson") ? text.split(/\r?\n/) : [text];
    const receive = errorBoundary(this.#log, "a message by long polling", (line: string) => {
      // What is not JSON is a binary frame as base64, as Phoenix takes it.
      if (/^\s*[[{]/.test(line)) session.socket?.receive(Buffer.from(line), false);
      else if (line !== "") session.socket?.receive(Buffer.from(line, "base64"), true);
    });
    await turns.all(
      session,
      lines.map((line) => () => receive(line)),
    );
    return answer(200, {});
  }

  /** The client may not connect. */
  refuse(): ServiceResponse {
    return answer(403, {});
  }

  close(): void {
    for (const session of [...this.#sessions.values()]) session.terminate();
  }
}

function answer(status: number, data: Record<string, unknown>): ServiceResponse {
  return jsonResponse(200, { ...data, status });
}
