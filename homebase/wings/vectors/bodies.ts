/** Owns the bodies of vector buckets' calls (supabase/storage, src/http/routes/vector). */
import { z } from "zod";

export const MAX_DIMENSION = 4096;
const MAX_PUT = 500;
const MAX_GET = 100;
const MAX_KEY_LENGTH = 1024;
const MAX_TOP_K = 10_000;

/** zod calls an integer "number" where the value is not a number. */
const integer = () => z.int({ error: "must be integer" });
const bucketName = z.string();
const indexName = z
  .string()
  .min(3)
  .max(45)
  .regex(/^[a-z0-9](?:[a-z0-9.-]{1,61})?[a-z0-9]$/);
const key = z.string().min(1).max(MAX_KEY_LENGTH);
const float32 = z.object({ float32: z.array(z.number()).min(1) });
/** A list without repetitions, with the validator's words for one. */
const distinct = (list: z.ZodArray<z.ZodString>) =>
  list.superRefine((values, context) => {
    const again = values.findLastIndex((value, index) => values.indexOf(value) < index);
    if (again < 0) return;
    const first = values.lastIndexOf(values[again] ?? "", again - 1);
    const message = `must NOT have duplicate items (items ## ${first} and ${again} are identical)`;
    context.addIssue({ code: "custom", message });
  });
const primitive = z.union([z.string(), z.boolean(), z.number()]);

const page = { maxResults: z.number().min(1).max(500).default(500), nextToken: z.string().optional() };
const place = { vectorBucketName: bucketName, indexName };

export const bucketBody = z.object({ vectorBucketName: bucketName });
export const listBucketsBody = z.object({ ...page, prefix: z.string().optional() });
export const indexBody = z.object(place);
export const listIndexesBody = z.object({
  vectorBucketName: bucketName,
  ...page,
  prefix: z.string().optional(),
});
export const createIndexBody = z.object({
  ...place,
  dataType: z.enum(["float32"]),
  dimension: integer().min(1).max(MAX_DIMENSION),
  distanceMetric: z.enum(["cosine", "euclidean"]),
  metadataConfiguration: z
    .object({ nonFilterableMetadataKeys: distinct(z.array(z.string().min(1).max(63)).min(1).max(10)) })
    .optional(),
});
export const putVectorsBody = z.object({
  ...place,
  vectors: z
    .array(
      z.object({
        key,
        data: float32,
        metadata: z.record(z.string(), z.union([primitive, z.array(primitive)])).optional(),
      }),
    )
    .min(1)
    .max(MAX_PUT),
});
const wanted = { returnData: z.boolean().default(false), returnMetadata: z.boolean().default(false) };
export const getVectorsBody = z.object({ ...place, keys: z.array(key).min(1).max(MAX_GET), ...wanted });
export const deleteVectorsBody = z.object({ ...place, keys: z.array(key).min(1).max(MAX_PUT) });
export const listVectorsBody = z.object({
  ...place,
  ...wanted,
  maxResults: integer().min(1).max(1000).default(500),
  nextToken: z.string().optional(),
  segmentCount: integer().min(1).max(16).optional(),
  segmentIndex: integer().min(0).max(15).optional(),
});
export const queryVectorsBody = z.strictObject({
  ...place,
  indexArn: z.string().optional(),
  queryVector: z.strictObject({ float32: z.array(z.number()).min(1) }),
  topK: integer().min(1).max(MAX_TOP_K),
  /** How many results the pages before had. */
  nextToken: z
    .string()
    .regex(/^\d{1,5}$/)
    .transform(Number)
    .optional(),
  filter: z.record(z.string(), z.unknown()).optional(),
  returnDistance: z.boolean().default(false),
  returnMetadata: z.boolean().default(false),
});
