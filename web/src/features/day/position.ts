/** Owns: the messages about live positions, and how long a received position is kept. Pure. */
import * as z from "zod/mini";
import type { Position } from "../map/geometry.ts";

/** How long sharing lasts, and by how much one press extends it. */
export const SHARE_MINUTES = 30;
/** The longest duration that is accepted from a message. */
const LONGEST_MS = 3 * 3_600_000;
/** Sent again this often, so that late joiners learn it; a position that is not repeated expires. */
export const POSITION_INTERVAL_MS = 10_000;
/** A closed page may send nothing: without a repetition for this long the position is removed. */
const SILENCE_MS = 3.5 * POSITION_INTERVAL_MS;
/** Four digits are about ten metres. */
const DIGITS = 4;

export const positionSchema = z.object({
  latitude: z.number().check(z.minimum(-90), z.maximum(90)),
  longitude: z.number().check(z.minimum(-180), z.maximum(180)),
  /** Until when it is shared, ms since 1970. */
  until: z.number(),
});

export interface Shared extends Position {
  until: number;
  heardAt: number;
}
/** By person. */
export type Positions = ReadonlyMap<string, Shared>;

export const noPositions: Positions = new Map();

/** The message that is broadcast: the rounded position with its end. */
export function positionMessage(at: Position, until: number): z.infer<typeof positionSchema> {
  return {
    latitude: Number(at.latitude.toFixed(DIGITS)),
    longitude: Number(at.longitude.toFixed(DIGITS)),
    until,
  };
}

/** The positions after a message of `sender`. Malformed messages are ignored. */
export function afterPosition(
  positions: Positions,
  sender: string,
  payload: unknown,
  now: number,
): Positions {
  const message = positionSchema.safeParse(payload);
  if (!message.success) return positions;
  const { until, latitude, longitude } = message.data;
  const next = new Map(positions);
  if (until <= now) next.delete(sender);
  else next.set(sender, { latitude, longitude, until: Math.min(until, now + LONGEST_MS), heardAt: now });
  return next;
}

/** The positions after a person has stopped sharing. */
export function afterEnd(positions: Positions, sender: string): Positions {
  if (!positions.has(sender)) return positions;
  const next = new Map(positions);
  next.delete(sender);
  return next;
}

/** Without positions that have ended, were not repeated in time, or whose person is not in `people`. */
export function stillShared(positions: Positions, people: ReadonlySet<string>, now: number): Positions {
  const active = [...positions].filter(
    ([person, { until, heardAt }]) => people.has(person) && until > now && now - heardAt < SILENCE_MS,
  );
  return active.length === positions.size ? positions : new Map(active);
}

/** Whole minutes left, rounded; 0 in the last minute. */
export function minutesLeft(until: number, now: number): number {
  const minutes = (until - now) / 60_000;
  return minutes < 1 ? 0 : Math.round(minutes);
}

/** The end after one extension. */
export function extended(until: number, now: number): number {
  return Math.min(Math.max(until, now) + SHARE_MINUTES * 60_000, now + LONGEST_MS);
}
