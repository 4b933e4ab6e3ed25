/** Tests the object operations of the S3 protocol with the AWS SDK. */
import { createHash, randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  PutObjectCommand,
} from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { forThisFile } from "../../../test/for-this-file.ts";
import { adminOf, filesOf, must } from "../../../test/storage/fixture.ts";
import { storageBackend } from "../../testing.ts";
import { refused, s3Of } from "./clients.ts";

const Bucket = "s3-objects";

const backend = await forThisFile(storageBackend());
const s3 = s3Of(backend);
beforeAll(async () => {
  must(await adminOf(backend).storage.createBucket(Bucket));
});
afterAll(() => s3.destroy());

const bytesOf = async (Key: string) => {
  const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
  return Buffer.from((await Body?.transformToByteArray()) ?? []);
};
const put = (Key: string, Body: Buffer | string = Key) =>
  s3.send(new PutObjectCommand({ Bucket, Key, Body, ContentType: "text/plain" }));

describe("put and get", () => {
  test("the coding of the bytes is kept, and that of the transfer is not", async () => {
    const Body = gzipSync("compressed");
    const store = (Key: string, ContentEncoding: string) =>
      s3.send(new PutObjectCommand({ Bucket, Key, Body, ContentEncoding }));
    await store("coded", "gzip");
    await store("chunked", "aws-chunked");
    const codingOf = async (Key: string) =>
      (await s3.send(new HeadObjectCommand({ Bucket, Key }))).ContentEncoding;
    expect([await codingOf("coded"), await codingOf("chunked")]).toEqual(["gzip", undefined]);
  });

  test("bytes come back with their type, their metadata and the hash of their content as ETag", async () => {
    const Body = randomBytes(300_000);
    const stored = await s3.send(
      new PutObjectCommand({
        Bucket,
        Key: "letters/size",
        Body,
        ContentType: "image/png",
        CacheControl: "max-age=60",
        Metadata: { mood: "good", Place: "Bern" },
      }),
    );
    const tag = `"${createHash("md5").update(Body).digest("hex")}"`;
    expect(stored.ETag).toBe(tag);
    const got = await s3.send(new GetObjectCommand({ Bucket, Key: "letters/size" }));
    expect(Buffer.from((await got.Body?.transformToByteArray()) ?? [])).toEqual(Body);
    expect(got).toMatchObject({
      ContentType: "image/png",
      CacheControl: "max-age=60",
      ContentLength: Body.length,
      ETag: tag,
      Metadata: { mood: "good", place: "Bern" },
    });
    const head = await s3.send(new HeadObjectCommand({ Bucket, Key: "letters/size" }));
    expect(head).toMatchObject({ ContentLength: Body.length, ETag: tag, Metadata: { mood: "good" } });
    const info = must(await adminOf(backend).storage.from(Bucket).info("letters/size"));
    expect(info).toMatchObject({ contentType: "image/png", metadata: { mood: "good", place: "Bern" } });
  });

  test("a stream of known length is sent in chunks with a checksum behind them", async () => {
    const Body = randomBytes(700_000);
    const ContentLength = Body.length;
    const parts = [Body.subarray(0, 10), Body.subarray(10, 400_000), Body.subarray(400_000)];
    const requests: Record<string, string>[] = [];
    const client = s3Of(backend);
    client.middlewareStack.add(
      (next) => (given) => {
        requests.push((given.request as { headers: Record<string, string> }).headers);
        return next(given);
      },
      { step: "finalizeRequest", priority: "low" },
    );
    await client.send(
      new PutObjectCommand({ Bucket, Key: "streamed", Body: Readable.from(parts), ContentLength }),
    );
    client.destroy();
    expect(requests[0]?.["x-amz-trailer"]).toBe("x-amz-checksum-crc32");
    expect(await bytesOf("streamed")).toEqual(Body);
    const head = await s3.send(new HeadObjectCommand({ Bucket, Key: "streamed" }));
    expect(head.ContentLength).toBe(ContentLength);
  });

  test.each(["CRC32", "CRC32C", "CRC64NVME", "SHA1", "SHA256"] as const)(
    "a %s checksum is accepted",
    async (ChecksumAlgorithm) => {
      const Body = randomBytes(10_000);
      const Key = `checked-${ChecksumAlgorithm}`;
      await s3.send(new PutObjectCommand({ Bucket, Key, Body, ChecksumAlgorithm }));
      expect(await bytesOf(Key)).toEqual(Body);
    },
  );

  test("a body that is not the one whose checksum was sent is refused, and nothing is left of it", async () => {
    const before = await filesOf(backend);
    const sent = s3.send(
      new PutObjectCommand({ Bucket, Key: "bad", Body: "hello", ChecksumCRC32C: "AAAAAA==" }),
    );
    expect(await refused(sent)).toEqual([
      400,
      "BadDigest",
      "The CRC32C you specified did not match the calculated checksum.",
    ]);
    expect(await filesOf(backend)).toEqual(before);
    expect((await refused(s3.send(new GetObjectCommand({ Bucket, Key: "bad" }))))[0]).toBe(404);
  });

  test("JSON that is broken is stored as the bytes that it is", async () => {
    await s3.send(
      new PutObjectCommand({ Bucket, Key: "a.json", Body: '{"a', ContentType: "application/json" }),
    );
    expect((await bytesOf("a.json")).toString()).toBe('{"a');
  });

  test("an empty body under a name with a slash at its end makes a folder", async () => {
    await s3.send(new PutObjectCommand({ Bucket, Key: "empty/", Body: Buffer.alloc(0) }));
    const listed = must(await adminOf(backend).storage.from(Bucket).list("empty"));
    expect(listed.map((entry) => entry.name)).toEqual([".emptyFolderPlaceholder"]);
  });

  test("metadata that is no header is counted", async () => {
    const options = { metadata: { fine: "yes", list: [1], wörter: "x" } };
    must(await adminOf(backend).storage.from(Bucket).upload("counted", Buffer.from("a"), options));
    const head = await s3.send(new HeadObjectCommand({ Bucket, Key: "counted" }));
    expect(head).toMatchObject({ Metadata: { fine: "yes" }, MissingMeta: 2 });
  });

  test("a page is served as a page: this origin is not a browser's", async () => {
    await s3.send(new PutObjectCommand({ Bucket, Key: "p.html", Body: "<p>", ContentType: "text/html" }));
    expect((await s3.send(new GetObjectCommand({ Bucket, Key: "p.html" }))).ContentType).toBe("text/html");
  });

  test("an object that is not there is not found, nor is one of a bucket that is not", async () => {
    const missing = [404, "NoSuchKey", "Object not found"];
    expect(await refused(s3.send(new GetObjectCommand({ Bucket, Key: "none" })))).toEqual(missing);
    expect(await refused(s3.send(new GetObjectCommand({ Bucket: "none", Key: "none" })))).toEqual(missing);
    expect((await refused(s3.send(new HeadObjectCommand({ Bucket, Key: "none" })))).slice(0, 2)).toEqual([
      404,
      "NotFound",
    ]);
    const sent = s3.send(new PutObjectCommand({ Bucket: "none", Key: "a", Body: "a" }));
    expect(await refused(sent)).toEqual([404, "NoSuchBucket", "Bucket not found"]);
  });

  test("a bucket's limits count: size, types, and characters of names", async () => {
    must(
      await adminOf(backend).storage.createBucket("s3-limited", {
        public: false,
        fileSizeLimit: 10,
        allowedMimeTypes: ["text/plain"],
      }),
    );
    const send = (Key: string, Body: string, ContentType: string) =>
      refused(s3.send(new PutObjectCommand({ Bucket: "s3-limited", Key, Body, ContentType })));
    expect(await send("a", "12345678901", "text/plain")).toEqual([
      413,
      "EntityTooLarge",
      "The object exceeded the maximum allowed size",
    ]);
    expect(await send("a", "1", "image/png")).toEqual([
      415,
      "InvalidMimeType",
      "mime type image/png is not supported",
    ]);
    expect(await send("ä", "1", "text/plain")).toEqual([400, "InvalidKey", "Invalid key: ä"]);
  });
});

