/** Owns the console's connections to the project's database: as its owner, one for each piece of work. */
import type pg from "pg";
import type { DeveloperStart } from "../../../src/developer/stack-wing.ts";
import { connected } from "../../../src/postgres/connected.ts";
import { whileAwaited } from "../../../src/postgres/while-awaited.ts";
import { CallRefused } from "./call-refused.ts";

/** What the data of a stack are read from, for a page. */
export interface Source extends Pick<DeveloperStart, "backend"> {
  /** Aborted when the page no longer waits: Postgres ends the work then. None for what is to be done all the same. */
  signal?: AbortSignal | undefined;
}

export function inDatabase<T>(source: Source, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const { backend } = source;
  return connected(backend.database.connection("postgres"), (client) =>
    whileAsked(source, client, () => work(client)),
  );
}

/** Calls `work`, during which the connection ends when the page no longer waits. @throws what `work` throws, and CallRefused */
export async function whileAsked<T>(
  { backend: { database }, signal }: Source,
  client: pg.ClientBase,
  work: () => Promise<T>,
): Promise<T> {
  if (!signal) return work();
  return whileAwaited({ database, signal }, client, work).catch((error: unknown) => {
    throw signal.aborted ? new CallRefused(499, "The page has moved on.") : error;
  });
}
