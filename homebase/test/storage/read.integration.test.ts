/** Reading: access by route, headers, ranges, conditions, downloads, information. */
import { rm } from "node:fs/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { forThisFile } from "../for-this-file.ts";
import {
  adminOf,
  answer,
  ask,
  BUCKET_NOT_FOUND,
  clientOf,
  createPubAndPriv,
  failure,
  filesOf,
  must,
  OBJECT_NOT_FOUND,
  refusal,
  storageBackend,
  userToken,
} from "./fixture.ts";

const TEXT = "0123456789";
const MD5 = '"781e5e245d69b566979b86e28d23f2c7"';

const backend = await forThisFile(storageBackend());
beforeAll(() => createPubAndPriv(backend, { "a/digits.txt": new Blob([TEXT], { type: "text/plain" }) }));

const get = (path: string, headers: Record<string, string> = {}, token: string | null = null) =>
  ask(backend, "GET", path, { headers, token });

describe("doors", () => {
  test("a public bucket is read by anybody, with no token, a good one or a broken one", async () => {
    for (const token of [null, backend.anonKey, "broken"]) {
      expect(await answer(get("/object/pub/a/digits.txt", {}, token))).toEqual([200, TEXT]);
      expect(await answer(get("/object/public/pub/a/digits.txt", {}, token))).toEqual([200, TEXT]);
    }
    expect(await answer(get("/object/authenticated/pub/a/digits.txt", {}, backend.anonKey))).toEqual([
      200,
      TEXT,
    ]);
  });

  test("a private bucket is none to those without a token, and empty to those without a policy", async () => {
    expect(await answer(get("/object/priv/a/digits.txt"))).toEqual(BUCKET_NOT_FOUND);
    expect(await answer(get("/object/priv/a/digits.txt", {}, "broken"))).toEqual(BUCKET_NOT_FOUND);
    expect(await answer(get("/object/public/priv/a/digits.txt", {}, backend.serviceRoleKey))).toEqual(
      BUCKET_NOT_FOUND,
    );
    expect(await answer(get("/object/priv/a/digits.txt", {}, await userToken(backend)))).toEqual(
      OBJECT_NOT_FOUND,
    );
    expect(await answer(get("/object/priv/a/digits.txt", {}, backend.serviceRoleKey))).toEqual([200, TEXT]);
  });

  test("the authenticated one wants a token that verifies", async () => {
    expect((await answer(get("/object/authenticated/pub/a/digits.txt")))[1]).toContain(
      "headers must have required property 'authorization'",
    );
    expect((await answer(get("/object/authenticated/pub/a/digits.txt", {}, "a.b")))[1]).toContain(
      "Invalid Compact JWS",
    );
    expect(await answer(get("/object/authenticated/priv/a/digits.txt", {}, backend.serviceRoleKey))).toEqual([
      200,
      TEXT,
    ]);
  });

  test("what is not there is not found", async () => {
    expect(await answer(get("/object/pub/nothing"))).toEqual(OBJECT_NOT_FOUND);
    expect(await answer(get("/object/nowhere/nothing"))).toEqual(BUCKET_NOT_FOUND);
    expect(failure((await clientOf(backend).storage.from("pub").info("nothing")).error)).toEqual({
      status: 400,
      statusCode: "404",
      message: "Object not found",
    });
  });

  test("a route that is none says which, a word that is none in the server's own way", async () => {
    expect(await answer(get("/object"))).toEqual(
      refusal(404, "404", "Not Found", "Route GET:/object not found", "InvalidRequest"),
    );
    expect(await answer(get("/nonsense"))).toEqual([
      404,
      '{"message":"Route GET:/nonsense not found","error":"Not Found","statusCode":404}',
    ]);
  });
});

