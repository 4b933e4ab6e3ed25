/** Owns the consistency check of a Backend's storage: whether rows and files match. Changes neither. */

import { createHash } from "node:crypto";
import { basename } from "node:path";
import { pipeline } from "node:stream/promises";
import { NIL } from "../../core/uuid.ts";
import type { Database } from "../../postgres/database.ts";
import { rowLookup } from "../dependencies.ts";
import { exists } from "../disk/exists.ts";
import { ObjectFiles } from "../disk/stored-bodies.ts";
import type { ObjectMetadata } from "../kit/rows.ts";

const BATCH = 500;

export interface StorageCheck {
  /** Number of checked objects. */
  objects: number;
  /** Number of checked parts of multipart uploads. */
  parts: number;
  /** Objects and parts whose file is missing. */
  missing: ObjectName[];
  /** Those whose file has a different length or hash. */
  damaged: ObjectName[];
  /** Files without a row, by path. The next start of the service removes them. */
  orphans: string[];
  /** Files of pending or interrupted uploads, by path. */
  unfinished: string[];
}

export interface ObjectName {
  bucket: string;
  key: string;
  /** Number of the part of a multipart upload. */
  part?: number;
}

interface CheckedRow {
  id: string;
  bucket_id: string;
  name: string;
  version: string;
  metadata: ObjectMetadata | null;
}

interface CheckedPart {
  id: string;
  upload_id: string;
  bucket_id: string;
  key: string;
  part_number: number;
  etag: string;
  size: string;
}

type Finding = "sound" | "missing" | "damaged";

/**
 * Compares every row with its file and every file with the rows. The service may run meanwhile: whatever
 * changes during the check is checked again.
 * @param options.hash whether to read and hash all bytes; otherwise only lengths are compared.
 */
export async function checkStorage(
  { database, storageFolder }: { database: Database; storageFolder: string },
  { hash = false }: { hash?: boolean } = {},
): Promise<StorageCheck> {
  const files = new ObjectFiles(storageFolder);
  const check: StorageCheck = { objects: 0, parts: 0, missing: [], damaged: [], orphans: [], unfinished: [] };
  await eachRow<CheckedRow>(database, OBJECTS, async (row) => {
    check.objects += 1;
    const finding = await judgeObject(database, files, row, hash);
    if (finding !== "sound") check[finding].push({ bucket: row.bucket_id, key: row.name });
  });
  await eachRow<CheckedPart>(database, PARTS, async (part) => {
    check.parts += 1;
    const finding = await judgePart(database, files, part);
    if (finding !== "sound") {
      check[finding].push({ bucket: part.bucket_id, key: part.key, part: part.part_number });
    }
  });
  const known = rowLookup(database);
  const suspects: string[] = [];
  await files.walk(known, async (path, kind) => {
    if (kind === "orphans") suspects.push(path);
    else check.unfinished.push(path);
  });
  // The row of such a file may have been committed since, or the file removed.
  const rows = await known.versions([...new Set(suspects.map((path) => basename(path)))]);
  for (const path of suspects) {
    if (!rows.has(basename(path)) && (await exists(path))) check.orphans.push(path);
  }
  return check;
}

const OBJECTS = `select id, bucket_id, name, version, metadata from storage.objects
  where id > $1 order by id limit $2`;
const PARTS = `select id, upload_id, bucket_id, key, part_number, etag, size
  from storage.s3_multipart_uploads_parts where id > $1 order by id limit $2`;

async function eachRow<Row extends { id: string }>(
  database: Database,
  text: string,
  look: (row: Row) => Promise<void>,
): Promise<void> {
  for (let after = NIL; ; ) {
    const { rows } = await database.query<Row>("supabase_storage_admin", text, [after, BATCH]);
    for (const row of rows) await look(row);
    const last = rows.at(-1);
    if (!last) return;
    after = last.id;
  }
}

async function judgeObject(
  database: Database,
  files: ObjectFiles,
  row: CheckedRow,
  hash: boolean,
): Promise<Finding> {
  const finding = await judgeBytes(files, row, hash);
  if (finding === "sound") return finding;
  const { rows } = await database.query<CheckedRow>(
    "supabase_storage_admin",
    "select id, bucket_id, name, version, metadata from storage.objects where id = $1",
    [row.id],
  );
  const [now] = rows;
  if (!now) return "sound";
  return now.version === row.version ? finding : judgeObject(database, files, now, hash);
}

async function judgeBytes(
  files: ObjectFiles,
  { bucket_id: bucket, name: key, version, metadata }: CheckedRow,
  hash: boolean,
): Promise<Finding> {
  const body = version ? await files.open({ bucket, key, version }) : undefined;
  if (!body) return "missing";
  const fits = metadata?.size === undefined || metadata.size === body.size;
  if (!fits || !hash || !metadata?.eTag) {
    await body.close();
    return fits ? "sound" : "damaged";
  }
  const digest = createHash("md5");
  await pipeline(body.stream(), digest);
  return metadata.eTag === `"${digest.digest("hex")}"` ? "sound" : "damaged";
}

async function judgePart(database: Database, files: ObjectFiles, part: CheckedPart): Promise<Finding> {
  const name = { number: part.part_number, md5: part.etag.replaceAll('"', "") };
  const size = await files.parts.size(part.upload_id, name);
  if (size === Number(part.size)) return "sound";
  const { rows } = await database.query(
    "supabase_storage_admin",
    "select 1 from storage.s3_multipart_uploads_parts where id = $1",
    [part.id],
  );
  if (rows.length === 0) return "sound";
  return size === undefined ? "missing" : "damaged";
}
