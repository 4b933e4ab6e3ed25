/**
 * Vector buckets, through supabase-js and as plain calls (supabase/storage, src/http/routes/vector and
 * src/storage/protocols/vector; Supabase's guide "Vector Bucket Local Development").
 */
import { beforeAll, describe, expect, test } from "vitest";
import { schemaDiff } from "../../../src/diff/schema-diff.ts";
import { forThisFile } from "../../../test/for-this-file.ts";
import { adminOf, answer, ask, clientOf, userToken } from "../../../test/storage/fixture.ts";
import { storageBackend } from "../../testing.ts";

const backend = await forThisFile(storageBackend({ vector: { max_indexes: 3, buckets: { declared: {} } } }));
const admin = adminOf(backend);
beforeAll(async () => {
  const { vectors } = admin.storage;
  expect((await vectors.createBucket("papers")).error).toBeNull();
  const index = { dataType: "float32", dimension: 3 } as const;
  const papers = vectors.from("papers");
  expect(
    (
      await papers.createIndex({
        ...index,
        indexName: "by-meaning",
        distanceMetric: "cosine",
        metadataConfiguration: { nonFilterableMetadataKeys: ["raw"] },
      })
    ).error,
  ).toBeNull();
  expect(
    (await papers.createIndex({ ...index, indexName: "by-place", distanceMetric: "euclidean" })).error,
  ).toBeNull();
});

const call = (name: string, json: unknown, token?: string | null) =>
  answer(ask(backend, "POST", `/vector/${name}`, { json, ...(token === undefined ? {} : { token }) }));

/** A failure: HTTP status and body. */
const failure = (status: number, code: string, message: string, error = code) => [
  status,
  JSON.stringify({ statusCode: String(status), error, message, code }),
];

describe("buckets", () => {
  test("are listed by name with their time, those of config.toml too, in pages", async () => {
    const { vectors } = admin.storage;
    const first = await vectors.listBuckets({ maxResults: 1 });
    expect(first.data).toEqual({
      vectorBuckets: [{ vectorBucketName: "declared", creationTime: expect.any(Number) }],
      nextToken: "declared",
    });
    const second = await vectors.listBuckets({ maxResults: 1, nextToken: "declared" });
    expect(second.data?.vectorBuckets.map(({ vectorBucketName }) => vectorBucketName)).toEqual(["papers"]);
    expect(second.data?.nextToken).toBeUndefined();
    expect((await vectors.listBuckets({ prefix: "pap" })).data?.vectorBuckets).toHaveLength(1);
    const { data } = await vectors.getBucket("papers");
    expect(Math.abs((data?.vectorBucket.creationTime ?? 0) - Date.now() / 1000)).toBeLessThan(600);
  });

  test("exist once, have an end, and are removed when they have no index", async () => {
    expect(await call("CreateVectorBucket", { vectorBucketName: "papers" })).toEqual(
      failure(409, "ConflictException", 'vector bucket "papers" already exists'),
    );
    expect(await call("DeleteVectorBucket", { vectorBucketName: "papers" })).toEqual(
      failure(400, "VectorBucketNotEmpty", 'Vector Bucket "papers" not empty'),
    );
    expect(await call("GetVectorBucket", { vectorBucketName: "none" })).toEqual(
      failure(404, "NotFoundException", 'resource "none" not found'),
    );
    const names = Array.from({ length: 8 }, (_, at) => `more-${at}`);
    for (const vectorBucketName of names) {
      expect(await call("CreateVectorBucket", { vectorBucketName })).toEqual([200, ""]);
    }
    expect(await call("CreateVectorBucket", { vectorBucketName: "one-too-many" })).toEqual(
      failure(
        400,
        "S3VectorMaxBucketsExceeded",
        "Maximum number of buckets exceeded. Max allowed is 10. Contact support to increase your limit.",
      ),
    );
    for (const vectorBucketName of names) {
      expect(await call("DeleteVectorBucket", { vectorBucketName })).toEqual([200, ""]);
    }
  });
});

