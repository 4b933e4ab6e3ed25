/** Owns how long a test file keeps what it makes at its top, e.g. a Backend or a temporary folder. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import pg from "pg";
import { afterAll } from "vitest";

/** What `making` resolves to. It is closed after the last test of the file that calls this at its top. */
export async function forThisFile<T extends AsyncDisposable>(making: Promise<T>): Promise<T> {
  const made = await making;
  afterAll(async () => await made[Symbol.asyncDispose]());
  return made;
}

/** A connection to a database. It ends after the last test of the file that calls this at its top. */
export async function clientForThisFile(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  afterAll(() => client.end());
  return client;
}

/** A temporary folder, its links resolved. It is removed after the last test of the file that calls this at its top. */
export function folderForThisFile(name: string, files: Readonly<Record<string, string>> = {}): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `homebase-${name}-`)));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  writeFiles(folder, files);
  return folder;
}

/** Writes files by their paths in a folder. */
export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}
