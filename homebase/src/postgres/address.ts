/** Owns the type of a database address: fixed, or resolved for each connection. */
import type { Login } from "./connected.ts";

/** Options for pg. A function is called for each new connection; it throws when no host is available. */
export type AddressSource = Login | (() => Promise<Login>);

/** Resolves the address for a new connection. */
export async function currentAddress(source: AddressSource): Promise<Login> {
  return typeof source === "function" ? source() : source;
}