describe("ranges, conditions and overrides", () => {
  beforeAll(() => put("digits", "0123456789"));
  const get = (options: object) => s3.send(new GetObjectCommand({ Bucket, Key: "digits", ...options }));

  test.each([
    ["bytes=2-4", "234", "bytes 2-4/10"],
    ["bytes=7-", "789", "bytes 7-9/10"],
    ["bytes=-3", "789", "bytes 7-9/10"],
    ["bytes=8-100", "89", "bytes 8-9/10"],
  ])("%s is %s", async (Range, text, ContentRange) => {
    const got = await get({ Range });
    expect([got.$metadata.httpStatusCode, got.ContentRange]).toEqual([206, ContentRange]);
    expect(await got.Body?.transformToString()).toBe(text);
  });

  test("a range behind the end is refused, something else than a range is the whole", async () => {
    expect((await refused(get({ Range: "bytes=10-" }))).slice(0, 2)).toEqual([416, "InvalidRange"]);
    expect(await (await get({ Range: "lines=1-2" })).Body?.transformToString()).toBe("0123456789");
  });

  test("what the client has already is not sent again", async () => {
    const { ETag, LastModified } = await get({});
    expect((await refused(get({ IfNoneMatch: ETag })))[0]).toBe(304);
    expect((await refused(get({ IfModifiedSince: LastModified })))[0]).toBe(304);
    expect(await (await get({ IfNoneMatch: '"other"' })).Body?.transformToString()).toBe("0123456789");
  });

  test("the query may say what headers the answer has", async () => {
    const got = await get({
      ResponseContentType: "text/csv",
      ResponseContentDisposition: 'attachment; filename="d.csv"',
      ResponseCacheControl: "no-store",
      ResponseContentLanguage: "rm",
      ResponseExpires: new Date(0),
    });
    expect(got).toMatchObject({
      ContentType: "text/csv",
      ContentDisposition: 'attachment; filename="d.csv"',
      CacheControl: "no-store",
      ContentLanguage: "rm",
      ExpiresString: "Thu, 01 Jan 1970 00:00:00 GMT",
    });
  });
});

