/** Places that were there before each had its readers: found ones are everybody's, a member's stay with their tables. */
import { copyFileSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createBackend } from "homebase-stack/testing";
import { expect, test } from "vitest";

test("old rows are found ones for everybody, and a member's for who may read them", async () => {
  const folder = mkdtempSync(join(tmpdir(), "nosh-old-places-"));
  const supabase = join(folder, "supabase");
  mkdirSync(join(supabase, "migrations"), { recursive: true });
  writeFileSync(join(supabase, "config.toml"), 'project_id = "old"\n');
  const [baseline = ""] = globSync("supabase/migrations/*_baseline.sql");
  const [readers = ""] = globSync("supabase/migrations/*_who_reads_places.sql");
  copyFileSync(baseline, join(supabase, "migrations", "20261122088200_baseline.sql"));
  const backend = await createBackend({ projectFolder: folder });
  try {
    await backend.sql(`insert into public.places (name, latitude, longitude, price, time_zone, source, external_id) values
      ('found', 1, 1, 1, 'UTC', 'openstreetmap', 'node/1'), ('made', 1, 1, 1, 'UTC', 'member', null)`);
    await backend.sql(readFileSync(readers, "utf8"));
    expect(await backend.sql("select name, everybody from public.places order by name")).toEqual([
      { name: "found", everybody: true },
      { name: "made", everybody: false },
    ]);
  } finally {
    await backend.drop();
    rmSync(folder, { recursive: true });
  }
});
