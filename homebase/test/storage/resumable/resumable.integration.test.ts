/**
 * Resumable uploads with the tus protocol: in parts, resumed, deferred, terminated, signed; and the errors.
 */
import { randomBytes } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { forThisFile } from "../../for-this-file.ts";
import { adminOf, answer, ask, type Body, filesOf, must, storageBackend } from "../fixture.ts";

const backend = await forThisFile(storageBackend());
beforeAll(async () => {
  const { storage } = adminOf(backend);
  must(await storage.createBucket("box", { public: false }));
  must(
    await storage.createBucket("small", {
      public: false,
      fileSizeLimit: 10,
      allowedMimeTypes: ["text/plain"],
    }),
  );
});

const pairs = (metadata: Record<string, string>) =>
  Object.entries(metadata)
    .map(([name, value]) => `${name} ${Buffer.from(value).toString("base64")}`)
    .join(",");

interface Options {
  token?: string | null;
  headers?: Record<string, string>;
  body?: Body;
  path?: string;
}

function create(
  metadata: Record<string, string>,
  length: number | undefined,
  options: Options = {},
): Promise<Response> {
  const { path = "/upload/resumable", headers, ...rest } = options;
  return ask(backend, "POST", path, {
    ...rest,
    headers: {
      "tus-resumable": "1.0.0",
      ...(length === undefined ? { "upload-defer-length": "1" } : { "upload-length": String(length) }),
      "upload-metadata": pairs({ bucketName: "box", ...metadata }),
      ...headers,
    },
  });
}

