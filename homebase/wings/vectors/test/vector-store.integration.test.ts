/**
 * Upstream's suite `pgvector-adapter` as requests and answers (supabase/storage, src/test): what its store refuses or
 * gives, where a caller can see it. What it does by spies on its own store is not here (upstream-titles.ts).
 */
import { beforeEach, expect, test } from "vitest";
import { forThisFile } from "../../../test/for-this-file.ts";
import { ask } from "../../../test/storage/fixture.ts";
import { storageBackend } from "../../testing.ts";

const backend = await forThisFile(storageBackend());

const INDEX = { vectorBucketName: "logos", indexName: "tenant-a-vecs" };
const PUT = { key: "a", data: { float32: [1, 0] } };

async function call(operation: string, json: object) {
  const response = await ask(backend, "POST", `/vector/${operation}`, { json: { ...INDEX, ...json } });
  const text = await response.text();
  return { status: response.status, json: text === "" ? undefined : JSON.parse(text) };
}
const create = (distanceMetric: string, dimension = 2) =>
  call("CreateIndex", { dataType: "float32", dimension, distanceMetric });
const keysOf = ({ json }: { json: { vectors: { key: string }[] } }) =>
  json.vectors.map(({ key }) => key).sort();

beforeEach(async () => {
  await call("CreateVectorBucket", { vectorBucketName: INDEX.vectorBucketName });
  await call("DeleteIndex", {});
  await create("cosine");
});

const keys = (count: number) => Array.from({ length: count }, (_, at) => `key-${at}`);
test.each<[title: string, operation: string, body: object]>([
  ["rejects maxResults=0", "ListVectors", { maxResults: 0 }],
  ["rejects maxResults above the list limit", "ListVectors", { maxResults: 1_001 }],
  ["rejects GetVectors requests above the S3Vectors key limit", "GetVectors", { keys: keys(101) }],
  ["rejects GetVectors keys above the S3Vectors key length", "GetVectors", { keys: ["x".repeat(1_025)] }],
  ["rejects DeleteVectors requests above the S3Vectors key limit", "DeleteVectors", { keys: keys(501) }],
  [
    "rejects DeleteVectors keys above the S3Vectors key length",
    "DeleteVectors",
    { keys: ["x".repeat(1_025)] },
  ],
  ["rejects invalid dimension=-1", "CreateIndex", { ...shape(-1) }],
  ["rejects invalid dimension=0", "CreateIndex", { ...shape(0) }],
  // 4,000 is what pgvector takes as halfvec; S3's own limit, which hosted has, is 4,096.
  ["rejects invalid dimension=4001", "CreateIndex", { ...shape(4_097) }],
  [
    "rejects PutVectors keys above the S3Vectors key length",
    "PutVectors",
    { vectors: [{ ...PUT, key: "x".repeat(1_025) }] },
  ],
  [
    "rejects PutVectors requests above the S3Vectors count limit",
    "PutVectors",
    { vectors: keys(501).map((key) => ({ ...PUT, key })) },
  ],
  [
    "rejects nested metadata objects",
    "PutVectors",
    { vectors: [{ ...PUT, metadata: { nested: { value: "x" } } }] },
  ],
  [
    "rejects nested metadata arrays",
    "PutVectors",
    { vectors: [{ ...PUT, metadata: { tags: [["nested"]] } }] },
  ],
  ["rejects non-finite metadata number", "PutVectors", { vectors: [{ ...PUT, metadata: { score: null } }] }],
  ["rejects topK above the query limit", "QueryVectors", { queryVector: PUT.data, topK: 10_001 }],
])("%s", async (_title, operation, body) => {
  expect((await call(operation, body)).status).toBe(400);
});

function shape(dimension: number) {
  return { indexName: "another", dataType: "float32", dimension, distanceMetric: "cosine" };
}

test("uses the S3Vectors default page size when maxResults is omitted", async () => {
  await call("PutVectors", { vectors: keys(500).map((key) => ({ ...PUT, key })) });
  await call("PutVectors", { vectors: [{ ...PUT, key: "one more" }] });
  const first = (await call("ListVectors", {})).json;
  expect(first.vectors).toHaveLength(500);
  const second = (await call("ListVectors", { nextToken: first.nextToken })).json;
  expect([second.vectors.length, second.nextToken]).toEqual([1, undefined]);
});

test("allows list-valued metadata", async () => {
  const vector = { ...PUT, metadata: { tags: ["cats", "docs", 2026, true] } };
  expect((await call("PutVectors", { vectors: [vector] })).status).toBe(200);
  const got = await call("GetVectors", { keys: ["a"], returnMetadata: true });
  expect(got.json.vectors).toEqual([{ key: "a", metadata: vector.metadata }]);
});

test("rejects duplicate put keys before regular upsert", async () => {
  const vectors = [PUT, { ...PUT, key: "other" }, { key: "a", data: { float32: [0.5, 0.5] } }];
  const refused = await call("PutVectors", { vectors });
  expect([refused.status, refused.json.message]).toEqual([400, "Request must not contain duplicate keys"]);
  expect((await call("ListVectors", {})).json.vectors).toEqual([]);
});