describe("indexes", () => {
  test("are described and listed", async () => {
    const papers = admin.storage.vectors.from("papers");
    const { data } = await papers.getIndex("by-meaning");
    expect(data?.index).toEqual({
      indexName: "by-meaning",
      dataType: "float32",
      dimension: 3,
      distanceMetric: "cosine",
      metadataConfiguration: { nonFilterableMetadataKeys: ["raw"] },
      vectorBucketName: "papers",
      creationTime: expect.any(Number),
    });
    const listed = await papers.listIndexes({ prefix: "by-" });
    expect(listed.data?.indexes.map(({ indexName }) => indexName)).toEqual(["by-meaning", "by-place"]);
  });

  test("exist once, have an end, and are removed with their vectors", async () => {
    const index = { vectorBucketName: "papers", dataType: "float32", dimension: 2, distanceMetric: "cosine" };
    expect(await call("CreateIndex", { ...index, indexName: "by-place" })).toEqual(
      failure(409, "ConflictException", 'vector index "by-place" already exists'),
    );
    expect(await call("CreateIndex", { ...index, indexName: "third" })).toEqual([200, ""]);
    expect((await call("CreateIndex", { ...index, indexName: "fourth" }))[1]).toContain(
      "S3VectorMaxIndexesExceeded",
    );
    expect(await call("CreateIndex", { ...index, indexName: "x-y", vectorBucketName: "none" })).toEqual(
      failure(404, "NotFoundException", 'resource "none" not found'),
    );
    const tables = async () =>
      (
        await backend.sql(
          "select from pg_class where relnamespace = 'storage_vectors'::regnamespace and relkind = 'r'",
        )
      ).length;
    expect(await tables()).toBe(3);
    expect(await call("DeleteIndex", { vectorBucketName: "papers", indexName: "third" })).toEqual([200, ""]);
    expect(await tables()).toBe(2);
  });
});

describe("vectors", () => {
  const put = (index: string) =>
    admin.storage.vectors
      .from("papers")
      .index(index)
      .putVectors({
        vectors: [
          { key: "x", data: { float32: [1, 0, 0] }, metadata: { kind: "axis", rank: 1, "odd key": true } },
          { key: "y", data: { float32: [0, 2, 0] }, metadata: { kind: "axis", rank: 2, tags: ["a", "b"] } },
          { key: "diagonal", data: { float32: [0.1, 0.1, 0] }, metadata: { kind: "other", rank: "none" } },
        ],
      });
  beforeAll(async () => {
    for (const index of ["by-meaning", "by-place"]) expect((await put(index)).error).toBeNull();
  });

  test("are read by key with what is asked for, and replaced", async () => {
    const index = admin.storage.vectors.from("papers").index("by-meaning");
    expect((await index.getVectors({ keys: ["diagonal", "none"], returnData: true })).data).toEqual({
      vectors: [{ key: "diagonal", data: { float32: [0.1, 0.1, 0] } }],
    });
    await index.putVectors({
      vectors: [{ key: "y", data: { float32: [0, 1, 0] }, metadata: { kind: "axis", rank: 2 } }],
    });
    expect((await index.getVectors({ keys: ["y"], returnData: true, returnMetadata: true })).data).toEqual({
      vectors: [{ key: "y", data: { float32: [0, 1, 0] }, metadata: { kind: "axis", rank: 2 } }],
    });
  });

  test("are listed in pages and in segments", async () => {
    const index = admin.storage.vectors.from("papers").index("by-place");
    const first = await index.listVectors({ maxResults: 2 });
    expect(first.data).toEqual({ vectors: [{ key: "diagonal" }, { key: "x" }], nextToken: "x" });
    expect((await index.listVectors({ maxResults: 2, nextToken: "x" })).data).toEqual({
      vectors: [{ key: "y" }],
    });
    const segments = await Promise.all(
      [0, 1, 2].map((segmentIndex) => index.listVectors({ segmentCount: 3, segmentIndex })),
    );
    const keys = segments.flatMap(({ data }) => data?.vectors.map(({ key }) => key) ?? []);
    expect(keys.sort()).toEqual(["diagonal", "x", "y"]);
  });

  test("the nearest come first, by the index's metric", async () => {
    const papers = admin.storage.vectors.from("papers");
    const query = { queryVector: { float32: [1, 0.2, 0] }, topK: 3, returnDistance: true };
    const near = await papers.index("by-meaning").queryVectors(query);
    expect(near.data?.distanceMetric).toBe("cosine");
    expect(near.data?.vectors.map(({ key }) => key)).toEqual(["x", "diagonal", "y"]);
    expect(near.data?.vectors[0]?.distance).toBeCloseTo(0.0194, 3);
    const places = await papers.index("by-place").queryVectors({ ...query, topK: 2 });
    expect(places.data?.vectors.map(({ key, distance }) => [key, Number(distance?.toFixed(3))])).toEqual([
      ["x", 0.2],
      ["diagonal", 0.906],
    ]);
  });

  test.each([
    [{ kind: "axis" }, ["x", "y"]],
    [{ kind: { $ne: "axis" } }, ["diagonal"]],
    [{ rank: { $gte: 2 } }, ["y"]],
    [{ rank: { $gt: 0, $lt: 2 } }, ["x"]],
    [{ rank: { $in: [1, "none"] } }, ["x", "diagonal"]],
    [{ rank: { $nin: [1, 2] } }, ["diagonal"]],
    [{ "odd key": true }, ["x"]],
    [{ "odd key": { $exists: false } }, ["diagonal", "y"]],
    [{ $or: [{ rank: 1 }, { $and: [{ kind: "axis" }, { rank: 2 }] }] }, ["x", "y"]],
    [{ "'; drop table storage.objects; --": "x" }, []],
  ])("a filter %j is a condition on the metadata", async (filter, keys) => {
    const index = admin.storage.vectors.from("papers").index("by-meaning");
    const { data, error } = await index.queryVectors({
      queryVector: { float32: [1, 0, 0] },
      topK: 10,
      filter,
    });
    expect(error).toBeNull();
    expect(data?.vectors.map(({ key }) => key)).toEqual(keys);
  });

  test("are removed by key", async () => {
    const index = admin.storage.vectors.from("papers").index("by-place");
    expect((await index.deleteVectors({ keys: ["x", "none"] })).error).toBeNull();
    expect((await index.listVectors()).data?.vectors.map(({ key }) => key)).toEqual(["diagonal", "y"]);
  });
});

