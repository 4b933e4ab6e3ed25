/** Owns: how a place's hours fit a plan's times, and the text about it: "closed Fri 19:30 and Sat 13:00". */
import { openDuring } from "../../../../supabase/functions/_shared/ranking/hours.ts";
import { clockOf, dayOf, leafOf } from "../../lib/time.ts";
import type { Place } from "../places/schema.ts";
import type { TimeOption } from "./schema.ts";
import { placeOptionWords } from "./words/place-options.ts";

type Slot = Pick<TimeOption, "starts_at" | "ends_at">;

/** From this many closed times on, the text gives their number: a longer list is hard to read. */
const COUNTED = 3;

/** The times at which a place is closed, or null when its hours are not known. */
export function closedTimes<Time extends Pick<TimeOption, "starts_at" | "ends_at">>(
  place: Pick<Place, "place_hours" | "time_zone">,
  times: readonly Time[],
): Time[] | null {
  if (place.place_hours.length === 0) return null;
  return times.filter(
    (time) => openDuring(place.place_hours, place.time_zone, time.starts_at, time.ends_at) === false,
  );
}

export function hoursAt(
  place: Pick<Place, "place_hours" | "time_zone">,
  times: readonly Slot[],
  zone: string,
): string {
  const words = placeOptionWords().hours;
  const closed = closedTimes(place, times);
  if (closed === null || times.length === 0) return words.unknown;
  if (closed.length === 0) return words.always(times.length);
  if (closed.length === times.length) return words.never(times.length);
  if (closed.length >= COUNTED) return words.closedAt(closed.length, times.length);
  return words.closed(closed.map((time) => slotName(time, times, zone)));
}

/** "Fri 19:30", or with the date where another time has the same weekday and hour. */
function slotName(slot: Slot, times: readonly Slot[], zone: string): string {
  const short = ({ starts_at }: Slot) => `${leafOf(starts_at, zone).weekday} ${clockOf(starts_at, zone)}`;
  const isUnique = times.every((other) => other.starts_at === slot.starts_at || short(other) !== short(slot));
  return isUnique ? short(slot) : `${dayOf(slot.starts_at, zone)} ${clockOf(slot.starts_at, zone)}`;
}
