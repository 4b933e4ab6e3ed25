/** Owns: the starting values of a new plan: the next evenings, times in bulk, and values from an earlier plan. Pure. */
import { listOf } from "../../lib/i18n/words.ts";
import { clockOf, dateOf, wallClockOf, weekdayOf } from "../../lib/time.ts";
import { chosenTime } from "../plans/domain.ts";
import { clockAfter, DAY_MS, dayAfter, mealOn } from "../plans/meal.ts";
import type { Plan, Rating } from "../plans/schema.ts";
import { newPlanWords } from "./words.ts";

/** A time of the form: local to the plan's zone, not yet stored. */
export interface LocalTime {
  /** YYYY-MM-DD */
  date: string;
  /** HH:MM; an end at or before the start is on the next day. */
  from: string;
  until: string;
}

/** As `private.limits` says. */
export const MOST_TIMES = 30;

const EVENING = { from: "19:30", until: "22:00" } as const;
const [THURSDAY, FRIDAY, SATURDAY] = [4, 5, 6] as const;

export const isWhole = ({ date, from, until }: LocalTime): boolean =>
  date !== "" && from !== "" && until !== "";
export const keyOfTime = (time: LocalTime): string => `${time.date} ${time.from} ${time.until}`;

/** The coming Thursdays, Fridays and Saturdays in the evening, today's left out. */
export function upcomingEvenings(now: number, zone: string, count = 6): LocalTime[] {
  const today = dateOf(now, zone);
  return Array.from({ length: 21 }, (_, index) => dayAfter(today, index + 1))
    .filter((date) => [THURSDAY, FRIDAY, SATURDAY].some((day) => day === weekday(date)))
    .slice(0, count)
    .map((date) => ({ date, ...EVENING }));
}

/** The times of an empty form: the coming Friday and the day after it. */
export function firstEvenings(now: number, zone: string): LocalTime[] {
  const friday = nextWeekday(FRIDAY, now, zone, 1);
  return [friday, dayAfter(friday)].map((date) => ({ date, ...EVENING }));
}

/** Each day at each start, of one length, in order. */
export function timesOf(days: readonly string[], starts: readonly string[], minutes: number): LocalTime[] {
  return days
    .toSorted()
    .flatMap((date) => starts.toSorted().map((from) => ({ date, from, until: clockAfter(from, minutes) })));
}

/** Both lists merged: each time once, in order. */
export function withTimes(times: readonly LocalTime[], more: readonly LocalTime[]): LocalTime[] {
  const byKey = new Map([...times, ...more].map((time) => [keyOfTime(time), time]));
  return [...byKey.values()].sort((a, b) => (keyOfTime(a) < keyOfTime(b) ? -1 : 1));
}

/** Whether a time is past already. */
export function isOver(time: LocalTime, zone: string, now: number): boolean {
  const [startsAt] = mealOn(time.date, time.from, time.until, zone);
  return Date.parse(startsAt) <= now;
}

/** The values that a new plan takes from an earlier one. */
export interface PlanDefaults {
  /** Everyone at the table, except the person themselves: who could not come once did not leave it. */
  people: string[];
  circle: string | null;
  /** The weekday and hour that worked, in the coming two weeks; empty when none was chosen. */
  times: LocalTime[];
  /** Places to suggest again, best first. */
  places: string[];
}

/** The average number of stars from which a place counts as liked. */
const LIKED_STARS = 3.5;
const MOST_PLACES = 4;
/** The same weekday after at least 3 days, and a week later: an earlier one leaves too little time to answer. */
const AGAIN_DAYS = [3, 10] as const;

export function defaultsFrom(plan: Plan, ratings: readonly Rating[], me: string, now: number): PlanDefaults {
  const chosen = chosenTime(plan);
  const stars = ratings.filter((rating) => rating.plan_id === plan.id).map((rating) => rating.stars);
  const mean = stars.length === 0 ? null : stars.reduce((sum, each) => sum + each, 0) / stars.length;
  const liked = plan.place_options
    .map((option) => {
      const yes = option.place_votes.filter((vote) => vote.answer === "yes").length;
      const no = option.place_votes.filter((vote) => vote.answer === "no").length;
      // The chosen place is scored by its ratings, the others by their votes.
      const score = option.id === plan.chosen_place_id ? (mean === null ? 1 : mean - LIKED_STARS) : yes - no;
      return { id: option.place_id, score, eaten: option.id === plan.chosen_place_id };
    })
    .filter((each) => each.score > 0 || (each.eaten && each.score === 0))
    .sort((a, b) => Number(b.eaten) - Number(a.eaten) || b.score - a.score || (a.id < b.id ? -1 : 1));
  return {
    people: plan.plan_members.map((member) => member.user_id).filter((id) => id !== me),
    circle: plan.circle_id,
    times: chosen
      ? AGAIN_DAYS.map((daysAhead) => ({
          date: nextWeekday(
            weekday(dateOf(chosen.starts_at, plan.time_zone)),
            now,
            plan.time_zone,
            daysAhead,
          ),
          from: wallClockOf(chosen.starts_at, plan.time_zone),
          until: wallClockOf(chosen.ends_at, plan.time_zone),
        }))
      : [],
    places: liked.slice(0, MOST_PLACES).map((each) => each.id),
  };
}

/** What a new plan takes from the earlier one, in words. */
export function takenOver(plan: Plan, defaults: PlanDefaults, circle: string | undefined): string[] {
  const words = newPlanWords().again;
  const [time] = defaults.times;
  const [starts] = time ? mealOn(time.date, time.from, time.until, plan.time_zone) : [];
  const places = plan.place_options.flatMap((option) =>
    defaults.places.includes(option.place_id) ? (option.places?.name ?? []) : [],
  );
  return [
    defaults.people.length > 0 ? words.people(defaults.people.length) : null,
    circle ? words.circle(circle) : null,
    starts ? words.time(weekdayOf(starts, plan.time_zone), clockOf(starts, plan.time_zone)) : null,
    places.length > 0 ? listOf(places) : null,
  ].filter((line) => line !== null);
}

/** The first such weekday (0 is Sunday) that is at least so many days ahead. */
function nextWeekday(wanted: number, now: number, zone: string, daysAhead: number): string {
  const from = dayAfter(dateOf(now, zone), daysAhead);
  return dayAfter(from, (wanted - weekday(from) + 7) % 7);
}

function weekday(date: string): number {
  return new Date(Date.parse(`${date}T00:00:00Z`)).getUTCDay();
}

/** The instant at 20:00 in `days` days: a deadline that is easy to remember. */
export function deadlineAt(days: number, now: number, zone: string): string {
  return mealOn(dateOf(now + days * DAY_MS, zone), "20:00", "21:00", zone)[0];
}
