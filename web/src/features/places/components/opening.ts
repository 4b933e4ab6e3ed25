/** Owns: saying whether a place is open: "open until 23:30", "closed, opens Wednesday 18:00". */
import { weekdayOf } from "../../../lib/time.ts";
import { formatClock, openingAt, weekdayName } from "../hours.ts";
import type { Place } from "../schema.ts";
import { placeWords } from "../words.ts";

export function openWords(place: Pick<Place, "place_hours" | "time_zone">, now: number): string {
  const words = placeWords().hours;
  const opening = openingAt(place.place_hours, place.time_zone, now);
  switch (opening.state) {
    case "unknown":
      return words.unknown;
    case "all_day":
      return words.allDay;
    case "open":
      return words.openUntil(
        formatClock(opening.until),
        opening.weekday === null ? null : weekdayName(opening.weekday, weekdayOf),
      );
    case "closed":
      return words.opens(
        formatClock(opening.opens),
        opening.weekday === null ? null : weekdayName(opening.weekday, weekdayOf),
      );
  }
}
