/**
 * `npm run types`: regenerates web/src/lib/backend/database.types.ts from the migrations, as `supabase gen
 * types` does from a migrated database. The database is a temporary one.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createBackend, startTestCluster } from "homebase-stack/testing";
import { exitWithHelp, root } from "./process.ts";
import { captureSupabase } from "./supabase-cli.ts";

const HELP = `Usage: npm run types

Writes web/src/lib/backend/database.types.ts from the project's migrations.`;

const { values } = parseArgs({ options: { help: { type: "boolean", short: "h" } } });
if (values.help) exitWithHelp(HELP);

const cluster = await startTestCluster(root);
try {
  await using backend = await createBackend();
  const made = await captureSupabase([
    "gen",
    "types",
    "--lang",
    "typescript",
    `--remote=${backend.databaseUrl}?sslmode=disable`,
  ]);
  if (made.code !== 0) throw new Error(`supabase gen types failed:\n${made.stderr}`);
  writeFileSync(join(root, "web", "src", "lib", "backend", "database.types.ts"), made.stdout);
  console.log(`web/src/lib/backend/database.types.ts: ${made.stdout.split("\n").length} lines`);
} finally {
  await cluster.stop();
}
