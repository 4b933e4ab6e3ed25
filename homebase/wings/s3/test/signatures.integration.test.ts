/** Tests the credentials of S3 requests: signatures, regions and session tokens. */
import { createHash, createHmac } from "node:crypto";
import {
  AbortMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { S3_ACCESS_KEY_ID, S3_ACCESS_KEY_SECRET } from "../../../src/storage/kit/s3-keys.ts";
import { forThisFile } from "../../../test/for-this-file.ts";
import { adminOf, must, userToken } from "../../../test/storage/fixture.ts";
import { storageBackend } from "../../testing.ts";
import { refused, s3AsUser, s3Of } from "./clients.ts";

const Bucket = "s3-signed";
const MISMATCH =
  "The request signature we calculated does not match the signature you provided. Check your key and signing method.";

const backend = await forThisFile(storageBackend());
const s3 = s3Of(backend);
beforeAll(async () => {
  must(await adminOf(backend).storage.createBucket(Bucket));
  await s3.send(new PutObjectCommand({ Bucket, Key: "a", Body: "bytes of a" }));
});
afterAll(() => s3.destroy());

const codeOf = async (response: Response) => [
  response.status,
  /<Code>(.*)<\/Code>/.exec(await response.clone().text())?.[1],
  /<Message>(.*)<\/Message>/.exec(await response.text())?.[1],
];

describe("credentials", () => {
  test("without a signature nothing is answered", async () => {
    const response = await fetch(`${backend.url}/storage/v1/s3/${Bucket}/a`);
    expect(response.headers.get("content-type")).toBe("application/xml; charset=utf-8");
    expect(await response.text()).toBe(
      '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>' +
        '<Error xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Resource>s3-signed/a</Resource>' +
        "<Code>AccessDenied</Code><Message>Missing signature</Message></Error>",
    );
    expect(response.status).toBe(403);
  });

  test("another secret, an unknown key and a header without its parts are refused, each in its words", async () => {
    const with_ = (accessKeyId: string, secretAccessKey: string) =>
      refused(
        s3Of(backend, { credentials: { accessKeyId, secretAccessKey } }).send(new ListBucketsCommand({})),
      );
    expect(await with_(S3_ACCESS_KEY_ID, "wrong")).toEqual([403, "SignatureDoesNotMatch", MISMATCH]);
    expect(await with_("unknown", S3_ACCESS_KEY_SECRET)).toEqual([403, "AccessDenied", "Invalid Access Key"]);
    const response = await fetch(`${backend.url}/storage/v1/s3/`, {
      headers: { authorization: "AWS4-HMAC-SHA256 Credential=a/b/c" },
    });
    expect(await codeOf(response)).toEqual([400, "InvalidSignature", "Invalid signature format"]);
  });

  test("a header that decides what is done is not added to a presigned URL", async () => {
    await s3.send(new PutObjectCommand({ Bucket, Key: "not/yours", Body: "bytes of another" }));
    const url = await getSignedUrl(s3, new PutObjectCommand({ Bucket, Key: "drop/mine" }));
    const put = (headers: Record<string, string>, body?: string) =>
      fetch(url, { method: "PUT", headers, ...(body === undefined ? {} : { body }) });
    for (const [name, value] of [
      ["x-amz-copy-source", `${Bucket}/not/yours`],
      ["X-Amz-Meta-Owner", "me"],
    ] as const) {
      expect(await codeOf(await put({ [name]: value }))).toEqual([
        403,
        "AccessDenied",
        "There were headers present in the request which were not signed",
      ]);
    }
    expect((await put({ "x-amz-content-sha256": "UNSIGNED-PAYLOAD" }, "")).status).toBe(200);
    const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key: "drop/mine" }));
    expect(await Body?.transformToString()).toBe("");
  });

  test("a presigned URL opens no other object whose path is the end of its own", async () => {
    const key = `mine/s3/${Bucket}/a`;
    const { search } = new URL(await getSignedUrl(s3, new GetObjectCommand({ Bucket, Key: key })));
    const response = await fetch(`${backend.url}/storage/v1/s3/${Bucket}/a${search}`, {
      headers: { "x-forwarded-prefix": `/storage/v1/s3/${Bucket}/mine` },
    });
    expect((await codeOf(response)).slice(0, 2)).toEqual([403, "SignatureDoesNotMatch"]);
  });

  test.each(["local", "us-east-1", "auto"])("the region %s is taken", async (region) => {
    await s3Of(backend, { region }).send(new ListBucketsCommand({}));
  });

  test("a region that is another's is not", async () => {
    const sent = s3Of(backend, { region: "eu-central-2" }).send(new ListBucketsCommand({}));
    expect((await refused(sent))[1]).toBe("SignatureDoesNotMatch");
  });
});

