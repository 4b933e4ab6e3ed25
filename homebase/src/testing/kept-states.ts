/** Owns the snapshots of a test's Backend: copies of its database and files, mails and the clock's offset. */
import { cp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { MovableClock } from "../core/clock.ts";
import type { ClusterClient } from "../postgres/cluster/cluster-client.ts";
import { cloneDatabase, dropDatabase } from "../postgres/cluster/copies.ts";
import type { OutgoingMail } from "../service-context.ts";

interface KeptState {
  mails: OutgoingMail[];
  offset: number;
}

/** The state of a Backend, apart from its database. */
interface Parts {
  cluster: ClusterClient;
  /** For the copies of files. */
  folder: string;
  storageFolder: string;
  mails: OutgoingMail[];
  clock: MovableClock;
}

export class KeptStates {
  readonly #parts: Parts;
  readonly #states = new Map<string, KeptState>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Keeps the state under the name of a new database. Nothing is connected to the current one. */
  async keep(database: string, name: string): Promise<void> {
    const { cluster, storageFolder, mails, clock } = this.#parts;
    await Promise.all([
      cloneDatabase(cluster, database, name),
      cp(storageFolder, this.#files(name), { recursive: true }),
    ]);
    this.#states.set(name, { mails: [...mails], offset: clock.offset });
  }

  /** Copies a kept state: its database to `next`, its files, mails and time in place of the current ones. */
  async bringBack(name: string, next: string): Promise<void> {
    const { cluster, storageFolder, mails, clock } = this.#parts;
    const state = this.#states.get(name);
    if (!state) throw new Error(`This Backend has no snapshot ${name}.`);
    await removeFolder(storageFolder);
    await Promise.all([
      cloneDatabase(cluster, name, next),
      cp(this.#files(name), storageFolder, { recursive: true }),
    ]);
    mails.splice(0, mails.length, ...state.mails);
    clock.reset();
    clock.advance(state.offset);
  }

  /** Drops the databases. The files go with their folder. */
  async drop(): Promise<void> {
    for (const name of this.#states.keys()) await dropDatabase(this.#parts.cluster, name);
  }

  #files(name: string): string {
    return join(this.#parts.folder, name);
  }
}

/** Removes a folder in which a request that was cut off may still write: it is renamed first, so that nothing is added meanwhile. */
export async function removeFolder(folder: string): Promise<void> {
  const aside = `${folder}-removed`;
  await rename(folder, aside).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
  await rm(aside, { recursive: true, force: true });
}
