/**
 * Owns: the columns of a card query, in PostgREST's syntax. Without imports: the page's inline script sends
 * the same request before the app is loaded (web/first-views.ts).
 */

/** A plan's summary for lists. */
export const cardColumns = `
  id, circle_id, title, status, time_zone, vote_deadline, created_at, starts_at, ends_at, place_name, times, places,
  next, voted, moved, people, section, position
` as const;
/** The paging key: upcoming plans come first. */
export const cardOrder = ["section", "position", "id"] as const;
/** The cards of a page; one more is requested, which shows whether there is another page. */
export const CARDS_AT_ONCE = 30;
