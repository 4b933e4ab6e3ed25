/**
 * Owns: what is asked for when cards are read, in PostgREST's words. Without imports: the first lines of the page ask the
 * same before the app is there (web/first-views.ts).
 */

/** A plan in small, for lists. */
export const cardColumns = `
  id, circle_id, title, status, time_zone, vote_deadline, created_at, starts_at, ends_at, place_name, times, places,
  unanswered_until, voted, rated, people, section, position
` as const;
/** The key by which cards are paged: what comes next is first. */
export const cardOrder = ["section", "position", "id"] as const;
/** The cards of a page; one more is asked for, which tells whether there is another page. */
export const CARDS_AT_ONCE = 30;
