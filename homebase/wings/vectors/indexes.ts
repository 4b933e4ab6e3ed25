/**
 * Owns vector buckets and their indexes: rows of `storage.buckets_vectors` and `storage.vector_indexes`, and a table of
 * schema `storage_vectors` for the vectors of each index (supabase/storage, src/storage/protocols/vector).
 */
import { createHash } from "node:crypto";
import pg from "pg";
import type { z } from "zod";
import type { ServiceContext } from "../../src/service-context.ts";
import { StorageError } from "../../src/storage/kit/errors.ts";
import type { createIndexBody, listBucketsBody, listIndexesBody } from "./bodies.ts";

const ROLE = "supabase_storage_admin";
const DUPLICATE = "23505";
/** The largest row of a page: a vector of up to 1,000 dimensions stays in its row, and a query reads it with the row. */
const ROW_BYTES = 8160;

/** An index as its calls need it. */
export interface VectorIndex {
  id: string;
  dimension: number;
  metric: "cosine" | "euclidean";
  /** The keys of metadata that a query cannot filter by. */
  notFilterable: ReadonlySet<string>;
  /** The quoted name of the table with its vectors. */
  table: string;
  /** The quoted schema of the extension `vector`, which has the operators. */
  operators: string;
}

export async function createVectorBucket(context: ServiceContext, name: string): Promise<undefined> {
  const { max_buckets } = context.config.storage.vector;
  await inTurn(context, "buckets", async (client) => {
    const { rows } = await client.query<{ count: number }>(
      "select count(*)::int as count from storage.buckets_vectors",
    );
    if ((rows[0]?.count ?? 0) >= max_buckets) {
      throw new StorageError(
        "S3VectorMaxBucketsExceeded",
        `Maximum number of buckets exceeded. Max allowed is ${max_buckets}. Contact support to increase your limit.`,
      );
    }
    await client
      .query("insert into storage.buckets_vectors (id) values ($1)", [name])
      .catch(conflict("vector bucket", name));
  });
}

export async function deleteVectorBucket(context: ServiceContext, name: string): Promise<undefined> {
  await inTurn(context, name, async (client) => {
    const { rows } = await client.query("select 1 from storage.vector_indexes where bucket_id = $1 limit 1", [
      name,
    ]);
    if (rows.length > 0) {
      throw new StorageError("VectorBucketNotEmpty", `Vector Bucket "${name}" not empty`);
    }
    await client.query("delete from storage.buckets_vectors where id = $1", [name]);
  });
}

export async function getVectorBucket(context: ServiceContext, name: string) {
  const { rows } = await context.database.query<{ id: string; created: number }>(
    ROLE,
    `select id, ${SECONDS} as created from storage.buckets_vectors where id = $1`,
    [name],
  );
  if (!rows[0]) throw notFound(name);
  return { vectorBucket: { vectorBucketName: rows[0].id, creationTime: rows[0].created } };
}

export async function listVectorBuckets(
  context: ServiceContext,
  { prefix, nextToken, maxResults }: z.infer<typeof listBucketsBody>,
) {
  const { rows } = await context.database.query<{ id: string; created: number }>(
    ROLE,
    `select id, ${SECONDS} as created from storage.buckets_vectors
     where starts_with(id, $1) and ($2::text is null or id > $2) order by id limit $3`,
    [prefix ?? "", nextToken ?? null, maxResults + 1],
  );
  const shown = rows.slice(0, maxResults);
  return {
    vectorBuckets: shown.map(({ id, created }) => ({ vectorBucketName: id, creationTime: created })),
    ...(rows.length > maxResults ? { nextToken: shown.at(-1)?.id } : {}),
  };
}

export async function createVectorIndex(
  context: ServiceContext,
  body: z.infer<typeof createIndexBody>,
): Promise<undefined> {
  const { vectorBucketName: bucket, indexName: name, dimension } = body;
  const { max_indexes } = context.config.storage.vector;
  await getVectorBucket(context, bucket);
  // The project's own role may create it and give access to it, as its migrations do.
  await context.database.query("postgres", "create extension if not exists vector with schema extensions");
  const operators = await extensionSchema(context);
  await context.database.query("postgres", `grant usage on schema ${operators} to ${ROLE}`);
  await inTurn(context, bucket, async (client) => {
    const { rows } = await client.query<{ count: number }>(
      "select count(*)::int as count from storage.vector_indexes where bucket_id = $1",
      [bucket],
    );
    if ((rows[0]?.count ?? 0) >= max_indexes) {
      throw new StorageError(
        "S3VectorMaxIndexesExceeded",
        `Maximum number of indexes exceeded. Max allowed is ${max_indexes}. Contact support to increase your limit.`,
      );
    }
    await client
      .query(
        `insert into storage.vector_indexes (bucket_id, name, data_type, dimension, distance_metric, metadata_configuration)
         values ($1, $2, $3, $4, $5, $6)`,
        [
          bucket,
          name,
          body.dataType,
          dimension,
          body.distanceMetric,
          body.metadataConfiguration ? JSON.stringify(body.metadataConfiguration) : null,
        ],
      )
      .catch(conflict("vector index", name));
    await client.query(
      `create table ${tableOf(bucket, name)} (
         key text collate "C" primary key,
         embedding ${operators}.vector(${dimension}) not null,
         metadata jsonb not null default '{}'
       ) with (toast_tuple_target = ${ROW_BYTES})`,
    );
  });
}

