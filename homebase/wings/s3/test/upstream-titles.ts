/**
 * Owns titles of upstream's suites `src/test/s3-protocol.test.ts` and `src/test/tus.test.ts` (supabase/storage), each with
 * the test here that shows the same behaviour. A title of these two that is absent has not been compared. Tests in
 * `upstream/` have the titles of the suites `bucket`, `object`, `search`, `search-filters`, `render-routes`, `vectors` and
 * `pgvector-adapter`; what they lack of those is below, with the reason.
 */

const S3 = "buckets";
const OBJECTS = "objects";
const UPLOADS = "uploads";
const SIGNED = "signatures";
const TUS = "../../../test/storage/resumable/resumable";

/** Upstream's title, the file of the test here (below this folder, without its ending), and the test's title. */
export const UPSTREAM_TITLES: readonly (readonly [upstream: string, file: string, title: string])[] = [
  ["creates a bucket", S3, "one is made, seen, listed and removed"],
  ["can delete an empty bucket", S3, "one is made, seen, listed and removed"],
  ["return bucket information when exists", S3, "one is made, seen, listed and removed"],
  ["can list buckets", S3, "one is made, seen, listed and removed"],
  [
    "cannot delete a non empty bucket",
    S3,
    "twice the same name, a bad name, and one that is not empty are refused",
  ],
  ["list all keys", S3, "all keys come in the order of their bytes, with size, ETag and date"],
  ["list keys and common prefixes", S3, "a delimiter gathers what is behind it, under a prefix too"],
  ["paginate keys and common prefixes", S3, "pages follow one another by their token until there is none"],
  ["paginate keys and common prefixes using StartAfter", S3, "a list may start behind a key"],
  ["can upload using multipart/form-data", SIGNED, "store their file when the policy allows it"],
  [
    "completes a multipart upload",
    UPLOADS,
    "parts sent in any order become one object, and nothing else is left",
  ],
  ["aborts a multipart upload", UPLOADS, "giving up removes parts; an upload belongs to its object alone"],
  [
    "upload a broken JSON body using putObject ",
    OBJECTS,
    "JSON that is broken is stored as the bytes that it is",
  ],
  [
    "will not allow uploading a part that exceeded the maxFileSize",
    UPLOADS,
    "all parts together may not be longer than an object, and the one too many leaves nothing",
  ],
  ["upload a file using multipart upload", UPLOADS, "a large body goes up in parts by AWS's own helper"],
  [
    "will return an error when object does not exist",
    OBJECTS,
    "an object that is not there is not found, nor is one of a bucket that is not",
  ],
  [
    "can delete an existing object",
    OBJECTS,
    "an object goes; one that is not there is no error, but a bucket that is not is one",
  ],
  ["can delete multiple objects", OBJECTS, "many go in one request, and names may have what XML must escape"],
  [
    "will copy an object in the same bucket",
    OBJECTS,
    "a copy has the bytes and what the source says of itself",
  ],
  [
    "will copy an object overwriting the metadata",
    OBJECTS,
    "with REPLACE it says what the request says, also onto itself",
  ],
  [
    "will not be able to copy an object that doesnt exists",
    OBJECTS,
    "without a source that is there it is refused",
  ],
  [
    "will list multipart uploads with delimiter and pagination",
    UPLOADS,
    "uploads come by key, folded by the delimiter, page by page",
  ],
  ["will list parts of a multipart upload with pagination", UPLOADS, "parts come by number, page by page"],
  [
    "will copy a part from an existing object and upload it as a part",
    UPLOADS,
    "a part may be a range of an object, or all of it",
  ],
  ["can upload with presigned URL", SIGNED, "read and write without any header"],
  [
    "cannot request a presigned url if expired",
    SIGNED,
    "end when they say so, and hold only for what was signed",
  ],
  ["Can upload an asset with the TUS protocol", TUS, "in pieces becomes an object only when it is whole"],
  [
    "will allow uploading using signed upload url without authorization token",
    TUS,
    "needs the token of the object and nothing else",
  ],
];

const VERSIONS =
  "Homebase has no versions of objects: what asks for one is refused with 501 (upstream/object-*, render)";