describe("copy", () => {
  beforeAll(() =>
    s3.send(
      new PutObjectCommand({
        Bucket,
        Key: "from here/a+b.txt",
        Body: "original",
        ContentType: "text/plain",
        Metadata: { k: "v" },
      }),
    ),
  );
  const CopySource = `${Bucket}/${encodeURIComponent("from here/a+b.txt")}`;

  test("a copy has the bytes and what the source says of itself", async () => {
    const { CopyObjectResult } = await s3.send(new CopyObjectCommand({ Bucket, Key: "copy", CopySource }));
    const got = await s3.send(new GetObjectCommand({ Bucket, Key: "copy" }));
    expect(await got.Body?.transformToString()).toBe("original");
    expect(got).toMatchObject({
      ETag: CopyObjectResult?.ETag,
      ContentType: "text/plain",
      Metadata: { k: "v" },
    });
    expect(CopyObjectResult?.LastModified).toBeInstanceOf(Date);
  });

  test("with REPLACE it says what the request says, also onto itself", async () => {
    await s3.send(new CopyObjectCommand({ Bucket, Key: "twin", CopySource }));
    await s3.send(
      new CopyObjectCommand({
        Bucket,
        Key: "twin",
        CopySource: `/${Bucket}/twin`,
        MetadataDirective: "REPLACE",
        ContentType: "image/png",
        CacheControl: "max-age=9",
        Metadata: { n: "w" },
      }),
    );
    const got = await s3.send(new GetObjectCommand({ Bucket, Key: "twin" }));
    expect(await got.Body?.transformToString()).toBe("original");
    expect(got).toMatchObject({ ContentType: "image/png", CacheControl: "max-age=9", Metadata: { n: "w" } });
    await s3.send(
      new CopyObjectCommand({
        Bucket,
        Key: "bare",
        CopySource: `${Bucket}/twin`,
        MetadataDirective: "REPLACE",
      }),
    );
    expect(await s3.send(new GetObjectCommand({ Bucket, Key: "bare" }))).toMatchObject({
      ContentType: "binary/octet-stream",
      CacheControl: "no-cache",
      Metadata: {},
    });
  });

  test("conditions on the source decide whether it takes place", async () => {
    const { ETag } = await s3.send(new HeadObjectCommand({ Bucket, Key: "from here/a+b.txt" }));
    const copy = (conditions: object) =>
      s3.send(new CopyObjectCommand({ Bucket, Key: "conditional", CopySource, ...conditions }));
    const failed = [
      412,
      "PreconditionFailed",
      "At least one of the pre-conditions you specified did not hold",
    ];
    expect(await refused(copy({ CopySourceIfMatch: '"x"' }))).toEqual(failed);
    expect(await refused(copy({ CopySourceIfNoneMatch: ETag }))).toEqual(failed);
    expect(await refused(copy({ CopySourceIfUnmodifiedSince: new Date(0) }))).toEqual(failed);
    await copy({ CopySourceIfMatch: ETag, CopySourceIfModifiedSince: new Date(0) });
  });

  test("without a source that is there it is refused", async () => {
    const copy = (source: string) =>
      refused(s3.send(new CopyObjectCommand({ Bucket, Key: "x", CopySource: source })));
    expect(await copy(`${Bucket}/none`)).toEqual([404, "NoSuchKey", "Object not found"]);
    expect(await copy(Bucket)).toEqual([400, "MissingParameter", "Missing Required Parameter CopySource"]);
  });
});

