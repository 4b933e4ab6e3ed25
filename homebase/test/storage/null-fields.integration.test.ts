/**
 * JSON null in bodies of the JSON routes, as upstream's validator converts it (Ajv, `coerceTypes`): "" for a text, 0 for a
 * number, false for a flag, a list of one for a list, and then the field's own rules.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { forThisFile } from "../for-this-file.ts";
import { adminOf, ask, must, storageBackend } from "./fixture.ts";

const backend = await forThisFile(storageBackend());
beforeAll(async () => {
  const { storage } = adminOf(backend);
  must(await storage.createBucket("box", { public: true }));
  must(await storage.from("box").upload("a.txt", "a"));
});

const send = async (method: string, path: string, json: object) => {
  const answer = await ask(backend, method, path, { json });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
};

/** What supabase-flutter sends to list files (storage-flutter, `SearchOptions.toMap`). */
test("a null search lists all objects", async () => {
  const listed = await send("POST", "/object/list/box", {
    prefix: "",
    limit: 100,
    offset: 0,
    sortBy: { column: "name", order: "asc" },
    search: null,
  });
  expect(listed).toMatchObject({ status: 200, body: [{ name: "a.txt" }] });
});

const PREFIX = { prefix: "" };
const COPY = { bucketId: "box", sourceKey: "a.txt", destinationKey: "b.txt" };

describe("a field that is null", () => {
  test.each([
    ["prefix of a list is empty", "POST", "/object/list/box", { prefix: null }],
    ["offset of a list is 0", "POST", "/object/list/box", { ...PREFIX, offset: null }],
    ["prefix of a list, version 2", "POST", "/object/list-v2/box", { prefix: null }],
    ["cursor is none", "POST", "/object/list-v2/box", { cursor: null }],
    ["with_delimiter is false", "POST", "/object/list-v2/box", { with_delimiter: null }],
    ["path to sign is a missing object", "POST", "/object/sign/box", { expiresIn: 60, paths: null }],
    ["prefix to delete is a missing object", "DELETE", "/object/box", { prefixes: [null] }],
    ["destination bucket is the same one", "POST", "/object/copy", { ...COPY, destinationBucket: null }],
    ["id of a bucket is its name", "POST", "/bucket", { name: "named", id: null }],
    ["public is false", "PUT", "/bucket/named", { public: null }],
    ["limit of a bucket is none", "PUT", "/bucket/named", { file_size_limit: null }],
    ["list of types is none", "PUT", "/bucket/named", { allowed_mime_types: null }],
  ])("%s", async (_name, method, path, json) => {
    expect(await send(method, path, json)).toMatchObject({ status: 200 });
  });

  test.each([
    ["/object/list/box", { ...PREFIX, limit: null }, "body/limit must be >= 1"],
    ["/object/list/box", { ...PREFIX, sortBy: null }, "body/sortBy must be object"],
    [
      "/object/list/box",
      { ...PREFIX, sortBy: { column: null } },
      "body/sortBy/column must be equal to one of the allowed values",
    ],
    ["/object/list-v2/box", { limit: null }, "body/limit must be >= 1"],
    ["/object/sign/box/a.txt", { expiresIn: null }, "body/expiresIn must be >= 1"],
    ["/object/sign/box/a.txt", { expiresIn: 60, transform: null }, "body/transform must be object"],
    [
      "/object/sign/box/a.txt",
      { expiresIn: 60, transform: { resize: null } },
      "body/transform/resize must be equal to one of the allowed values",
    ],
    ["/object/copy", { ...COPY, metadata: null }, "body/metadata must be object"],
    ["/bucket", { name: "typed", type: null }, "body/type must be equal to one of the allowed values"],
  ])("%s refuses %j", async (path, json, message) => {
    expect(await send("POST", path, json)).toMatchObject({ status: 400, body: { message } });
  });

  test("signed paths name it as empty", async () => {
    const { body } = await send("POST", "/object/sign/box", { expiresIn: 60, paths: ["a.txt", null] });
    expect(body).toMatchObject([
      { path: "a.txt", error: null },
      { path: "", signedURL: null },
    ]);
  });
});

test("a bucket keeps no limits after null", async () => {
  const { body } = await send("POST", "/bucket", {
    name: "free",
    public: null,
    file_size_limit: null,
    allowed_mime_types: null,
  });
  expect(body).toEqual({ name: "free" });
  expect(must(await adminOf(backend).storage.getBucket("free"))).toMatchObject({
    public: false,
    file_size_limit: null,
    allowed_mime_types: null,
  });
});
