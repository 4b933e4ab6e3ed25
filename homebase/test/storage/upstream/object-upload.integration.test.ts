/** Upstream's suite `object`, uploading (supabase/storage, src/test). */
import { describe, expect, test } from "vitest";
import { forThisFile } from "../../for-this-file.ts";
import { ask } from "../fixture.ts";
import { BYTES, type Case, form, openUpstream, testCases } from "./fixture.ts";

const backend = await forThisFile(openUpstream());

const UPSERT = { "x-upsert": "true" };
const DENIED = {
  statusCode: "403",
  error: "Unauthorized",
  message: "new row violates row-level security policy",
  code: "AccessDenied",
};
const TOO_LARGE = {
  error: "Payload too large",
  message: "The object exceeded the maximum allowed size",
  statusCode: "413",
  code: "EntityTooLarge",
};
const wrongType = (message: string) => ({
  error: "invalid_mime_type",
  message,
  statusCode: "415",
  code: "InvalidMimeType",
});
const PNG_REFUSED = wrongType("mime type image/png is not supported");
const NO_KEY = { statusCode: "404", error: "not_found", message: "Object not found", code: "NoSuchKey" };
const RLS = "check if RLS policies are respected:";
const stored = (key: string) => expect.objectContaining({ Id: expect.any(String), Key: key });
const infoOf = async (path: string) =>
  (await (await ask(backend, "GET", `/object/info/${path}`)).json()) as { metadata: unknown };

/** The same for a form and for raw bytes. */
const ways: [way: string, sent: Pick<Case, "body" | "headers">][] = [
  ["multipart", { body: () => form() }],
  ["binary", { body: BYTES, headers: { "content-type": "image/jpeg" } }],
];

describe.each(ways)("POST and PUT object via %s upload", (way, sent) => {
  const upserting = { ...sent, headers: { ...sent.headers, ...UPSERT } };
  const own = `bucket2/authenticated/${way}.png`;
  const cat = "bucket2/authenticated/cat.jpg";
  const row = (title: string, who: Case["who"], ask: string, status: number, more: Partial<Case> = {}) => ({
    title,
    who,
    ask,
    status,
    ...sent,
    ...more,
  });
  testCases(
    () => backend,
    [
      row(
        `${RLS} authenticated user is able to upload authenticated resource`,
        "member",
        `POST /object/${own}`,
        200,
        {
          ...upserting,
          answer: stored(own),
        },
      ),
      row(
        `${RLS} anon user is not able to upload authenticated resource`,
        "anon",
        `POST /object/${cat}`,
        400,
        {
          ...upserting,
          answer: DENIED,
        },
      ),
      row(
        `${RLS} user is not able to upload a resource without Auth header`,
        "nobody",
        `POST /object/${cat}`,
        400,
      ),
      row("return 400 when uploading to a non existent bucket", "anon", "POST /object/notfound/a.png", 400),
      row(
        "return 400 when uploading to duplicate object",
        "anon",
        "POST /object/bucket2/public/sadcat-upload23.png",
        400,
      ),
      row(
        "return 200 when upserting duplicate object",
        "anon",
        "POST /object/bucket2/public/sadcat-upload23.png",
        200,
        upserting,
      ),
      row(
        "return 200 when uploading an object within bucket max size limit",
        "service",
        `POST /object/limit-1000/${way}`,
        200,
      ),
      row(
        "return 400 when uploading an object that exceed bucket level max size",
        "service",
        `POST /object/limit-100/${way}`,
        400,
        { answer: TOO_LARGE },
      ),
      row("return 400 when uploading to object with no file name", "anon", "POST /object/bucket4/", 400),
      row(
        `${RLS} authenticated user is able to update authenticated resource`,
        "member",
        `PUT /object/${cat}`,
        200,
        {
          answer: stored(cat),
        },
      ),
      row(`${RLS} anon user is not able to update authenticated resource`, "anon", `PUT /object/${cat}`, 400),
      row("user is not able to update a resource without Auth header", "nobody", `PUT /object/${cat}`, 400),
      row(
        "return 400 when update to a non existent bucket",
        "member",
        "PUT /object/notfound/authenticated/cat.jpg",
        400,
      ),
    ],
  );
});