function at(
  location: string,
  method: string,
  headers: Record<string, string> = {},
  body?: Body,
  token: string | null = backend.serviceRoleKey,
) {
  return fetch(location, {
    method,
    headers: {
      "tus-resumable": "1.0.0",
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "content-type": "application/offset+octet-stream" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  });
}

const locationOf = (response: Response) => response.headers.get("location") ?? "";
const patch = (location: string, offset: number, body: Body, headers: Record<string, string> = {}) =>
  at(location, "PATCH", { "upload-offset": String(offset), ...headers }, body);
const read = (key: string) => answer(ask(backend, "GET", `/object/box/${key}`));

describe("an upload", () => {
  test("in pieces becomes an object only when it is whole", async () => {
    const bytes = randomBytes(300_000);
    const created = await create(
      { objectName: "a/pieces.bin", contentType: "application/x-p", cacheControl: "77", metadata: '{"m":1}' },
      bytes.length,
    );
    expect([created.status, created.headers.get("tus-resumable")]).toEqual([201, "1.0.0"]);
    const location = locationOf(created);
    const id = Buffer.from(location.split("/").at(-1) ?? "", "base64url").toString();
    expect(location.startsWith(`${backend.url}/storage/v1/upload/resumable/`)).toBe(true);
    expect(id).toMatch(/^box\/a\/pieces\.bin\/[0-9a-f-]{36}$/);

    const first = await patch(location, 0, bytes.subarray(0, 100_001));
    expect([first.status, first.headers.get("upload-offset"), first.headers.has("tus-complete")]).toEqual([
      204,
      "100001",
      false,
    ]);
    expect((await read("a/pieces.bin"))[0]).toBe(400);
    const head = await at(location, "HEAD");
    expect(Object.fromEntries(head.headers)).toMatchObject({
      "upload-offset": "100001",
      "upload-length": "300000",
      "cache-control": "no-store",
    });
    expect(head.headers.get("upload-metadata")).toContain(
      `cacheControl ${Buffer.from("max-age=77").toString("base64")}`,
    );

    const last = await patch(location, 100_001, bytes.subarray(100_001));
    expect([last.status, last.headers.get("tus-complete")]).toEqual([204, "1"]);
    const object = must(await adminOf(backend).storage.from("box").info("a/pieces.bin"));
    expect(object).toMatchObject({
      size: 300_000,
      contentType: "application/x-p",
      cacheControl: "max-age=77",
      metadata: { m: 1 },
      version: id.slice(-36),
    });
    const stored = must(await adminOf(backend).storage.from("box").download("a/pieces.bin"));
    expect(Buffer.from(await stored.arrayBuffer()).equals(bytes)).toBe(true);
    expect((await at(location, "HEAD")).headers.get("upload-offset")).toBe("300000");
    expect(await answer(at(location, "DELETE"))).toEqual([
      400,
      "Cannot terminate an already completed upload",
    ]);
  });

  /** Bytes of all files of the store. */
  const stored = () =>
    readdirSync(backend.storageFolder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);

  test("that breaks off goes on from where it was", async () => {
    const location = locationOf(await create({ objectName: "resumed" }, 200_000));
    const url = new URL(location);
    const socket = connect(Number(url.port), url.hostname);
    const sent = `PATCH ${url.pathname} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${backend.serviceRoleKey}\r\ntus-resumable: 1.0.0\r\nupload-offset: 0\r\ncontent-type: application/offset+octet-stream\r\ncontent-length: 200000\r\n\r\n${"x".repeat(120_000)}`;
    const offset = async () => Number((await at(location, "HEAD")).headers.get("upload-offset"));
    const before = stored();
    socket.write(sent);
    await expect.poll(stored).toBeGreaterThan(before);
    socket.destroy();
    await expect.poll(offset).toBeGreaterThan(0);
    const from = await offset();
    expect(from).toBeLessThanOrEqual(120_000);
    expect((await patch(location, from, "x".repeat(200_000 - from))).headers.get("tus-complete")).toBe("1");
    expect(await read("resumed")).toEqual([200, "x".repeat(200_000)]);
  });

  test("comes with its creation, or empty, or with its length later", async () => {
    const whole = await create({ objectName: "at-once" }, 5, {
      headers: { "content-type": "application/offset+octet-stream" },
      body: "12345",
    });
    expect([whole.status, whole.headers.get("upload-offset"), whole.headers.get("tus-complete")]).toEqual([
      201,
      "5",
      "1",
    ]);
    expect(await read("at-once")).toEqual([200, "12345"]);
    expect((await create({ objectName: "nothing" }, 0)).headers.get("tus-complete")).toBe("1");
    expect(await read("nothing")).toEqual([200, ""]);

    const location = locationOf(await create({ objectName: "later" }, undefined));
    expect((await at(location, "HEAD")).headers.get("upload-defer-length")).toBe("1");
    await patch(location, 0, "123");
    expect((await patch(location, 3, "45", { "upload-length": "5" })).headers.get("tus-complete")).toBe("1");
    expect(await read("later")).toEqual([200, "12345"]);
  });

  test("tells until when it can go on, a day after its last byte", async () => {
    const created = await create({ objectName: "expiring" }, 4);
    const begun = await patch(locationOf(created), 0, "12");
    const day = 24 * 60 * 60 * 1000;
    for (const response of [created, begun]) {
      const expires = Date.parse(response.headers.get("upload-expires") ?? "");
      expect(Math.abs(expires - Date.now() - day)).toBeLessThan(60_000);
    }
    const ended = await patch(locationOf(created), 2, "34");
    expect([ended.status, ended.headers.get("upload-expires")]).toEqual([204, null]);
  });

  test("that is ended leaves nothing", async () => {
    const before = await filesOf(backend);
    const location = locationOf(await create({ objectName: "ended" }, 10));
    await patch(location, 0, "123");
    expect((await at(location, "DELETE")).status).toBe(204);
    expect((await at(location, "HEAD")).status).toBe(404);
    expect(await filesOf(backend)).toEqual(before);
  });

  test("replaces only with x-upsert, at every step", async () => {
    must(await adminOf(backend).storage.from("box").upload("there", "old"));
    expect(await answer(create({ objectName: "there" }, 3))).toEqual([409, "The resource already exists"]);
    const location = locationOf(
      await create({ objectName: "there" }, 3, { headers: { "x-upsert": "true" } }),
    );
    expect(await answer(patch(location, 0, "new"))).toEqual([409, "The resource already exists"]);
    expect((await patch(location, 0, "new", { "x-upsert": "true" })).status).toBe(204);
    expect(await read("there")).toEqual([200, "new"]);
  });
});

describe("options", () => {
  test("tell the protocol, its extensions and the limit", async () => {
    const response = await ask(backend, "OPTIONS", "/upload/resumable", { token: null });
    expect(response.status).toBe(204);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "tus-version": "1.0.0",
      "tus-extension": "creation,creation-with-upload,creation-defer-length,termination,expiration",
      "tus-max-size": String(50 * 1024 * 1024),
      "access-control-allow-methods": "POST, HEAD, PATCH, OPTIONS, DELETE",
    });
  });
});

