/** Owns the calls of vector buckets, `/vector/<call>` (docs/compat/storage.md 1.11). */
import type { z } from "zod";
import { jsonResponse, type ServiceRequest, type ServiceResponse } from "../../src/http/exchange.ts";
import { type Route, Router } from "../../src/http/router.ts";
import type { ServiceContext } from "../../src/service-context.ts";
import type { Storage } from "../../src/storage/dependencies.ts";
import { requireToken } from "../../src/storage/kit/caller.ts";
import { fromPostgres, StorageError } from "../../src/storage/kit/errors.ts";
import { jsonBody } from "../../src/storage/kit/query-and-body.ts";
import { checked } from "../../src/storage/kit/route-schemas.ts";
import * as bodies from "./bodies.ts";
import * as indexes from "./indexes.ts";
import * as vectors from "./vectors.ts";

/** Bytes of a body with vectors. */
const LARGE_BODY = 20 * 1024 * 1024;

type Call = (context: ServiceContext, request: ServiceRequest) => Promise<object | undefined>;

/** A call with its body; undefined is an empty response. */
function call<Schema extends z.ZodType>(
  schema: Schema,
  run: (context: ServiceContext, body: z.infer<Schema>) => Promise<object | undefined>,
  limit?: number,
): Call {
  return async (context, request) =>
    run(context, checked(await jsonBody(request, { limit }), schema, "body", true));
}

const CALLS = {
  CreateVectorBucket: call(bodies.bucketBody, (context, { vectorBucketName }) =>
    indexes.createVectorBucket(context, vectorBucketName),
  ),
  DeleteVectorBucket: call(bodies.bucketBody, (context, { vectorBucketName }) =>
    indexes.deleteVectorBucket(context, vectorBucketName),
  ),
  GetVectorBucket: call(bodies.bucketBody, (context, { vectorBucketName }) =>
    indexes.getVectorBucket(context, vectorBucketName),
  ),
  ListVectorBuckets: call(bodies.listBucketsBody, indexes.listVectorBuckets),
  CreateIndex: call(bodies.createIndexBody, indexes.createVectorIndex),
  DeleteIndex: call(bodies.indexBody, (context, { vectorBucketName, indexName }) =>
    indexes.deleteVectorIndex(context, vectorBucketName, indexName),
  ),
  GetIndex: call(bodies.indexBody, (context, { vectorBucketName, indexName }) =>
    indexes.getVectorIndex(context, vectorBucketName, indexName),
  ),
  ListIndexes: call(bodies.listIndexesBody, indexes.listVectorIndexes),
  PutVectors: call(bodies.putVectorsBody, vectors.putVectors, LARGE_BODY),
  GetVectors: call(bodies.getVectorsBody, vectors.getVectors),
  DeleteVectors: call(bodies.deleteVectorsBody, vectors.deleteVectors),
  ListVectors: call(bodies.listVectorsBody, vectors.listVectors),
  QueryVectors: call(bodies.queryVectorsBody, vectors.queryVectors),
};
const router = new Router(
  Object.entries(CALLS).map(([name, run]): Route<Call> => ["POST", `/vector/${name}`, run]),
);

/** Handles a call. Errors have their own HTTP status. @returns undefined for an unknown path */
export async function handle(
  { context }: Storage,
  request: ServiceRequest,
): Promise<ServiceResponse | undefined> {
  const found = router.match(request.method, request.path)?.handler;
  if (!found) return undefined;
  // A token that cannot be verified is refused as by every other route; a missing one has no role.
  const caller = request.authorization
    ? await requireToken(context, request, request.authorization)
    : undefined;
  try {
    if (caller?.role !== "service_role")
      throw new StorageError("AccessDenied", "Access denied: Invalid role");
    const result = await found(context, request);
    return result ? jsonResponse(200, result) : { status: 200, headers: {}, body: "" };
  } catch (error) {
    const { code, message, error: label, status } = fromPostgres(error);
    throw new StorageError(code, message, { status, http: status, error: label, cause: error });
  }
}
