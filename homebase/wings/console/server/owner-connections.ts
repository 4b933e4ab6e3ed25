/** Owns the console's connections to the project's database: as its owner, one for each piece of work. */
import type pg from "pg";
import type { DeveloperStart } from "../../../src/developer/stack-wing.ts";
import { connected } from "../../../src/postgres/connected.ts";

export function inDatabase<T>(
  { backend }: Pick<DeveloperStart, "backend">,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  return connected(backend.database.connection("postgres"), work);
}
