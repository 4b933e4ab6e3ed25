/**
 * Owns stopping a running stack's Postgres and services for a moment: to copy its state, and to replace it by a prepared
 * one, where a failure in the middle puts the old state back.
 */
import type { Backend } from "../backend/backend.ts";
import type { OpenInbox } from "../backend/inbox.ts";
import type { Log } from "../core/log.ts";
import { UserError } from "../core/user-error.ts";
import type { Cluster } from "../postgres/cluster/cluster.ts";
import type { MigrationOutcome } from "./notices.ts";
import type { FoundDatabase, ProjectDatabase } from "./project-database.ts";
import { DATABASE } from "./stack-databases.ts";
import type { StateSwap } from "./state-swap.ts";
import type { StorageFolder } from "./storage-folder.ts";

/** A restore that failed after Postgres was stopped; the message says what is in place now. */
export class RestoreFailed extends UserError {}

interface StackParts {
  cluster: Cluster;
  project: ProjectDatabase;
  files: StorageFolder;
  backend: Backend;
  inbox: OpenInbox;
  log: Log;
}

export class StackRestore {
  readonly #parts: StackParts;

  constructor(parts: StackParts) {
    this.#parts = parts;
  }

  /** Runs `work` while nothing uses the state. @param reason for clients of Realtime @returns how long requests waited, in ms */
  atRest(work: () => Promise<void>, reason: string): Promise<number> {
    return this.#stopped(work, async () => {}, reason);
  }

  /** @throws RestoreFailed */
  async run(swap: StateSwap): Promise<MigrationOutcome> {
    const { backend, project, log } = this.#parts;
    let migrated: MigrationOutcome;
    try {
      const found = await this.#exchange(() => swap.begin(), swap.by);
      if (found?.unprepared) {
        await backend.prepare();
        await project.whole();
      }
      migrated = await project.migrate();
      await swap.confirm();
    } catch (error) {
      throw await this.#undo(swap, error);
    }
    log.info(`Done: ${swap.by}.`);
    await swap.keepOld().catch((error: unknown) => {
      log.warn("What a restore has replaced is moved by the next start.", { error: String(error) });
    });
    return migrated;
  }

  /** Changes what is in place while nothing uses it, and opens the database that is there then. */
  async #exchange(change: () => Promise<void>, reason?: string): Promise<FoundDatabase | undefined> {
    const { project, files } = this.#parts;
    let found: FoundDatabase | undefined;
    const open = async () => {
      found = await project.reopen();
      const owns = (versions: string[]) => project.owns(versions);
      await files.pair(found.id, { known: found.known, owns });
    };
    await this.#stopped(change, open, reason);
    return found;
  }

  /** Requests wait until Postgres runs again and `then` has ended. @returns how long, in ms */
  async #stopped(work: () => Promise<void>, then: () => Promise<void>, reason?: string): Promise<number> {
    const { backend, cluster, inbox } = this.#parts;
    // Nobody need wait for the syncing of a first start, nor for what a stop would write.
    await cluster.settle().catch(() => undefined);
    const began = performance.now();
    await backend.replaceDatabase(
      async () => {
        await inbox.reread(() => cluster.atRest(work));
        await then();
        return DATABASE;
      },
      { reason, drain: true },
    );
    return Math.round(performance.now() - began);
  }

  /** @returns the error to throw. */
  async #undo(swap: StateSwap, cause: unknown): Promise<RestoreFailed> {
    const reason = cause instanceof Error ? cause.message : String(cause);
    try {
      await this.#exchange(() => swap.undo());
      await this.#parts.project.migrate();
      return new RestoreFailed(`The restore failed; everything is as it was before it.\n${reason}`, {
        cause,
      });
    } catch (error) {
      this.#parts.log.error("A restore could not be undone.", { error: String(error) });
      return new RestoreFailed(
        "The restore failed, and putting the previous data back failed too. Nothing was removed; the next start puts " +
          `it back: homebase stop, then homebase start.\n${reason}`,
        { cause },
      );
    }
  }
}
