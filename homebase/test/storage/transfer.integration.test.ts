/** Moving, copying and deleting, and the preserved metadata. */
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { forThisFile } from "../for-this-file.ts";
import {
  adminOf,
  answer,
  ask,
  DUPLICATE,
  filesOf,
  invalidKey,
  must,
  OBJECT_NOT_FOUND,
  refusal,
  storageBackend,
} from "./fixture.ts";

const backend = await forThisFile(storageBackend());
beforeAll(async () => {
  const { storage } = adminOf(backend);
  for (const name of ["one", "two"]) must(await storage.createBucket(name, { public: false }));
});

beforeEach(async () => {
  const { storage } = adminOf(backend);
  for (const name of ["one", "two"]) must(await storage.emptyBucket(name));
  must(
    await storage.from("one").upload("a", new Blob(["A"], { type: "text/x-a" }), {
      metadata: { m: 1 },
      cacheControl: "7",
    }),
  );
  must(await storage.from("one").upload("b", "B"));
});

const one = () => adminOf(backend).storage.from("one");
const post = (path: string, json: unknown, headers: Record<string, string> = {}) =>
  answer(ask(backend, "POST", path, { json, headers }));
const row = async (bucket: string, key: string) =>
  (await backend.sql("select * from storage.objects where bucket_id = $1 and name = $2", [bucket, key]))[0];
const RELATED = refusal(
  400,
  "404",
  "InvalidRequest",
  "The related resource does not exist",
  "InvalidRequest",
);

describe("moving", () => {
  const move = (destinationKey: string, more: object = {}) =>
    post("/object/move", { bucketId: "one", sourceKey: "a", destinationKey, ...more });

  test("keeps the row, its birth and metadata; the bytes go along", async () => {
    const before = await row("one", "a");
    expect(must(await one().move("a", "sub/c", { destinationBucket: "two" })).message).toBe(
      "Successfully moved",
    );
    const after = await row("two", "sub/c");
    expect(after).toMatchObject({ id: before?.id, created_at: before?.created_at, user_metadata: { m: 1 } });
    expect(after?.version).not.toBe(before?.version);
    expect(after?.metadata).toMatchObject({ mimetype: "text/x-a", cacheControl: "max-age=7", size: 1 });
    expect(await answer(ask(backend, "GET", "/object/two/sub/c"))).toEqual([200, "A"]);
    expect(await answer(ask(backend, "GET", "/object/one/a"))).toEqual(OBJECT_NOT_FOUND);
    await expect.poll(() => filesOf(backend)).toHaveLength(2);
  });

  test("onto itself is nothing, onto another a duplicate, from nothing not found", async () => {
    expect(await move("a")).toEqual([200, '{"message":"Successfully moved"}']);
    expect(await move("b")).toEqual(
      refusal(400, "409", "Duplicate", "The resource already exists", "ResourceAlreadyExists"),
    );
    expect(await move("c", { sourceKey: "nothing" })).toEqual(OBJECT_NOT_FOUND);
    expect(await move("c", { destinationBucket: "nowhere" })).toEqual(RELATED);
    expect(await move("é")).toEqual(invalidKey("é"));
    expect(await post("/object/move", { bucketId: "one", sourceKey: "a" })).toEqual(
      refusal(400, "400", "Error", "body must have required property 'destinationKey'", "InvalidRequest"),
    );
    expect(await answer(ask(backend, "GET", "/object/one/a"))).toEqual([200, "A"]);
    await expect.poll(() => filesOf(backend)).toHaveLength(2);
  });
});

