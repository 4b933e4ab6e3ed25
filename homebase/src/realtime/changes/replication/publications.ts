/**
 * Owns what is published: that the publications are there, and that a change of them is noticed while
 * somebody listens. Hosted looks once a minute, here it is once a second.
 */
import type { Database } from "../../../postgres/database.ts";
import { PUBLICATIONS, publishedTables } from "../subscriptions.ts";

const LOOK_MS = 1_000;

export interface PublicationListeners {
  /** Names of tables that came or went. */
  onTables(names: ReadonlySet<string>): void;
  /** A publication was created: the stream must be opened again to include it. */
  onPublication(): void;
}

/** See the file's head. */
export class PublicationWatch {
  readonly #database: Database;
  readonly #listeners: PublicationListeners;
  #reading: string[] = [];
  #tables = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(database: Database, listeners: PublicationListeners) {
    this.#database = database;
    this.#listeners = listeners;
  }

  /**
   * Makes the messages' publication if it was dropped, and notes what is published from now on.
   * @returns names of the publications that exist: one that does not would be an error when read from.
   */
  async ensure(): Promise<string[]> {
    await this.#database.query(
      "supabase_admin",
      `do $$ begin
         if not exists (select from pg_catalog.pg_publication where pubname = '${PUBLICATIONS[1]}') then
           create publication ${PUBLICATIONS[1]} for table realtime.messages with (publish_via_partition_root = true);
         end if;
       end $$`,
      [],
    );
    const { publications, tables } = await publishedTables(this.#database);
    this.#reading = publications;
    this.#tables = new Set(tables);
    return publications;
  }

  start(): void {
    if (this.#timer) return;
    this.#timer = setInterval(() => void this.#look(), LOOK_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #look(): Promise<void> {
    // A database that is away for a moment has changed nothing.
    const found = await publishedTables(this.#database).catch(() => undefined);
    if (!found || !this.#timer) return;
    const before = this.#tables;
    const now = new Set(found.tables);
    this.#tables = now;
    const changed = new Set([...now, ...before].filter((name) => now.has(name) !== before.has(name)));
    if (found.publications.some((name) => !this.#reading.includes(name))) this.#listeners.onPublication();
    if (changed.size > 0) this.#listeners.onTables(changed);
  }
}
