/** Owns: reading lists of plans: cards, page by page, and their unread counts. */
import { type QueryClient, queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { loadClient } from "../../../lib/backend/load-client.ts";
import { parsed } from "../../../lib/backend/parsed.ts";
import { orThrow } from "../../../lib/errors.ts";
import { CARDS_AT_ONCE, cardColumns, cardOrder } from "./columns.ts";
import { type Card, cardSchema } from "./schema.ts";

/** The key of the last card: the next page begins after it. */
type Key = Pick<Card, (typeof cardOrder)[number]>;

export interface CardList {
  /** Upcoming plans come first. */
  cards: Card[];
  /** Null on the last page. */
  next: Key | null;
}

const STALE_MS = 15_000;
/** The API returns at most a thousand rows. */
const MOST = 900;

/**
 * The person's plans, of one circle or of all.
 * @param after where the list begins
 * @param count how many at most
 */
async function readCards(
  circle: string | null,
  after: Key | null,
  count: number,
  signal?: AbortSignal,
): Promise<CardList> {
  const supabase = await loadClient();
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
  query = query.limit(count + 1);
  const rows = orThrow(await (signal ? query.abortSignal(signal) : query));
  const cards = z.array(cardSchema).parse(rows.slice(0, count));
  return { cards, next: rows.length > count ? (cards.at(-1) ?? null) : null };
}

/**
 * Reads the next page and appends it to the list.
 * @returns the number of plans in it
 */
export async function addCards(queries: QueryClient, circle: string | null): Promise<number> {
  const { queryKey } = cardQueries.of(circle);
  const next = queries.getQueryData(queryKey)?.next;
  if (!next) return 0;
  const more = await readCards(circle, next, CARDS_AT_ONCE);
  queries.setQueryData(queryKey, (now) =>
    now
      ? {
          // A plan may have moved from one page to another meanwhile.
          cards: [...new Map([...now.cards, ...more.cards].map((card) => [card.id, card])).values()],
          next: more.next,
        }
      : now,
  );
  return more.cards.length;
}

const unreadSchema = z.array(z.object({ plan_id: z.uuid(), unread: z.int() }));

/** All keys of plans begin with `plans`, so that a changed plan invalidates them together. */
export const cardQueries = {
  /** Of one circle, or of all (null). Refetches as many as are shown, in one request. */
  of: (circle: string | null) =>
    queryOptions({
      queryKey: circle === null ? ["plans"] : ["plans", "circle", circle],
      queryFn: ({ signal, client, queryKey }) => {
        const shown = client.getQueryData<CardList>(queryKey)?.cards.length ?? 0;
        return readCards(circle, null, Math.max(CARDS_AT_ONCE, Math.min(shown, MOST)), signal);
      },
      staleTime: STALE_MS,
    }),
  /** Unread messages by plan; plans without any are missing. */
  unread: () =>
    queryOptions({
      queryKey: ["unread"],
      queryFn: async ({ signal }) => {
        const counts = (await loadClient()).rpc("unread_counts", undefined, { get: true });
        const rows = await parsed(unreadSchema, counts.abortSignal(signal));
        return new Map(rows.map((row) => [row.plan_id, row.unread]));
      },
      staleTime: STALE_MS,
    }),
};
