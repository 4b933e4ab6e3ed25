/** Owns the dependencies of a Backend's storage endpoints. */

import type { ServiceRequest, ServiceResponse } from "../http/exchange.ts";
import type { Database } from "../postgres/database.ts";
import type { ServiceContext } from "../service-context.ts";
import { ObjectFiles, type RowLookup } from "./disk/stored-bodies.ts";
import { UrlSigner } from "./disk/url-signer.ts";
import { Access } from "./kit/access.ts";
import type { Caller } from "./kit/caller.ts";
import { noSuchBucket } from "./kit/errors.ts";
import { BUCKET_COLUMNS, type BucketRow, OBJECT_COLUMNS, type ObjectRow, readObject } from "./kit/rows.ts";

/** As the sentence of a 501 names it. */
export type StorageProtocol = "S3" | "vector buckets";

/** Protocols beside the REST interface, loaded by their first request. */
export type StorageProtocols = Partial<
  Record<
    StorageProtocol,
    () => Promise<{
      /** @returns undefined for an unknown path */
      handle(storage: Storage, request: ServiceRequest): Promise<ServiceResponse | undefined>;
    }>
  >
>;

/** The dependencies of an endpoint. */
export interface Storage {
  readonly context: ServiceContext;
  readonly files: ObjectFiles;
  readonly urlSigner: UrlSigner;
  readonly protocols: StorageProtocols;
  /** Loaded on the first resumable upload. */
  resumable?: Promise<{ handle(request: ServiceRequest): Promise<ServiceResponse> }>;
}

/** An endpoint: handles a request whose route is known. */
export type Endpoint = (
  storage: Storage,
  request: ServiceRequest,
  place: { bucket: string; key: string },
) => Promise<ServiceResponse>;

export function createStorage(context: ServiceContext, protocols: StorageProtocols): Storage {
  return {
    context,
    files: new ObjectFiles(context.storageFolder),
    urlSigner: new UrlSigner(context.storageFolder),
    protocols,
  };
}

/** A request with its caller, whom the record of requests takes too, and the dependencies of the service. */
export class RequestContext extends Access {
  readonly storage: Storage;

  constructor(storage: Storage, request: ServiceRequest, caller: Caller, operation: string) {
    super(storage.context.database, request, caller, operation);
    this.storage = storage;
    const { record } = request;
    if (record) {
      const { role, claims } = caller;
      const upsert = request.headers["x-upsert"];
      const values = [record.body ?? null, typeof upsert === "string" ? upsert : null];
      record.ran = {
        text: operation,
        values,
        role,
        claims: JSON.stringify(claims),
        searchPath: "",
        readOnly: false,
      };
    }
  }
}

/**
 * A bucket by id, with the service's rights: object routes need no access to the bucket's row.
 * @throws NoSuchBucket
 */
export async function findBucket(context: RequestContext, id: string): Promise<BucketRow> {
  const [bucket] = await context.asService<BucketRow>(
    `select ${BUCKET_COLUMNS} from storage.buckets where id = $1`,
    [id],
  );
  if (!bucket) throw noSuchBucket();
  return bucket;
}

/** Reads an object's row as the caller, or as the service. */
export async function findObject(
  context: RequestContext,
  bucket: string,
  key: string,
  as: "caller" | "service",
): Promise<ObjectRow | undefined> {
  const text = `select ${OBJECT_COLUMNS} from storage.objects where bucket_id = $1 and name = $2`;
  const rows =
    as === "caller"
      ? await context.asCaller<ObjectRow>(text, [bucket, key])
      : await context.asService<ObjectRow>(text, [bucket, key]);
  return rows[0];
}

/** A bucket and one of its objects, as a read finds them. */
export interface ReadableObject {
  bucket: Pick<BucketRow, "public">;
  row: ObjectRow | undefined;
}

/**
 * An object and whether its bucket is public, in one round trip. In a public bucket, or as the service,
 * policies do not apply; otherwise the object is read as the caller. @throws NoSuchBucket
 */
export async function findReadable(
  context: RequestContext,
  { bucket: id, key }: { bucket: string; key: string },
  as: "caller" | "service",
): Promise<ReadableObject> {
  const [bucket, row] = await context.readTwo<Pick<BucketRow, "public">, ObjectRow>(
    { text: "select json_build_object('public', public) from storage.buckets where id = $1", values: [id] },
    {
      text: `select case when $2 = 'service' or exists (select from storage.buckets where id = $1 and public)
        then 'service_role' else $3 end`,
      values: [id, as, context.caller.role],
    },
    // Postgres text cannot contain NUL, so no object has such a name.
    { text: OBJECT_AS_JSON, values: [id, key.replaceAll("\0", "")] },
  );
  if (!bucket) throw noSuchBucket();
  return { bucket, row: row && readObject(row) };
}

const OBJECT_AS_JSON = `select row_to_json(object) from (
    select ${OBJECT_COLUMNS} from storage.objects where bucket_id = $1 and name = $2
  ) object`;

/** Finds which files on disk have a row. */
export function rowLookup(database: Database): RowLookup {
  return {
    versions: (versions) => rowsOfVersions(database, versions),
    uploads: async (ids) => {
      const { rows } = await database.query<{ id: string }>(
        "supabase_storage_admin",
        "select id from storage.s3_multipart_uploads where id = any ($1)",
        [ids],
      );
      return new Set(rows.map((row) => row.id));
    },
  };
}

/** The versions, of the given ones, that have a row. */
export async function rowsOfVersions(
  database: Database,
  versions: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await database.query<{ version: string }>(
    "supabase_storage_admin",
    "select version from storage.objects where version = any ($1)",
    [versions],
  );
  return new Set(rows.map((row) => row.version));
}