describe("types, sizes and metadata of an upload", () => {
  const row = (title: string, path: string, status: number, more: Partial<Case>) => ({
    title,
    who: "service" as const,
    ask: `POST /object/${path}`,
    status,
    body: BYTES,
    ...more,
  });
  testCases(
    () => backend,
    [
      row("successfully uploading an object with a the allowed mime-type", "images/a.png", 200, {
        headers: { "content-type": "image/jpeg" },
      }),
      row(
        "return 400 when uploading an object with a not allowed mime-type (binary path)",
        "images/b.png",
        400,
        {
          headers: { "content-type": "image/png" },
          answer: PNG_REFUSED,
        },
      ),
      row(
        "return 400 when uploading a multipart form-data object with a not allowed mime-type",
        "images/b.png",
        400,
        {
          body: () => form(BYTES, { contentType: "image/png" }),
          answer: PNG_REFUSED,
        },
      ),
      row("can create an empty folder when mime-type is set", "images/nested/.emptyFolderPlaceholder", 200, {
        body: () => form(""),
      }),
      row(
        "cannot create an empty folder with more than 0kb",
        "images/nested-2/.emptyFolderPlaceholder",
        400,
        {
          body: () => form("x"),
        },
      ),
      ...["thisisnotarealmimetype", "image/\tjpg"].map((type) =>
        row(
          `return 400 when uploading an object with a malformed mime-type: ${JSON.stringify(type)}`,
          "images/c.png",
          400,
          {
            headers: { "content-type": type },
            answer: wrongType("Invalid Content-Type header"),
          },
        ),
      ),
      row(
        "return 400 when a binary upload spoofs x-amz-decoded-content-length",
        "limit-100/spoofed.jpg",
        400,
        {
          headers: { "content-type": "image/jpeg", "x-amz-decoded-content-length": "1" },
          answer: TOO_LARGE,
        },
      ),
      row("rejects invalid x-robots-tag header with proper error", "bucket3/robots.txt", 400, {
        headers: { "x-robots-tag": "invalidrule" },
        answer: expect.objectContaining({
          statusCode: "400",
          error: "invalid_x_robots_tag",
          message: 'Invalid X-Robots-Tag header: Invalid X-Robots-Tag rule: "invalidrule"',
        }),
      }),
    ],
  );

  test.each([
    ["none", {}],
    ["all", { "x-robots-tag": "all" }],
    ["max-snippet: 10, notranslate", { "x-robots-tag": "max-snippet: 10, notranslate" }],
  ])("x-robots-tag: %s", async (rule, headers) => {
    const path = "/object/bucket3/robots.txt";
    await ask(backend, "POST", path, { body: "test", headers: { ...headers, ...UPSERT } });
    expect((await ask(backend, "GET", path)).headers.get("x-robots-tag")).toBe(rule);
  });

  test("custom metadata using form data, using stream, and replaced when updating an object", async () => {
    const first = { test1: "test1", test2: "test2" };
    const body = form(BYTES, { metadata: JSON.stringify(first) });
    await ask(backend, "POST", "/object/bucket2/by-form.png", { body });
    expect((await infoOf("bucket2/by-form.png")).metadata).toEqual(first);
    const put = (method: string, metadata: object) => {
      const headers = { "x-metadata": Buffer.from(JSON.stringify(metadata)).toString("base64") };
      return ask(backend, method, "/object/bucket2/by-stream.png", { body: BYTES, headers });
    };
    await put("POST", first);
    expect((await infoOf("bucket2/by-stream.png")).metadata).toEqual(first);
    await put("PUT", { keep: true });
    expect((await infoOf("bucket2/by-stream.png")).metadata).toEqual({ keep: true });
  });

  test("enforces allowed mime types set through bucket update", async () => {
    await ask(backend, "PUT", "/bucket/bucket5", { json: { allowed_mime_types: ["image/jpeg"] } });
    const body = form(BYTES, { contentType: "image/png" });
    const answer = await ask(backend, "POST", "/object/bucket5/a.png", { body });
    expect([answer.status, await answer.json()]).toEqual([400, PNG_REFUSED]);
  });

  test("should not add row to database if upload fails", async () => {
    const key = "limit-100/should-not-insert.jpg";
    const answer = await ask(backend, "POST", `/object/${key}`, { body: BYTES });
    expect([answer.status, await answer.json()]).toEqual([400, TOO_LARGE]);
    expect(await (await ask(backend, "GET", `/object/info/${key}`)).json()).toEqual(NO_KEY);
  });
});
