/**
 * Owns one channel of one socket: its join, its messages, its rights, its end (compat/realtime.md 4 to 8,
 * 12). Everything it answers goes through its socket.
 */
import type { Permissions } from "./authorization.ts";
import { SubscriptionFault } from "./changes/filter.ts";
import {
  type Listener,
  parseSubscription,
  type Subscription,
  subscriptionId,
} from "./changes/subscriptions.ts";
import { type ClientMessage, RawJson, type Serializer, writeText, writeUserBroadcast } from "./frames.ts";
import type { Hub } from "./hub.ts";
import { type JoinRequest, parseJoin, usableToken } from "./join.ts";
import { ReplayRefused, replayMessages } from "./replay.ts";
import { type Broadcast, broadcastBody, type Member, type Room } from "./rooms.ts";
import { checkRealtimeToken, demandFresh, type Token, TokenRefused } from "./token.ts";

/** A channel's socket, as the channel sees it. */
export interface ChannelSocket {
  readonly serializer: Serializer;
  /** The token of the handshake. */
  readonly token: Token;
  /** The handshake's `x-` headers, which policies may read. */
  readonly headers: Record<string, unknown>;
  send(frame: string | Buffer): void;
  sendEncoded(frame: Buffer): void;
  reply(
    joinRef: string | null,
    ref: string | null,
    topic: string,
    status: "ok" | "error",
    response: unknown,
  ): void;
  /** Takes the channel off the socket. */
  forget(channel: Channel): void;
  close(code: number, reason: string): void;
}

/** Checked at least this often; the platform does so every five minutes. */
const TOKEN_CHECK_MS = 300_000;
const RESUBSCRIBE_MS = 5_000;
/** How long a join waits for the first reading of the log. */
const SETTLE_MS = 2_000;
const EVERYTHING: Permissions = { broadcast: true, presence: true };

/** See the file's head. */
export class Channel implements Member, Listener {
  readonly topic: string;
  /** The topic without `realtime:`. */
  readonly name: string;
  readonly joinRef: string | null;
  readonly #hub: Hub;
  readonly #socket: ChannelSocket;
  readonly #request: JoinRequest;
  readonly #replayed = new Set<string>();
  #token: Token;
  #reads: Permissions = EVERYTHING;
  #writes: Promise<Permissions> | undefined;
  #room: Room | undefined;
  #subscriptions: Subscription[] = [];
  #subscribed = false;
  #expiry: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;
  #waiting: ClientMessage[] | undefined = [];
  #closed = false;

  constructor(hub: Hub, socket: ChannelSocket, message: ClientMessage) {
    this.#hub = hub;
    this.#socket = socket;
    this.topic = message.topic;
    this.name = message.topic.slice("realtime:".length);
    this.joinRef = message.joinRef ?? message.ref;
    this.#request = parseJoin(message.payload);
    this.#token = socket.token;
  }

  get serializer(): Serializer {
    return this.#socket.serializer;
  }

  get hearsBroadcast(): boolean {
    return this.#reads.broadcast;
  }

  get hearsPresence(): boolean {
    return this.#reads.presence;
  }

  get replayed(): ReadonlySet<string> {
    return this.#replayed;
  }

  send(frame: string | Buffer): void {
    this.#socket.send(frame);
  }

  sendEncoded(frame: Buffer): void {
    this.#socket.sendEncoded(frame);
  }

  /** Carries the join out and replies to it. */
  async join(ref: string | null): Promise<void> {
    try {
      const replay = await this.#admit();
      // Hosted, the log is read before anyone joins: what is sent right after the reply must arrive here too.
      await this.#hub.feed.settle(SETTLE_MS);
      if (this.#closed) return;
      this.#room = this.#hub.rooms.enter(this.name, this.#request.isPrivate, this);
      this.#hub.channels.add(this);
      this.#hub.feed.enter();
      const { postgresChanges } = this.#request;
      this.#socket.reply(this.joinRef, ref, this.topic, "ok", {
        postgres_changes: postgresChanges.map((change) =>
          typeof change === "object" ? { ...change, id: subscriptionId(change) } : change,
        ),
      });
      if (this.#request.presenceEnabled && this.#reads.presence) {
        this.#push("presence_state", this.#room.presences.state);
      }
      for (const broadcast of replay) this.#replay(broadcast);
      this.#watchExpiry();
      if (postgresChanges.length > 0) void this.#subscribe();
      if (this.#request.replicationReady) void this.#announceReplication();
      const waiting = this.#waiting ?? [];
      this.#waiting = undefined;
      for (const message of waiting) this.receive(message);
    } catch (error) {
      this.#closed = true;
      this.#socket.forget(this);
      this.#socket.reply(this.joinRef, ref, this.topic, "error", { reason: this.#joinReason(error) });
    }
  }

  /** A message for this channel. Those that come before the join is done wait for it. */
  receive(message: ClientMessage): void {
    if (this.#waiting) {
      this.#waiting.push(message);
      return;
    }
    switch (message.event) {
      case "broadcast":
        void this.#broadcast(message);
        break;
      case "presence":
        void this.#presence(message);
        break;
      case "access_token":
        void this.#renewToken(message.payload);
        break;
      default:
        this.#hub.context.log.debug(`Unknown event ${message.event}`, { topic: this.topic });
    }
  }

