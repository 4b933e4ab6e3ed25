/** Owns a subscription to row changes as a value, and the interface of its listener. */
import type { Receiver } from "../../core/happenings.ts";
import type { Filter } from "./subscription-filter.ts";

export type Action = "INSERT" | "UPDATE" | "DELETE";

/** The receiver of changes: a channel. */
export interface Listener {
  /** Equal for listeners that get the same frames: same wire format and topic. */
  readonly wire: string;
  readonly receiver: Receiver;
  /** @param data JSON text of the change. */
  changeFrame(ids: readonly number[], action: Action, data: string): Buffer;
  onChange(frame: Buffer): void;
}

/** One element of a join's `postgres_changes`. */
export interface Subscription {
  readonly uuid: string;
  /** Its id in the join's reply. */
  readonly id: number;
  readonly listener: Listener;
  readonly action: Action | "*";
  readonly schema: string;
  readonly table: string;
  readonly matches: (schema: string, table: string) => boolean;
  readonly filters: readonly Filter[];
  readonly select: readonly string[] | undefined;
  role: string;
  /** JSON text: subscribers with equal role and claims are evaluated together. */
  claims: string;
}