describe("delete", () => {
  test("an object goes; one that is not there is no error, but a bucket that is not is one", async () => {
    await put("doomed");
    for (let times = 0; times < 2; times += 1) {
      const { $metadata } = await s3.send(new DeleteObjectCommand({ Bucket, Key: "doomed" }));
      expect($metadata.httpStatusCode).toBe(204);
    }
    expect((await refused(s3.send(new HeadObjectCommand({ Bucket, Key: "doomed" }))))[0]).toBe(404);
    const sent = s3.send(new DeleteObjectCommand({ Bucket: "none", Key: "a" }));
    expect(await refused(sent)).toEqual([404, "NoSuchBucket", "Bucket not found"]);
  });

  test("many go in one request, and names may have what XML must escape", async () => {
    await Promise.all([put("d/1"), put("d/a & b"), put("d/'q'")]);
    const Objects = ["d/1", "d/a & b", "d/'q'", "d/none <>"].map((Key) => ({ Key }));
    const done = await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
    expect(done.Deleted).toEqual(Objects);
    expect(done.Errors ?? []).toEqual([]);
    expect(must(await adminOf(backend).storage.from(Bucket).list("d"))).toEqual([]);
    const quiet = await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }));
    expect(quiet.Deleted ?? []).toEqual([]);
  });

  test("what is not XML is refused as that", async () => {
    const client = s3Of(backend);
    client.middlewareStack.add(
      (next) => (given) => {
        (given.request as { body: string }).body = "<Delete><Object></Delete>";
        return next(given);
      },
      { step: "serialize", priority: "low" },
    );
    const sent = client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key: "a" }] } }));
    expect((await refused(sent)).slice(0, 2)).toEqual([400, "MalformedXML"]);
    client.destroy();
  });
});

test("an object has no tags", async () => {
  await put("untagged");
  expect((await s3.send(new GetObjectTaggingCommand({ Bucket, Key: "untagged" }))).TagSet ?? []).toEqual([]);
});
