/** Owns the endpoints of buckets (docs/compat/storage.md 1.2), and creating a bucket. */
import { z } from "zod";
import { jsonResponse, type ServiceRequest } from "../../http/exchange.ts";
import { type Endpoint, RequestContext, type Storage } from "../dependencies.ts";
import { ownerUuid, requireCaller } from "../kit/caller.ts";
import { noSuchBucket, notEnabled, StorageError, tooLarge } from "../kit/errors.ts";
import { parseSize, requireBucketName, requireMimeRules } from "../kit/names.ts";
import { jsonBody } from "../kit/query-and-body.ts";
import { checkedBody, checkedQuery, flag, integer, oneOf, text, texts } from "../kit/route-schemas.ts";
import { BUCKET_COLUMNS, type BucketRow, bucketJson, type ObjectRow } from "../kit/rows.ts";

const EMPTY_BATCH = 500;
const MAX_EMPTY = 200_000;

/** Limit and types of a create or update; undefined when absent, null for none. */
const LIMITS = {
  file_size_limit: z
    .unknown()
    .transform((given, { addIssue }) => {
      if (given === null || given === undefined) return given;
      const size = parseSize(given);
      if (size === null) addIssue("must match a schema in anyOf");
      return size;
    })
    .optional(),
  allowed_mime_types: texts()
    .transform((types) => types.filter((type) => type !== ""))
    .nullish(),
};
const CREATE = z.object({
  name: text(),
  id: text().optional(),
  type: oneOf(["STANDARD", "ANALYTICS"]).optional(),
  public: flag().default(false),
  versioning_status: oneOf(["DISABLED", "ENABLED"]).optional(),
  ...LIMITS,
});
const LIST = z.object({
  limit: integer(1).optional(),
  offset: integer(0).default(0),
  sortColumn: oneOf(["id", "name", "created_at", "updated_at"]).optional(),
  sortOrder: oneOf(["asc", "desc"]).default("asc"),
  search: text().optional(),
});
const UPDATE = z
  .object({
    public: flag().optional(),
    versioning_status: oneOf(["ENABLED", "SUSPENDED"]).optional(),
    ...LIMITS,
  })
  .refine((body) => Object.values(body).some((value) => value !== undefined), "must match a schema in anyOf");

export const createBucket: Endpoint = async (storage, request) => {
  const body = await checkedBody(request, CREATE);
  const { name } = body;
  const caller = await requireCaller(storage.context, request);
  if (body.type === "ANALYTICS") throw notEnabled("iceberg_catalog");
  if (body.versioning_status === "ENABLED") throw notEnabled("object versioning");
  requireBucketName(name);
  requireLimits(storage, body);
  await insertBucket(new RequestContext(storage, request, caller, "storage.bucket.create"), {
    id: body.id || name,
    name,
    public: body.public,
    limit: body.file_size_limit ?? null,
    types: body.allowed_mime_types ?? null,
  });
  return jsonResponse(200, { name });
};

export interface NewBucket {
  id: string;
  name: string;
  public: boolean;
  /** Maximum size of an object in bytes. */
  limit: number | null;
  types: string[] | null;
}

