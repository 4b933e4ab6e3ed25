/**
 * Owns the aliases of tables in a statement, as plain names. Postgres names them in its messages ("column
 * films.titel does not exist"), so they are those of PostgREST.
 */
import type { NodeSource } from "./plan.ts";

const SOURCE = "pgrst_source";

// What another alias of the statement could be called as well.
const CONFUSING = /^e\d+$|_\d+$/;
// An identifier has 63 bytes at most; what is cut off must not be what tells two apart.
const LONGEST = 60;

/** The alias of the rows that a statement is about. */
export function rootAlias({ source, name }: { source: NodeSource; name: { name: string } }): string {
  if (source.kind === "source") return SOURCE;
  return CONFUSING.test(name.name) ? "t0" : name.name;
}

/** Where an embed stands. */
export interface Embedding {
  /** The alias of what it is embedded into. */
  parent: string;
  /** 1 for those of the root. */
  depth: number;
  /** How many embeds the statement has already. */
  count: number;
  /** Many-to-many relations go by their bare name. */
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
 * The alias of a many-to-many embed's junction: its bare name, unless something in reach has it.
 * @param taken aliases of what it joins.
 */
export function junctionAlias(table: { name: string }, taken: readonly string[], embed: string): string {
  return CONFUSING.test(table.name) || taken.includes(table.name) ? `j_${embed}` : table.name;
}

/**
 * The alias that an embed is joined under.
 * @param parent what it is embedded into.
 * @param output what it is called there.
 */
export function embedAlias(parent: { name: string }, output: string, depth: number, count: number): string {
  const alias = `${parent.name}_${output}_${depth}`;
  return fits(alias) ? alias : `e${count}`;
}

function fits(alias: string): boolean {
  return Buffer.byteLength(alias) <= LONGEST;
}
