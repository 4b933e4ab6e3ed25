/** Upstream's suite `object`, reading and listing, and `search` (supabase/storage, src/test). */
import { describe, expect, test } from "vitest";
import { forThisFile } from "../../for-this-file.ts";
import { ask } from "../fixture.ts";
import { BYTES, openUpstream, testCases } from "./fixture.ts";

const backend = await forThisFile(openUpstream());

const CASE_STUDY = "bucket2/authenticated/casestudy.png";
const NO_KEY = { statusCode: "404", error: "not_found", message: "Object not found", code: "NoSuchKey" };
const HEAD = { "content-length": String(BYTES.length), "cache-control": expect.any(String) };

describe("GET object", () => {
  testCases(
    () => backend,
    [
      {
        title:
          "check if RLS policies are respected: authenticated user is able to read authenticated resource",
        who: "member",
        ask: `GET /object/authenticated/${CASE_STUDY}`,
        status: 200,
        answered: { "x-robots-tag": "none", etag: expect.any(String), "last-modified": expect.any(String) },
      },
      {
        title:
          "check if RLS policies are respected: authenticated user is able to read authenticated resource without /authenticated prefix",
        who: "member",
        ask: `GET /object/${CASE_STUDY}`,
        status: 200,
      },
      {
        title: "get authenticated object info",
        who: "member",
        ask: `HEAD /object/authenticated/${CASE_STUDY}`,
        status: 200,
        answered: HEAD,
      },
      {
        title: "get authenticated object info without the /authenticated prefix",
        who: "member",
        ask: `HEAD /object/${CASE_STUDY}`,
        status: 200,
        answered: HEAD,
      },
      {
        title: "get authenticated object info returns NoSuchKey for a missing object",
        who: "member",
        ask: "GET /object/info/authenticated/bucket2/authenticated/notfound-info.png",
        status: 400,
        answer: NO_KEY,
      },
      {
        title: "cannot get authenticated object info without the /authenticated prefix if no jwt is provided",
        who: "nobody",
        ask: `HEAD /object/${CASE_STUDY}`,
        status: 400,
      },
      {
        title: "get public object info without using the /public prefix",
        who: "nobody",
        ask: "HEAD /object/public-bucket-2/favicon.ico",
        headers: { authorization: "" },
        status: 200,
        answered: HEAD,
      },
      {
        title: "force downloading file with default name",
        who: "member",
        ask: `GET /object/authenticated/${CASE_STUDY}?download`,
        status: 200,
        answered: { "content-disposition": "attachment;" },
      },
      {
        title: "force downloading file with a custom name",
        who: "member",
        ask: `GET /object/authenticated/${CASE_STUDY}?download=testname.png`,
        status: 200,
        answered: {
          "content-disposition": expect.stringMatching(
            /^attachment; filename=testname\.png; filename\*=UTF-8''testname\.png;?$/,
          ),
        },
      },
      {
        title: "check if RLS policies are respected: anon user is not able to read authenticated resource",
        who: "anon",
        ask: `GET /object/authenticated/${CASE_STUDY}`,
        status: 400,
      },
      {
        title:
          "check if RLS policies are respected: anon user is not able to read authenticated resource without /authenticated prefix",
        who: "anon",
        ask: `GET /object/${CASE_STUDY}`,
        status: 400,
      },
      {
        title: "user is not able to read a resource without Auth header",
        who: "nobody",
        ask: `GET /object/authenticated/${CASE_STUDY}`,
        status: 400,
      },
      {
        title: "user is not able to read a resource without Auth header without the /authenticated prefix",
        who: "nobody",
        ask: `GET /object/${CASE_STUDY}`,
        status: 400,
      },
      {
        title: "return 400 when reading a non existent object",
        who: "anon",
        ask: "GET /object/authenticated/bucket2/authenticated/notfound",
        status: 400,
      },
      {
        title: "return 400 when reading a non existent bucket",
        who: "anon",
        ask: "GET /object/authenticated/notfound/authenticated/casestudy.png",
        status: 400,
      },
      ...["GET /object", "GET /object/authenticated", "GET /object/info"].map((route) => ({
        title:
          "returns NoSuchKey when getting an object by a version id that does not exist: has no versions",
        who: "member" as const,
        ask: `${route}/${CASE_STUDY}?versionId=does-not-exist`,
        status: 501,
      })),
    ],
  );

  test("forward 304 and If-Modified-Since/If-None-Match headers", async () => {
    const read = (headers = {}) => ask(backend, "GET", `/object/authenticated/${CASE_STUDY}`, { headers });
    const { headers } = await read();
    const seen = {
      "if-none-match": headers.get("etag") ?? "",
      "if-modified-since": headers.get("last-modified") ?? "",
    };
    expect((await read(seen)).status).toBe(304);
  });
});

