/**
 * suggest-places: POST {"plan_id": uuid} returns `{"suggestions": [...]}`: up to three places that are not on
 * the plan yet, are known to be safe for everyone who may come, and are open at one of its upcoming times;
 * each with reasons (a code with its values, and `text`, the same in English) and trade-offs in English. The
 * app itself ranks the plan's own pairs, as votes arrive. Every row is read under the caller's own token, so
 * the response contains nothing that the caller could not read directly. Errors are `{"code", "message"}`.
 */
import type { SupabaseClient } from "npm:@supabase/supabase-js@2.119.1";
import { clientOf, dataOf, Refusal, readObject, serve } from "../_shared/http.ts";
import { type RatingRow, ratingsSelect } from "../_shared/ranking/past_meals.ts";
import {
  type PastMeals,
  type PhotosRow,
  type PlaceRow,
  type PlanRows,
  pastMealsOf,
  peopleOf,
  photosSelect,
  placeColumns,
  placeOf,
  planRowsSelect,
  timesOf,
} from "../_shared/ranking/plan_rows.ts";
import { type Pair, type Person, rankPairs } from "../_shared/ranking/ranking.ts";
import { compromiseTexts, inEnglish, reasonsFor, reasonText } from "../_shared/ranking/reasons.ts";
import { isUuid } from "../_shared/uuid.ts";

const MAX_SUGGESTIONS = 3;
/** Maximum number of candidates: their ids fit into one URL. */
const MAX_CANDIDATES = 60;

/** A row of the function plan_candidates: a place, and the minutes of each person by id. */
interface CandidateRow {
  place_id: string;
  trips: Record<string, number>;
}

serve(
  { name: "suggest-places", methods: ["POST"], errorMessage: "The suggestions could not be worked out." },
  async (request) => {
    const { plan_id: plan } = await readObject(request);
    if (!isUuid(plan)) throw new Refusal(400, "invalid_request", 'Send {"plan_id": "<uuid>"}.');
    return Response.json(await suggest(clientOf(request), plan));
  },
);

async function suggest(client: SupabaseClient, planId: string) {
  const [plan, ratings, photos] = await Promise.all([
    client.from("plans").select(planRowsSelect).eq("id", planId).maybeSingle<PlanRows>(),
    client.from("ratings").select(ratingsSelect).returns<RatingRow[]>(),
    client.from("place_photos").select(photosSelect).returns<PhotosRow[]>(),
  ]);
  const rows = dataOf(plan);
  if (!rows) throw new Refusal(404, "plan_not_found", "There is no such plan at your table.");
  // Past times cannot be chosen.
  const open = rows.time_options.filter((option) => Date.parse(option.starts_at) > Date.now());
  const people = peopleOf(rows);
  return {
    suggestions: await furtherPlaces(
      client,
      { ...rows, time_options: open },
      people,
      pastMealsOf(rows, { ratings: dataOf(ratings) ?? [], photos: dataOf(photos) ?? [] }),
    ),
  };
}

async function furtherPlaces(
  client: SupabaseClient,
  rows: PlanRows,
  people: readonly Person[],
  pastMeals: PastMeals,
) {
  // The database selects candidates: near the table, safe for everyone, and not on the plan yet.
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
    places: places.map((place) => placeOf(place.id, place, [], trips, pastMeals)),
  });
  const bestOfPlace = new Map<string, Pair>();
  for (const pair of ranked) {
    const { placeId } = pair;
    if (placeId !== null && pair.notSafeFor.length === 0 && pair.open && !bestOfPlace.has(placeId)) {
      bestOfPlace.set(placeId, pair);
    }
  }
  return [...bestOfPlace].slice(0, MAX_SUGGESTIONS).map(([placeId, pair]) => ({
    place_id: placeId,
    name: places.find((place) => place.id === placeId)?.name ?? "",
    time_option_id: pair.timeId,
    ...inWords(pair, people),
  }));
}

function inWords(pair: Pair, people: readonly Person[]) {
  const speaker = inEnglish(people);
  return {
    reasons: reasonsFor(pair, people).map((reason) => ({ ...reason, text: reasonText(reason, speaker) })),
    compromises: compromiseTexts(pair, speaker),
  };
}
