/**
 * Owns the record of deploys on the target: a row for each deploy that changed something, with its changes,
 * and the state for the next one (digests of functions and secrets). It contains no secrets.
 */
import { createHmac, randomBytes } from "node:crypto";
import type pg from "pg";
import { isRecord } from "../../../src/core/record.ts";

/** The state that a deploy leaves for the next one. */
export interface StoredDigests {
  /** Digest of a function's files, and its resulting version. */
  functions: Record<string, { digest: string; version: number }>;
  /** Keyed digests of settings that the platform does not return. */
  secrets: Record<string, string>;
  /** The key of those digests. */
  salt: string;
}

export interface StepRecord {
  name: string;
  outcome: "done" | "unchanged" | "failed" | "not reached";
  changes: string[];
}

export interface LastDeploy {
  outcome: string;
  commit: string | null;
  /** As the target has it: whoever may write there may have changed it. */
  known: unknown;
}

const TABLE = "supabase_migrations.deploys";
const LOCK = 4_190_271_814;

/** Locks out other deploys while the connection is open. @returns false when another one is running. */
export async function lockTarget(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>("select pg_try_advisory_lock($1) as taken", [LOCK]);
  return rows[0]?.taken === true;
}

/** The last deploy's row; undefined without one. */
export async function lastDeploy(client: pg.Client): Promise<LastDeploy | undefined> {
  const { rows: found } = await client.query<{ name: string | null }>("select to_regclass($1) as name", [
    TABLE,
  ]);
  if (found[0]?.name === null) return undefined;
  const { rows } = await client.query<LastDeploy>(
    `select outcome, commit, known from ${TABLE} order by id desc limit 1`,
  );
  return rows[0];
}

export function noDigests(): StoredDigests {
  return { functions: {}, secrets: {}, salt: randomBytes(16).toString("hex") };
}

export function isStoredDigests(value: unknown): value is StoredDigests {
  if (!isRecord(value)) return false;
  return isRecord(value.functions) && isRecord(value.secrets) && typeof value.salt === "string";
}

/** Inserts a row with outcome "running", which `endRecord` replaces. */
export async function beginRecord(
  client: pg.Client,
  commit: string | undefined,
  known: StoredDigests,
): Promise<string> {
  await client.query(
    `create schema if not exists supabase_migrations;
     create table if not exists ${TABLE} (
       id bigint generated always as identity primary key,
       started_at timestamptz not null default now(),
       finished_at timestamptz,
       commit text,
       outcome text not null,
       steps jsonb not null default '[]',
       known jsonb not null
     );
     revoke all on ${TABLE} from anon, authenticated`,
  );
  const { rows } = await client.query<{ id: string }>(
    `insert into ${TABLE} (commit, outcome, known) values ($1, 'running', $2) returning id`,
    [commit ?? null, JSON.stringify(known)],
  );
  return rows[0]?.id ?? "";
}

/** Updates the row; `outcome` is "running" until the end. */
export async function noteRecord(
  client: pg.Client,
  id: string,
  { outcome, steps, known }: { outcome: string; steps: readonly StepRecord[]; known: StoredDigests },
): Promise<void> {
  await client.query(
    `update ${TABLE} set outcome = $2, steps = $3, known = $4,
       finished_at = case when $2 = 'running' then null else now() end where id = $1`,
    [id, outcome, JSON.stringify(steps), JSON.stringify(known)],
  );
}

/** A digest of a secret that only shows whether it changed. */
export function secretMark(known: StoredDigests, value: string): string {
  return createHmac("sha256", known.salt).update(value).digest("hex");
}