describe("refusals", () => {
  const place = { vectorBucketName: "papers", indexName: "by-meaning" };
  const invalid = (message: string) => failure(400, "InvalidRequest", message, "Error");

  test("only the service role may call, and only what is a call", async () => {
    const denied = failure(403, "AccessDenied", "Access denied: Invalid role", "Unauthorized");
    expect(await call("ListVectorBuckets", {}, await userToken(backend))).toEqual(denied);
    expect(await call("ListVectorBuckets", {}, backend.anonKey)).toEqual(denied);
    expect((await clientOf(backend).storage.vectors.listBuckets()).error?.message).toBe(
      "Access denied: Invalid role",
    );
    expect((await call("ListVectorBuckets", {}, null))[0]).toBe(403);
    expect((await call("DropVectorBucket", {}))[0]).toBe(404);
    expect((await ask(backend, "GET", "/vector/ListVectorBuckets")).status).toBe(404);
  });

  test("a body is checked as upstream's validator does, and every fault is named", async () => {
    expect(
      await call("CreateIndex", {
        vectorBucketName: "papers",
        dataType: "int8",
        dimension: 0,
        distanceMetric: 5,
      }),
    ).toEqual(
      invalid(
        "body must have required property 'indexName', body/dataType must be equal to one of the allowed values, " +
          "body/dimension must be >= 1, body/distanceMetric must be equal to one of the allowed values",
      ),
    );
    expect(await call("GetIndex", { ...place, indexName: "No" })).toEqual(
      invalid(
        "body/indexName must NOT have fewer than 3 characters, " +
          'body/indexName must match pattern "^[a-z0-9](?:[a-z0-9.-]{1,61})?[a-z0-9]$"',
      ),
    );
    expect(await call("PutVectors", { ...place, vectors: [] })).toEqual(
      invalid("body/vectors must NOT have fewer than 1 items"),
    );
    const index = { dataType: "float32", dimension: 3, distanceMetric: "cosine" };
    const metadataConfiguration = { nonFilterableMetadataKeys: ["a", "b", "a"] };
    expect(await call("CreateIndex", { ...place, ...index, metadataConfiguration })).toEqual(
      invalid(
        "body/metadataConfiguration/nonFilterableMetadataKeys must NOT have duplicate items (items ## 0 and 2 are identical)",
      ),
    );
    expect(await call("PutVectors", { ...place, vectors: [{ key: "a" }] })).toEqual(
      invalid("body/vectors/0 must have required property 'data'"),
    );
    expect(await call("QueryVectors", { ...place, queryVector: { float32: [1] }, topK: "5" })).toEqual(
      invalid("body/topK must be integer"),
    );
    expect(
      await call("QueryVectors", { ...place, queryVector: { float32: [1] }, topK: 10_001, other: 1 }),
    ).toEqual(invalid("body/topK must be <= 10000, body must NOT have additional properties"));
  });

  test("vectors of another dimension, keys twice, segments without their number, operators that are none", async () => {
    const vectors = [{ key: "a", data: { float32: [1, 2] } }];
    expect(await call("PutVectors", { ...place, vectors })).toEqual(
      failure(400, "InvalidParameter", "expected 3 dimensions, not 2"),
    );
    const twice = { key: "a", data: { float32: [1, 2, 3] } };
    expect(await call("PutVectors", { ...place, vectors: [twice, twice] })).toEqual(
      failure(400, "InvalidParameter", "Request must not contain duplicate keys"),
    );
    expect(await call("ListVectors", { ...place, segmentCount: 2 })).toEqual(
      failure(400, "InvalidParameter", "segmentCount and segmentIndex must be provided together"),
    );
    const query = { ...place, queryVector: { float32: [1, 0, 0] }, topK: 1 };
    expect((await call("QueryVectors", { ...query, filter: { a: { $like: "x" } } }))[0]).toBe(400);
    expect((await call("QueryVectors", { ...query, filter: {} }))[0]).toBe(400);
    const many = { $or: Array.from({ length: 35_000 }, () => ({ kind: "axis" })) };
    expect((await call("QueryVectors", { ...query, filter: many }))[0]).toBe(400);
    expect(await call("QueryVectors", { ...query, indexName: "none-here" })).toEqual(
      failure(404, "NotFoundException", 'resource "none-here" not found'),
    );
  });
});

