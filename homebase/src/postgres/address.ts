/** Owns the type of a database address: fixed, or resolved for each connection. */
import type pg from "pg";

/** Options for pg. A function is called for each new connection; it throws when no host is available. */
export type AddressSource = pg.ClientConfig | (() => Promise<pg.ClientConfig>);

/** Resolves the address for a new connection. */
export async function currentAddress(source: AddressSource): Promise<pg.ClientConfig> {
  return typeof source === "function" ? source() : source;
}
