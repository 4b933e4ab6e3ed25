/**
 * suggest-places: POST {"plan_id": uuid} answers
 * `{"pairs": [...], "suggestions": [...]}`: the best pairs of times and places that are on the plan, and up
 * to three places that are not on it yet, are known to be safe for everyone who may come, and are open at
 * one of its times; each with reasons (a code with its values, and `text`, the same in English) and
 * compromises in English.
 *
 * It runs with the caller's rights: every row is read under the caller's own token, so it can tell nobody
 * anything that they could not read themselves. Errors are `{"code", "message"}`.
 */
import type { SupabaseClient } from "npm:@supabase/supabase-js@2";
import { clientOf, dataOf, isUuid, Refusal, readObject, serve } from "../_shared/http.ts";
import {
  type PlaceRow,
  type PlanRows,
  peopleOf,
  placeColumns,
  placeOf,
  planRowsSelect,
  type RatingRow,
  rankingInput,
  ratingsOf,
  type TripRow,
  timesOf,
} from "../_shared/plan_rows.ts";
import { type Pair, type Person, rankPairs } from "../_shared/ranking.ts";
import { inEnglish, reasonsFor, sayCompromises, sayReason } from "../_shared/reasons.ts";

/** More than five pairs is a list, not an answer. */
const MAX_PAIRS = 5;
const MAX_SUGGESTIONS = 3;
/** Places looked at for suggestions: their ids fit into one address. */
const MAX_CANDIDATES = 60;

/** A row of the function plan_candidates: a place, and the minutes of each person by id. */
interface CandidateRow {
  place_id: string;
  trips: Record<string, number>;
}

serve(
  { name: "suggest-places", methods: ["POST"], apology: "The suggestions could not be worked out." },
  async (request) => {
    const { plan_id: plan } = await readObject(request);
    if (!isUuid(plan)) throw new Refusal(400, "invalid_request", 'Send {"plan_id": "<uuid>"}.');
    return Response.json(await suggest(clientOf(request), plan));
  },
);

async function suggest(client: SupabaseClient, planId: string) {
  const [plan, trips, ratings] = await Promise.all([
    client.from("plans").select(planRowsSelect).eq("id", planId).maybeSingle<PlanRows>(),
    tripsTo(client, planId),
    client.from("ratings").select("place_id, user_id, stars").returns<RatingRow[]>(),
  ]);
  const rows = dataOf(plan);
  if (!rows) throw new Refusal(404, "plan_not_found", "There is no such plan at your table.");
  const people = peopleOf(rows);
  const rated = dataOf(ratings) ?? [];
  const ranked = rankPairs(rankingInput(rows, trips, rated));
  return {
    pairs: ranked.slice(0, MAX_PAIRS).map((pair) => ({
      time_option_id: pair.timeId,
      place_option_id: pair.placeId,
      ...inWords(pair, people),
    })),
    suggestions: await furtherPlaces(client, rows, people, ratingsOf(rows, rated)),
  };
}

async function furtherPlaces(
  client: SupabaseClient,
  rows: PlanRows,
  people: readonly Person[],
  ratings: readonly RatingRow[],
) {
  // The database chooses: near the table, safe for everyone, and not on the plan yet.
  const candidates = dataOf(
    await client.rpc("plan_candidates", { plan: rows.id, most: MAX_CANDIDATES }),
  ) as CandidateRow[];
  if (candidates.length === 0) return [];
  const near = new Map(candidates.map((candidate) => [candidate.place_id, candidate.trips]));
  const places =
    dataOf(
      await client
        .from("places")
        .select(placeColumns())
        .in("id", [...near.keys()])
        .returns<PlaceRow[]>(),
    ) ?? [];
  const trips = [...near].flatMap(([place_id, minutes]) =>
    Object.entries(minutes).map(([user_id, each]) => ({ place_id, user_id, minutes: each })),
  );

  const ranked = rankPairs({
    people,
    times: timesOf(rows),
    places: places.map((place) => placeOf(place.id, place, [], trips, ratings)),
  });
  const bestOfPlace = new Map<string, Pair>();
  for (const pair of ranked) {
    if (pair.notSafeFor.length === 0 && pair.open && !bestOfPlace.has(pair.placeId)) {
      bestOfPlace.set(pair.placeId, pair);
    }
  }
  return [...bestOfPlace.values()].slice(0, MAX_SUGGESTIONS).map((pair) => ({
    place_id: pair.placeId,
    name: places.find((place) => place.id === pair.placeId)?.name ?? "",
    time_option_id: pair.timeId,
    ...inWords(pair, people),
  }));
}

async function tripsTo(client: SupabaseClient, plan: string): Promise<TripRow[]> {
  // An untyped client cannot know that this function returns a set of rows.
  return (dataOf(await client.rpc("plan_trips", { plan })) ?? []) as TripRow[];
}

function inWords(pair: Pair, people: readonly Person[]) {
  const speaker = inEnglish(people);
  return {
    reasons: reasonsFor(pair, people).map((reason) => ({ ...reason, text: sayReason(reason, speaker) })),
    compromises: sayCompromises(pair, speaker),
  };
}
