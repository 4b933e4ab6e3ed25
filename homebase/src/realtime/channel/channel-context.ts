/** Owns the interface of a channel for its parts (broadcasts, presence, row changes). */

import type { Hub } from "../hub/hub.ts";
import type { Member, Room } from "../hub/rooms.ts";
import type { Extension } from "../kit/authorization.ts";
import type { Serializer } from "../kit/frames.ts";
import type { Token } from "../kit/socket-token.ts";
import type { JoinRequest } from "./join.ts";

/** The interface of a channel for its parts. `Channel` is the only implementation. */
export interface ChannelContext extends Member {
  readonly topic: string;
  readonly name: string;
  readonly request: JoinRequest;
  readonly hub: Hub;
  readonly serializer: Serializer;
  readonly token: Token;
  readonly room: Room | undefined;
  readonly isClosed: boolean;
  readonly hearsPresence: boolean;
  /** Sends an encoded frame unchanged. */
  send(frame: string | Buffer): void;
  /** Sends an encoded frame that counts as a delivered message. */
  sendEncoded(frame: Buffer): void;
  /** Sends an encoded row change, which does not count: upstream counts these by themselves. */
  sendChange(frame: Buffer): void;
  /** Counts a message sent or delivered; too many end the channel. */
  count(): void;
  push(event: string, payload: unknown): void;
  reply(ref: string | null, status: "ok" | "error", response: unknown): void;
  system(extension: string, status: "ok" | "error", message: string): void;
  /** Whether policies allow this channel to send on an extension. */
  mayWrite(extension: Extension): Promise<boolean> | true;
  admitPresence(): Promise<void>;
  /** Ends the channel with an error message to its client. */
  end(message: string): void;
}
