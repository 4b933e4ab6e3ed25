/** The watch on the CLI's config: each key of its own schema is used here, or named as one without an effect. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { loadConfig } from "../../src/config/config.ts";
import { projectWith } from "../background/project.ts";
import { writeFiles } from "../for-this-file.ts";
import { SCHEMA, type Schema, sampleOf } from "./config-schema.ts";

const program = process.env.SUPABASE_CLI;
const reason =
  process.env.SUPABASE_CLI_MISSING || "the CLI is not installed: npm test -- integration installs it";

/** Values where a sample of the type is refused. */
const VALUES: Record<string, unknown> = {
  "auth.jwt_secret": "a-secret-of-more-than-32-characters",
  "auth.sessions.timebox": "1h",
  "auth.sessions.inactivity_timeout": "1h",
  "db.settings.max_locks_per_transaction": 64,
  "storage.file_size_limit": "1MB",
};

test.skipIf(!program)(`each key of the CLI's config is known${program ? "" : ` (${reason})`}`, () => {
  const path = join(dirname(program ?? ""), "..", SCHEMA);
  const { sample, keys } = sampleOf(JSON.parse(readFileSync(path, "utf8")) as Schema, VALUES);
  expect(keys.length).toBeGreaterThan(400);
  const folder = projectWith("");
  writeFiles(folder, { "supabase/config.json": JSON.stringify(sample) });
  const { warnings } = loadConfig({ named: folder, environment: {} });
  // Mails are of fixed names, and the sample's is none of them.
  expect(warnings.filter((warning) => warning.includes(": unknown key "))).toEqual([
    "supabase/config.json: unknown key auth.email.template.sample, ignored.",
    "supabase/config.json: unknown key auth.email.notification.sample, ignored.",
  ]);
});
