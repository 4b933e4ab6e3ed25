/**
 * Owns one channel of one socket: its join, token, authorization and end (docs/compat/realtime.md 4 to 7).
 * Its parts handle messages. All its output goes through its socket.
 */
import { inBackground } from "../../core/error-boundary.ts";
import type { JoinHappening, Receiver } from "../../core/happenings.ts";
import type { Foreign } from "../../http/exchange.ts";
import type { Hub } from "../hub/hub.ts";
import type { Broadcast, Room } from "../hub/rooms.ts";
import { AuthorizationFailed, type Extension, type Permissions } from "../kit/authorization.ts";
import { Backlog } from "../kit/backlog.ts";
import { type ClientMessage, type Serializer, writeText } from "../kit/frames.ts";
import { checkRealtimeToken, ownerOf, requireFresh, type Token, TokenRefused } from "../kit/socket-token.ts";
import { ChannelBroadcasts } from "./channel-broadcasts.ts";
import { ChannelChanges } from "./channel-changes.ts";
import type { ChannelContext } from "./channel-context.ts";
import { ChannelPresence } from "./channel-presence.ts";
import { type JoinRequest, parseJoin } from "./join.ts";
import { denied, JoinRefused, joinReason } from "./join-refused.ts";
import { ReplayRefused, replayMessages } from "./replay.ts";

/** The socket, as its channel sees it. */
export interface ChannelSocket {
  readonly serializer: Serializer;
  /** The token of the handshake. */
  readonly token: Token;
  /** The handshake's `x-` headers, which policies may read. */
  readonly headers: Record<string, unknown>;
  /** Why tokens with secret rights are rejected, if they are. */
  readonly foreign: Foreign | undefined;
  send(frame: string | Buffer): void;
  sendEncoded(frame: Buffer): void;
  reply(
    joinRef: string | null,
    ref: string | null,
    topic: string,
    status: "ok" | "error",
    response: unknown,
  ): void;
  /** Removes the channel from the socket. */
  forget(channel: Channel): void;
}

/** Maximum interval between checks; the platform checks every five minutes. */
const TOKEN_CHECK_MS = 300_000;
/** Timeout of a join's wait for the log reader. */
const SETTLE_MS = 2_000;
/** Timeout of `Replication connection established`. */
const REPLICATION_MS = 60_000;

const EVERYTHING: Permissions = Object.freeze({ broadcast: true, presence: true });

/** One channel of one socket. */
export class Channel implements ChannelContext {
  readonly topic: string;
  /** The topic without `realtime:`. */
  readonly name: string;
  readonly joinRef: string | null;
  readonly request: JoinRequest;
  readonly hub: Hub;
  readonly #socket: ChannelSocket;
  readonly #broadcasts: ChannelBroadcasts;
  readonly #presence: ChannelPresence;
  readonly #changes: ChannelChanges;
  readonly #number: number;
  #receiver: Receiver | undefined;
  #token: Token;
  #reads: Permissions;
  /** Made with the first check. */
  #writes: Map<Extension, Promise<boolean>> | undefined;
  #room: Room | undefined;
  #expiry: NodeJS.Timeout | undefined;
  readonly #backlog: Backlog;
  #waiting: { message: ClientMessage; release: () => void }[] | undefined = [];
  #closed = false;

  constructor(hub: Hub, socket: ChannelSocket, message: ClientMessage) {
    this.hub = hub;
    this.#socket = socket;
    this.topic = message.topic;
    this.name = message.topic.slice("realtime:".length);
    this.joinRef = message.joinRef ?? message.ref;
    this.request = parseJoin(this.name, message.payload);
    this.#number = hub.numberChannel();
    this.#token = socket.token;
    this.#reads = EVERYTHING;
    this.#backlog = new Backlog(hub.limits);
    this.#broadcasts = new ChannelBroadcasts(this);
    this.#presence = new ChannelPresence(this);
    this.#changes = new ChannelChanges(this);
  }

  get serializer(): Serializer {
    return this.#socket.serializer;
  }

  get token(): Token {
    return this.#token;
  }

  /** One object for all that happens to the channel with its present token. */
  get receiver(): Receiver {
    this.#receiver ??= {
      channel: this.#number,
      topic: this.name,
      private: this.request.isPrivate,
      ...ownerOf(this.#token),
    };
    return this.#receiver;
  }

  get room(): Room | undefined {
    return this.#room;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  get changes(): ChannelChanges {
    return this.#changes;
  }

  get hearsBroadcast(): boolean {
    return this.#reads.broadcast;
  }

  get hearsPresence(): boolean {
    return this.#reads.presence;
  }

  get replayed(): ReadonlySet<string> {
    return this.#broadcasts.replayed;
  }

