/**
 * Owns the publications: creating the messages' one, and detecting changes while there are listeners. Hosted
 * polls once a minute, this once a second.
 */
import { errorBoundary } from "../../../core/error-boundary.ts";
import type { Log } from "../../../core/log.ts";
import type { Database } from "../../../postgres/database.ts";
import { PUBLICATIONS, publishedTables } from "../subscriptions.ts";

const LOOK_MS = 1_000;

export interface PublicationListeners {
  /** Names of added or removed tables. */
  onTables(names: ReadonlySet<string>): void;
  /** Whether a publication was created: the stream must be reopened to include it. */
  onPublication(): void;
}

/** Polls the publications. */
export class PublicationWatch {
  readonly #database: Database;
  readonly #listeners: PublicationListeners;
  readonly #log: Log;
  #reading: string[] = [];
  #tables = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(database: Database, listeners: PublicationListeners, log: Log) {
    this.#log = log;
    this.#database = database;
    this.#listeners = listeners;
  }

  /**
   * Creates the messages' publication, as upstream does with the first client, or completes one that a project made, and
   * records the published tables. @returns names of the existing publications, because reading from a missing one is an
   * error.
   */
  async ensure(): Promise<string[]> {
    await this.#database.query(
      "supabase_admin",
      `do $$ begin
         if not exists (select from pg_catalog.pg_publication where pubname = '${PUBLICATIONS[1]}') then
           create publication ${PUBLICATIONS[1]} for table realtime.messages with (publish_via_partition_root = true);
         elsif not exists (
           select from pg_catalog.pg_publication_rel r join pg_catalog.pg_publication p on p.oid = r.prpubid
           where p.pubname = '${PUBLICATIONS[1]}' and r.prrelid = 'realtime.messages'::pg_catalog.regclass
         ) then
           alter publication ${PUBLICATIONS[1]} add table realtime.messages;
           alter publication ${PUBLICATIONS[1]} set (publish_via_partition_root = true);
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
    this.#timer = setInterval(
      errorBoundary(this.#log, "the watch on publications", () => this.#look()),
      LOOK_MS,
    );
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #look(): Promise<void> {
    // A temporarily unavailable database counts as unchanged.
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
