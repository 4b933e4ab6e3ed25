/**
 * Owns the buckets of config.toml: created or updated when the database is new, with their files uploaded.
 */
import { createReadStream, existsSync, statSync } from "node:fs";
import { basename, extname, join, relative, resolve, sep } from "node:path";
import type { Readable } from "node:stream";
import { entriesBelow } from "../../core/untrusted-files.ts";
import type { ServiceRequest } from "../../http/exchange.ts";
import type { ServiceContext } from "../../service-context.ts";
import { RequestContext, type Storage } from "../dependencies.ts";
import type { Caller } from "../kit/caller.ts";
import { StorageError } from "../kit/errors.ts";
import { admitUpload, storeObject } from "../objects/put.ts";

/** The service itself, as policies and owners see it. */
const SERVICE: Caller = {
  role: "service_role",
  subject: undefined,
  claims: { role: "service_role" },
  token: "",
};
const AT_ONCE = 5;

const TYPES: Record<string, string> = {
  ".avif": "image/avif",
  ".css": "text/css; charset=utf-8",
  ".csv": "text/csv; charset=utf-8",
  ".gif": "image/gif",
  ".html": "text/html; charset=utf-8",
  ".jpeg": "image/jpeg",
  ".jpg": "image/jpeg",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".md": "text/markdown; charset=utf-8",
  ".mp3": "audio/mpeg",
  ".mp4": "video/mp4",
  ".pdf": "application/pdf",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".webp": "image/webp",
  ".xml": "text/xml; charset=utf-8",
  ".zip": "application/zip",
};

/** Creates the buckets in `[storage.buckets]`. A file that cannot be stored is only a warning. */
export async function prepareBuckets(storage: Storage): Promise<void> {
  const { config, log } = storage.context;
  for (const [id, bucket] of Object.entries(config.storage.buckets)) {
    const context = new RequestContext(storage, internalRequest(), SERVICE, "storage.bucket.create");
    await context.asService(
      `insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types) values ($1, $1, $2, $3, $4)
       on conflict (id) do update set public = coalesce($5, buckets.public),
         file_size_limit = excluded.file_size_limit, allowed_mime_types = excluded.allowed_mime_types`,
      [
        id,
        bucket.public ?? false,
        bucket.file_size_limit ?? config.storage.file_size_limit,
        bucket.allowed_mime_types?.length ? bucket.allowed_mime_types : null,
        bucket.public ?? null,
      ],
    );
    if (!bucket.objects_path) continue;
    const root = resolve(config.supabaseFolder, bucket.objects_path);
    const files = filesBelow(root);
    for (let from = 0; from < files.length; from += AT_ONCE) {
      const batch = files.slice(from, from + AT_ONCE).map((file) =>
        uploadFile(storage, id, file).catch((error: unknown) => {
          const text = error instanceof StorageError ? error.message : String(error);
          log.warn(`${file.path} could not be stored in bucket ${id}: ${text}`);
        }),
      );
      await Promise.all(batch);
    }
  }
}

/** Creates the buckets in `[storage.vector.buckets]` that are missing. */
export async function prepareVectorBuckets({ config, database }: ServiceContext): Promise<void> {
  const { enabled, buckets } = config.storage.vector;
  if (!enabled || Object.keys(buckets).length === 0) return;
  await database.query(
    "supabase_storage_admin",
    "insert into storage.buckets_vectors (id) select unnest($1::text[]) on conflict do nothing",
    [Object.keys(buckets)],
  );
}

/** A file to be stored. */
export interface SeedFile {
  path: string;
  key: string;
}

/** The files of an `objects_path`, with their names in the bucket; none where it is not there. */
export function filesBelow(root: string): SeedFile[] {
  if (!existsSync(root)) return [];
  if (statSync(root).isFile()) return [{ path: root, key: basename(root) }];
  return [...entriesBelow(root)]
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path, key: relative(root, path).split(sep).join("/") }))
    .sort((left, right) => (left.key < right.key ? -1 : 1));
}

/** The media type that a file's name says. */
export function mediaTypeOf(path: string): string {
  return TYPES[extname(path).toLowerCase()] ?? "application/octet-stream";
}

async function uploadFile(storage: Storage, bucket: string, { path, key }: SeedFile): Promise<void> {
  const context = new RequestContext(storage, internalRequest(), SERVICE, "storage.object.upload");
  const upload = {
    bucket,
    key,
    upsert: true,
    mimetype: mediaTypeOf(path),
    cacheControl: "max-age=3600",
    contentLength: statSync(path).size,
    userMetadata: {},
  };
  const limit = await admitUpload(context, upload, false);
  await storeObject(context, upload, createReadStream(path) as Readable, limit);
}

/** Request details for transactions that belong to no request. */
function internalRequest(): ServiceRequest {
  return {
    id: "",
    method: "POST",
    path: "/object",
    query: "",
    headers: {},
    rawHeaders: [],
    authorization: undefined,
    remoteAddress: "127.0.0.1",
    body: undefined as unknown as Readable,
    signal: new AbortController().signal,
  };
}
