/** Owns: reading lists of plans: cards, page by page, and what other screens ask of many plans. */
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { supabase } from "../../../lib/backend/supabase.ts";
import { orThrow } from "../../../lib/errors.ts";
import { personSchema } from "../../people/schema.ts";
import { planSchema } from "../schema.ts";
import { CARDS_AT_ONCE, cardColumns, cardOrder } from "../selects.ts";
import { type Card, cardSchema } from "./schema.ts";

/** The key of the last card of a page: the next page begins behind it. */
type Key = Pick<Card, (typeof cardOrder)[number]>;

export interface CardPage {
  cards: Card[];
  next: Key | null;
}

const STALE_MS = 15_000;
/** More plans than anybody has in voting, and than a circle's or a place's list shows. */
const LISTED_AT_ONCE = 100;

/** A page of one's plans, of one circle or of all; what comes next is first. */
async function readCards(after: Key | null, circle: string | null, signal: AbortSignal): Promise<CardPage> {
  let query = supabase.from("plan_cards").select(cardColumns);
  if (circle !== null) query = query.eq("circle_id", circle);
  if (after !== null) {
    const { section, position, id } = after;
    query = query.or(
      `section.gt.${section},and(section.eq.${section},position.gt.${position}),` +
        `and(section.eq.${section},position.eq.${position},id.gt.${id})`,
    );
  }
  for (const column of cardOrder) query = query.order(column);
  const rows = orThrow(await query.limit(CARDS_AT_ONCE + 1).abortSignal(signal));
  const cards = z.array(cardSchema).parse(rows.slice(0, CARDS_AT_ONCE));
  return { cards, next: rows.length > CARDS_AT_ONCE ? (cards.at(-1) ?? null) : null };
}

/** Where a circle's plans may lead: the places that they suggest, and which of these was chosen. */
const circlePlansSchema = z.array(
  z.object({
    ...z.pick(planSchema, { id: true, status: true, chosen_place_id: true }).shape,
    place_options: z.array(
      z.object({ id: z.uuid(), place_id: z.uuid(), places: z.nullable(z.object({ name: z.string() })) }),
    ),
  }),
);
export type CirclePlan = z.infer<typeof circlePlansSchema>[number];

async function readCirclePlans(circle: string, signal: AbortSignal): Promise<CirclePlan[]> {
  const rows = orThrow(
    await supabase
      .from("plans")
      .select(
        "id, status, chosen_place_id, place_options!place_options_plan_id_fkey(id, place_id, places(name))",
      )
      .eq("circle_id", circle)
      .order("created_at", { ascending: false })
      .limit(LISTED_AT_ONCE)
      .abortSignal(signal),
  );
  return circlePlansSchema.parse(rows);
}

/** A plan in voting, and whether a place is on it. */
const openPlansSchema = z.array(
  z.object({
    ...z.pick(planSchema, {
      id: true,
      title: true,
      time_zone: true,
      vote_deadline: true,
      guests_may_propose: true,
    }).shape,
    plan_members: z.array(z.object({ role: z.enum(["host", "cohost", "guest"]) })),
    place_options: z.array(z.object({ place_id: z.uuid() })),
  }),
);
export type OpenPlan = z.infer<typeof openPlansSchema>[number];

async function readOpenPlans(me: string, place: string, signal: AbortSignal): Promise<OpenPlan[]> {
  const rows = orThrow(
    await supabase
      .from("plans")
      .select(
        "id, title, time_zone, vote_deadline, guests_may_propose, plan_members(role), place_options!place_options_plan_id_fkey(place_id)",
      )
      .eq("status", "polling")
      .eq("plan_members.user_id", me)
      .eq("place_options.place_id", place)
      .order("created_at", { ascending: false })
      .limit(LISTED_AT_ONCE)
      .abortSignal(signal),
  );
  return openPlansSchema.parse(rows);
}

/** A plan that a place is on, when it is, and its people. */
const plansAtSchema = z.array(
  z.object({
    plans: z.object({
      ...z.pick(planSchema, { id: true, title: true, status: true, time_zone: true }).shape,
      time_options: z.nullable(z.object({ starts_at: z.string(), ends_at: z.string() })),
      plan_members: z.array(z.object({ user_id: z.uuid(), profiles: z.nullable(personSchema) })),
    }),
  }),
);
export type PlanAt = z.infer<typeof plansAtSchema>[number]["plans"];

async function readPlansAt(place: string, signal: AbortSignal): Promise<PlanAt[]> {
  const rows = orThrow(
    await supabase
      .from("place_options")
      .select(
        `plans!place_options_plan_id_fkey(id, title, status, time_zone,
          time_options!plans_chosen_time_fkey(starts_at, ends_at),
          plan_members(user_id, profiles(display_name, avatar_path, diets, budget)))`,
      )
      .eq("place_id", place)
      .order("created_at", { ascending: false })
      .limit(LISTED_AT_ONCE)
      .abortSignal(signal),
  );
  return plansAtSchema.parse(rows).map((row) => row.plans);
}

/** All keys begin with `plans`: whatever changes a plan invalidates them together. */
export const cardQueries = {
  all: () =>
    infiniteQueryOptions({
      queryKey: ["plans"],
      queryFn: ({ pageParam, signal }) => readCards(pageParam, null, signal),
      initialPageParam: null as Key | null,
      getNextPageParam: (last: CardPage) => last.next,
      staleTime: STALE_MS,
    }),
  ofCircle: (circle: string) =>
    infiniteQueryOptions({
      queryKey: ["plans", "circle", circle],
      queryFn: ({ pageParam, signal }) => readCards(pageParam, circle, signal),
      initialPageParam: null as Key | null,
      getNextPageParam: (last: CardPage) => last.next,
      staleTime: STALE_MS,
    }),
  placesOfCircle: (circle: string) =>
    queryOptions({
      queryKey: ["plans", "circle", circle, "places"],
      queryFn: ({ signal }) => readCirclePlans(circle, signal),
      staleTime: STALE_MS,
    }),
  openTo: (me: string, place: string) =>
    queryOptions({
      queryKey: ["plans", "open", place],
      queryFn: ({ signal }) => readOpenPlans(me, place, signal),
      staleTime: STALE_MS,
    }),
  at: (place: string) =>
    queryOptions({
      queryKey: ["plans", "at", place],
      queryFn: ({ signal }) => readPlansAt(place, signal),
      staleTime: STALE_MS,
    }),
};

/** The cards of all pages, each once: a plan may have moved to a later page meanwhile. */
export function cardsOf(pages: readonly CardPage[]): Card[] {
  return [...new Map(pages.flatMap((page) => page.cards).map((card) => [card.id, card])).values()];
}
