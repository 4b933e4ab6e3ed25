/** Owns the names of what a statement makes for itself: they need no quotes, and no relation is likely to have them. */

/** The rows of a body, once unpacked. */
export const BODY = "pgrst_body";
/** The body's JSON: its one row, and the column of it. */
export const PAYLOAD = "pgrst_payload";
/** A function's result. */
export const CALL = "pgrst_call";
