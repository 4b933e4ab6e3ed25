/**
 * Owns schemas that a project's files use and none of them creates: that of webhooks, which the Supabase CLI's database always has, and
 * of pg_cron, which a hosted project has when it was switched on in the dashboard.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../config/config.ts";
import type { Database } from "../database.ts";
import { readMigrations, readRolesFile, readSchemaFiles, readSeeds } from "../files/project-files.ts";
import type { Applying } from "../migrations.ts";

const WEBHOOKS = join(import.meta.dirname, "..", "bootstrap", "webhooks.sql");
const NET_CALL = /\bnet"?\s*\.\s*"?http_(get|post|delete)\b/i;
/** Creates pg_cron, or asks whether it is there and does without it otherwise. */
const CRON_HANDLED = /create\s+extension[^;]*\bpg_cron\b|'(?:pg_)?cron'/i;
const CRON_CALL = /\bcron"?\s*\.\s*"?(schedule|schedule_in_database|unschedule|alter_job|job)\b/i;

export interface Implied {
  webhooks: boolean;
  /** The first file that uses pg_cron, and how. A strict project has to create it, as a hosted one. */
  cron: { file: string; statement: string } | undefined;
}

export function impliedBy(config: Config): Implied {
  const files = projectFiles(config);
  const uses = (pattern: RegExp) => files.find(({ sql }) => pattern.test(sql));
  const webhooks =
    config.experimental.webhooks?.enabled === true ||
    uses(/\bsupabase_functions\b/i) ||
    (uses(NET_CALL) && !uses(/create\s+extension[^;]*\bpg_net\b/i));
  const caller = config.strict || uses(CRON_HANDLED) ? undefined : uses(CRON_CALL);
  return {
    webhooks: Boolean(webhooks),
    cron: caller && { file: caller.path, statement: CRON_CALL.exec(caller.sql)?.[0] ?? "" },
  };
}

/** Creates the schemas that the database lacks. Calls of pg_cron are told, as hosted would refuse them. */
export async function ensureImplied(
  database: Database,
  { webhooks, cron }: Implied,
  differs: Applying["differs"],
): Promise<void> {
  if (webhooks) await ensureWebhooks(database);
  if (cron && !(await has(database, "cron"))) {
    await database.query("postgres", "create extension pg_cron");
    const hosted =
      'schema "cron" does not exist, unless pg_cron was switched on in the dashboard: no file creates it';
    differs?.({ ...cron, hosted });
  }
}

export async function ensureWebhooks(database: Database): Promise<void> {
  if (await has(database, "supabase_functions")) return;
  await database.query("supabase_admin", webhooksSql());
}

export function webhooksSql(): string {
  return readFileSync(WEBHOOKS, "utf8");
}

/** All files of SQL that make the project's database. */
function projectFiles(config: Config): { path: string; sql: string }[] {
  return [
    ...readRolesFile(config),
    ...readMigrations(config),
    ...readSchemaFiles(config),
    ...readSeeds(config),
  ];
}

async function has(database: Database, schema: string): Promise<boolean> {
  const { rows } = await database.query<{ schema: string | null }>(
    "supabase_admin",
    "select to_regnamespace($1) as schema",
    [schema],
  );
  return rows[0]?.schema !== null;
}
