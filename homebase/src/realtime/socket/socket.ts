/** Owns one WebSocket: frames, heartbeat, channels, limits (docs/compat/realtime.md 3 and 4). */
import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import type { Foreign } from "../../http/exchange.ts";
import { Channel, type ChannelSocket } from "../channel/channel.ts";
import { parseJoin } from "../channel/join.ts";
import type { Hub } from "../hub.ts";
import type { Token } from "../token.ts";
import { type ClientMessage, parseBinary, parseText, type Serializer, writeText } from "./frames.ts";

const CLOSE_NORMAL = 1000;
const CLOSE_FORCED = 1001;
const CLOSE_POLICY = 1008;
const CLOSE_ERROR = 1011;
/** Time for a slow reader to receive the close frame. */
const DROP_MS = 5_000;

/** One WebSocket with its channels. */
export class RealtimeSocket implements ChannelSocket {
  readonly serializer: Serializer;
  readonly token: Token;
  readonly headers: Record<string, unknown>;
  readonly foreign: Foreign | undefined;
  readonly #hub: Hub;
  readonly #socket: WebSocket;
  /** The underlying TCP socket. */
  readonly #connection: Duplex;
  readonly #channels = new Map<string, Channel>();
  #lastHeard = performance.now();
  #corked = false;
  #dropped = false;
  #channellessSince: number | undefined = performance.now();

  constructor(
    hub: Hub,
    socket: WebSocket,
    connection: Duplex,
    serializer: Serializer,
    token: Token,
    headers: Record<string, unknown>,
    foreign: Foreign | undefined,
  ) {
    this.#hub = hub;
    this.#socket = socket;
    this.#connection = connection;
    this.serializer = serializer;
    this.token = token;
    this.headers = headers;
    this.foreign = foreign;
    socket.on("message", (data: Buffer, isBinary: boolean) => {
      // An error in a frame ends only its own socket.
      try {
        this.#receive(data, isBinary);
      } catch (error) {
        hub.context.log.error("A frame could not be dealt with.", { error: String(error) });
        this.close(CLOSE_ERROR, "");
      }
    });
    // `ws` sends a close code with the reason itself, e.g. for a frame that is too large.
    socket.on("error", () => {});
  }

  /** The connection is closed: its channels end without a message. */
  end(): void {
    this.#hub.joined.delete(this);
    for (const channel of [...this.#channels.values()]) channel.close(false);
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }

  /** Called about every second: closes silent sockets, and sockets without channels. */
  check(now: number): void {
    const { idleMilliseconds, channellessMilliseconds } = this.#hub.limits;
    if (now - this.#lastHeard > idleMilliseconds) this.close(CLOSE_NORMAL, "");
    else if (this.#channellessSince !== undefined && now - this.#channellessSince > channellessMilliseconds) {
      this.#socket.terminate();
    }
  }

  send(frame: string | Buffer): void {
    if (this.#writable()) this.#socket.send(frame, { binary: typeof frame !== "string" });
  }

  /**
   * Writes an already framed message. Without compression `ws` writes whole frames at once, so ours can go
   * between its own.
   */
  sendEncoded(frame: Buffer): void {
    if (!this.#writable()) return;
    if (!this.#corked) {
      // Frames of the same moment are sent in one write, to save system calls.
      this.#corked = true;
      this.#connection.cork();
      process.nextTick(() => {
        this.#corked = false;
        this.#connection.uncork();
      });
    }
    this.#connection.write(frame);
  }

  /** Whether the client keeps up. A slow reader's socket is closed, so that it does not delay others. */
  #writable(): boolean {
    if (this.#dropped || this.#socket.readyState !== this.#socket.OPEN) return false;
    if (this.#connection.writableLength <= this.#hub.limits.backlogBytes) return true;
    this.#dropped = true;
    this.#hub.context.log.warn("A socket reads too slowly and is closed.", {
      waiting: this.#connection.writableLength,
    });
    this.#socket.close(CLOSE_POLICY, "reading too slowly");
    // The close frame is queued behind the data: a client that does not read that far is disconnected.
    setTimeout(() => this.#socket.terminate(), DROP_MS).unref();
    // Called within a delivery to many sockets: the channels leave after it.
    queueMicrotask(() => this.end());
    return false;
  }

  reply(
    joinRef: string | null,
    ref: string | null,
    topic: string,
    status: "ok" | "error",
    response: unknown,
  ): void {
    this.send(writeText(this.serializer, joinRef, ref, topic, "phx_reply", { status, response }));
  }

  forget(channel: Channel): void {
    if (this.#channels.get(channel.topic) === channel) this.#channels.delete(channel.topic);
    if (this.#channels.size === 0) this.#channellessSince = performance.now();
  }

  #receive(data: Buffer, isBinary: boolean): void {
    this.#lastHeard = performance.now();
    const message = isBinary ? parseBinary(data) : parseText(data.toString("utf8"), this.serializer);
    if (!message) {
      this.#hub.context.log.debug("A malformed frame was dropped.");
      return;
    }
    message.bytes = data.length;
    if (message.topic === "phoenix") {
      if (message.event === "heartbeat") this.reply(null, message.ref, "phoenix", "ok", {});
      return;
    }
    if (message.event === "phx_join" && message.topic.startsWith("realtime:")) {
      this.#join(message);
      return;
    }
    const channel = this.#channels.get(message.topic);
    if (message.event === "phx_leave") this.#leave(message, channel);
    else if (!channel) {
      this.reply(message.joinRef, message.ref, message.topic, "error", { reason: "unmatched topic" });
    } else if (message.joinRef === null || message.joinRef === channel.joinRef) {
      // A message of an earlier join of this topic is dropped.
      channel.receive(message);
    }
  }

  #join(message: ClientMessage): void {
    const refuse = (reason: string) =>
      this.reply(message.joinRef ?? message.ref, message.ref, message.topic, "error", { reason });
    this.#channels.get(message.topic)?.close(true);
    const { limits, joined } = this.#hub;
    if (limits.privateOnly && !parseJoin("", message.payload).isPrivate) {
      refuse("PrivateOnly: This project only allows private channels");
      return;
    }
    if (!joined.has(this) && joined.size >= limits.connections) {
      refuse("ConnectionRateLimitReached: Too many connected users");
      return;
    }
    if (!this.#hub.admitJoin()) {
      refuse("ClientJoinRateLimitReached: Too many joins per second");
      this.close(CLOSE_FORCED, "");
      return;
    }
    if (this.#channels.size >= limits.channelsPerSocket) {
      refuse("ChannelRateLimitReached: Too many channels");
      return;
    }
    const channel = new Channel(this.#hub, this, message);
    this.#channels.set(message.topic, channel);
    this.#channellessSince = undefined;
    joined.add(this);
    void channel.join(message.ref);
  }

  #leave(message: ClientMessage, channel: Channel | undefined): void {
    if (channel && message.joinRef !== null && message.joinRef !== channel.joinRef) return;
    this.reply(message.joinRef, message.ref, message.topic, "ok", {});
    channel?.close(true);
  }
}