describe("a session token", () => {
  test("is a user, for whom policies decide", async () => {
    await backend.database.query(
      "postgres",
      `create policy own on storage.objects to authenticated
         using (bucket_id = '${Bucket}' and owner_id = auth.uid()::text)
         with check (bucket_id = '${Bucket}' and name like 'mine/%')`,
    );
    const user = s3AsUser(backend, await userToken(backend));
    await user.send(new PutObjectCommand({ Bucket, Key: "mine/1", Body: "1" }));
    expect(await refused(user.send(new PutObjectCommand({ Bucket, Key: "yours/1", Body: "1" })))).toEqual([
      403,
      "AccessDenied",
      "new row violates row-level security policy",
    ]);
    expect((await refused(user.send(new GetObjectCommand({ Bucket, Key: "a" }))))[0]).toBe(404);
    expect((await user.send(new ListObjectsV2Command({ Bucket }))).Contents?.map((one) => one.Key)).toEqual([
      "mine/1",
    ]);
    expect((await refused(user.send(new DeleteObjectCommand({ Bucket, Key: "a" })))).slice(0, 2)).toEqual([
      403,
      "AccessDenied",
    ]);
    const Objects = [{ Key: "mine/1" }, { Key: "a" }, { Key: "none" }];
    const many = await user.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
    expect(many.Deleted).toEqual([{ Key: "mine/1" }, { Key: "none" }]);
    expect(many.Errors).toEqual([{ Key: "a", Code: "AccessDenied", Message: "Access Denied" }]);
    expect((await refused(user.send(new CreateBucketCommand({ Bucket: "users" }))))[0]).toBe(403);
    user.destroy();
  });

  test("may begin an upload where it may write, and one of the service it cannot touch", async () => {
    const user = s3AsUser(backend, await userToken(backend));
    await user.send(new CreateMultipartUploadCommand({ Bucket, Key: "mine/2" }));
    expect((await refused(user.send(new CreateMultipartUploadCommand({ Bucket, Key: "b" }))))[0]).toBe(403);
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key: "b" }));
    const abort = user.send(new AbortMultipartUploadCommand({ Bucket, Key: "b", UploadId }));
    expect((await refused(abort))[0]).toBe(403);
    user.destroy();
  });

  test("that is old or nobody's is refused", async () => {
    const old = await backend.backend.keys.sign({ role: "authenticated", exp: 1 });
    const list = (token: string) => refused(s3AsUser(backend, token).send(new ListBucketsCommand({})));
    expect(await list(old)).toEqual([400, "InvalidJWT", '"exp" claim timestamp check failed']);
    expect(await list("a.b.c")).toEqual([400, "InvalidJWT", "Invalid Compact JWS"]);
  });
});

describe("presigned addresses", () => {
  test("read and write without any header", async () => {
    const put = await getSignedUrl(s3, new PutObjectCommand({ Bucket, Key: "by address" }));
    expect((await fetch(put, { method: "PUT", body: "hello" })).status).toBe(200);
    const get = await getSignedUrl(
      s3,
      new GetObjectCommand({ Bucket, Key: "by address", ResponseContentType: "a/b" }),
    );
    const response = await fetch(get, { headers: { authorization: "Bearer something-else" } });
    expect([await response.text(), response.headers.get("content-type")]).toEqual(["hello", "a/b"]);
  });

  test("end when they say so, and hold only for what was signed", async () => {
    const url = await getSignedUrl(s3, new GetObjectCommand({ Bucket, Key: "a" }), { expiresIn: 60 });
    expect(await codeOf(await fetch(url.replace("/a?", "/b?")))).toEqual([
      403,
      "SignatureDoesNotMatch",
      MISMATCH,
    ]);
    expect((await fetch(url)).status).toBe(200);
    backend.clock.advance(61_000);
    expect(await codeOf(await fetch(url))).toEqual([400, "ExpiredToken", "The provided token has expired."]);
  });
});