describe("signed", () => {
  const path = "/upload/resumable/sign";
  test("needs the token of the object and nothing else", async () => {
    const { token } = must(await adminOf(backend).storage.from("box").createSignedUploadUrl("signed"));
    const headers = { "x-signature": token };
    const location = locationOf(await create({ objectName: "signed" }, 4, { path, headers, token: null }));
    expect(location).toContain("/storage/v1/upload/resumable/sign/");
    const last = await at(location, "PATCH", { ...headers, "upload-offset": "0" }, "1234", null);
    expect(last.headers.get("tus-complete")).toBe("1");
    expect(await read("signed")).toEqual([200, "1234"]);
    expect(await answer(create({ objectName: "other" }, 4, { path, headers, token: null }))).toEqual([
      400,
      "Invalid signature",
    ]);
    expect(await answer(create({ objectName: "other" }, 4, { path, token: null }))).toEqual([
      400,
      "Missing x-signature header",
    ]);
  });
});

describe("refusals", () => {
  test("of who may not: a bad token in JSON, a missing policy in text", async () => {
    expect(await answer(create({ objectName: "x" }, 1, { token: "bad" }))).toEqual([
      400,
      '{"statusCode":"403","code":"AccessDenied","error":"Unauthorized","message":"Invalid Compact JWS"}',
    ]);
    expect(await answer(create({ objectName: "x" }, 1, { token: backend.anonKey }))).toEqual([
      403,
      "new row violates row-level security policy",
    ]);
  });

  test.each<[string, Record<string, string>, number, number, string]>([
    ["a bucket that is not there", { bucketName: "nowhere", objectName: "x" }, 1, 404, "Bucket not found"],
    [
      "a type that the bucket refuses",
      { bucketName: "small", objectName: "x", contentType: "image/png" },
      1,
      415,
      "mime type image/png is not supported",
    ],
    ["too many bytes", { bucketName: "small", objectName: "x" }, 11, 413, "Maximum size exceeded\n"],
    ["a key that is none", { objectName: "é" }, 1, 400, "Invalid key: é"],
    ["no name", {}, 1, 400, "Metadata header is required"],
  ])("of %s", async (_what, metadata, length, status, text) => {
    expect(await answer(create(metadata, length))).toEqual([status, text]);
  });

  test("of broken protocol", async () => {
    const location = locationOf(await create({ objectName: "protocol" }, 4));
    expect(await answer(at(location, "PATCH", { "upload-offset": "0", "tus-resumable": "" }, "x"))).toEqual([
      412,
      "Tus-Resumable Required\n",
    ]);
    expect(await answer(patch(location, 2, "x"))).toEqual([409, "Upload-Offset conflict\n"]);
    expect(await answer(patch(location, 0, "x", { "content-type": "text/plain" }))).toEqual([
      400,
      "Invalid content-type\n",
    ]);
    expect(await answer(create({ objectName: "protocol" }, -1))).toEqual([400, "Invalid upload-length\n"]);
    expect(await answer(patch(`${location.slice(0, -4)}AAAA`, 0, "x"))).toEqual([
      404,
      "The file for this url was not found\n",
    ]);
    expect((await patch(location, 0, "12345")).status).toBe(413);
    expect((await ask(backend, "GET", "/upload/resumable/x")).status).toBe(404);
  });

  test("of concatenation, which Storage does not have", async () => {
    const [status, text] = await answer(
      create({ objectName: "part" }, 1, { headers: { "upload-concat": "partial" } }),
    );
    expect([status, text]).toEqual([501, expect.stringContaining("not (yet) supported")]);
  });

  test("of too many bytes whose number was not declared", async () => {
    const location = locationOf(
      await create({ bucketName: "small", objectName: "sneak", contentType: "text/plain" }, undefined),
    );
    expect((await patch(location, 0, "12345678901")).status).toBe(413);
    expect((await ask(backend, "GET", "/object/small/sneak")).status).toBe(400);
  });
});
