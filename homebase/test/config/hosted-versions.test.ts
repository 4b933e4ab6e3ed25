/** The table of hosted's versions: docs/hosted.md prints it, and "followed here" is what each service says of itself. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { VERSION as META } from "../../src/catalog/postgres-meta-version.ts";
import { HOSTED_VERSIONS, versionsTable } from "../../src/config/hosted/hosted-versions.ts";
import { VERSION as REST } from "../../src/rest/postgrest-version.ts";

const read = (...path: string[]) => readFileSync(join(import.meta.dirname, "../../..", ...path), "utf8");

test("docs/hosted.md prints the table", () => {
  expect(read("docs", "hosted.md")).toContain(`\n${versionsTable()}\n`);
  const cli = read("scripts/supabase-cli.ts").match(/VERSION = "(.+)"/)?.[1];
  expect(versionsTable()).toContain(`| Supabase CLI ${cli} |`);
});

test("what is followed here is what the services and docs/compat say", () => {
  const { rest, auth, realtime, storage, functions, meta } = HOSTED_VERSIONS;
  expect([rest.here, meta.here]).toEqual([REST, META]);
  expect(read("homebase/src/auth/endpoints/discovery.ts")).toContain(`const VERSION = "v${auth.here}"`);
  expect(read("docs/compat/storage.md")).toContain(`the storage-api of ${storage.here}`);
  expect(read("docs/compat/realtime.md")).toContain(`the Realtime server of ${realtime.here}`);
  expect(read("docs/compat/functions.md")).toContain(`the edge runtime of ${functions.here}`);
});
