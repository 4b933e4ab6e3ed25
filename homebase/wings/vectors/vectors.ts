/**
 * Owns the vectors of an index: storing, reading and the nearest ones of a query, which is exact
 * (supabase/storage, src/storage/protocols/vector/adapter/pgvector).
 */
import type { z } from "zod";
import type { ServiceContext } from "../../src/service-context.ts";
import { StorageError } from "../../src/storage/kit/errors.ts";
import type {
  deleteVectorsBody,
  getVectorsBody,
  listVectorsBody,
  putVectorsBody,
  queryVectorsBody,
} from "./bodies.ts";
import { filterCondition } from "./filter.ts";
import { findVectorIndex, type VectorIndex } from "./indexes.ts";

const ROLE = "supabase_storage_admin";

/** Limits of a vector's metadata (supabase/storage, src/storage/protocols/vector/vector-store.ts), in bytes of JSON. */
const MAX_METADATA_KEYS = 50;
const MAX_METADATA_BYTES = 40 * 1024;
const MAX_FILTERABLE_BYTES = 2048;
/** More results with the largest metadata would take much memory. */
const QUERY_PAGE = 1_000;

export async function putVectors(
  context: ServiceContext,
  body: z.infer<typeof putVectorsBody>,
): Promise<object> {
  const index = await findVectorIndex(context, body);
  const keys = new Set(body.vectors.map(({ key }) => key));
  if (keys.size < body.vectors.length) throw invalid("Request must not contain duplicate keys");
  for (const { key, data, metadata } of body.vectors) {
    requireDimension(index, data.float32);
    if (metadata) requireSmall(key, metadata, index.notFilterable);
  }
  // In one order, so that two calls with the same keys do not wait for each other.
  const sorted = [...body.vectors].sort((a, b) => (a.key < b.key ? -1 : 1));
  await context.database.query(
    ROLE,
    `insert into ${index.table} (key, embedding, metadata)
     select key, embedding::${index.operators}.vector, metadata
     from unnest($1::text[], $2::text[], $3::jsonb[]) given (key, embedding, metadata)
     on conflict (key) do update set embedding = excluded.embedding, metadata = excluded.metadata`,
    [
      sorted.map(({ key }) => key),
      sorted.map(({ data }) => vectorText(data.float32)),
      sorted.map(({ metadata }) => JSON.stringify(metadata ?? {})),
    ],
  );
  return {};
}

export async function deleteVectors(
  context: ServiceContext,
  body: z.infer<typeof deleteVectorsBody>,
): Promise<undefined> {
  const { table } = await findVectorIndex(context, body);
  await context.database.query(ROLE, `delete from ${table} where key = any ($1)`, [body.keys]);
}

/** A stored vector, with what a call wants of it. */
interface VectorRow {
  key: string;
  embedding?: string;
  metadata?: Record<string, unknown>;
  distance?: number;
}

export async function getVectors(context: ServiceContext, body: z.infer<typeof getVectorsBody>) {
  const { table } = await findVectorIndex(context, body);
  const { rows } = await context.database.query<VectorRow>(
    ROLE,
    `select ${columnsOf(body)} from ${table} where key = any ($1)`,
    [body.keys],
  );
  return { vectors: rows.map(vectorJson) };
}

export async function listVectors(context: ServiceContext, body: z.infer<typeof listVectorsBody>) {
  const { segmentCount, segmentIndex, maxResults } = body;
  if ((segmentCount === undefined) !== (segmentIndex === undefined)) {
    throw invalid("segmentCount and segmentIndex must be provided together");
  }
  if (segmentIndex !== undefined && segmentCount !== undefined && segmentIndex >= segmentCount) {
    throw invalid("segmentIndex must be less than segmentCount");
  }
  const { table } = await findVectorIndex(context, body);
  const { rows } = await context.database.query<VectorRow>(
    ROLE,
    `select ${columnsOf(body)} from ${table}
     where ($1::text is null or key > $1)
       and ($2::int is null or mod(abs(hashtext(key)::bigint), $2) = $3::int)
     order by key limit $4`,
    [body.nextToken ?? null, segmentCount ?? null, segmentIndex ?? null, maxResults + 1],
  );
  const shown = rows.slice(0, maxResults);
  return {
    vectors: shown.map(vectorJson),
    ...(rows.length > maxResults ? { nextToken: shown.at(-1)?.key } : {}),
  };
}

export async function queryVectors(context: ServiceContext, body: z.infer<typeof queryVectorsBody>) {
  const index = await findVectorIndex(context, body);
  requireDimension(index, body.queryVector.float32);
  const { table, metric, operators } = index;
  const operator = `operator(${operators}.${metric === "euclidean" ? "<->" : "<=>"})`;
  const before = body.nextToken ?? 0;
  const most = Math.min(QUERY_PAGE, body.topK - before);
  if (most < 1) throw invalid("nextToken is not of this query");
  const more = before + most < body.topK;
  const values: unknown[] = [vectorText(body.queryVector.float32), most + (more ? 1 : 0), before];
  const condition = body.filter && filterCondition(body.filter, values.length, index.notFilterable);
  const { rows } = await context.database.query<VectorRow>(
    ROLE,
    `select key, embedding ${operator} $1::${operators}.vector as distance${body.returnMetadata ? ", metadata" : ""}
     from ${table} ${condition ? `where ${condition.sql}` : ""} order by distance, key limit $2 offset $3`,
    [...values, ...(condition?.values ?? [])],
  );
  return {
    vectors: rows.slice(0, most).map(({ distance, ...row }) => ({
      ...vectorJson(row),
      ...(body.returnDistance ? { distance } : {}),
    })),
    distanceMetric: metric,
    ...(rows.length > most ? { nextToken: String(before + most) } : {}),
  };
}

function columnsOf({ returnData, returnMetadata }: { returnData: boolean; returnMetadata: boolean }): string {
  return `key${returnData ? ", embedding::text as embedding" : ""}${returnMetadata ? ", metadata" : ""}`;
}

function vectorJson({ key, embedding, metadata }: VectorRow) {
  return {
    key,
    ...(embedding === undefined ? {} : { data: { float32: JSON.parse(embedding) as number[] } }),
    metadata,
  };
}

function vectorText(numbers: readonly number[]): string {
  return `[${numbers.join(",")}]`;
}

function requireDimension({ dimension }: VectorIndex, numbers: readonly number[]): void {
  if (numbers.length !== dimension) throw invalid(`expected ${dimension} dimensions, not ${numbers.length}`);
}

/** @throws InvalidParameter for metadata beyond the limits. */
function requireSmall(key: string, metadata: object, notFilterable: ReadonlySet<string>): void {
  const refuse = (what: string) => invalid(`Invalid record for key '${key}': ${what}`);
  const bytesOf = (value: object) => Buffer.byteLength(JSON.stringify(value));
  const entries = Object.entries(metadata);
  if (entries.length > MAX_METADATA_KEYS)
    throw refuse(`Metadata must have at most ${MAX_METADATA_KEYS} keys`);
  if (bytesOf(metadata) > MAX_METADATA_BYTES) {
    throw refuse(`Total metadata must have at most ${MAX_METADATA_BYTES} bytes`);
  }
  const filterable = Object.fromEntries(entries.filter(([name]) => !notFilterable.has(name)));
  if (bytesOf(filterable) > MAX_FILTERABLE_BYTES) {
    throw refuse(`Filterable metadata must have at most ${MAX_FILTERABLE_BYTES} bytes`);
  }
}

function invalid(message: string): StorageError {
  return new StorageError("InvalidParameter", message);
}
