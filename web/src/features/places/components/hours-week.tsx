/** Owns: displaying a place's week of opening hours, with the current day there marked. */
import { cityOf, weekdayOf } from "../../../lib/time.ts";
import {
  formatClock,
  isAllDay,
  isOvernight,
  type Span,
  weekdayAt,
  weekdayName,
  weekdays,
  weekOf,
} from "../hours.ts";
import type { Place } from "../schema.ts";
import { placeWords } from "../words.ts";

export function HoursWeek({ place, now, viewerZone }: { place: Place; now: number; viewerZone: string }) {
  const words = placeWords().hours;
  const today = weekdayAt(now, place.time_zone);
  const week = weekOf(place.place_hours);
  return (
    <section aria-label={words.section} className="max-w-md">
      <h2 className="mb-2 text-lg">{words.title}</h2>
      {place.place_hours.length === 0 ? (
        <p className="text-ink-soft">{words.notKnown}</p>
      ) : (
        <dl className="numerals grid grid-cols-[auto_1fr] gap-x-6">
          {weekdays.map((weekday) => {
            const spans = week[weekday - 1] ?? [];
            const isToday = weekday === today;
            return (
              <div
                key={weekday}
                className={`col-span-2 grid grid-cols-subgrid border-b border-line px-2 py-1.5 ${isToday ? "rounded-s border-transparent bg-card-warm font-semibold" : ""}`}
              >
                <dt>
                  {weekdayName(weekday, weekdayOf)}
                  {isToday ? <span className="font-normal text-ink-soft">{`, ${words.today}`}</span> : null}
                </dt>
                <dd className={`text-right ${isToday ? "" : "text-ink-soft"}`}>
                  {spans.length === 0
                    ? words.closed
                    : spans.map((span) => (
                        <span key={span.opens} className="block">
                          {formatSpan(span)}
                        </span>
                      ))}
                </dd>
              </div>
            );
          })}
        </dl>
      )}
      {place.time_zone !== viewerZone && place.place_hours.length > 0 ? (
        <p className="mt-2 text-sm text-ink-soft">{words.clock(cityOf(place.time_zone))}</p>
      ) : null}
    </section>
  );
}

function formatSpan(span: Span): string {
  const words = placeWords().hours;
  if (isAllDay(span)) return words.wholeDay;
  const say = isOvernight(span) ? words.overnight : words.span;
  return say(formatClock(span.opens), formatClock(span.closes));
}
