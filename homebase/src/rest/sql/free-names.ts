/**
 * Owns the internal names of a statement. A relation, column or alias of a request may have any of them: where
 * both would be in one scope, `freeName` chooses another, and rows are written as `name.*`.
 */

/** The statement's source, as a CTE: affected rows, or a function's result. */
export const SOURCE = "src";
/** The CTE that counts all rows. */
export const COUNTED = "cnt";
/** The page's rows as a CTE, for formats that read them twice. */
export const PAGE = "page";
/** The page's rows. Whole rows are written `name.*`: the bare name could be a column. */
export const ROWS = "_postgrest_t";
/** The unpacked rows of a body. */
export const BODY = "pgrst_body";
/** The body's JSON: its single row, and the column. */
export const PAYLOAD = "pgrst_payload";
/** A function's result. */
export const CALL = "pgrst_call";
/** The column of a function's result that is not a row; requests may refer to it, as in PostgREST. */
export const SCALAR = "pgrst_scalar";
/** Postgres's name for the row that an upsert would have inserted. */
export const EXCLUDED = "excluded";
/** The rows of a to-many embed, before they are aggregated. */
export const EMBEDDED = "pgrst_rows";

/** `name`, or a longer one that is not taken. */
export function freeName(name: string, taken: readonly string[]): string {
  let free = name;
  for (let at = 1; taken.includes(free); at++) free = `${name}_${at}`;
  return free;
}
