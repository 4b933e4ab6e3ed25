/** Owns the rows of schema storage: their types, and their format in responses. */

export interface BucketRow {
  id: string;
  name: string;
  owner: string | null;
  public: boolean;
  type: string;
  file_size_limit: string | null;
  allowed_mime_types: string[] | null;
  created_at: Date;
  updated_at: Date;
}

export interface ObjectMetadata {
  eTag: string;
  size: number;
  mimetype: string;
  cacheControl: string;
  lastModified: string;
  contentLength: number;
  httpStatusCode: number;
  xRobotsTag?: string;
  /** How the bytes are encoded, e.g. "gzip": the reader decodes them. */
  contentEncoding?: string;
}

export interface ObjectRow {
  id: string;
  bucket_id: string;
  name: string;
  owner: string | null;
  owner_id: string | null;
  version: string | null;
  created_at: Date;
  updated_at: Date;
  last_accessed_at: Date;
  metadata: ObjectMetadata | null;
  user_metadata: Record<string, unknown> | null;
}

/** Columns of an object that the service uses. */
export const OBJECT_COLUMNS =
  "id, bucket_id, name, owner, owner_id, version, created_at, updated_at, last_accessed_at, metadata, user_metadata";
export const BUCKET_COLUMNS =
  "id, name, owner, public, type::text as type, file_size_limit, allowed_mime_types, created_at, updated_at";

/** An object's row from JSON, where timestamps are text. */
export function readObject<Row extends ObjectRow>(row: Row): Row {
  return {
    ...row,
    created_at: new Date(row.created_at),
    updated_at: new Date(row.updated_at),
    last_accessed_at: new Date(row.last_accessed_at),
  };
}

/** A bucket in responses; lists include its type. */
export function bucketJson(row: BucketRow, withType: boolean): Record<string, unknown> {
  return {
    id: row.id,
    name: row.name,
    owner: row.owner ?? "",
    public: row.public ?? false,
    ...(withType ? { type: row.type } : {}),
    file_size_limit: row.file_size_limit === null ? null : Number(row.file_size_limit),
    allowed_mime_types: row.allowed_mime_types,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

/** A whole object row, as in the responses of copy and bulk delete. */
export function objectJson(row: ObjectRow): Record<string, unknown> {
  return {
    name: row.name,
    bucket_id: row.bucket_id,
    owner: row.owner ?? "",
    owner_id: row.owner_id ?? "",
    version: row.version ?? "",
    id: row.id,
    updated_at: row.updated_at,
    created_at: row.created_at,
    last_accessed_at: row.last_accessed_at,
    metadata: row.metadata,
    user_metadata: row.user_metadata,
  };
}
