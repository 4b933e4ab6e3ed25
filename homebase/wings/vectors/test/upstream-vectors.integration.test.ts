/** Upstream's suite `vectors` as requests and answers, on real indexes (supabase/storage, src/test). */
import { beforeEach, describe, expect, test } from "vitest";
import { forThisFile } from "../../../test/for-this-file.ts";
import { ask, userToken } from "../../../test/storage/fixture.ts";
import { storageBackend } from "../../testing.ts";

const backend = await forThisFile(storageBackend());

const BUCKET = "test-bucket";
const INDEX = { vectorBucketName: BUCKET, indexName: "test-index" };
const SHAPE = { dataType: "float32", dimension: 3, distanceMetric: "cosine" };
const VECTOR = { float32: [1, 2, 3] };
const NONE = { ...INDEX, indexName: "non-existent-index" };

async function call(operation: string, json: object, token?: string | null) {
  const response = await ask(backend, "POST", `/vector/${operation}`, {
    json,
    ...(token === undefined ? {} : { token }),
  });
  const text = await response.text();
  return { status: response.status, json: text === "" ? undefined : JSON.parse(text) };
}

beforeEach(async () => {
  await call("DeleteIndex", INDEX);
  await call("CreateVectorBucket", { vectorBucketName: BUCKET });
  await call("CreateIndex", { ...INDEX, ...SHAPE });
});

/** A valid body for each operation, and what must not be left out. */
const OPERATIONS: [operation: string, body: object, required: string[]][] = [
  ["CreateIndex", { ...INDEX, ...SHAPE, indexName: "another" }, ["indexName", "dataType", "distanceMetric"]],
  ["CreateVectorBucket", { vectorBucketName: "another" }, ["vectorBucketName"]],
  ["DeleteVectorBucket", { vectorBucketName: "another" }, ["vectorBucketName"]],
  ["ListVectorBuckets", {}, []],
  ["GetVectorBucket", { vectorBucketName: BUCKET }, ["vectorBucketName"]],
  ["DeleteIndex", INDEX, ["vectorBucketName", "indexName"]],
  ["ListIndexes", { vectorBucketName: BUCKET }, ["vectorBucketName"]],
  ["GetIndex", INDEX, ["vectorBucketName", "indexName"]],
  ["PutVectors", { ...INDEX, vectors: [{ key: "a", data: VECTOR }] }, ["vectors", "indexName"]],
  ["QueryVectors", { ...INDEX, queryVector: VECTOR, topK: 10 }, ["topK", "queryVector"]],
  ["DeleteVectors", { ...INDEX, keys: ["a"] }, ["keys"]],
  ["ListVectors", INDEX, ["indexName"]],
  ["GetVectors", { ...INDEX, keys: ["a"] }, ["keys"]],
];

describe.each(OPERATIONS)("%s", (operation, body, required) => {
  test("should require authentication with service role", async () => {
    expect((await call(operation, body, null)).status).toBe(403);
    expect((await call(operation, body, await userToken(backend))).status).toBe(403);
    expect((await call(operation, body, "invalid-token")).status).toBe(400);
  });

  test("should validate required fields", async () => {
    for (const name of required)
      expect([name, (await call(operation, { ...body, [name]: undefined })).status]).toEqual([name, 400]);
  });
});

test.each([
  ["should validate dataType enum", "CreateIndex", { ...INDEX, ...SHAPE, dataType: "invalid-type" }],
  [
    "should validate distanceMetric enum",
    "CreateIndex",
    { ...INDEX, ...SHAPE, distanceMetric: "invalid-metric" },
  ],
  ["should validate dimension is a number", "CreateIndex", { ...INDEX, ...SHAPE, dimension: "not-a-number" }],
  [
    "should validate metadataConfiguration structure",
    "CreateIndex",
    { ...INDEX, ...SHAPE, metadataConfiguration: { invalidKey: "value" } },
  ],
  ["should validate indexName pattern", "GetIndex", { ...INDEX, indexName: "INVALID_NAME" }],
  ["should validate indexName pattern", "DeleteIndex", { ...INDEX, indexName: "INVALID_NAME" }],
  ["should validate vector data structure", "PutVectors", { ...INDEX, vectors: [{ key: "a", data: {} }] }],
  [
    "should validate maxItems limit",
    "PutVectors",
    { ...INDEX, vectors: Array.from({ length: 501 }, (_, at) => ({ key: `${at}`, data: VECTOR })) },
  ],
  [
    "should reject reserved logical operator keys used as field names",
    "QueryVectors",
    { ...INDEX, queryVector: VECTOR, topK: 5, filter: { $and: true } },
  ],
  ["should validate maxResults range", "ListVectors", { ...INDEX, maxResults: 1_001 }],
  ["should validate segmentIndex range", "ListVectors", { ...INDEX, segmentCount: 4, segmentIndex: 16 }],
])("%s (%s)", async (_title, operation, body) => {
  expect((await call(operation, body)).status).toBe(400);
});

