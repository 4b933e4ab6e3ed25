/**
 * Owns the reset of a running stack: database and files are built beside the old ones, take their places together, and
 * what is replaced is removed last; a failure in the middle restores the old.
 */
import type { Backend } from "../backend/backend.ts";
import type { Config } from "../config/config.ts";
import type { Log } from "../core/log.ts";
import { UserError } from "../core/user-error.ts";
import type { Cluster } from "../postgres/cluster/cluster.ts";
import { replaceLostVaultKey } from "./missing-vault-key.ts";
import type { ProjectDatabase } from "./project-database.ts";
import { DATABASE } from "./stack-databases.ts";
import type { StorageFolder } from "./storage-folder.ts";

/** A reset that failed after it had built the new database; the message says what is in place now. */
export class ResetFailed extends UserError {}

interface StackParts {
  config: Config;
  cluster: Cluster;
  project: ProjectDatabase;
  files: StorageFolder;
  backend: Backend;
  log: Log;
}

export class StackReset {
  readonly #parts: StackParts;

  constructor(parts: StackParts) {
    this.#parts = parts;
  }

  /** @throws ProjectFileError when a file fails: nothing was changed; ResetFailed for a later failure */
  async run(seed: boolean, lastMigration?: string): Promise<void> {
    await replaceLostVaultKey(this.#parts.cluster);
    const id = await this.#parts.project.buildNext(seed, lastMigration);
    this.#parts.files.begin(id);
    try {
      await this.#parts.backend.replaceDatabase(async () => {
        try {
          await this.#parts.project.swapIn();
          await this.#pair(id);
        } catch (error) {
          // Before the services restart: they must not see rows of one and files of the other.
          await this.#swapBack();
          throw error;
        }
        return DATABASE;
      });
      await this.#parts.backend.prepare();
      await this.#parts.project.whole();
      this.#parts.backend.happenings.happened({
        kind: "file",
        file: this.#parts.config.supabaseFolder,
        outcome: "reset",
      });
    } catch (error) {
      throw await this.#undoReset(error);
    }
    await this.forgetReplaced();
  }

  #pair(id: string): Promise<void> {
    return this.#parts.files.pair(id, {
      known: true,
      owns: (versions) => this.#parts.project.owns(versions),
    });
  }

  async #swapBack(): Promise<void> {
    await this.#pair(await this.#parts.project.swapBack());
  }

  /** Restores the database and files that a reset has replaced. @returns the error to throw. */
  async #undoReset(cause: unknown): Promise<ResetFailed> {
    const reason = cause instanceof Error ? cause.message : String(cause);
    try {
      await this.#parts.backend.replaceDatabase(async () => {
        await this.#swapBack();
        return DATABASE;
      });
      return new ResetFailed(`The reset failed; database and files are those from before it.\n${reason}`, {
        cause,
      });
    } catch (error) {
      this.#parts.log.error("A reset could not be rolled back.", { error: String(error) });
      return new ResetFailed(
        `The reset failed, and restoring the previous data failed too. Nothing was removed; the next start ` +
          `restores database and files: homebase stop, then homebase start.\n${reason}`,
        { cause },
      );
    }
  }

  /** The next start removes the rest. */
  async forgetReplaced(): Promise<void> {
    try {
      // The database last: its existence tells the next start that something remains.
      this.#parts.files.finish();
      await this.#parts.project.forgetPrevious();
    } catch (error) {
      this.#parts.log.warn("Data replaced by a reset could not be removed yet.", { error: String(error) });
    }
  }
}