const SPY =
  "reads calls of upstream's own classes (queue, S3 backend, renderer), which nobody sees over HTTP";
const ORIOLE = "OrioleDB, a storage engine that a project's Postgres does not have";
const SETTING = "tests a setting of upstream's process that a project does not have";

/** Titles without a test here, by suite; a title may stand for several with the same beginning. */
export const NOT_COMPARED: readonly (readonly [suite: string, title: string, reason: string])[] = [
  ["bucket", "does not purge the CDN cache when", SPY],
  ["bucket", "bucket update succeeds even if purging the CDN cache fails", SPY],
  ["bucket", "bucket deletion succeeds even if purging the CDN cache fails", SPY],
  ["bucket", "should return correct object count (and three more of countObjectsInBucket)", SPY],
  ["search-filters", "analytics bucket search should treat", "analytics buckets are switched off: 403"],
  ["object", "can get, copy, move, sign or delete an object by an existing version id", VERSIONS],
  ["object", "list-v1 deleteMarkers=only advances in", VERSIONS],
  ["object", "v1 list resumes within a key, terminates, advances to the next key", VERSIONS],
  ["object", "v1 multi-version name listing matches the reference model", VERSIONS],
  ["object", "info response includes archived_at/is_delete_marker/is_versioned", VERSIONS],
  ["object", "defaults omitted copyMetadata to preserving source metadata", SPY],
  ["object", "cross-bucket move rollback should cleanup destination bucket object", SPY],
  ["object", "attacker-controlled metadata cannot override url/scope or inject upload claims", SPY],
  ["object", "check if url signing key is used to sign urls (instead of jwtSecret)", SETTING],
  ["object", "get object with jwk generated token", SETTING],
  [
    "object",
    "accepts a legacy upload token, still serves a legacy unscoped download token",
    "tokens of an older version are none of this project's: its key is new (sign: no other key signs)",
  ],
  [
    "object",
    "get object or upload with an expired JWT",
    "sign: opens without any key, expires with the clock",
  ],
  ["render-routes", "will render an image by an existing version id", VERSIONS],
  [
    "render-routes",
    "will render a transformed image providing a signed url (using url signing jwk if set)",
    SETTING,
  ],
  ["render-routes", "aborts the route response when the rendered body errors after streaming starts", SPY],
  ["vectors", "should handle vector service not configured", SETTING],
  ["vectors", "should return FeatureNotEnabled when the vector backend is not configured", SETTING],
  ["vectors", "should handle S3Vector service errors", SPY],
  ["pgvector-adapter", "allows topK at the S3Vectors query limit", SPY],
  ["pgvector-adapter", "sets hnsw ef_search to the default floor for standard scans below the default", SPY],
  ["pgvector-adapter", "reuses the cached distance metric for repeated queries on the same index", SPY],
  ["pgvector-adapter", "uses exact scan semantics and retries the OrioleDB probe", ORIOLE],
  ["pgvector-adapter", "treats an empty table capability probe as unknown", ORIOLE],
  ["pgvector-adapter", "does not classify heap pools as bridged", ORIOLE],
  ["pgvector-adapter", "does not re-probe table capability", ORIOLE],
  ["pgvector-adapter", "uses actual table access method for OrioleDB bridged handling", ORIOLE],
  ["pgvector-adapter", "rejects duplicate put keys before OrioleDB manual upsert", ORIOLE],
  ["pgvector-adapter", "runs, sorts, retries, preserves: of OrioleDB's manual upsert", ORIOLE],
  ["pgvector-adapter", "falls back when bridged HNSW indexes reject ON CONFLICT DO UPDATE", ORIOLE],
  ["pgvector-adapter", "does not let an older failed capability probe delete a newer cached probe", ORIOLE],
  ["pgvector-adapter", "invalidates a root capability cache after transaction-scoped index creation", ORIOLE],
  ["pgvector-adapter", "creates an index through an active transaction resolver using a savepoint", SPY],
  [
    "pgvector-adapter",
    "deleteVectorIndex is idempotent on missing tables",
    "the store is, but no call reaches it: an index that is not known is 404, as upstream's suite `vectors` has it",
  ],
];