describe("headers", () => {
  test("of a plain read", async () => {
    const { headers } = await get("/object/pub/a/digits.txt?cacheNonce=1&t=2");
    expect(Object.fromEntries(headers)).toMatchObject({
      "accept-ranges": "bytes",
      "content-type": "text/plain",
      "content-length": "10",
      etag: MD5,
      "cache-control": "max-age=3600",
      "x-robots-tag": "none",
    });
    expect(headers.get("last-modified")).toMatch(/ GMT$/);
    expect(headers.has("content-disposition")).toBe(false);
  });

  test("of a download, named or not, and not named twice", async () => {
    const disposition = async (query: string) =>
      (await get(`/object/public/pub/a/digits.txt?${query}`)).headers.get("content-disposition");
    expect(await disposition("download")).toBe("attachment;");
    expect(await disposition("download=")).toBe("attachment;");
    for (const [asked, header] of [
      ["gr%C3%BC%C3%9Fe%20x.txt", `"gr__e x.txt"; filename*=UTF-8''gr%C3%BC%C3%9Fe%20x.txt`],
      ["my%20file.pdf", `"my file.pdf"; filename*=UTF-8''my%20file.pdf`],
      ["report(1).pdf", `"report(1).pdf"; filename*=UTF-8''report%281%29.pdf`],
      ["plain.pdf", "plain.pdf; filename*=UTF-8''plain.pdf"],
      ["d%C3%A9j%C3%A0.pdf", "d_j_.pdf; filename*=UTF-8''d%C3%A9j%C3%A0.pdf"],
      ["a%22b%5Cc%0D%0Ad*'.txt", "a_b_c__d*'.txt; filename*=UTF-8''a%22b%5Cc%0D%0Ad%2A%27.txt"],
      ["%F0%9F%8D%9C.png", "_.png; filename*=UTF-8''%F0%9F%8D%9C.png"],
    ])
      expect(await disposition(`download=${asked}`)).toBe(`attachment; filename=${header}`);
    expect((await answer(get("/object/public/pub/a/digits.txt?download=a&download=b")))[1]).toContain(
      "querystring/download must be string",
    );
  });

  test("never say HTML, though the metadata do", async () => {
    const { storage } = adminOf(backend);
    must(await storage.from("pub").upload("page.html", new Blob(["<b>"], { type: "text/html" })));
    expect((await get("/object/pub/page.html")).headers.get("content-type")).toBe("text/plain");
    expect(must(await storage.from("pub").info("page.html")).contentType).toBe("text/html");
  });
});

describe("ranges", () => {
  test.each([
    ["bytes=2-4", "234", "bytes 2-4/10"],
    ["bytes=7-", "789", "bytes 7-9/10"],
    ["bytes=-2", "89", "bytes 8-9/10"],
    ["bytes=8-99", "89", "bytes 8-9/10"],
    ["bytes=-99", TEXT, "bytes 0-9/10"],
  ])("%s is a part", async (range, part, told) => {
    const response = await get("/object/pub/a/digits.txt", { range });
    expect([
      response.status,
      response.headers.get("content-range"),
      response.headers.get("content-length"),
    ]).toEqual([206, told, String(part.length)]);
    expect(await response.text()).toBe(part);
  });

  test.each([["bytes=10-"], ["bytes=4-2"], ["bytes=0-1,3-4"], ["lines=1-2"], ["bytes=-"], ["bytes=-0"]])(
    "%s is refused",
    async (range) => {
      expect(await answer(get("/object/pub/a/digits.txt", { range }))).toEqual(
        refusal(416, "416", "invalid_range", "invalid range provided", "InvalidRange"),
      );
    },
  );
});

