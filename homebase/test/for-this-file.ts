/** Owns how long a test file keeps what it makes at its top, e.g. a Backend. */
import { afterAll } from "vitest";

/** What `making` resolves to. It is closed after the last test of the file that calls this at its top. */
export async function forThisFile<T extends AsyncDisposable>(making: Promise<T>): Promise<T> {
  const made = await making;
  afterAll(async () => await made[Symbol.asyncDispose]());
  return made;
}
