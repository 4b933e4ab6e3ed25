/**
 * Owns the aliases of tables in a statement, as plain names. Postgres mentions them in errors ("column
 * films.titel does not exist"), so they equal PostgREST's.
 */
import type { NodeSource } from "./plan.ts";

const SOURCE = "pgrst_source";

// Names that another alias of the statement may also have.
const CONFUSING = /^e\d+$|_\d+$/;
// An identifier has at most 63 bytes; truncation must keep the part that makes it unique.
const LONGEST = 60;

/** The alias of the statement's root rows. */
export function rootAlias({ source, name }: { source: NodeSource; name: { name: string } }): string {
  if (source.kind === "source") return SOURCE;
  return CONFUSING.test(name.name) ? "t0" : name.name;
}

/** The position of an embed. */
export interface Embedding {
  /** The alias of its parent. */
  parent: string;
  /** Depth; 1 for embeds of the root. */
  depth: number;
  /** Number of embeds that the statement has already. */
  count: number;
  /** Whether it is many-to-many: such relations keep their bare name. */
  manyToMany: boolean;
}

/** The alias of an embedded relation's rows. */
export function nodeAlias(
  { name }: { name: string },
  { parent, depth, count, manyToMany }: Embedding,
): string {
  if (manyToMany && !CONFUSING.test(name) && name !== parent) return name;
  const alias = `${name}_${depth}`;
  return fits(alias) ? alias : `${name.slice(0, LONGEST / 5)}_${count}_${depth}`;
}

/**
 * The alias of a many-to-many embed's junction: its bare name, unless that is taken.
 * @param taken aliases of the joined relations.
 */
export function junctionAlias(table: { name: string }, taken: readonly string[], embed: string): string {
  return CONFUSING.test(table.name) || taken.includes(table.name) ? `j_${embed}` : table.name;
}

/**
 * The alias of an embed's join.
 * @param parent the alias of its parent.
 * @param output its key in the output.
 */
export function embedAlias(parent: { name: string }, output: string, depth: number, count: number): string {
  const alias = `${parent.name}_${output}_${depth}`;
  return fits(alias) ? alias : `e${count}`;
}

function fits(alias: string): boolean {
  return Buffer.byteLength(alias) <= LONGEST;
}
