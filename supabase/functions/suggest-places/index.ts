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
import { createClient, type SupabaseClient } from "npm:@supabase/supabase-js@2";
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
/** Places looked at for suggestions; the nearest kitchens of one city fit. */
const MAX_CANDIDATES = 200;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

class Refusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

Deno.serve(async (request) => {
  const cors = corsHeaders(request);
  if (request.method === "OPTIONS") return new Response(null, { status: 204, headers: cors });
  try {
    if (request.method !== "POST") throw new Refusal(405, "method_not_allowed", "Send a POST request.");
    const planId = await readPlanId(request);
    return Response.json(await suggest(clientOf(request), planId), { headers: cors });
  } catch (error) {
    if (error instanceof Refusal) {
      return Response.json(
        { code: error.code, message: error.message },
        { status: error.status, headers: cors },
      );
    }
    const id = crypto.randomUUID();
    console.error(`suggest-places ${id}`, error);
    return Response.json(
      { code: "unexpected", message: "The suggestions could not be worked out.", id },
      { status: 500, headers: cors },
    );
  }
});

async function suggest(client: SupabaseClient, planId: string) {
  const [plan, trips, ratings] = await Promise.all([
    client.from("plans").select(planRowsSelect).eq("id", planId).maybeSingle<PlanRows>(),
    tripsTo(client, { plan: planId }),
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
  const taken = rows.place_options.map((option) => option.place_id);
  let query = client.from("places").select(placeColumns()).order("name").limit(MAX_CANDIDATES);
  if (taken.length > 0) query = query.not("id", "in", `(${taken.join(",")})`);
  const places = dataOf(await query.returns<PlaceRow[]>()) ?? [];
  if (places.length === 0) return [];
  const trips = await tripsTo(client, { plan: rows.id, places: places.map((place) => place.id) });

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

async function tripsTo(client: SupabaseClient, to: { plan: string; places?: string[] }): Promise<TripRow[]> {
  // An untyped client cannot know that this function returns a set of rows.
  return (dataOf(await client.rpc("plan_trips", to)) ?? []) as TripRow[];
}

function inWords(pair: Pair, people: readonly Person[]) {
  const speaker = inEnglish(people);
  return {
    reasons: reasonsFor(pair, people).map((reason) => ({ ...reason, text: sayReason(reason, speaker) })),
    compromises: sayCompromises(pair, speaker),
  };
}

async function readPlanId(request: Request): Promise<string> {
  const body: unknown = await request.json().catch(() => null);
  const planId = body && typeof body === "object" && "plan_id" in body ? body.plan_id : null;
  if (typeof planId !== "string" || !UUID.test(planId)) {
    throw new Refusal(400, "invalid_request", 'Send {"plan_id": "<uuid>"}.');
  }
  return planId;
}

/** A client that is the caller: their token, and the publishable key for the gateway. */
function clientOf(request: Request): SupabaseClient {
  const authorization = request.headers.get("Authorization");
  if (!authorization) throw new Refusal(401, "not_signed_in", "Sign in first.");
  return createClient(required("SUPABASE_URL"), required("SUPABASE_ANON_KEY"), {
    global: { headers: { Authorization: authorization } },
    auth: { persistSession: false, autoRefreshToken: false },
  });
}

function required(name: string): string {
  const value = Deno.env.get(name);
  if (!value) throw new Error(`${name} is not set`);
  return value;
}

function dataOf<T>(result: { data: T; error: { message: string; code: string } | null }): T {
  // The platform lets a publishable key in as role anon, which may read no table.
  if (result.error?.code === "42501") throw new Refusal(401, "not_signed_in", "Sign in first.");
  if (result.error) throw new Error(result.error.message);
  return result.data;
}

/** Hosted functions get no CORS headers from the platform; the token, not the origin, is what protects. */
function corsHeaders(request: Request): Record<string, string> {
  return {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "POST, OPTIONS",
    "Access-Control-Allow-Headers":
      request.headers.get("Access-Control-Request-Headers") ??
      "authorization, apikey, content-type, x-client-info",
    "Access-Control-Max-Age": "86400",
  };
}