test("omits distance values when queryVectors does not request returnDistance", async () => {
  await call("PutVectors", { vectors: [{ ...PUT, metadata: { group: "test" } }] });
  const query = (more: object) =>
    call("QueryVectors", { queryVector: PUT.data, topK: 1, returnMetadata: true, ...more });
  for (const more of [{}, { returnDistance: false }])
    expect((await query(more)).json.vectors).toEqual([{ key: "a", metadata: { group: "test" } }]);
  expect((await query({ returnDistance: true })).json.vectors[0].distance).toBeCloseTo(0, 3);
});

test("creates an index, puts vectors, queries, filters, fetches, lists, deletes", async () => {
  await call("PutVectors", {
    vectors: [
      { key: "a", data: { float32: [1, 0] }, metadata: { category: "cats", score: 5, active: true } },
      { key: "b", data: { float32: [0, 1] }, metadata: { category: "dogs", score: 3 } },
      { key: "c", data: { float32: [1, 1] }, metadata: { category: "cats", score: 9 } },
      { key: "d", data: { float32: [1, 2] }, metadata: { category: ["cats", "birds"], score: 7 } },
      { key: "e", data: { float32: [2, 1] }, metadata: { category: "numeric-list", score: [1, 5, 9] } },
    ],
  });
  const filtered = async (filter: object) =>
    keysOf(await call("QueryVectors", { queryVector: PUT.data, topK: 5, filter }));
  expect(await filtered({ category: "cats" })).toEqual(["a", "c", "d"]);
  expect(await filtered({ category: { $ne: "cats" } })).toEqual(["b", "e"]);
  expect(await filtered({ category: { $in: ["birds"] } })).toEqual(["d"]);
  expect(await filtered({ category: { $nin: ["cats", "birds"] } })).toEqual(["b", "e"]);
  expect(await filtered({ score: { $eq: 5 } })).toEqual(["a", "e"]);
  // A comparison of a list with a number is none.
  expect(await filtered({ score: { $gt: 3 } })).toEqual(["a", "c", "d"]);
  expect(keysOf(await call("GetVectors", { keys: ["a", "b", "missing"] }))).toEqual(["a", "b"]);
  const first = (await call("ListVectors", { maxResults: 2 })).json;
  expect(first.vectors).toHaveLength(2);
  expect(
    (await call("ListVectors", { maxResults: 2, nextToken: first.nextToken })).json.vectors,
  ).toHaveLength(2);
  await call("DeleteVectors", { keys: ["a"] });
  expect((await call("GetVectors", { keys: ["a"] })).json.vectors).toEqual([]);
});

test("ranks results by L2 distance when distanceMetric is euclidean", async () => {
  await call("DeleteIndex", {});
  await create("euclidean", 4);
  await call("PutVectors", {
    vectors: [
      { key: "far", data: { float32: [0, 0, 0, 1] } },
      { key: "mid", data: { float32: [0.5, 0.5, 0, 0] } },
      { key: "near", data: { float32: [1, 0, 0, 0] } },
    ],
  });
  const { json } = await call("QueryVectors", { queryVector: { float32: [1, 0, 0, 0] }, topK: 3 });
  expect([json.distanceMetric, json.vectors.map(({ key }: { key: string }) => key)]).toEqual([
    "euclidean",
    ["near", "mid", "far"],
  ]);
});

test("finds the nearest vector inserted after HNSW index creation", async () => {
  await call("DeleteIndex", {});
  await create("euclidean");
  const far = Array.from({ length: 128 }, (_, at) => ({
    key: `far-${at}`,
    data: { float32: [100 + at, -100 - at] },
  }));
  await call("PutVectors", { vectors: [...far, { key: "nearest", data: { float32: [0.001, 0] } }] });
  const { json } = await call("QueryVectors", {
    queryVector: { float32: [0, 0] },
    topK: 1,
    returnDistance: true,
  });
  expect(json.vectors).toEqual([{ key: "nearest", distance: expect.closeTo(0.001, 4) }]);
});

test("returns topK rows above the default HNSW ef_search on standard index scans", async () => {
  await call("DeleteIndex", {});
  await create("euclidean");
  await call("PutVectors", {
    vectors: Array.from({ length: 150 }, (_, at) => ({ key: `vec-${at}`, data: { float32: [at + 1, 0] } })),
  });
  const { json } = await call("QueryVectors", { queryVector: { float32: [0, 0] }, topK: 100 });
  expect(json.vectors).toHaveLength(100);
});

test("returns an empty list from an empty index with maxResults=1", async () => {
  expect((await call("ListVectors", { maxResults: 1 })).json).toEqual({ vectors: [] });
});

test("returns an empty page when nextToken references a deleted vector with no later keys", async () => {
  await call("PutVectors", { vectors: ["1", "2", "3"].map((key) => ({ ...PUT, key })) });
  const { nextToken } = (await call("ListVectors", { maxResults: 2 })).json;
  await call("DeleteVectors", { keys: ["2", "3"] });
  expect((await call("ListVectors", { maxResults: 1, nextToken })).json).toEqual({ vectors: [] });
});

test("returns NotFound when querying a missing index", async () => {
  const missing = { indexName: "does-not-exist", queryVector: PUT.data, topK: 1 };
  expect((await call("QueryVectors", missing)).status).toBe(404);
});