describe("conditions", () => {
  test("the same tag is not sent again; a weak one, a star, another are", async () => {
    const same = await get("/object/pub/a/digits.txt", { "if-none-match": MD5 });
    expect([same.status, await same.text(), same.headers.get("etag")]).toEqual([304, "", MD5]);
    for (const tag of [`W/${MD5}`, "*", '"other"']) {
      const other = await get("/object/pub/a/digits.txt", { "if-none-match": tag });
      expect([other.status, other.headers.get("cache-control")]).toEqual([
        200,
        "max-age=3600, stale-while-revalidate=30",
      ]);
      await other.text();
    }
  });

  test("nothing newer is not sent again", async () => {
    const modified = (await get("/object/pub/a/digits.txt")).headers.get("last-modified") ?? "";
    expect((await get("/object/pub/a/digits.txt", { "if-modified-since": modified })).status).toBe(304);
    const earlier = new Date(Date.parse(modified) - 60_000).toUTCString();
    expect((await get("/object/pub/a/digits.txt", { "if-modified-since": earlier })).status).toBe(200);
  });

  test("a head is never 304, ignores ranges, and asks to revalidate", async () => {
    const head = await ask(backend, "HEAD", "/object/public/pub/a/digits.txt", {
      token: null,
      headers: { "if-none-match": MD5, range: "bytes=0-1" },
    });
    expect([head.status, head.headers.get("content-length"), head.headers.get("cache-control")]).toEqual([
      200,
      "10",
      "max-age=3600, must-revalidate",
    ]);
  });
});

describe("heads and information", () => {
  test("exists() knows, whatever the reason that something is not there", async () => {
    const admin = adminOf(backend).storage;
    expect((await admin.from("priv").exists("a/digits.txt")).data).toBe(true);
    expect((await admin.from("priv").exists("a/nothing")).data).toBe(false);
    expect((await clientOf(backend).storage.from("priv").exists("a/digits.txt")).data).toBe(false);
    for (const path of [
      "/object/public/priv/a/digits.txt",
      "/object/public/pub/nothing",
      "/object/nowhere/x",
    ]) {
      const head = await ask(backend, "HEAD", path, { token: null });
      expect([head.status, head.headers.get("content-type"), await head.text()]).toEqual([
        400,
        "application/json; charset=utf-8",
        "",
      ]);
    }
  });

  test("information in its order, by each door", async () => {
    const response = await get("/object/info/public/pub/a/digits.txt");
    const info = (await response.json()) as Record<string, unknown>;
    expect(Object.keys(info)).toEqual([
      "id",
      "name",
      "version",
      "bucket_id",
      "size",
      "content_type",
      "cache_control",
      "content_encoding",
      "etag",
      "metadata",
      "last_modified",
      "created_at",
    ]);
    expect(info).toMatchObject({
      name: "a/digits.txt",
      size: 10,
      etag: MD5,
      metadata: {},
      content_type: "text/plain",
    });
    expect(
      await (await get("/object/info/authenticated/pub/a/digits.txt", {}, backend.anonKey)).json(),
    ).toEqual(info);
    expect(await (await get("/object/info/pub/a/digits.txt")).json()).toEqual(info);
    expect(await answer(get("/object/info/public/priv/a/digits.txt"))).toEqual(BUCKET_NOT_FOUND);
  });

  test("a row whose bytes are lost: the read fails, head, information and removal do not", async () => {
    const { storage } = adminOf(backend);
    const before = new Set(await filesOf(backend));
    must(await storage.from("pub").upload("lost", "x"));
    for (const file of await filesOf(backend)) if (!before.has(file)) await rm(file);
    expect(await answer(get("/object/pub/lost"))).toEqual(
      refusal(500, "500", "Internal", "Internal Server Error", "InternalError"),
    );
    expect((await ask(backend, "HEAD", "/object/pub/lost")).status).toBe(200);
    expect((await get("/object/info/pub/lost")).status).toBe(200);
    expect(must(await storage.from("pub").remove(["lost"])).length).toBe(1);
  });
});

test("a HEAD of an object's information has the headers of the object", async () => {
  const path = "pub/a/digits.txt";
  const head = await ask(backend, "HEAD", `/object/info/${path}`);
  const object = await ask(backend, "HEAD", `/object/${path}`);
  expect(head.status).toBe(200);
  for (const name of ["content-type", "content-length", "etag", "cache-control", "last-modified"]) {
    expect(head.headers.get(name), name).toBe(object.headers.get(name));
  }
});
