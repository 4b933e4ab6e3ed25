/** Owns: random tables for the test of sentences: plans, ratings, photos and trips as the app reads them. */
import fc from "fast-check";
import { samplePlan } from "../../features/plans/sample-plan.ts";
import type { Member, Plan, Rating, Trip } from "../../features/plans/schema.ts";

/** The raw rows, the reader and the time. */
export interface Table {
  plan: Plan;
  ratings: readonly Rating[];
  photos: readonly { place_id: string; author_id: string; photos: number }[];
  trips: readonly Trip[];
  /** The people whom no message reaches, as the database says. */
  unreached: readonly string[];
  /** Whether the reader was asked what they eat and where trips start, and whether they have messages to read. */
  asked: boolean;
  unread: boolean;
  me: string;
  now: number;
}

/** The time at which each table is looked at. */
export const NOW = Date.parse("2026-11-25T12:00:00Z");
const HOUR = 3_600_000;
const iso = (at: number) => new Date(at).toISOString();

/** First names that are shared, and a name that is another's first name. */
const NAMES = ["Ana Reis", "Ben Klein", "Ben Ode", "Ben", "Ben", "Chiara"];
const DIETS = ["vegan", "vegetarian", "halal"] as const;
const answer = fc.constantFrom("yes", "yes", "if_need_be", "no", null);

const person = fc.record({
  rsvp: fc.constantFrom<Member["rsvp"]>(
    "pending",
    "pending",
    "pending",
    "going",
    "maybe",
    "declined",
    "waitlisted",
  ),
  plus_ones: fc.constantFrom(0, 0, 1),
  required: fc.boolean(),
  diets: fc.subarray([...DIETS], { maxLength: 1 }),
  diets_known: fc.constantFrom(true, false, false),
  reached: fc.boolean(),
  silent: fc.constantFrom(true, false, false),
  times: fc.array(answer, { minLength: 4, maxLength: 4 }),
  places: fc.array(fc.oneof(answer, fc.constant("no" as const)), { minLength: 3, maxLength: 3 }),
  stars: fc.array(fc.option(fc.integer({ min: 1, max: 5 })), { minLength: 3, maxLength: 3 }),
  /** At each place, whether they found a meal for each of their diets that a meal can prove. */
  meals: fc.array(fc.constantFrom("found", "found", "lacked", null), { minLength: 3, maxLength: 3 }),
  /** Whether they rated the place once more, a month before, and said the contrary. */
  again: fc.boolean(),
  photos: fc.integer({ min: 0, max: 2 }),
  minutes: fc.option(fc.integer({ min: 1, max: 12 })),
  arrival: fc.constantFrom(null, null, null, "not_left", "on_the_way", "arrived"),
  eta: fc.option(fc.integer({ min: -40, max: 40 })),
});

/** Earlier than all other ratings. */
const BEFORE = "2026-05-10T20:00:00Z";

function rated(
  { id, diets }: { id: string; diets: readonly (typeof DIETS)[number][] },
  place: number,
  stars: number,
  at: string,
  meal: string | null,
): Rating {
  const proven = diets.filter((diet) => diet !== "halal");
  return {
    plan_id: "earlier",
    user_id: id,
    place_id: `place-${place}`,
    stars,
    comment: "",
    // Some days after the meal, in another month.
    created_at: at.replace("-10T", "-30T"),
    ate: meal === "found" ? proven : [],
    lacked: meal === "lacked" ? proven : [],
    eaten_at: at,
  };
}

