/** Upstream's suites `bucket` and `search-filters` as requests and answers (supabase/storage, src/test). */
import { describe, expect, test } from "vitest";
import { forThisFile } from "../../for-this-file.ts";
import { ask, userToken } from "../fixture.ts";
import { openUpstream, testCases } from "./fixture.ts";

const backend = await forThisFile(openUpstream());

const NO_BUCKET = {
  statusCode: "404",
  error: "Bucket not found",
  message: "Bucket not found",
  code: "NoSuchBucket",
};
const QUEUED = { message: "Empty bucket has been queued. Completion may take up to an hour." };
const JSON_TYPE = { "content-type": "application/json" };
const bucket = (name: string) =>
  expect.objectContaining({ id: name, name, public: false, file_size_limit: null, allowed_mime_types: null });

describe("GET bucket", () => {
  testCases(
    () => backend,
    [
      {
        title: "user is able to get bucket details",
        who: "member",
        ask: "GET /bucket/bucket2",
        status: 200,
        answer: bucket("bucket2"),
      },
      {
        title: "checking RLS: anon user is not able to get bucket details",
        who: "anon",
        ask: "GET /bucket/bucket2",
        status: 400,
      },
      {
        title: "user is not able to get bucket details without Auth header",
        who: "nobody",
        ask: "GET /bucket/bucket2",
        status: 400,
      },
      {
        title: "return 404 when reading a non existent bucket",
        who: "anon",
        ask: "GET /object/notfound",
        status: 404,
      },
    ],
  );
});

describe("GET all buckets", () => {
  testCases(
    () => backend,
    [
      {
        title: "user is able to get all buckets",
        who: "member",
        ask: "GET /bucket",
        status: 200,
        answer: expect.arrayContaining([expect.objectContaining({ id: "bucket2", type: "STANDARD" })]),
      },
      {
        title: "checking RLS: anon user is not able to get all buckets",
        who: "anon",
        ask: "GET /bucket",
        status: 200,
        answer: [],
      },
      {
        title: "user is not able to all buckets details without Auth header",
        who: "nobody",
        ask: "GET /bucket",
        status: 400,
      },
      {
        title: "user is able to get buckets with limit, offset, search and sorting",
        who: "member",
        ask: "GET /bucket?limit=1&offset=3&sortColumn=name&sortOrder=asc&search=bucket",
        status: 200,
        answer: [bucket("bucket5")],
      },
      { title: "limit=0 returns 400", who: "member", ask: "GET /bucket?limit=0", status: 400 },
      { title: "offset=-1 returns 400", who: "member", ask: "GET /bucket?offset=-1", status: 400 },
      {
        title: "bucket search should treat % as a literal character",
        who: "service",
        ask: "GET /bucket?search=%25",
        status: 200,
        answer: [],
      },
      {
        title: "bucket search should treat _ as a literal character",
        who: "service",
        ask: "GET /bucket?search=limit_1",
        status: 200,
        answer: [],
      },
    ],
  );

  test.each([
    [{ "user-agent": "Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/138.0.0.0 Safari/537.36" }, true],
    [{ "user-agent": "supabase-py/storage3 v0.11.9" }, false],
    [{ "user-agent": "supabase-py/storage3 v0.12.0" }, false],
    [{ "user-agent": "supabase-py/storage3 v0.12.1" }, true],
    [{ "user-agent": "supabase-py/storage3 v0.13.0" }, true],
    [{ "user-agent": "supabase-py/storage3 v1.0.0" }, true],
    [{ "x-client-info": "supabase-py/2.17.3" }, false],
    [{ "x-client-info": "supabase-py/2.18.0" }, true],
    [{ "x-client-info": "supabase-py/2.19.0" }, true],
  ])("Should include type for %j client: %j", async (headers, included) => {
    const response = await ask(backend, "GET", "/bucket", { headers, token: await userToken(backend) });
    const [first] = (await response.json()) as { type?: string }[];
    expect(first?.type).toBe(included ? "STANDARD" : undefined);
  });
});

describe("POST bucket", () => {
  testCases(
    () => backend,
    [
      {
        title: "user is able to create a bucket",
        who: "member",
        ask: "POST /bucket",
        json: { name: "newbucket" },
        status: 200,
        answer: { name: "newbucket" },
      },
      {
        title: "user is not able to create a bucket with a /",
        who: "member",
        ask: "POST /bucket",
        json: { name: "newbucket/test" },
        status: 400,
        answer: {
          error: "Invalid Input",
          message: "Bucket name invalid",
          statusCode: "400",
          code: "InvalidBucketName",
        },
      },
      {
        title: "checking RLS: anon user is not able to create a bucket",
        who: "anon",
        ask: "POST /bucket",
        json: { name: "newbucket1" },
        status: 400,
      },
      {
        title: "user is not able to create a bucket without Auth header",
        who: "nobody",
        ask: "POST /bucket",
        json: { name: "newbucket1" },
        status: 400,
      },
      {
        title: "user is not able to create a bucket with the same name",
        who: "member",
        ask: "POST /bucket",
        json: { name: "bucket2" },
        status: 400,
      },
      {
        title: "user is not able to create a bucket with a name longer than 100 characters",
        who: "member",
        ask: "POST /bucket",
        json: { name: "a".repeat(101) },
        status: 400,
      },
      {
        title: "user is not able to create a bucket with the leading and trailing spaces",
        who: "member",
        ask: "POST /bucket",
        json: { name: " startsWithSpace" },
        status: 400,
        answer: expect.objectContaining({ statusCode: "400", error: "Invalid Input" }),
      },
    ],
  );
});