export async function deleteVectorIndex(
  context: ServiceContext,
  bucket: string,
  name: string,
): Promise<undefined> {
  await inTurn(context, bucket, async (client) => {
    const { rowCount } = await client.query(
      "delete from storage.vector_indexes where bucket_id = $1 and name = $2",
      [bucket, name],
    );
    if (rowCount === 0) throw notFound(name);
    await client.query(`drop table if exists ${tableOf(bucket, name)}`);
  });
}

interface IndexRow {
  id: string;
  dimension: number;
  metric: "cosine" | "euclidean";
  type: string;
  configuration: { nonFilterableMetadataKeys?: string[] } | null;
  created: number;
}

export async function getVectorIndex(context: ServiceContext, bucket: string, name: string) {
  const row = await readIndex(context, bucket, name);
  return {
    index: {
      indexName: name,
      dataType: row.type,
      dimension: row.dimension,
      distanceMetric: row.metric,
      metadataConfiguration: row.configuration,
      vectorBucketName: bucket,
      creationTime: row.created,
    },
  };
}

/** The index of a call about its vectors. @throws NotFoundException */
export async function findVectorIndex(
  context: ServiceContext,
  { vectorBucketName, indexName }: { vectorBucketName: string; indexName: string },
): Promise<VectorIndex> {
  const { id, dimension, metric, configuration } = await readIndex(context, vectorBucketName, indexName);
  const operators = await extensionSchema(context);
  const notFilterable = new Set(configuration?.nonFilterableMetadataKeys);
  return { id, dimension, metric, notFilterable, table: tableOf(vectorBucketName, indexName), operators };
}

export async function listVectorIndexes(
  context: ServiceContext,
  { vectorBucketName: bucket, prefix, nextToken, maxResults }: z.infer<typeof listIndexesBody>,
) {
  const { rows } = await context.database.query<{ name: string; created: number }>(
    ROLE,
    `select name, ${SECONDS} as created from storage.vector_indexes
     where bucket_id = $1 and starts_with(name, $2) and ($3::text is null or name > $3) order by name limit $4`,
    [bucket, prefix ?? "", nextToken ?? null, maxResults + 1],
  );
  const shown = rows.slice(0, maxResults);
  return {
    indexes: shown.map(({ name, created }) => ({
      indexName: name,
      vectorBucketName: bucket,
      creationTime: created,
    })),
    ...(rows.length > maxResults ? { nextToken: shown.at(-1)?.name } : {}),
  };
}

const SECONDS = "floor(extract(epoch from created_at))::float8";

async function readIndex(context: ServiceContext, bucket: string, name: string): Promise<IndexRow> {
  const { rows } = await context.database.query<IndexRow>(
    ROLE,
    `select id, dimension, distance_metric as metric, data_type as type, metadata_configuration as configuration,
       ${SECONDS} as created
     from storage.vector_indexes where bucket_id = $1 and name = $2`,
    [bucket, name],
  );
  if (!rows[0]) throw notFound(name);
  return rows[0];
}

async function extensionSchema(context: ServiceContext): Promise<string> {
  const { rows } = await context.database.query<{ schema: string }>(
    ROLE,
    "select quote_ident(n.nspname) as schema from pg_extension e join pg_namespace n on n.oid = e.extnamespace where extname = 'vector'",
  );
  if (!rows[0])
    throw new StorageError("InternalError", "The extension vector was dropped from the database.");
  return rows[0].schema;
}

/** Names of a bucket and an index together may be longer than Postgres allows for a table. */
function tableOf(bucket: string, index: string): string {
  const hash = createHash("sha256").update(`${bucket}\0${index}`).digest("hex").slice(0, 24);
  return `storage_vectors.vector_${hash}`;
}

/** Runs changes of a bucket one after the other, so that their limits hold. */
async function inTurn(
  context: ServiceContext,
  name: string,
  work: (client: pg.PoolClient) => Promise<void>,
): Promise<undefined> {
  await context.database.transaction(ROLE, async (client) => {
    await client.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [`vector:${name}`]);
    await work(client);
  });
}

function notFound(name: string): StorageError {
  return new StorageError("NotFoundException", `resource "${name}" not found`);
}

/** A handler of a statement's failure: a row that exists already is a conflict. */
function conflict(resource: string, name: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof pg.DatabaseError) || error.code !== DUPLICATE) throw error;
    throw new StorageError("ConflictException", `${resource} "${name}" already exists`);
  };
}