describe("copying", () => {
  const copy = (more: object, headers: Record<string, string> = {}) =>
    post("/object/copy", { bucketId: "one", sourceKey: "a", destinationKey: "c", ...more }, headers);

  test("answers the whole row, and both live on alone", async () => {
    const [status, text] = await copy({ destinationBucket: "two" });
    expect(status).toBe(200);
    const body = JSON.parse(text) as Record<string, unknown>;
    expect(Object.keys(body)).toEqual([
      "Key",
      "Id",
      "name",
      "bucket_id",
      "owner",
      "owner_id",
      "version",
      "id",
      "updated_at",
      "created_at",
      "last_accessed_at",
      "metadata",
      "user_metadata",
    ]);
    expect(body).toMatchObject({
      Key: "two/c",
      Id: body.id,
      owner: "",
      owner_id: "",
      user_metadata: { m: 1 },
    });
    must(await one().remove(["a"]));
    expect(await answer(ask(backend, "GET", "/object/two/c"))).toEqual([200, "A"]);
    expect((body.metadata as { eTag: string }).eTag).toBe('"7fc56270e7a70fa81a5935b72eacbe29"');
  });

  test("onto another needs x-upsert, which keeps the row of the target", async () => {
    expect(await copy({ destinationKey: "b" })).toEqual(DUPLICATE);
    const before = await row("one", "b");
    expect((await copy({ destinationKey: "b" }, { "x-upsert": "true" }))[0]).toBe(200);
    expect((await row("one", "b"))?.id).toBe(before?.id);
    expect(await answer(ask(backend, "GET", "/object/one/b"))).toEqual([200, "A"]);
    await expect.poll(() => filesOf(backend)).toHaveLength(2);
  });

  test("onto itself edits the metadata", async () => {
    const metadata = { cacheControl: "max-age=99", mimetype: "text/new" };
    const headers = {
      "x-upsert": "true",
      "x-metadata": Buffer.from('{"n":2}').toString("base64"),
    };
    expect((await copy({ destinationKey: "a", copyMetadata: false, metadata }, headers))[0]).toBe(200);
    expect(await row("one", "a")).toMatchObject({
      user_metadata: { n: 2 },
      metadata: { cacheControl: "max-age=99", mimetype: "text/new", size: 1 },
    });
    expect(await answer(ask(backend, "GET", "/object/one/a"))).toEqual([200, "A"]);
  });

  test("without the metadata and none sent has none", async () => {
    expect((await copy({ copyMetadata: false }))[0]).toBe(200);
    expect(await row("one", "c")).toMatchObject({ user_metadata: null, metadata: { mimetype: "text/x-a" } });
  });

  test("refusals", async () => {
    expect(await copy({ sourceKey: "nothing" })).toEqual(OBJECT_NOT_FOUND);
    expect(await copy({ destinationBucket: "nowhere" })).toEqual(RELATED);
    expect(await copy({ destinationKey: "" })).toEqual(invalidKey(""));
  });
});

describe("removing", () => {
  test("one: gone with its file; again: not found", async () => {
    expect(await answer(ask(backend, "DELETE", "/object/one/a"))).toEqual([
      200,
      '{"message":"Successfully deleted"}',
    ]);
    expect(await answer(ask(backend, "DELETE", "/object/one/a"))).toEqual(OBJECT_NOT_FOUND);
    expect(await answer(ask(backend, "DELETE", "/object/nowhere/a"))).toEqual(OBJECT_NOT_FOUND);
    await expect.poll(() => filesOf(backend)).toHaveLength(1);
  });

  test("many: exact keys, each once, the unknown missing, no prefixes", async () => {
    const removed = must(await one().remove(["a", "a", "nothing", "f/", "é"]));
    expect(removed.map(({ name }) => name)).toEqual(["a"]);
    expect(await answer(ask(backend, "DELETE", "/object/nowhere", { json: { prefixes: ["a"] } }))).toEqual([
      200,
      "[]",
    ]);
    expect((await answer(ask(backend, "DELETE", "/object/one", { json: { prefixes: [] } })))[1]).toContain(
      "body/prefixes must NOT have fewer than 1 items",
    );
  });

  test("more than a thousand at once", async () => {
    const keys = Array.from({ length: 1_201 }, (_, n) => `many/${n}`);
    await backend.sql(
      "insert into storage.objects (bucket_id, name, version) select 'one', unnest($1::text[]), gen_random_uuid()::text",
      [keys],
    );
    expect(must(await one().remove(keys))).toHaveLength(1_201);
  });
});