describe("public bucket functionality", () => {
  test("user is able to make a bucket public and private", async () => {
    const token = await userToken(backend);
    const change = async (json: object) =>
      (await ask(backend, "PUT", "/bucket/public-bucket", { json, token })).text();
    const read = (headers = {}) =>
      ask(backend, "GET", "/object/public/public-bucket/favicon.ico", { token: null, headers });
    expect(await change({ public: true })).toBe('{"message":"Successfully updated"}');
    const open = await read();
    expect([open.status, open.headers.get("x-robots-tag")]).toEqual([200, "none"]);
    const seen = { "if-none-match": open.headers.get("etag") ?? "" };
    expect((await read(seen)).status).toBe(304);
    expect(await change({ public: false })).toBe('{"message":"Successfully updated"}');
    expect((await read()).status).toBe(400);
  });

  testCases(
    () => backend,
    [
      {
        title: "checking RLS: anon user is not able to update a bucket",
        who: "anon",
        ask: "PUT /bucket/public-bucket",
        json: { public: true },
        status: 400,
      },
      {
        title: "user is not able to update a bucket without a auth header",
        who: "nobody",
        ask: "PUT /bucket/public-bucket",
        json: { public: true },
        status: 400,
      },
      {
        title: "user is not able to update a non-existent bucket",
        who: "member",
        ask: "PUT /bucket/notfound",
        json: { public: true },
        status: 400,
      },
      {
        title: "user is not able to update a bucket with empty payload",
        who: "member",
        ask: "PUT /bucket/public-bucket",
        json: {},
        status: 400,
      },
    ],
  );
});

describe("DELETE bucket", () => {
  testCases(
    () => backend,
    [
      {
        title: "user is able to delete a bucket",
        who: "member",
        ask: "DELETE /bucket/bucket4",
        status: 200,
        answer: { message: "Successfully deleted" },
      },
      {
        title: "checking RLS: anon user is not able to delete a bucket",
        who: "anon",
        ask: "DELETE /bucket/bucket5",
        status: 400,
      },
      {
        title: "user is not able to delete bucket without Auth header",
        who: "nobody",
        ask: "DELETE /bucket/bucket5",
        status: 400,
      },
      {
        title: "user is not able to delete bucket a non empty bucket",
        who: "member",
        ask: "DELETE /bucket/bucket2",
        status: 400,
      },
      {
        title: "user is not able to delete a non-existent bucket",
        who: "member",
        ask: "DELETE /bucket/notfound",
        status: 400,
      },
      {
        title: "user is not able to delete a non-existent bucket with an empty json body",
        who: "member",
        ask: "DELETE /bucket/notfound",
        headers: JSON_TYPE,
        body: "",
        status: 400,
        answer: NO_BUCKET,
      },
      {
        title: "user is able to delete a bucket with an empty json body",
        who: "service",
        ask: "DELETE /bucket/limit-1000",
        headers: JSON_TYPE,
        body: "",
        status: 200,
        answer: { message: "Successfully deleted" },
      },
    ],
  );
});

describe("EMPTY bucket", () => {
  testCases(
    () => backend,
    [
      {
        title: "user is not able to empty a non existent bucket with an empty json body",
        who: "service",
        ask: "POST /bucket/notfound/empty",
        headers: JSON_TYPE,
        body: "",
        status: 400,
        answer: NO_BUCKET,
      },
      {
        title: "user is able to empty a bucket with an empty json body",
        who: "service",
        ask: "POST /bucket/bucket5/empty",
        headers: JSON_TYPE,
        body: "",
        status: 200,
        answer: QUEUED,
      },
      {
        title: "user is not able to empty a bucket without service role",
        who: "member",
        ask: "POST /bucket/bucket2/empty",
        status: 403,
        answer: expect.objectContaining({
          error: "Unauthorized",
          message: "Access denied: Invalid role",
          code: "AccessDenied",
        }),
      },
      {
        title: "user is not able to empty a bucket without authentication",
        who: "nobody",
        ask: "POST /bucket/bucket2/empty",
        headers: { authorization: "Bearer invalid-token" },
        status: 400,
        answer: expect.objectContaining({ error: "Unauthorized", code: "AccessDenied" }),
      },
      {
        title: "anon user is not able to empty a bucket",
        who: "anon",
        ask: "POST /bucket/bucket2/empty",
        status: 403,
      },
      {
        title: "user is not able to empty a bucket without Auth Header",
        who: "nobody",
        ask: "POST /bucket/bucket2/empty",
        status: 400,
      },
      {
        title: "user is not able to empty a non existent bucket",
        who: "service",
        ask: "POST /bucket/notfound/empty",
        status: 400,
        answer: NO_BUCKET,
      },
      {
        title: "service role is able to empty an already empty bucket",
        who: "service",
        ask: "POST /bucket/bucket3/empty",
        status: 200,
      },
    ],
  );

  test("user is able to empty a bucket with a service key", async () => {
    const list = async () =>
      (await ask(backend, "POST", "/object/list/bucket2", { json: { prefix: "" } })).json();
    expect(await list()).not.toEqual([]);
    expect(await (await ask(backend, "POST", "/bucket/bucket2/empty")).json()).toEqual(QUEUED);
    expect(await list()).toEqual([]);
  });
});
