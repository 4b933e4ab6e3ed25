/**
 * Owns `[db.settings]`: the settings of Postgres that a project may change, which are those of the Supabase CLI
 * (its pkg/config). Any other could name a program, a library or a file of the machine.
 */
import { z } from "zod";

const MAXIMUM = 2 ** 31 - 1;
const POSTGRES_LIMIT = 262_143;

const count = (minimum: number, maximum: number) => z.number().int().min(minimum).max(maximum);

/** A number with one of Postgres's units, or without one (https://www.postgresql.org/docs/17/config-setting.html). */
const quantity = (units: string) => {
  const pattern = new RegExp(`^\\s*-?\\d{1,15}(\\.\\d{1,6})?\\s*(${units})?\\s*$`);
  const message = `is not a number, optionally with a unit (${units.replaceAll("|", ", ")})`;
  return z.union([z.number().int().min(-1).max(MAXIMUM), z.string().regex(pattern, message)]);
};
const size = quantity("B|kB|MB|GB|TB");
const time = quantity("us|ms|s|min|h|d");

/** The settings by name. */
export const databaseSettings = z.strictObject(
  {
    effective_cache_size: size.optional(),
    logical_decoding_work_mem: size.optional(),
    maintenance_work_mem: size.optional(),
    max_connections: count(1, POSTGRES_LIMIT).optional(),
    max_locks_per_transaction: count(10, MAXIMUM).optional(),
    max_parallel_maintenance_workers: count(0, 1_024).optional(),
    max_parallel_workers: count(0, 1_024).optional(),
    max_parallel_workers_per_gather: count(0, 1_024).optional(),
    max_replication_slots: count(0, POSTGRES_LIMIT).optional(),
    max_slot_wal_keep_size: size.optional(),
    max_standby_archive_delay: time.optional(),
    max_standby_streaming_delay: time.optional(),
    max_wal_senders: count(0, POSTGRES_LIMIT).optional(),
    max_wal_size: size.optional(),
    max_worker_processes: count(0, POSTGRES_LIMIT).optional(),
    session_replication_role: z.enum(["origin", "replica", "local"]).optional(),
    shared_buffers: size.optional(),
    statement_timeout: time.optional(),
    track_activity_query_size: size.optional(),
    track_commit_timestamp: z.boolean().optional(),
    wal_keep_size: size.optional(),
    wal_sender_timeout: time.optional(),
    work_mem: size.optional(),
  },
  {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? `${(issue.keys as string[]).join(", ")}: not among the settings of Postgres that a project may change (docs/config.md lists them)`
        : undefined,
  },
);
