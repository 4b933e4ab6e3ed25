/**
 * Owns the broadcasts of one channel: those that its client sends, and those replayed to it
 * (docs/compat/realtime.md 8, 11).
 */

import { isRecord } from "../../core/record.ts";
import { type Broadcast, broadcastBody, type Delivery } from "../hub/rooms.ts";
import { AuthorizationFailed } from "../kit/authorization.ts";
import { type ClientMessage, ENCODING_JSON, RawJson, writeUserBroadcast } from "../kit/frames.ts";
import type { ChannelContext } from "./channel-context.ts";

/** The error of an acknowledged broadcast when a policy could not be evaluated. */
const FAULTS = {
  policy: "rls_policy_error",
  partition: "missing_partition",
  database: "unable_to_connect_to_project",
} as const;

const NONE: ReadonlySet<string> = new Set();

/** Sends and replays the broadcasts of one channel. */
export class ChannelBroadcasts {
  readonly #channel: ChannelContext;
  #replayed: Set<string> | undefined;
  /** Broadcasts that wait for a policy's result, in the sender's order. */
  #before: Promise<void> | undefined;

  constructor(channel: ChannelContext) {
    this.#channel = channel;
  }

  /** Ids of replayed messages, which are not delivered again. */
  get replayed(): ReadonlySet<string> {
    return this.#replayed ?? NONE;
  }

  /** Handles a broadcast of the channel's own client; undefined when it completed synchronously. */
  receive(message: ClientMessage): Promise<void> | undefined {
    const allowed = this.#channel.mayWrite("broadcast");
    if (allowed === true && !this.#before) {
      this.#pass(message);
      return undefined;
    }
    const turn = Promise.all([allowed, this.#before])
      .then(([may]) => (may ? this.#pass(message) : this.#refuse(message, "unauthorized")))
      .catch((error: unknown) =>
        this.#refuse(message, error instanceof AuthorizationFailed ? FAULTS[error.fault] : FAULTS.database),
      )
      .then(() => {
        if (this.#before === turn) this.#before = undefined;
      });
    this.#before = turn;
    return turn;
  }

  /** Sends the messages stored before the join. */
  replay(messages: readonly Broadcast[]): void {
    for (const message of messages) {
      this.#replayed ??= new Set();
      if (message.storedId) this.#replayed.add(message.storedId);
      if (message.encoding === ENCODING_JSON) this.#channel.push("broadcast", broadcastBody(message));
      else if (this.#channel.serializer === "2.0.0") {
        const { topic } = this.#channel;
        const frame = writeUserBroadcast(
          topic,
          message.event,
          message.meta,
          message.encoding,
          message.payload,
        );
        if (frame) this.#channel.send(frame);
      }
    }
  }

  #pass(message: ClientMessage): void {
    const { request, room, topic, hub } = this.#channel;
    if (!room || this.#channel.isClosed) return;
    const { binary } = message;
    const text = binary ? "" : (message.raw ?? JSON.stringify(message.payload ?? {}));
    const bytes = binary ? binary.payload.length : Buffer.byteLength(text);
    if (bytes > hub.limits.broadcastBytes) {
      if (request.ack) this.#channel.reply(message.ref, "error", "payload_size_exceeded");
      this.#note(message, bytes, undefined, "payload_size_exceeded");
      return;
    }
    const except = request.self ? undefined : this.#channel;
    if (binary?.persist) hub.noteNotStored();
    const delivery = binary
      ? room.broadcastUser(
          topic,
          { event: binary.userEvent, payload: binary.payload, encoding: binary.encoding, meta: "" },
          except,
        )
      : room.broadcastText(topic, new RawJson(text), except);
    this.#note(message, bytes, delivery);
    if (request.ack) this.#channel.reply(message.ref, "ok", {});
    this.#channel.count();
  }

  /** Reports a rejected broadcast if acknowledgements were requested; otherwise it is silently dropped. */
  #refuse(message: ClientMessage, error: string): void {
    this.#note(message, message.bytes ?? 0, undefined, error);
    if (this.#channel.request.ack && !this.#channel.isClosed)
      this.#channel.reply(message.ref, "error", { error });
  }

  #note(message: ClientMessage, bytes: number, delivery: Delivery | undefined, failure?: string): void {
    const { hub, name, request, receiver } = this.#channel;
    const { binary, payload } = message;
    const event = binary ? binary.userEvent : isRecord(payload) ? payload.event : undefined;
    hub.broadcasted(
      {
        topic: name,
        private: request.isPrivate,
        event: typeof event === "string" ? event : undefined,
        origin: "client",
        sender: receiver,
        self: request.self,
        bytes,
        failure,
        told: request.ack,
      },
      delivery,
    );
  }
}