test("metadata has limits, and a key that is not filterable is not filtered by", async () => {
  const place = { vectorBucketName: "papers", indexName: "by-meaning" };
  const put = async (metadata: object) =>
    call("PutVectors", { ...place, vectors: [{ key: "m", data: { float32: [0, 0, 1] }, metadata }] });
  const refused = (what: string) => failure(400, "InvalidParameter", `Invalid record for key 'm': ${what}`);
  const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 1]));
  expect((await put(keys(50)))[0]).toBe(200);
  expect(await put(keys(51))).toEqual(refused("Metadata must have at most 50 keys"));
  // {"f":""} is eight bytes, {"raw":""} ten.
  expect((await put({ f: "é".repeat(1020) }))[0]).toBe(200);
  expect(await put({ f: "é".repeat(1021) })).toEqual(
    refused("Filterable metadata must have at most 2048 bytes"),
  );
  expect((await put({ raw: "x".repeat(40_950) }))[0]).toBe(200);
  expect(await put({ raw: "x".repeat(40_951) })).toEqual(
    refused("Total metadata must have at most 40960 bytes"),
  );

  const query = { ...place, queryVector: { float32: [1, 0, 0] }, topK: 1 };
  for (const filter of [{ raw: "x" }, { $and: [{ kind: "axis" }, { $or: [{ raw: { $exists: true } }] }] }]) {
    expect(await call("QueryVectors", { ...query, filter })).toEqual(
      failure(400, "InvalidParameter", 'Metadata key "raw" is configured as non-filterable'),
    );
  }
  await call("DeleteVectors", { ...place, keys: ["m"] });
});

test("a query's results come in pages of a thousand, up to the number that it asks for", async () => {
  const index = { vectorBucketName: "papers", indexName: "many" };
  await call("CreateIndex", { ...index, dataType: "float32", dimension: 1, distanceMetric: "euclidean" });
  for (const part of [0, 1, 2]) {
    const vectors = Array.from({ length: 400 }, (_, at) => part * 400 + at).map((n) => ({
      key: `v${n}`,
      data: { float32: [n] },
    }));
    expect((await call("PutVectors", { ...index, vectors }))[0]).toBe(200);
  }
  const page = async (topK: number, nextToken?: string) => {
    const query = { ...index, queryVector: { float32: [0] }, topK, ...(nextToken ? { nextToken } : {}) };
    const [status, text] = await call("QueryVectors", query);
    const body = JSON.parse(String(text)) as { vectors?: { key: string }[]; nextToken?: string };
    return [status, body.vectors?.length, body.vectors?.at(-1)?.key, body.nextToken];
  };
  expect(await page(1_100)).toEqual([200, 1_000, "v999", "1000"]);
  expect(await page(1_100, "1000")).toEqual([200, 100, "v1099", undefined]);
  expect(await page(10_000, "1000")).toEqual([200, 200, "v1199", undefined]);
  expect(await page(1_000)).toEqual([200, 1_000, "v999", undefined]);
  expect((await page(1_000, "1000"))[0]).toBe(400);
  expect((await page(1_000, "x"))[0]).toBe(400);
  await call("DeleteIndex", index);
});

test("of an index a difference of schemas shows the extension, and nothing else", async () => {
  await using plain = await storageBackend();
  const { sql } = await schemaDiff(plain.database, backend.database);
  expect(sql.match(/^(?!(?:re)?set |comment on extension ).+$/gim)).toEqual([
    'CREATE EXTENSION IF NOT EXISTS "vector" SCHEMA "extensions";',
  ]);
});

test("vectors are in their rows, which a query reads anyway", async () => {
  const index = { vectorBucketName: "declared", indexName: "wide" };
  await call("CreateIndex", { ...index, dataType: "float32", dimension: 384, distanceMetric: "cosine" });
  const float32 = Array.from({ length: 384 }, (_, at) => Math.fround(Math.sin(at)));
  await call("PutVectors", { ...index, vectors: [{ key: "one", data: { float32 }, metadata: { page: 1 } }] });
  const sizes = await backend.database.query(
    "supabase_admin",
    `select pg_relation_size(oid)::int as inside, pg_relation_size(reltoastrelid)::int as outside from pg_class
     where relnamespace = 'storage_vectors'::regnamespace and relkind = 'r' order by oid desc limit 1`,
  );
  expect(sizes.rows).toEqual([{ inside: 8192, outside: 0 }]);
  await call("DeleteIndex", index);
});
