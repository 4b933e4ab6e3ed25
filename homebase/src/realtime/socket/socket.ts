/** Owns one client's socket: frames, heartbeat, channels, limits (docs/compat/realtime.md 3 and 4). */
import { errorBoundary } from "../../core/error-boundary.ts";
import type { Foreign } from "../../http/exchange.ts";
import { Channel, type ChannelSocket } from "../channel/channel.ts";
import { parseJoin } from "../channel/join.ts";
import type { Hub } from "../hub/hub.ts";
import { type ClientMessage, parseBinary, parseText, type Serializer, writeText } from "../kit/frames.ts";
import type { Token } from "../kit/socket-token.ts";
import type { Transport } from "./transport.ts";

const CLOSE_NORMAL = 1000;
const CLOSE_FORCED = 1001;
const CLOSE_POLICY = 1008;
const CLOSE_ERROR = 1011;
/** Time for a slow reader to receive the close frame. */
const DROP_MS = 5_000;

/** One client's connection with its channels, on a WebSocket or by long polling. */
export class RealtimeSocket implements ChannelSocket {
  readonly serializer: Serializer;
  readonly token: Token;
  readonly headers: Record<string, unknown>;
  readonly foreign: Foreign | undefined;
  readonly #hub: Hub;
  readonly #transport: Transport;
  readonly #channels = new Map<string, Channel>();
  #lastHeard = performance.now();
  #dropped = false;
  #channellessSince: number | undefined = performance.now();

  constructor(
    hub: Hub,
    transport: Transport,
    serializer: Serializer,
    token: Token,
    headers: Record<string, unknown>,
    foreign: Foreign | undefined,
  ) {
    this.#hub = hub;
    this.#transport = transport;
    this.serializer = serializer;
    this.token = token;
    this.headers = headers;
    this.foreign = foreign;
  }

  /** The client has shown that it is there. */
  heard(): void {
    this.#lastHeard = performance.now();
  }

  /** Handles a frame of the client. An error in it ends only this socket. */
  receive(data: Buffer, isBinary: boolean): void {
    try {
      this.#receive(data, isBinary);
    } catch (error) {
      this.#hub.context.log.error("A frame could not be dealt with.", { error: String(error) });
      this.close(CLOSE_ERROR, "");
    }
  }

  /** The connection is closed: its channels end without a message. */
  end(): void {
    this.#hub.joined.delete(this);
    for (const channel of [...this.#channels.values()]) channel.close(false);
  }

  close(code: number, reason: string): void {
    this.#transport.close(code, reason);
  }

  /** Called about every second: closes silent sockets, and sockets without channels. */
  check(now: number): void {
    const { idleMilliseconds, channellessMilliseconds } = this.#hub.limits;
    if (now - this.#lastHeard > idleMilliseconds) this.close(CLOSE_NORMAL, "");
    else if (this.#channellessSince !== undefined && now - this.#channellessSince > channellessMilliseconds) {
      this.#transport.terminate();
    }
  }

  send(frame: string | Buffer): void {
    if (this.#writable()) this.#transport.send(frame);
  }

  sendEncoded(frame: Buffer): void {
    if (this.#writable()) this.#transport.sendEncoded(frame);
  }

  /** Whether the client keeps up. A slow reader's socket is closed, so that it does not delay others. */
  #writable(): boolean {
    if (this.#dropped || !this.#transport.open) return false;
    if (this.#transport.queued <= this.#hub.limits.backlogBytes) return true;
    this.#dropped = true;
    this.#hub.context.log.warn("A socket reads too slowly and is closed.", {
      waiting: this.#transport.queued,
    });
    this.#transport.close(CLOSE_POLICY, "reading too slowly");
    // The close frame is queued behind the data: a client that does not read that far is disconnected.
    setTimeout(() => this.#transport.terminate(), DROP_MS).unref();
    // Called within a delivery to many sockets: the channels leave after it.
    queueMicrotask(errorBoundary(this.#hub.context.log, "a slow socket's end", () => this.end()));
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
    } else {
      // A missing or stale join_ref matters to nothing (supabase/realtime 2.129.5).
      channel.receive(message);
    }
  }

  #join(message: ClientMessage): void {
    const refuse = (reason: string) => {
      this.reply(message.joinRef ?? message.ref, message.ref, message.topic, "error", { reason });
      const receiver = new Channel(this.#hub, this, message).receiver;
      this.#hub.context.happened({ kind: "join", receiver, outcome: "refused", reason });
    };
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
    this.reply(channel?.joinRef ?? message.joinRef, message.ref, message.topic, "ok", {});
    channel?.close(true);
  }
}
