/** Owns the check of a Backend's storage: whether rows and bytes agree, without changing either. */
import { createHash } from "node:crypto";
import { pipeline } from "node:stream/promises";
import type { ServiceContext } from "../service/context.ts";
import type { ObjectMetadata } from "./rows.ts";
import { createStorage, knownRows } from "./storage.ts";

const BATCH = 500;

export interface StorageCheck {
  /** Objects looked at. */
  objects: number;
  /** Objects whose bytes are gone. */
  missing: ObjectName[];
  /** Objects whose bytes are not those that were stored: another length, or another hash. */
  damaged: ObjectName[];
  /** Files without a row, by path. The next start of the service removes them. */
  orphans: string[];
  /** Files of uploads that are under way or were interrupted, by path. */
  unfinished: string[];
}

export interface ObjectName {
  bucket: string;
  key: string;
}

interface CheckedRow {
  id: string;
  bucket_id: string;
  name: string;
  version: string;
  metadata: ObjectMetadata | null;
}

/**
 * Compares every row with its bytes and every file with the rows.
 * @param options.hash whether all bytes are read and hashed; else only lengths are compared.
 */
export async function checkStorage(
  context: ServiceContext,
  options: { hash?: boolean } = {},
): Promise<StorageCheck> {
  const storage = createStorage(context);
  const check: StorageCheck = { objects: 0, missing: [], damaged: [], orphans: [], unfinished: [] };
  for (let after = "00000000-0000-0000-0000-000000000000"; ; ) {
    const { rows } = await context.database.query<CheckedRow>(
      "supabase_storage_admin",
      "select id, bucket_id, name, version, metadata from storage.objects where id > $1 order by id limit $2",
      [after, BATCH],
    );
    for (const { bucket_id: bucket, name: key, version, metadata } of rows) {
      check.objects += 1;
      const body = version ? await storage.files.open({ bucket, key, version }) : undefined;
      if (!body) {
        check.missing.push({ bucket, key });
        continue;
      }
      let sound = metadata?.size === undefined || metadata.size === body.size;
      if (sound && options.hash && metadata?.eTag) {
        const hash = createHash("md5");
        await pipeline(body.stream(), hash);
        sound = metadata.eTag === `"${hash.digest("hex")}"`;
      } else await body.close();
      if (!sound) check.damaged.push({ bucket, key });
    }
    const last = rows.at(-1);
    if (!last) break;
    after = last.id;
  }
  await storage.files.walk(knownRows(storage), async (path, kind) => void check[kind].push(path));
  return check;
}