/** Creates a bucket as the caller. @throws BucketAlreadyExists, AccessDenied */
export async function insertBucket(context: RequestContext, bucket: NewBucket): Promise<void> {
  const { caller } = context;
  await context
    .asCaller(
      `insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types, owner, owner_id)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [
        bucket.id,
        bucket.name,
        bucket.public,
        bucket.limit,
        bucket.types,
        ownerUuid(caller),
        caller.subject ?? null,
      ],
    )
    .catch((error: StorageError) => {
      throw error.code === "ResourceAlreadyExists"
        ? new StorageError("BucketAlreadyExists", "The resource already exists")
        : error;
    });
}

export const listBuckets: Endpoint = async (storage, request) => {
  const { limit, offset, sortColumn: column, sortOrder: order, search } = checkedQuery(request, LIST);
  const caller = await requireCaller(storage.context, request);
  const rows = await new RequestContext(
    storage,
    request,
    caller,
    "storage.bucket.list",
  ).readAsCaller<BucketRow>(
    `select ${BUCKET_COLUMNS} from storage.buckets where $1::text is null or name ilike $1
     ${column ? `order by ${column}${column.endsWith("_at") ? "" : ' collate "C"'} ${order}` : ""}
     limit $2 offset $3`,
    [search ? `%${search.replace(/[\\%_]/g, "\\$&")}%` : null, limit ?? null, offset],
  );
  return jsonResponse(
    200,
    rows.map((row) => bucketJson(row, knowsType(request))),
  );
};

const STORAGE_PY = /supabase-py\/storage3 v(\d+)\.(\d+)\.(\d+)/i;
const SUPABASE_PY = /supabase-py\/(\d+)\.(\d+)\.(\d+)/i;

/** Python's older clients fail on a member that they do not know (supabase/storage, routes/bucket/getAllBuckets.ts). */
function knowsType({ headers }: ServiceRequest): boolean {
  return (
    !isBefore(STORAGE_PY.exec(headers["user-agent"] ?? ""), [0, 12, 1]) &&
    !isBefore(SUPABASE_PY.exec(String(headers["x-client-info"] ?? "")), [2, 18, 0])
  );
}

function isBefore(found: RegExpExecArray | null, wanted: readonly [number, number, number]): boolean {
  if (!found) return false;
  const given = found.slice(1).map(Number);
  const at = wanted.findIndex((part, index) => part !== given[index]);
  return at >= 0 && (given[at] ?? 0) < (wanted[at] ?? 0);
}

export const getBucket: Endpoint = async (storage, request, { bucket }) => {
  const caller = await requireCaller(storage.context, request);
  const row = await findVisibleBucket(
    new RequestContext(storage, request, caller, "storage.bucket.get"),
    bucket,
  );
  return jsonResponse(200, bucketJson(row, false));
};

/** Reads a bucket as the caller. @throws NoSuchBucket */
export async function findVisibleBucket(context: RequestContext, id: string): Promise<BucketRow> {
  const [row] = await context.asCaller<BucketRow>(
    `select ${BUCKET_COLUMNS} from storage.buckets where id = $1`,
    [id],
  );
  if (!row) throw noSuchBucket();
  return row;
}

export const updateBucket: Endpoint = async (storage, request, { bucket }) => {
  const body = await checkedBody(request, UPDATE);
  const { file_size_limit: limit, allowed_mime_types: types } = body;
  const caller = await requireCaller(storage.context, request);
  // The only state that a bucket has here is DISABLED, to which none returns.
  if (body.versioning_status !== undefined) throw notEnabled("object versioning");
  requireLimits(storage, body);
  const rows = await new RequestContext(storage, request, caller, "storage.bucket.update").asCaller(
    `update storage.buckets set public = coalesce($2, public),
       file_size_limit = case when $3 then $4 else file_size_limit end,
       allowed_mime_types = case when $5 then $6 else allowed_mime_types end
     where id = $1 returning id`,
    [bucket, body.public ?? null, limit !== undefined, limit ?? null, types !== undefined, types ?? null],
  );
  if (rows.length === 0) throw noSuchBucket();
  return jsonResponse(200, { message: "Successfully updated" });
};

export const deleteBucket: Endpoint = async (storage, request, { bucket }) => {
  await jsonBody(request, { emptyAllowed: true });
  const caller = await requireCaller(storage.context, request);
  await dropBucket(new RequestContext(storage, request, caller, "storage.bucket.delete"), bucket);
  return jsonResponse(200, { message: "Successfully deleted" });
};

/** Deletes an empty bucket as the caller. @throws NoSuchBucket, ResourceNotEmpty, ResourceReferenced */
export async function dropBucket(context: RequestContext, bucket: string): Promise<void> {
  await findVisibleBucket(context, bucket);
  // Counted with the service's rights, because objects hidden from the caller count too.
  const objects = await context.asService("select 1 from storage.objects where bucket_id = $1 limit 1", [
    bucket,
  ]);
  if (objects.length > 0) {
    throw new StorageError("ResourceNotEmpty", "The bucket you tried to delete is not empty");
  }
  const deleted = await context.asCaller("delete from storage.buckets where id = $1 returning id", [bucket]);
  if (deleted.length === 0) throw noSuchBucket();
}

export const emptyBucket: Endpoint = async (storage, request, { bucket }) => {
  await jsonBody(request, { emptyAllowed: true });
  const caller = await requireCaller(storage.context, request);
  if (caller.role !== "service_role") {
    throw new StorageError("AccessDenied", "Access denied: Invalid role", { http: 403 });
  }
  const context = new RequestContext(storage, request, caller, "storage.bucket.empty");
  const [state] = await context.asService<{ objects: string }>(
    `select (select count(*) from storage.objects where bucket_id = $1) as objects
     from storage.buckets where id = $1`,
    [bucket],
  );
  if (!state) throw noSuchBucket();
  if (Number(state.objects) > MAX_EMPTY) {
    throw new StorageError("InvalidRequest", "The bucket has too many objects to be emptied", {
      status: 409,
    });
  }
  for (;;) {
    const rows = await context.asService<ObjectRow>(
      `delete from storage.objects where id in (select id from storage.objects where bucket_id = $1 limit ${EMPTY_BATCH})
       returning bucket_id, name, version`,
      [bucket],
    );
    await Promise.all(rows.map((row) => storage.files.remove(row.bucket_id, row.name, row.version)));
    if (rows.length < EMPTY_BATCH) break;
  }
  return jsonResponse(200, { message: "Empty bucket has been queued. Completion may take up to an hour." });
};

/** @throws EntityTooLarge, InvalidMimeType */
function requireLimits(
  storage: Storage,
  { file_size_limit: limit, allowed_mime_types: types }: Pick<z.infer<typeof CREATE>, keyof typeof LIMITS>,
): void {
  if (limit && limit > storage.context.config.storage.file_size_limit) throw tooLarge();
  if (types) requireMimeRules(types);
}
