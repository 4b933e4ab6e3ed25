/**
 * Owns the race between reading an object's row and opening its file: a newer version may replace both, so
 * the row is read again.
 */
import { StorageError } from "./errors.ts";

/** A row whose file is not on disk. */
export class FileMissing extends StorageError {
  readonly version: string | null;

  constructor(version: string | null) {
    super("InternalError", "Internal Server Error");
    this.version = version;
  }
}

/**
 * Runs a function that reads a row and then its file, and repeats it while the row's version changes.
 * @throws FileMissing when the current version's file is missing.
 */
export async function retryWhenReplaced<Result>(read: () => Promise<Result>): Promise<Result> {
  let missing: string | null | undefined;
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof FileMissing) || error.version === missing) throw error;
      missing = error.version;
    }
  }
}
