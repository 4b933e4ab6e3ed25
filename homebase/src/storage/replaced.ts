/**
 * Owns the moment between an object's row and its file: a newer version may take their place then, and the
 * row is read again.
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
 * Does what reads a row and then its file, again for as long as the row has another version each time.
 * @throws FileMissing when the file of the present version is missing.
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