  onChange(ids: readonly number[], data: string): void {
    this.send(
      writeText(
        this.serializer,
        null,
        null,
        this.topic,
        "postgres_changes",
        new RawJson(`{"ids":${JSON.stringify(ids)},"data":${data}}`),
      ),
    );
  }

  /** The feed is live (again): whatever commits from now on arrives. */
  tellSubscribed(): void {
    if (this.#subscribed) this.#system("postgres_changes", "ok", "Subscribed to PostgreSQL");
  }

  /** Ends the channel. `tell`: the client hears `phx_close`, and does not rejoin. */
  close(tell: boolean): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#expiry);
    clearTimeout(this.#retry);
    this.#socket.forget(this);
    if (this.#room) {
      this.#hub.channels.delete(this);
      this.#hub.feed.leave();
      const diff = this.#room.presences.untrack(this);
      this.#hub.rooms.leave(this.name, this.#request.isPrivate, this);
      if (diff) this.#room.presenceDiff(this.topic, diff);
    }
    void this.#hub.feed.unsubscribe(this.#subscriptions);
    if (tell) this.send(writeText(this.serializer, this.joinRef, this.joinRef, this.topic, "phx_close", {}));
  }

  /** Everything that a join must pass. Returns the messages to replay. */
  async #admit(): Promise<Broadcast[]> {
    const { isPrivate, token, replay, presenceEnabled } = this.#request;
    if (this.name === "") throw new JoinRefused("TopicNameRequired: You must provide a topic name");
    const { keys, clock, database } = this.#hub.context;
    if (token) this.#token = await checkRealtimeToken(token, keys, clock);
    else demandFresh(this.#token, clock);
    if (isPrivate) {
      await this.#hub.ready;
      this.#reads = await this.#readPermissions(presenceEnabled);
    }
    if (!this.#reads.broadcast && !this.#reads.presence)
      throw new JoinRefused(`Unauthorized: ${denied(this.name)}`);
    if (!replay) return [];
    if (!isPrivate)
      throw new ReplayRefused("UnableToReplayMessages: Replay is not allowed for public channels");
    return this.#reads.broadcast ? replayMessages(database, this.name, replay, clock.now()) : [];
  }

  async #readPermissions(withPresence: boolean): Promise<Permissions> {
    const found = await this.#hub.authorization.canRead(this.#authorizationRequest());
    return { broadcast: found.broadcast, presence: withPresence && found.presence };
  }

  #authorizationRequest() {
    return { token: this.#token, topic: this.name, headers: this.#socket.headers };
  }

  #writePermissions(): Promise<Permissions> | Permissions {
    if (!this.#request.isPrivate) return EVERYTHING;
    this.#writes ??= this.#hub.authorization.canWrite(this.#authorizationRequest());
    return this.#writes;
  }

  async #broadcast(message: ClientMessage): Promise<void> {
    const { ack, self } = this.#request;
    const text = message.binary ? undefined : JSON.stringify(message.payload ?? {});
    const size = message.binary ? message.binary.payload.length : Buffer.byteLength(text ?? "");
    if (size > this.#hub.limits.broadcastBytes) {
      if (ack) this.#reply(message.ref, "error", "payload_size_exceeded");
      return;
    }
    const permissions = this.#writePermissions();
    const allowed = permissions instanceof Promise ? await permissions : permissions;
    // Denied broadcasts are dropped without a word, acknowledgement or not.
    if (!allowed.broadcast || !this.#room) return;
    const except = self ? undefined : this;
    if (message.binary) {
      const { userEvent, encoding, payload } = message.binary;
      this.#room.broadcastUser(this.topic, { event: userEvent, payload, encoding, meta: "" }, except);
    } else this.#room.broadcastText(this.topic, new RawJson(text ?? "{}"), except);
    if (ack) this.#reply(message.ref, "ok", {});
  }

  async #presence(message: ClientMessage): Promise<void> {
    const { event, payload = {} } = (message.payload ?? {}) as { event?: unknown; payload?: unknown };
    const action = typeof event === "string" ? event.toLowerCase() : "";
    if (action !== "track" && action !== "untrack") return this.#reply(message.ref, "error", {});
    const permissions = this.#writePermissions();
    const allowed = permissions instanceof Promise ? await permissions : permissions;
    const room = this.#room;
    if (!allowed.presence || !room || this.#closed) return this.#reply(message.ref, "error", {});
    if (action === "untrack") {
      const diff = room.presences.untrack(this);
      this.#reply(message.ref, "ok", {});
      if (diff) room.presenceDiff(this.topic, diff);
      return;
    }
    if (typeof payload !== "object" || payload === null || Array.isArray(payload)) {
      return this.#reply(message.ref, "error", { reason: "Presence track payload must be a map" });
    }
    if (Buffer.byteLength(JSON.stringify(payload)) > this.#hub.limits.broadcastBytes) {
      return this.#end("Track message size exceeded");
    }
    if (this.#request.isPrivate && !this.#request.presenceEnabled && !this.#reads.presence) {
      // Presence was not asked for at the join: what may be read of it is decided at the first track.
      this.#reads = { ...this.#reads, presence: (await this.#readPermissions(true)).presence };
    }
    const diff = room.presences.track(
      this,
      String(this.#request.presenceKey),
      payload as Record<string, unknown>,
    );
    this.#reply(message.ref, "ok", {});
    if (diff) room.presenceDiff(this.topic, diff);
  }

  /** A new token never gets a reply: either the channel goes on, or a system message ends it. */
  async #renewToken(payload: unknown): Promise<void> {
    const text = usableToken((payload as { access_token?: unknown } | null)?.access_token);
    if (text === undefined || text === this.#token.text) return;
    try {
      this.#token = await checkRealtimeToken(text, this.#hub.context.keys, this.#hub.context.clock);
    } catch (error) {
      return this.#end(error instanceof TokenRefused ? error.systemText : String(error));
    }
    this.#writes = undefined;
    if (this.#request.isPrivate) {
      const before = this.#reads;
      this.#reads = await this.#readPermissions(this.#request.presenceEnabled);
      if (!this.#reads.broadcast && !this.#reads.presence) return this.#end(denied(this.name));
      if ((before.broadcast && !this.#reads.broadcast) || (before.presence && !this.#reads.presence)) {
        return this.#end(`You no longer have permission to read from this Channel topic: ${this.name}`);
      }
    }
    this.#watchExpiry();
    if (this.#subscribed) {
      await this.#hub.feed.renew(this.#subscriptions, this.#token);
      this.tellSubscribed();
    }
  }

  async #subscribe(): Promise<void> {
    try {
      const { postgresChanges } = this.#request;
      const wanted = postgresChanges.map((change) => parseSubscription(change, this, this.#token));
      await this.#hub.feed.subscribe(wanted);
      this.#subscriptions = wanted;
      if (this.#closed) return void this.#hub.feed.unsubscribe(wanted);
      this.#subscribed = true;
      this.tellSubscribed();
    } catch (error) {
      if (this.#closed) return;
      const message = error instanceof Error ? error.message : String(error);
      this.#system("postgres_changes", "error", message);
      if (error instanceof SubscriptionFault) return;
      // Anything else is a database that was away for a moment.
      this.#retry = setTimeout(() => void this.#subscribe(), RESUBSCRIBE_MS);
      this.#retry.unref();
    }
  }

  async #announceReplication(): Promise<void> {
    try {
      await this.#hub.feed.ready();
      this.#system("system", "ok", "Replication connection established");
    } catch {
      this.#end("Replication connection was not established in time");
    }
  }

  #watchExpiry(): void {
    clearTimeout(this.#expiry);
    const left = this.#token.expires * 1000 - this.#hub.context.clock.now();
    this.#expiry = setTimeout(() => this.checkExpiry(), Math.max(0, Math.min(left, TOKEN_CHECK_MS)));
    this.#expiry.unref();
  }

  /** Ends the channel when its token has expired by the Backend's clock. */
  checkExpiry(): void {
    try {
      demandFresh(this.#token, this.#hub.context.clock);
      this.#watchExpiry();
    } catch (error) {
      this.#end(error instanceof TokenRefused ? error.systemText : String(error));
    }
  }

  #replay(broadcast: Broadcast): void {
    if (broadcast.storedId) this.#replayed.add(broadcast.storedId);
    if (broadcast.encoding === 1) this.#push("broadcast", broadcastBody(broadcast));
    else if (this.serializer === "2.0.0") {
      const frame = writeUserBroadcast(this.topic, broadcast.event, broadcast.meta, 0, broadcast.payload);
      if (frame) this.send(frame);
    }
  }

  #push(event: string, payload: unknown): void {
    this.send(writeText(this.serializer, this.joinRef, null, this.topic, event, payload));
  }

  #reply(ref: string | null, status: "ok" | "error", response: unknown): void {
    this.#socket.reply(this.joinRef, ref, this.topic, status, response);
  }

  #system(extension: string, status: "ok" | "error", message: string): void {
    this.#push("system", { extension, status, message, channel: this.name });
  }

  /** Says why, then closes: the client does not rejoin by itself. */
  #end(message: string): void {
    this.#system("system", "error", message);
    this.close(true);
  }

  #joinReason(error: unknown): string {
    if (error instanceof TokenRefused) return error.joinReason;
    if (error instanceof JoinRefused || error instanceof ReplayRefused) return error.message;
    this.#hub.context.log.error("A join failed.", { topic: this.topic, error: String(error) });
    return "UnableToConnectToProject: Realtime was unable to connect to the project database";
  }
}

/** A join that is refused; the message is the reply's reason. */
class JoinRefused extends Error {}

function denied(name: string): string {
  return `You do not have permissions to read from this Channel topic: ${name}`;
}
