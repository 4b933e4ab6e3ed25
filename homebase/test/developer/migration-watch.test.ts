/** Watching supabase/migrations, also where git removes and makes the folder. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createLog, silentLog } from "../../src/core/log.ts";
import { OtherBranch } from "../../src/developer/branch-of-state.ts";
import { watchMigrations } from "../../src/developer/migration-watch.ts";

let folder: string;
let changes = 0;
let stop: () => void;
const file = (name: string) => join(folder, "migrations", name);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "homebase-watch-"));
  mkdirSync(join(folder, "migrations"));
  writeFileSync(file("1_one.sql"), "select 1;");
  changes = 0;
  stop = watchMigrations(
    folder,
    async () => {
      changes += 1;
    },
    createLog("test", () => {}),
  );
});
afterEach(() => {
  stop();
  rmSync(folder, { recursive: true });
});

const reported = (count: number) => expect.poll(() => changes).toBe(count);

test("a saved file is reported once, after it has been quiet", async () => {
  writeFileSync(file("2_two.sql"), "");
  writeFileSync(file("2_two.sql"), "select 2;");
  await reported(1);
});

test("files are reported in a folder that was removed and made again, as by git checkout", async () => {
  rmSync(join(folder, "migrations"), { recursive: true });
  mkdirSync(join(folder, "migrations"));
  writeFileSync(file("2_two.sql"), "select 2;");
  await reported(1);
  writeFileSync(file("3_three.sql"), "select 3;");
  await reported(2);
});

test("the first migration is reported where the whole folder supabase appears later", async () => {
  stop();
  const supabase = join(folder, "later", "supabase");
  mkdirSync(join(folder, "later"));
  const warnings: string[] = [];
  stop = watchMigrations(
    supabase,
    async () => {
      changes += 1;
    },
    createLog("test", ({ message }) => warnings.push(message)),
  );
  mkdirSync(join(supabase, "migrations"), { recursive: true });
  writeFileSync(join(supabase, "migrations", "1_one.sql"), "select 1;");
  await reported(1);
  writeFileSync(join(supabase, "migrations", "1_one.sql"), "select 2;");
  await reported(2);
  expect(warnings).toEqual([]);
});

test("what another branch's data keeps waiting is applied once the data is this branch's", async () => {
  stop();
  let own = false;
  stop = watchMigrations(
    folder,
    async () => {
      if (!own) {
        own = changes > 0;
        changes += 1;
        throw new OtherBranch("not this branch's");
      }
      changes = 10;
    },
    silentLog,
  );
  writeFileSync(file("2_two.sql"), "select 2;");
  await reported(10);
});