describe("signed chunks", () => {
  const hmac = (key: Buffer | string, text: string) => createHmac("sha256", key).update(text).digest();
  const hash = (text: string) => createHash("sha256").update(text).digest("hex");
  const DATE = "20260102T030405Z";
  const SCOPE = "20260102/local/s3/aws4_request";
  const KEY = SCOPE.split("/").reduce<Buffer | string>(hmac, `AWS4${S3_ACCESS_KEY_SECRET}`);
  const sign = (lines: string[]) => hmac(KEY, lines.join("\n")).toString("hex");

  /** A PUT as older clients send it, each chunk with its signature; `spoil` changes one. */
  async function sendChunks(
    chunks: string[],
    options: { trailer?: boolean; spoil?: (text: string) => string } = {},
  ) {
    const mode = `STREAMING-AWS4-HMAC-SHA256-PAYLOAD${options.trailer ? "-TRAILER" : ""}`;
    const path = `/storage/v1/s3/${Bucket}/chunked`;
    const headers: Record<string, string> = {
      host: new URL(backend.url).host,
      "x-amz-content-sha256": mode,
      "x-amz-date": DATE,
      "x-amz-decoded-content-length": String(chunks.join("").length),
      ...(options.trailer ? { "x-amz-trailer": "x-amz-checksum-sha256" } : {}),
    };
    const names = Object.keys(headers).sort();
    const canonical = [
      "PUT",
      path,
      "",
      ...names.map((name) => `${name}:${headers[name]}`),
      "",
      names.join(";"),
      mode,
    ];
    const seed = sign(["AWS4-HMAC-SHA256", DATE, SCOPE, hash(canonical.join("\n"))]);
    let previous = seed;
    let body = "";
    for (const chunk of [...chunks, ""]) {
      previous = sign(["AWS4-HMAC-SHA256-PAYLOAD", DATE, SCOPE, previous, hash(""), hash(chunk)]);
      body += `${chunk.length.toString(16)};chunk-signature=${previous}\r\n${chunk}${chunk || !options.trailer ? "\r\n" : ""}`;
    }
    if (options.trailer) {
      const sum = createHash("sha256").update(chunks.join("")).digest("base64");
      const line = `x-amz-checksum-sha256:${sum}`;
      const signature = sign(["AWS4-HMAC-SHA256-TRAILER", DATE, SCOPE, previous, hash(`${line}\n`)]);
      body += `${line}\r\nx-amz-trailer-signature:${signature}\r\n\r\n`;
    }
    return fetch(`${backend.url}${path}`, {
      method: "PUT",
      headers: {
        ...headers,
        authorization: `AWS4-HMAC-SHA256 Credential=${S3_ACCESS_KEY_ID}/${SCOPE},SignedHeaders=${names.join(";")},Signature=${seed}`,
      },
      body: options.spoil ? options.spoil(body) : body,
    });
  }
  const text = async () => {
    const got = await s3.send(new GetObjectCommand({ Bucket, Key: "chunked" }));
    return got.Body?.transformToString();
  };

  test("that hold become the object", async () => {
    expect((await sendChunks(["one", "x".repeat(70_000)])).status).toBe(200);
    expect(await text()).toBe(`one${"x".repeat(70_000)}`);
    expect((await sendChunks(["with", "trailer"], { trailer: true })).status).toBe(200);
    expect(await text()).toBe("withtrailer");
  });

  test.each([
    [
      "a changed byte",
      { spoil: (body: string) => body.replace("first", "fIrst") },
      [403, "SignatureDoesNotMatch"],
    ],
    [
      "a changed trailer",
      { trailer: true, spoil: (body: string) => body.replace("sha256:", "sha256:A") },
      [403, "SignatureDoesNotMatch"],
    ],
    [
      "a missing end",
      { spoil: (body: string) => body.slice(0, body.lastIndexOf("0;")) },
      [400, "IncompleteBody"],
    ],
    [
      "a chunk without signature",
      { spoil: (body: string) => body.replace(/;chunk-signature=\w+/, "") },
      [400, "InvalidRequest"],
    ],
    ["a size that is none", { spoil: (body: string) => `zz${body}` }, [400, "InvalidRequest"]],
  ])("%s is refused, and the object stays what it was", async (_what, options, refusal) => {
    await sendChunks(["before"]);
    expect((await codeOf(await sendChunks(["first", "second"], options))).slice(0, 2)).toEqual(refusal);
    expect(await text()).toBe("before");
  });
});

