/**
 * Owns the measurement of the stand-in for vector: the nearest ten of many rows, and rows taken in, beside the same
 * sums over plain arrays; and of a vector bucket of storage, over HTTP.
 */
import type { Target } from "./target.ts";

const ROWS = 10_000;
const DIMENSIONS = 384;
const ROUNDS = 5;

/** Milliseconds of each round. */
export interface VectorMeasurement {
  cosine: number[];
  euclidean: number[];
  /** The cosine distance as SQL over real[] has it; one round, as it takes long. */
  arrays: number[];
  insert: number[];
  /** A query of a vector bucket by cosine distance. */
  bucket: number[];
}

/** Measures in a schema of its own, which it removes. */
export async function benchVector(target: Target): Promise<VectorMeasurement> {
  await target.sql("create schema bench_vector; create extension vector with schema bench_vector");
  await target.sql(
    `create table bench_vector.item (id int primary key, embedding bench_vector.vector(${DIMENSIONS}), plain real[]);
     insert into bench_vector.item
       select row_, array_agg(value), array_agg(value) from (
         select row_, (random() - 0.5)::real as value from generate_series(1, ${ROWS}) row_, generate_series(1, ${DIMENSIONS})
       ) made group by row_;
     analyze bench_vector.item`,
  );
  const nearest = (operator: string) =>
    `select id from bench_vector.item order by embedding operator(bench_vector.${operator})
       (select embedding from bench_vector.item where id = 7) limit 10`;
  const timed = async (sql: string, values: unknown[] = []) => {
    const began = performance.now();
    await target.sql(sql, values);
    return performance.now() - began;
  };
  const text = `[${Array.from({ length: DIMENSIONS }, (_, at) => Math.sin(at).toFixed(7)).join(",")}]`;
  const result: VectorMeasurement = {
    cosine: [],
    euclidean: [],
    arrays: [],
    insert: [],
    bucket: await queryBucket(target),
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    result.cosine.push(await timed(nearest("<=>")));
    result.euclidean.push(await timed(nearest("<->")));
    result.insert.push(
      await timed(
        "insert into bench_vector.item (id, embedding) select $1::int + n, $2 from generate_series(1, 100) n",
        [(round + 1) * 1_000_000, text],
      ),
    );
  }
  result.arrays.push(
    await timed(
      `select id from bench_vector.item, (select plain as sought from bench_vector.item where id = 7) one
       where plain is not null
       order by (select 1 - sum(x * y) / sqrt(sum(x * x) * sum(y * y)) from unnest(plain, sought) as pair(x, y)) limit 10`,
    ),
  );
  await target.sql("drop schema bench_vector cascade");
  return result;
}

const PUT = 500;

/** Milliseconds of each query of an index with as many vectors. */
async function queryBucket(target: Target): Promise<number[]> {
  const call = async (name: string, body: object) => {
    const response = await fetch(`${target.url}/storage/v1/vector/${name}`, {
      method: "POST",
      headers: { authorization: `Bearer ${target.secretKey}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(await response.text());
    await response.text();
  };
  const random = () => ({
    float32: Array.from({ length: DIMENSIONS }, () => Math.fround(Math.random() - 0.5)),
  });
  const index = { vectorBucketName: "bench", indexName: "items" };
  await call("CreateVectorBucket", { vectorBucketName: index.vectorBucketName });
  const kind = { dataType: "float32", dimension: DIMENSIONS, distanceMetric: "cosine" };
  await call("CreateIndex", { ...index, ...kind });
  for (let first = 0; first < ROWS; first += PUT) {
    const vectors = Array.from({ length: PUT }, (_, at) => ({ key: `item ${first + at}`, data: random() }));
    await call("PutVectors", { ...index, vectors });
  }
  const times: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const query = { ...index, topK: 10, queryVector: random(), returnDistance: true };
    const began = performance.now();
    await call("QueryVectors", query);
    times.push(performance.now() - began);
  }
  return times.slice(1);
}