  send(frame: string | Buffer): void {
    this.#socket.send(frame);
  }

  sendEncoded(frame: Buffer): void {
    this.#socket.sendEncoded(frame);
    this.count();
  }

  sendChange(frame: Buffer): void {
    this.#socket.sendEncoded(frame);
  }

  /** Counts a message sent or delivered; too many end the channel. */
  count(): void {
    if (this.hub.messages.add(this.hub.context.clock.now())) this.end("Too many messages per second");
  }

  /** Performs the join and replies to it. */
  async join(ref: string | null): Promise<void> {
    try {
      const replay = await this.#admit();
      // On hosted, the log is already being read: whatever is sent right after the reply must be delivered
      // here too.
      await this.hub.feed.waitUntilReady(SETTLE_MS);
      if (this.request.changesWait !== undefined)
        await this.#changes.subscribeWithin(this.request.changesWait);
      if (this.#closed) return;
      this.#room = this.hub.rooms.enter(this.name, this.request.isPrivate, this);
      this.hub.channels.add(this);
      this.hub.feed.enter();
      this.reply(ref, "ok", { postgres_changes: this.#changes.reply });
      if (this.request.presenceEnabled) this.#presence.sendState();
      this.#broadcasts.replay(replay);
      this.#note("joined");
      this.#watchExpiry();
      this.#changes.begin();
      if (this.request.replicationReady) {
        inBackground(this.hub.context.log, "announcing the replication", () => this.#announceReplication());
      }
      this.#resume();
    } catch (error) {
      if (this.#closed) return;
      this.#closed = true;
      this.#changes.close();
      this.#socket.forget(this);
      const reason = joinReason(error, this.topic, this.hub.context.log);
      this.#note("refused", reason);
      this.reply(ref, "error", { reason });
    }
  }

  #note(outcome: JoinHappening["outcome"], reason?: string): void {
    this.hub.context.happened({ kind: "join", receiver: this.receiver, outcome, reason });
  }

  #resume(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const { message, release } of waiting) this.#take(message, release);
  }

  /**
   * Handles a message for this channel. Messages that arrive during a join or a token change are queued;
   * exceeding the limit ends the channel.
   */
  receive(message: ClientMessage): void {
    if (this.#closed) return;
    const release = this.#backlog.hold(message.bytes ?? 0);
    if (release) this.#take(message, release);
    else this.end("Too many messages per second");
  }

  #take(message: ClientMessage, release: () => void): void {
    if (this.#waiting) {
      this.#waiting.push({ message, release });
      return;
    }
    const done = this.#closed ? undefined : this.#dispatch(message);
    if (done) void done.finally(release);
    else release();
  }

  /** Processes a message; undefined when it completed synchronously. */
  #dispatch(message: ClientMessage): Promise<void> | undefined {
    switch (message.event) {
      case "broadcast":
        return this.#broadcasts.receive(message);
      case "presence":
        return this.#presence.receive(message);
      case "access_token":
        this.#waiting = [];
        return this.#renewToken(message.payload).finally(() => this.#resume());
      default:
        this.hub.context.log.debug(`Unknown event ${message.event}`, { topic: this.topic });
        this.count();
        return undefined;
    }
  }

  /** Ends the channel. `tell`: sends `phx_close`, so that the client does not rejoin. @param reason of the stack */
  close(tell: boolean, reason?: string): void {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#room) this.#note(reason === undefined ? "left" : "ended", reason);
    clearTimeout(this.#expiry);
    this.#socket.forget(this);
    if (this.#room) {
      this.hub.channels.delete(this);
      this.hub.feed.leave();
      this.hub.rooms.leave(this.name, this.request.isPrivate, this);
      this.#presence.leave(this.#room);
    }
    this.#changes.close();
    if (tell) this.send(writeText(this.serializer, this.joinRef, this.joinRef, this.topic, "phx_close", {}));
  }

  /** Sends the reason, then closes, so that the client does not rejoin on its own. */
  end(message: string): void {
    if (this.#closed) return;
    this.system("system", "error", message);
    this.close(true, message);
  }

  push(event: string, payload: unknown): void {
    this.send(writeText(this.serializer, this.joinRef, null, this.topic, event, payload));
  }

  reply(ref: string | null, status: "ok" | "error", response: unknown): void {
    this.#socket.reply(this.joinRef, ref, this.topic, status, response);
  }

  system(extension: string, status: "ok" | "error", message: string): void {
    this.push("system", { extension, status, message, channel: this.name });
  }

  /**
   * Whether the channel may send messages of an extension; checked once for each token. Always true on public
   * channels. @throws AuthorizationFailed
   */
  mayWrite(extension: Extension): Promise<boolean> | true {
    if (!this.request.isPrivate) return true;
    this.#writes ??= new Map();
    const writes = this.#writes;
    let answer = writes.get(extension);
    if (!answer) {
      answer = this.hub.authorization.canWrite(this.#authorizationRequest(), extension);
      writes.set(extension, answer);
      // A failure is not cached: the next message checks again.
      answer.catch(() => writes.delete(extension));
    }
    return answer;
  }

  /** Presence was not enabled in the join: read access is checked at the first track. */
  async admitPresence(): Promise<void> {
    if (!this.request.isPrivate || this.request.presenceEnabled) return;
    const { presence } = await this.hub.authorization.canRead(this.#authorizationRequest(), ["presence"]);
    this.#reads = { ...this.#reads, presence };
  }

  /** All checks of a join. Returns the messages to replay. */
  async #admit(): Promise<Broadcast[]> {
    const { isPrivate, token, replay } = this.request;
    const { clock, database } = this.hub.context;
    if (this.name === "") throw new JoinRefused("TopicNameRequired: You must provide a topic name");
    if (token === undefined) requireFresh(this.#token, clock);
    else this.#takeToken(await checkRealtimeToken(token, this.hub.context, this.#socket));
    if (isPrivate) {
      await this.hub.ready;
      this.#reads = await this.#readPermissions();
      if (!this.#reads.broadcast && !this.#reads.presence) throw this.#unauthorized();
    }
    if (replay === undefined) return [];
    if (!isPrivate)
      throw new ReplayRefused("UnableToReplayMessages: Replay is not allowed for public channels");
    if (!this.#reads.broadcast) throw this.#unauthorized();
    return replay ? replayMessages(database, this.name, replay, clock.now()) : [];
  }

  #unauthorized(): JoinRefused {
    return new JoinRefused(`Unauthorized: ${denied(this.name)}`);
  }

  /** A failing policy denies access; an unavailable database is a separate error. */
  async #readPermissions(): Promise<Permissions> {
    const extensions: Extension[] = this.request.presenceEnabled ? ["broadcast", "presence"] : ["broadcast"];
    try {
      return await this.hub.authorization.canRead(this.#authorizationRequest(), extensions);
    } catch (error) {
      if (error instanceof AuthorizationFailed && error.fault === "policy")
        return { broadcast: false, presence: false };
      throw error;
    }
  }

  #takeToken(token: Token): void {
    this.#token = token;
    this.#receiver = undefined;
  }

  #authorizationRequest() {
    return { token: this.#token, topic: this.name, headers: this.#socket.headers };
  }

  /** A new token never gets a reply: either the channel continues, or a system message ends it. */
  async #renewToken(payload: unknown): Promise<void> {
    const text = (payload as { access_token?: unknown } | null)?.access_token;
    if (typeof text !== "string" || text.startsWith("sb_") || text === this.#token.text) return;
    try {
      this.#takeToken(await checkRealtimeToken(text, this.hub.context, this.#socket));
      this.#writes = undefined;
      if (this.request.isPrivate) {
        const before = this.#reads;
        this.#reads = await this.#readPermissions();
        if (!this.#reads.broadcast && !this.#reads.presence) return this.end(denied(this.name));
        if ((before.broadcast && !this.#reads.broadcast) || (before.presence && !this.#reads.presence)) {
          return this.end(`You no longer have permission to read from this Channel topic: ${this.name}`);
        }
      }
    } catch (error) {
      if (error instanceof TokenRefused) return this.end(error.systemText);
      return this.end("Realtime was unable to connect to the project database");
    }
    if (this.#closed) return;
    this.#watchExpiry();
    inBackground(this.hub.context.log, "a subscription to changes", () => this.#changes.subscribe());
  }

  async #announceReplication(): Promise<void> {
    const deadline = performance.now() + REPLICATION_MS;
    while (!this.#closed && performance.now() < deadline) {
      try {
        await this.hub.feed.ready();
        return this.#closed ? undefined : this.system("system", "ok", "Replication connection established");
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    }
    this.end("Replication connection was not established in time");
  }

  #watchExpiry(): void {
    clearTimeout(this.#expiry);
    const left = this.#token.expires * 1000 - this.hub.context.clock.now();
    this.#expiry = setTimeout(this.hub.checkExpiry, Math.max(0, Math.min(left, TOKEN_CHECK_MS)), this);
    this.#expiry.unref();
  }

  /** Ends the channel when its token has expired on the Backend's clock. */
  checkExpiry(): void {
    try {
      requireFresh(this.#token, this.hub.context.clock);
      this.#watchExpiry();
    } catch (error) {
      this.end(error instanceof TokenRefused ? error.systemText : String(error));
    }
  }
}
