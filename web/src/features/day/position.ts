/** Owns: the messages about live positions, and how long a received position is kept. Pure. */
import * as z from "zod/mini";
import type { Position } from "../map/geometry.ts";

/** How long one shares at first, and how much longer by a press. */
export const SHARE_MINUTES = 30;
/** Nobody shares longer than this ahead, whatever a message says. */
const LONGEST_MS = 3 * 3_600_000;
/** Sent again this often, so that late joiners learn it; a position that is not repeated expires. */
export const POSITION_INTERVAL_MS = 10_000;
/** A closed page may send nothing: without a repetition for this long the position is removed. */
const SILENCE_MS = 3.5 * POSITION_INTERVAL_MS;
/** Four digits, some ten metres: which side of the street, not which window. */
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

/** What goes out: rounded, with its end. */
export function positionMessage(at: Position, until: number): z.infer<typeof positionSchema> {
  return {
    latitude: Number(at.latitude.toFixed(DIGITS)),
    longitude: Number(at.longitude.toFixed(DIGITS)),
    until,
  };
}

/** After a message of `sender` was heard; one that cannot be read changes nothing. */
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

/** After somebody said that they stopped. */
export function afterEnd(positions: Positions, sender: string): Positions {
  if (!positions.has(sender)) return positions;
  const next = new Map(positions);
  next.delete(sender);
  return next;
}

/** Without those whose time is over, who fell silent, or who is not (any more) among `people`. */
export function stillShared(positions: Positions, people: ReadonlySet<string>, now: number): Positions {
  const active = [...positions].filter(
    ([person, { until, heardAt }]) => people.has(person) && until > now && now - heardAt < SILENCE_MS,
  );
  return active.length === positions.size ? positions : new Map(active);
}

/** Whole minutes that are left, rounded up but for the last one. */
export function minutesLeft(until: number, now: number): number {
  const minutes = (until - now) / 60_000;
  return minutes < 1 ? 0 : Math.round(minutes);
}

/** After a press on "longer". */
export function extended(until: number, now: number): number {
  return Math.min(Math.max(until, now) + SHARE_MINUTES * 60_000, now + LONGEST_MS);
}