export const tables = fc
  .record({
    people: fc.array(person, { minLength: 1, maxLength: 5 }),
    names: fc.shuffledSubarray(NAMES, { minLength: 5 }),
    me: fc.nat(4),
    times: fc.integer({ min: 1, max: 4 }),
    places: fc.integer({ min: 0, max: 3 }),
    safe: fc.array(fc.subarray([...DIETS]), { minLength: 3, maxLength: 3 }),
    status: fc.constantFrom<Plan["status"]>("polling", "confirmed", "confirmed", "cancelled"),
    chosen: fc.nat(3),
    chosenPlace: fc.option(fc.nat(2)),
    moved: fc.boolean(),
    asked: fc.boolean(),
    unread: fc.boolean(),
    phone: fc.constantFrom("", "+49 561 1234"),
    capacity: fc.option(fc.integer({ min: 2, max: 4 })),
    /** Hours from now to the first time; the others follow a day apart. */
    first: fc.integer({ min: -30, max: 30 }),
    months: fc.array(fc.constantFrom("2026-06-10T20:00:00Z", "2026-10-10T20:00:00Z"), {
      minLength: 5,
      maxLength: 5,
    }),
  })
  .map((made): Table => {
    const people = made.people.map((one, index) => ({
      ...one,
      id: `person-${index}`,
      times: one.silent ? [] : one.times,
      places: one.silent ? [] : one.places,
    }));
    const votes = (of: (one: (typeof people)[number]) => (typeof one.times)[number] | undefined) =>
      people.flatMap((one) => {
        const given = of(one);
        return given ? [{ user_id: one.id, answer: given }] : [];
      });
    const time_options = Array.from({ length: made.times }, (_, index) => ({
      id: `time-${index}`,
      starts_at: iso(NOW + (made.first + 24 * index) * HOUR),
      ends_at: iso(NOW + (made.first + 24 * index + 2) * HOUR),
      proposed_by: null,
      time_votes: votes((one) => one.times[index]),
    }));
    const place_options = Array.from({ length: made.places }, (_, index) => ({
      id: `option-${index}`,
      place_id: `place-${index}`,
      proposed_by: null,
      place_votes: votes((one) => one.places[index]),
      places: {
        id: `place-${index}`,
        name: `Kitchen ${index}`,
        about: "",
        cuisines: [],
        address: "",
        phone: made.phone,
        booking_url: "",
        home: false,
        everybody: true,
        latitude: null,
        longitude: null,
        price: null,
        safe_diets: made.safe[index] ?? [],
        time_zone: "UTC",
        place_hours: [],
      },
    }));
    const decided = made.status === "confirmed";
    const chosen = made.chosen % made.times;
    const place = made.chosenPlace === null ? undefined : place_options[made.chosenPlace % made.places];
    const plan = samplePlan({
      status: made.status,
      capacity: made.capacity,
      time_options,
      place_options,
      chosen_time_id: decided ? `time-${chosen}` : null,
      chosen_place_id: decided ? (place?.id ?? null) : null,
      ...(decided && place && made.moved ? { booked_seats: made.chosen + 1, booked_name: "Hanna" } : {}),
      moved_from_time_id: decided && made.moved ? `time-${(chosen + 1) % made.times}` : null,
      plan_members: people.map((one, index) => ({
        user_id: one.id,
        role: index === 0 ? "host" : "guest",
        rsvp: one.rsvp,
        plus_ones: one.plus_ones,
        waitlisted_at: one.rsvp === "waitlisted" ? iso(NOW - index * HOUR) : null,
        answered_at:
          one.times.slice(0, made.times).some(Boolean) || one.places.slice(0, made.places).some(Boolean)
            ? iso(NOW - HOUR)
            : null,
        times_answered: one.times.slice(0, made.times).some(Boolean),
        places_answered: one.places.slice(0, made.places).some(Boolean),
        required: one.required,
        joined_at: iso(NOW - 48 * HOUR),
        profiles: {
          display_name: made.names[index] ?? "",
          avatar_path: null,
          diets: one.diets,
          diets_known: one.diets_known || one.diets.length > 0,
          budget: 4,
        },
        arrivals:
          one.arrival && ["pending", "going", "maybe"].includes(one.rsvp)
            ? {
                status: one.arrival,
                eta: one.arrival === "on_the_way" && one.eta !== null ? iso(NOW + one.eta * 60_000) : null,
              }
            : null,
      })),
    });
    return {
      plan,
      ratings: people.flatMap((one, index) =>
        one.stars.flatMap((stars, at) =>
          stars === null
            ? []
            : [
                rated(one, at, stars, made.months[index] ?? "", one.meals[at] ?? null),
                ...(one.again && one.meals[at]
                  ? [rated(one, at, stars, BEFORE, one.meals[at] === "found" ? "lacked" : "found")]
                  : []),
              ],
        ),
      ),
      photos: people
        .filter((one) => one.photos > 0)
        .map((one) => ({ place_id: "place-0", author_id: one.id, photos: one.photos })),
      trips: people.flatMap((one) =>
        one.minutes === null
          ? []
          : place_options.map(({ place_id }) => ({
              place_id,
              user_id: one.id,
              minutes: (one.minutes ?? 0) * 5,
            })),
      ),
      unreached: people.flatMap(({ id, reached }) => (reached ? [] : [id])),
      asked: made.asked,
      unread: made.unread,
      me: `person-${made.me % people.length}`,
      now: NOW,
    };
  });
