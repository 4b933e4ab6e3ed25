/** Owns temporary projects for tests of background work; they are removed when the process of their tests ends. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const folders: string[] = [];
// Several files share a process and this module, so that an afterAll of it would be one file's.
process.once("exit", () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/**
 * Writes a project's `supabase/` folder.
 * @param config lines of config.toml besides the project's id.
 * @param migrations their texts by file name.
 * @param functions the code of each one's index.ts by name.
 * @returns the project's folder, which Postgres's own user may enter.
 */
export function projectWith(
  config: string,
  migrations: Readonly<Record<string, string>> = {},
  functions: Readonly<Record<string, string>> = {},
): string {
  const folder = mkdtempSync(join(tmpdir(), "homebase-background-"));
  folders.push(folder);
  chmodSync(folder, 0o755);
  const write = (path: string, text: string) => {
    const file = join(folder, "supabase", path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  write("config.toml", `project_id = "background"\n${config}`);
  for (const [name, sql] of Object.entries(migrations)) write(join("migrations", name), sql);
  for (const [name, code] of Object.entries(functions)) write(join("functions", name, "index.ts"), code);
  return folder;
}
