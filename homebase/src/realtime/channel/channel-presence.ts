/**
 * Owns the presence of one channel: the state that its client tracks, and the state sent to it
 * (docs/compat/realtime.md 12).
 */

import type { PresenceHappening } from "../../core/happenings.ts";
import type { PresenceDiff } from "../hub/presence.ts";
import type { Room } from "../hub/rooms.ts";
import type { ClientMessage } from "../kit/frames.ts";
import { timeUuid } from "../kit/time-uuid.ts";
import type { ChannelContext } from "./channel-context.ts";

const DONE = Promise.resolve();

/** The presence of one channel. */
export class ChannelPresence {
  readonly #channel: ChannelContext;
  #hasState = false;
  /** Made with the first message, as is a key that the client leaves to the server. */
  #window: { ends: number; calls: number } | undefined;
  #key: string | undefined;
  /** Messages are processed in order: a track may wait for policies, an untrack does not. */
  #before = DONE;

  constructor(channel: ChannelContext) {
    this.#channel = channel;
  }

  /** Sends the presence state, once, to a client that may read it. */
  sendState(): void {
    if (this.#hasState || !this.#channel.hearsPresence || !this.#channel.room) return;
    if (!this.#admit()) return;
    this.#hasState = true;
    this.#channel.push("presence_state", this.#channel.room.presences.state);
  }

  /** Handles a presence message of the channel's own client; resolves when done. */
  receive(message: ClientMessage): Promise<void> {
    this.#before = this.#before
      .then(() => this.#take(message))
      .catch((error: Error) => this.#refuse(message, error.message, {}));
    return this.#before;
  }

  /** The channel has left `room`. */
  leave(room: Room): void {
    const diff = room.presences.untrack(this.#channel);
    if (diff) room.presenceDiff(this.#channel.topic, diff);
  }

  async #take(message: ClientMessage): Promise<void> {
    const channel = this.#channel;
    const { room, request, hub } = channel;
    if (!room || channel.isClosed) return;
    const given = (message.payload ?? {}) as { event?: unknown; payload?: unknown };
    if (given.event === undefined) return channel.reply(message.ref, "ok", {});
    if (!this.#withinWindow()) return channel.end("Client presence rate limit exceeded");
    const action = typeof given.event === "string" ? given.event.toLowerCase() : "";
    if (action === "untrack") {
      const diff = room.presences.untrack(channel);
      channel.reply(message.ref, "ok", {});
      if (diff) this.#tell(room, "untracked", diff);
      return;
    }
    if (action !== "track") return channel.reply(message.ref, "error", {});
    await channel.admitPresence();
    if (!(await channel.mayWrite("presence"))) return this.#refuse(message, "unauthorized", {});
    if (channel.isClosed) return;
    const payload = given.payload === undefined ? {} : given.payload;
    if (typeof payload !== "object" || payload === null || Array.isArray(payload)) {
      const reason = "Presence track payload must be a map";
      return this.#refuse(message, reason, { reason });
    }
    if (Buffer.byteLength(JSON.stringify(payload)) > hub.limits.broadcastBytes) {
      return channel.end("Track message size exceeded");
    }
    if (!this.#admit()) return;
    // A client that enables presence by tracking has no state yet and would otherwise never get one.
    if (!request.presenceEnabled) this.sendState();
    this.#key ??= String(request.presenceKey ?? timeUuid());
    const diff = room.presences.track(channel, this.#key, payload as Record<string, unknown>);
    channel.reply(message.ref, "ok", {});
    if (diff) this.#tell(room, "tracked", diff);
  }

  #tell(room: Room, outcome: "tracked" | "untracked", diff: PresenceDiff): void {
    this.#note(outcome, { sent: room.presenceDiff(this.#channel.topic, diff) });
  }

  #refuse(message: ClientMessage, failure: string, response: unknown): void {
    this.#note("refused", { sent: 0, failure });
    this.#channel.reply(message.ref, "error", response);
  }

  #note(outcome: PresenceHappening["outcome"], told: Pick<PresenceHappening, "sent" | "failure">): void {
    const { hub, receiver, room } = this.#channel;
    const joined = room?.members.size ?? 0;
    hub.context.happened({ kind: "presence", receiver, outcome, key: this.#key, joined, ...told });
  }

  /** Counts towards the limit of all channels; exceeding it ends this channel. */
  #admit(): boolean {
    const { hub } = this.#channel;
    if (!hub.presence.add(hub.context.clock.now())) return true;
    this.#channel.end("Too many presence messages per second");
    return false;
  }

  #withinWindow(): boolean {
    const { limits, context } = this.#channel.hub;
    const now = context.clock.now();
    if (!this.#window || now > this.#window.ends)
      this.#window = { ends: now + limits.presenceWindowMilliseconds, calls: 0 };
    this.#window.calls += 1;
    return this.#window.calls <= limits.presencePerWindow;
  }
}