test("should validate queryVector structure", async () => {
  const { status, json } = await call("QueryVectors", { ...INDEX, queryVector: {}, topK: 10 });
  expect([status, json.message]).toEqual([400, expect.stringMatching(/queryVector.*float32/)]);
});

test.each([
  ["GetVectorBucket", { vectorBucketName: "non-existent-bucket" }, 404],
  ["DeleteVectorBucket", { vectorBucketName: "non-existent-bucket" }, 200],
  ["DeleteIndex", NONE, 404],
  ["GetIndex", NONE, 404],
  ["PutVectors", { ...NONE, vectors: [{ key: "a", data: VECTOR }] }, 404],
  ["QueryVectors", { ...NONE, queryVector: VECTOR, topK: 10 }, 404],
  ["DeleteVectors", { ...NONE, keys: ["a"] }, 404],
  ["ListVectors", NONE, 404],
  ["GetVectors", { ...NONE, keys: ["a"] }, 404],
])("should handle non-existent bucket or index: %s", async (operation, body, status) => {
  expect((await call(operation, body)).status).toBe(status);
});

test("should handle duplicate bucket creation gracefully, and fail when trying to delete bucket with indexes", async () => {
  expect((await call("CreateVectorBucket", { vectorBucketName: BUCKET })).status).toBe(409);
  expect(await call("DeleteVectorBucket", { vectorBucketName: BUCKET })).toMatchObject({
    status: 400,
    json: { error: "VectorBucketNotEmpty" },
  });
  await call("CreateVectorBucket", { vectorBucketName: "empty-bucket" });
  expect((await call("DeleteVectorBucket", { vectorBucketName: "empty-bucket" })).status).toBe(200);
});

test("should get vector bucket and index details successfully", async () => {
  const { json } = await call("GetVectorBucket", { vectorBucketName: BUCKET });
  expect(json.vectorBucket).toEqual({ vectorBucketName: BUCKET, creationTime: expect.any(Number) });
  const metadataConfiguration = { nonFilterableMetadataKeys: ["key1"] };
  await call("CreateIndex", { ...INDEX, ...SHAPE, indexName: "with-metadata", metadataConfiguration });
  const index = await call("GetIndex", { ...INDEX, indexName: "with-metadata" });
  expect(index.json.index).toMatchObject({
    ...SHAPE,
    vectorBucketName: BUCKET,
    metadataConfiguration,
    creationTime: expect.any(Number),
  });
  expect((await call("DeleteIndex", { ...INDEX, indexName: "with-metadata" })).status).toBe(200);
});

test("supports prefix filtering with nextToken for buckets and indexes, which end without one", async () => {
  for (const name of ["page-a", "page-b", "other"]) {
    await call("CreateVectorBucket", { vectorBucketName: name });
    await call("CreateIndex", { ...SHAPE, vectorBucketName: BUCKET, indexName: name });
  }
  for (const [operation, list, name] of [
    ["ListVectorBuckets", "vectorBuckets", "vectorBucketName"],
    ["ListIndexes", "indexes", "indexName"],
  ] as const) {
    const page = async (more: object) =>
      (await call(operation, { ...(list === "indexes" ? { vectorBucketName: BUCKET } : {}), ...more })).json;
    const first = await page({ prefix: "page-", maxResults: 1 });
    const second = await page({ prefix: "page-", maxResults: 1, nextToken: first.nextToken });
    expect([first[list][0][name], second[list][0][name], second.nextToken]).toEqual([
      "page-a",
      "page-b",
      undefined,
    ]);
    for (const prefix of ["%", "_", "page%", "p_ge"]) expect((await page({ prefix }))[list]).toEqual([]);
  }
  for (const indexName of ["page-a", "page-b", "other"]) await call("DeleteIndex", { ...INDEX, indexName });
});

test("should put, query, list, get and delete vectors", async () => {
  const vectors = [
    { key: "vec1", data: VECTOR, metadata: { category: "test", score: 1 } },
    { key: "vec2", data: { float32: [4, 5, 6] } },
  ];
  expect((await call("PutVectors", { ...INDEX, vectors })).status).toBe(200);
  const query = async (filter: object) =>
    (await call("QueryVectors", { ...INDEX, queryVector: VECTOR, topK: 5, filter })).json.vectors;
  for (const filter of [{ category: "test" }, { $and: [{ category: "test" }, { score: { $gt: 0.5 } }] }])
    expect(await query(filter)).toEqual([expect.objectContaining({ key: "vec1" })]);
  const listed = await call("ListVectors", {
    ...INDEX,
    returnData: true,
    returnMetadata: true,
    maxResults: 10,
  });
  expect(listed.json.vectors).toHaveLength(2);
  const got = await call("GetVectors", { ...INDEX, keys: ["vec1"], returnData: true, returnMetadata: true });
  expect(got.json.vectors).toEqual([vectors[0]]);
  expect((await call("DeleteVectors", { ...INDEX, keys: ["vec1", "vec2", "vec3"] })).status).toBe(200);
  expect((await call("ListVectors", INDEX)).json.vectors).toEqual([]);
});