describe("list objects", () => {
  const list = (json: object) => ({
    ask: "POST /object/list/bucket2",
    json: { limit: 10, offset: 0, ...json },
    status: 200,
  });
  const named = (...names: string[]) => names.map((name) => expect.objectContaining({ name }));
  testCases(
    () => backend,
    [
      {
        title: "searching the bucket root folder",
        who: "service",
        ...list({ prefix: "" }),
        answer: named("authenticated", "curlimage.jpg", "folder", "private", "public"),
      },
      {
        title: "searching a subfolder",
        who: "service",
        ...list({ prefix: "folder" }),
        answer: named("only_uid.jpg", "subfolder"),
      },
      {
        title: "searching a non existent prefix",
        who: "service",
        ...list({ prefix: "notfound" }),
        answer: [],
      },
      {
        title: "checking if limit works",
        who: "service",
        ...list({ prefix: "", limit: 2 }),
        answer: named("authenticated", "curlimage.jpg"),
      },
      {
        title: "listobjects: checking if RLS policies are respected",
        who: "anon",
        ...list({ prefix: "" }),
        answer: named("public"),
      },
      { title: "return 400 without Auth Header", who: "nobody", ...list({ prefix: "" }), status: 400 },
      {
        title: "case insensitive search should work",
        who: "service",
        ...list({ prefix: "PUBLIC/" }),
        answer: named("sadcat-upload.png", "sadcat-upload23.png"),
      },
      ...(["asc", "desc"] as const).map((order) => ({
        title: `test ${order}ending search sorting`,
        who: "service" as const,
        ...list({ prefix: "public/", sortBy: { column: "name", order } }),
        answer:
          order === "asc"
            ? named("sadcat-upload.png", "sadcat-upload23.png")
            : named("sadcat-upload23.png", "sadcat-upload.png"),
      })),
      {
        title: "list-v1 should treat % as a literal character when using non-name sorting",
        who: "service",
        ...list({ prefix: "%", sortBy: { column: "created_at", order: "asc" } }),
        answer: [],
      },
      {
        title: "list-v1 should treat _ as a literal character when using non-name sorting",
        who: "service",
        ...list({ prefix: "fold_r/", sortBy: { column: "created_at", order: "asc" } }),
        answer: [],
      },
      {
        title: "searching a nested path with a trailing slash returns the file",
        who: "service",
        ...list({ prefix: "", search: "folder/subfolder/" }),
        answer: named("folder/subfolder/a.jpg"),
      },
      {
        title: "searching a nested path with the full file name returns the file",
        who: "service",
        ...list({ prefix: "", search: "folder/subfolder/a.jpg" }),
        answer: named("folder/subfolder/a.jpg"),
      },
      {
        title: "prefix and search combine to find a nested file",
        who: "service",
        ...list({ prefix: "folder", search: "subfolder/a.jpg" }),
        answer: named("subfolder/a.jpg"),
      },
      {
        title: "prefix and search combine to find a nested file when sorting by a non-name column",
        who: "service",
        ...list({
          prefix: "folder",
          search: "subfolder/a.jpg",
          sortBy: { column: "created_at", order: "asc" },
        }),
        answer: named("subfolder/a.jpg"),
      },
      {
        title: "prefix and search combine to return nothing without a match",
        who: "service",
        ...list({ prefix: "folder", search: "x/y/a.jpg" }),
        answer: [],
      },
      {
        title: "search spanning multiple folders returns the relative folder path",
        who: "service",
        ...list({ prefix: "", search: "folder/" }),
        answer: expect.arrayContaining(named("folder/subfolder")),
      },
      ...[{ noncurrentVersions: "include" }, { deleteMarkers: "only" }].map((versions) => ({
        title: "applies noncurrentVersions and deleteMarkers filters on the v1 list route: has no versions",
        who: "service" as const,
        ...list({ prefix: "", ...versions }),
        status: 501,
      })),
    ],
  );
});
