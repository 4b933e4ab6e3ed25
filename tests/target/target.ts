/**
 * Owns the target of the integration and end-to-end tests: an isolated Backend of Homebase, or, with
 * NOSH_TARGET_URL, an existing one (a stand-in for hosted, `supabase start`, a hosted project for tests).
 * Tests that a target cannot run are skipped, with the reason in the test's result.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "@supabase/supabase-js";
import {
  createBackend as createHomebase,
  type TestBackend,
  type TestBackendOptions,
} from "homebase-stack/testing";
import pg from "pg";

/** The parts of a Backend that the tests use. */
export type TargetBackend = Pick<
  TestBackend,
  | "url"
  | "publishableKey"
  | "secretKey"
  | "serviceRoleKey"
  | "databaseUrl"
  | "clock"
  | "mails"
  | "sql"
  | "reset"
  | "drop"
  | typeof Symbol.asyncDispose
>;

/** The target, from the environment. */
export interface Target {
  url: string;
  publishableKey: string;
  secretKey: string;
  /** Connection as role postgres. Without it tests that read the database are skipped. */
  databaseUrl: string | undefined;
  /** Whether all data on it may be deleted, so that each file starts from the seed. */
  resettable: boolean;
}

/** Ends the running test as skipped, for a reason. */
export type Skip = (reason: string) => never;

/**
 * The target in the environment.
 * @throws Error when a required variable is missing
 */
export function targetOf(environment: Record<string, string | undefined> = process.env): Target | undefined {
  const url = environment.NOSH_TARGET_URL?.replace(/\/+$/, "");
  if (!url) return undefined;
  const publishableKey = environment.NOSH_TARGET_PUBLISHABLE_KEY;
  const secretKey = environment.NOSH_TARGET_SECRET_KEY;
  if (!publishableKey || !secretKey) {
    throw new Error(
      "NOSH_TARGET_URL needs NOSH_TARGET_PUBLISHABLE_KEY and NOSH_TARGET_SECRET_KEY beside it.",
    );
  }
  return {
    url,
    publishableKey,
    secretKey,
    databaseUrl: environment.NOSH_TARGET_DB_URL || undefined,
    resettable: environment.NOSH_TARGET_RESET === "yes",
  };
}

/** Files that need their own settings before their first test. They cannot run on an existing target. */
export const ownSettings: Readonly<Record<string, string>> = {
  "mail.test.ts": "it sends mails to a server of its own",
  "push.test.ts": "it sends notifications to a push service of its own",
  "plan/places.test.ts": "it asks a server of its own instead of OpenStreetMap",
  "stack.test.ts": "it makes tables and functions, which the next file would find",
  "deploy.test.ts": "it deploys to a stand-in of its own",
  "folder.test.ts": "it starts a stack of its own",
};

/** A Backend for one test file: Homebase's own, or the target with the seed's data. */
export async function backendFor(options: TestBackendOptions, skip: Skip): Promise<TargetBackend> {
  const target = targetOf();
  if (!target) return createHomebase(options);
  if (options.config || options.bare) skip("needs settings of its own, which the target does not take");
  const limits = target.resettable ? await resetTarget(target) : undefined;
  const drop = async () => {
    // Some files raise the limits; the next file gets those of the migrations.
    if (limits && target.databaseUrl)
      await withDatabase(target.databaseUrl, async (client) => {
        await client.query(...limits);
      });
  };
  const { url, publishableKey, secretKey } = target;
  return {
    url,
    publishableKey,
    secretKey,
    get serviceRoleKey() {
      return (
        process.env.NOSH_TARGET_SERVICE_ROLE_KEY || skip("uses a legacy key (NOSH_TARGET_SERVICE_ROLE_KEY)")
      );
    },
    get databaseUrl() {
      return target.databaseUrl ?? skip("looks into the database (NOSH_TARGET_DB_URL)");
    },
    get clock() {
      return skip("moves the clock");
    },
    get mails() {
      return skip("reads the inbox");
    },
    sql: async <Row extends Record<string, unknown>>(text: string, values: unknown[] = []) => {
      if (!target.databaseUrl) return skip("looks into the database (NOSH_TARGET_DB_URL)");
      return withDatabase(target.databaseUrl, async (client) => (await client.query<Row>(text, values)).rows);
    },
    reset: async () => {
      if (!target.resettable) skip("needs the seed's data (NOSH_TARGET_RESET=yes)");
      await resetTarget(target);
    },
    drop,
    [Symbol.asyncDispose]: drop,
  };
}

const SUPABASE = join(import.meta.dirname, "..", "..", "supabase");
const SEED = join(SUPABASE, "seed.sql");
const SEEDED = join(SUPABASE, "seed");
/** Rows of the project's own tables, its accounts and its Vault entries; not its schema. */
const EMPTY = `do $$
declare one record;
begin
  for one in select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname in ('public', 'private')
      -- Migrations fill the first two; rows of the others go with their account.
      and (schemaname, tablename) not in (('private', 'limits'), ('private', 'errors'),
        ('public', 'profiles'), ('public', 'private_profiles')) loop
    execute 'truncate table ' || one.name || ' cascade';
  end loop;
end $$;
-- The people of the sample table come with the migrations, too.
delete from auth.users where id::text not like '00000000-0000-4000-8000-5a3b1e%';
delete from vault.secrets where name = 'project_url'`;

/**
 * Deletes every row and inserts the seed's. Only if NOSH_TARGET_RESET=yes.
 * @returns the statement that restores the current values of `private.limits`.
 */
async function resetTarget(target: Target): Promise<[text: string, values: unknown[]]> {
  const { url, databaseUrl } = target;
  if (!databaseUrl) throw new Error("NOSH_TARGET_RESET=yes needs NOSH_TARGET_DB_URL.");
  const limits = await withDatabase(databaseUrl, async (client) => {
    await client.query(EMPTY);
    await client.query(readFileSync(SEED, "utf8"));
    await client.query("select vault.create_secret($1, 'project_url')", [url]);
    const { rows } = await client.query("select json_agg(l) as all from private.limits l");
    return JSON.stringify(rows[0]?.all);
  });
  await resetPictures(target);
  return [
    `update private.limits l set value = b.value
     from json_populate_recordset(null::private.limits, $1) b where b.name = l.name`,
    [limits],
  ];
}

/** Empties the buckets of config.toml and uploads the seed's pictures, as `supabase seed buckets` does. */
async function resetPictures({ url, secretKey }: Target): Promise<void> {
  const { storage } = createClient(url, secretKey, { auth: { persistSession: false } });
  for (const bucket of ["avatars", "plan-photos"]) {
    const folder = join(SEEDED, bucket);
    const { error } = await storage.emptyBucket(bucket);
    if (error) throw error;
    for (const file of globSync("**/*.webp", { cwd: folder })) {
      const stored = await storage
        .from(bucket)
        .upload(file, readFileSync(join(folder, file)), { contentType: "image/webp", upsert: true });
      if (stored.error) throw stored.error;
    }
  }
}

async function withDatabase<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(url);
  client.on("error", () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
