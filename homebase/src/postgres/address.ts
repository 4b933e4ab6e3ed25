/** Owns what a connection is opened with: an address, or a way to find one each time. */
import type pg from "pg";

/** For pg. A function is asked for each new connection; it throws when no host can be had. */
export type AddressSource = pg.ClientConfig | (() => Promise<pg.ClientConfig>);

/** The address to connect to now. */
export async function currentAddress(source: AddressSource): Promise<pg.ClientConfig> {
  return typeof source === "function" ? source() : source;
}