describe("forms", () => {
  /** Posts a file with a form whose policy has these conditions. */
  async function post(
    conditions: unknown[],
    fields: Record<string, string>,
    file = "from a form",
    seconds = 60,
  ) {
    const now = backend.clock.now();
    const day = new Date(now).toISOString().slice(0, 10).replaceAll("-", "");
    const scope = `${day}/local/s3/aws4_request`;
    const expiration = new Date(now + seconds * 1000).toISOString();
    const policy = Buffer.from(JSON.stringify({ expiration, conditions })).toString("base64");
    const hmac = (key: Buffer | string, text: string) => createHmac("sha256", key).update(text).digest();
    const key = scope.split("/").reduce<Buffer | string>(hmac, `AWS4${S3_ACCESS_KEY_SECRET}`);
    const form = new FormData();
    const all = {
      ...fields,
      "X-Amz-Credential": `${S3_ACCESS_KEY_ID}/${scope}`,
      "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
      "X-Amz-Date": `${day}T000000Z`,
      Policy: policy,
      "X-Amz-Signature": hmac(key, policy).toString("hex"),
    };
    for (const [name, value] of Object.entries(all)) form.set(name, value);
    form.set("file", new Blob([file]), "upload.txt");
    return fetch(`${backend.url}/storage/v1/s3/${Bucket}`, { method: "POST", body: form });
  }
  const bucket = { bucket: Bucket };

  test("store their file when the policy allows it", async () => {
    const conditions = [
      bucket,
      ["starts-with", "$key", "forms/"],
      { "content-type": "text/x-form" },
      ["starts-with", "$x-amz-meta-a", ""],
    ];
    const fields = { key: `forms/$\{filename}`, "Content-Type": "text/x-form", "x-amz-meta-a": "b" };
    expect((await post(conditions, fields)).status).toBe(200);
    const got = await s3.send(new GetObjectCommand({ Bucket, Key: "forms/upload.txt" }));
    expect(await got.Body?.transformToString()).toBe("from a form");
    expect(got).toMatchObject({ ContentType: "text/x-form", Metadata: { a: "b" } });
  });

  test("are refused with a content type that no header can have", async () => {
    for (const type of ["text/€", "text/plain\r\nx-injected: 1", "text/\u0000"]) {
      const key = "forms/odd type";
      const [status] = await codeOf(
        await post([bucket, { key }, ["starts-with", "$content-type", ""]], { key, "content-type": type }),
      );
      expect(status, JSON.stringify(type)).toBe(415);
      await expect(s3.send(new GetObjectCommand({ Bucket, Key: key }))).rejects.toThrow("Object not found");
    }
  });

  test("are refused where the policy does not", async () => {
    const key = { key: "forms/x" };
    const refusal = async (...given: Parameters<typeof post>) => codeOf(await post(...given));
    expect(await refusal([bucket, { key: "forms/y" }], key)).toEqual([
      403,
      "AccessDenied",
      'Policy condition failed: "key" does not match',
    ]);
    expect(await refusal([bucket], key)).toEqual([
      403,
      "AccessDenied",
      'Policy condition failed: field "key" is not covered by the policy',
    ]);
    expect(await refusal([bucket, key], key, "x", -1)).toEqual([
      400,
      "ExpiredToken",
      "The provided token has expired.",
    ]);
    const range = ["content-length-range", 2, 4];
    expect((await refusal([bucket, key, range], key, "12345")).slice(0, 2)).toEqual([413, "EntityTooLarge"]);
    expect((await refusal([bucket, key, range], key, "1"))[0]).toBe(400);
    expect((await post([bucket, key, range], key, "123")).status).toBe(200);
  });
});

test("who accepts no XML gets JSON", async () => {
  const response = await fetch(`${backend.url}/storage/v1/s3/${Bucket}`, {
    headers: { accept: "application/json" },
  });
  expect(await response.json()).toEqual({
    Error: { Resource: Bucket, Code: "AccessDenied", Message: "Missing signature" },
  });
});

test("where the protocol is switched off there is no such route", async () => {
  const without = await storageBackend({ s3_protocol: { enabled: false } });
  const response = await fetch(`${without.url}/storage/v1/s3/${Bucket}`);
  expect([response.status, await response.json()]).toEqual([
    404,
    { message: `Route GET:/s3/${Bucket} not found`, error: "Not Found", statusCode: 404 },
  ]);
  await without.drop();
});
