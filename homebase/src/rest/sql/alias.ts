/**
 * Owns what tables are called inside a statement. Postgres names them in its messages ("column
 * films.titel does not exist"), so they are called as PostgREST calls them.
 */
import type { NodeSource } from "../plan/plan.ts";
import { quote } from "./writer.ts";

/** The rows of a body, once unpacked. */
export const BODY = "pgrst_body";
/** The body's JSON: its one row, and the column of it. */
export const PAYLOAD = "pgrst_payload";
/** A function's result. */
export const CALL = "pgrst_call";
const SOURCE = '"pgrst_source"';

// What a node or the lateral join of an embed could be called as well.
const CONFUSING = /^e\d+$|_\d+$/;
// An identifier has 63 bytes at most; what is cut off must not be what tells two apart.
const LONGEST = 40;

/**
 * The quoted alias of a node's rows.
 * @param count how many aliases the statement has already: unique, and 0 for the root.
 */
export function nodeAlias(node: { source: NodeSource; name: { name: string } }, count: number): string {
  if (count > 0) return quote(`${node.name.name.slice(0, LONGEST)}_${Math.ceil(count / 2)}`);
  if (node.source.kind === "source") return SOURCE;
  return CONFUSING.test(node.name.name) ? '"t0"' : quote(node.name.name);
}
