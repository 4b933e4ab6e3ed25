/** Which files of a folder are written to the disk once more. */
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { syncChanged } from "../../src/postgres/cluster/sync-changed.ts";

const folder = mkdtempSync(join(tmpdir(), "homebase-sync-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("those that changed since a time, and the folders that got or lost one", async () => {
  const since = 1_700_000_000_503;
  const at = (path: string, milliseconds: number) =>
    utimesSync(join(folder, path), 0, (since + milliseconds) / 1000);
  for (const path of ["quiet", "quiet/inner", "busy"]) mkdirSync(join(folder, path));
  for (const path of ["quiet/old", "quiet/inner/new", "busy/old", "busy/tick", "second", "second-before"])
    writeFileSync(join(folder, path), "x");
  at("quiet/old", -60_003);
  at("quiet/inner/new", 3);
  at("busy/old", -603);
  at("busy/tick", -9);
  at("second", -503);
  at("second-before", -1503);
  at("quiet", -60_003);
  at("quiet/inner", -60_003);
  at(".", -60_003);
  const synced = await syncChanged(folder, since);
  expect(synced.sort()).toEqual(
    ["busy", "busy/tick", "quiet/inner/new", "second"].map((path) => join(folder, path)),
  );
});
