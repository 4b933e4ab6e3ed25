/** Owns the internal names of a statement: they need no quotes, and relations are unlikely to have them. */

/** The unpacked rows of a body. */
export const BODY = "pgrst_body";
/** The body's JSON: its single row, and the column. */
export const PAYLOAD = "pgrst_payload";
/** A function's result. */
export const CALL = "pgrst_call";
