/** Tests multipart uploads of the S3 protocol with the AWS SDK. */
import { createHash, randomBytes } from "node:crypto";
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  PutObjectCommand,
  UploadPartCommand,
  UploadPartCopyCommand,
} from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { forThisFile } from "../../../test/for-this-file.ts";
import { adminOf, filesOf, must } from "../../../test/storage/fixture.ts";
import { storageBackend } from "../../testing.ts";
import { refused, s3Of } from "./clients.ts";

const Bucket = "s3-uploads";
const NO_UPLOAD = [404, "NoSuchUpload", "Upload not found"];

const backend = await forThisFile(storageBackend());
const s3 = s3Of(backend);
beforeAll(async () => {
  must(await adminOf(backend).storage.createBucket(Bucket));
});
afterAll(() => s3.destroy());

const begin = async (Key: string, options: object = {}) => {
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key, ...options }));
  if (!UploadId) throw new Error("No upload.");
  return UploadId;
};
const send = (Key: string, UploadId: string, PartNumber: number, Body: Buffer) =>
  s3.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body }));
const complete = (
  Key: string,
  UploadId: string,
  Parts?: { PartNumber: number; ETag?: string | undefined }[],
) =>
  s3.send(
    new CompleteMultipartUploadCommand({
      Bucket,
      Key,
      UploadId,
      ...(Parts ? { MultipartUpload: { Parts } } : {}),
    }),
  );
const bytesOf = async (Key: string) => {
  const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
  return Buffer.from((await Body?.transformToByteArray()) ?? []);
};
const partFiles = async () => (await filesOf(backend)).filter((path) => path.includes("/parts/"));

describe("from begin to end", () => {
  test("parts sent in any order become one object, and nothing else is left", async () => {
    const Key = "film.mp4";
    const UploadId = await begin(Key, {
      ContentType: "video/mp4",
      CacheControl: "max-age=5",
      Metadata: { k: "v" },
    });
    const bodies = [randomBytes(9000), randomBytes(70_000), randomBytes(10)];
    const Parts = await Promise.all(
      [3, 1, 2].map(async (PartNumber) => {
        const { ETag } = await send(Key, UploadId, PartNumber, bodies[PartNumber - 1] ?? Buffer.alloc(0));
        return { PartNumber, ETag };
      }),
    );
    expect(Parts[1]?.ETag).toBe(
      `"${createHash("md5")
        .update(bodies[0] ?? "")
        .digest("hex")}"`,
    );
    const done = await complete(Key, UploadId, Parts);
    expect(done).toMatchObject({ Bucket, Key, Location: `${Bucket}/${Key}` });
    const got = await s3.send(new GetObjectCommand({ Bucket, Key }));
    expect(Buffer.from((await got.Body?.transformToByteArray()) ?? [])).toEqual(Buffer.concat(bodies));
    expect(got).toMatchObject({
      ETag: done.ETag,
      ContentType: "video/mp4",
      CacheControl: "max-age=5",
      Metadata: { k: "v" },
    });
    expect(await partFiles()).toEqual([]);
    expect(await refused(complete(Key, UploadId, Parts))).toEqual(NO_UPLOAD);
  });

  test("a large body goes up in parts by AWS's own helper", async () => {
    const Body = randomBytes(11 * 1024 * 1024);
    await new Upload({ client: s3, params: { Bucket, Key: "large", Body } }).done();
    expect((await bytesOf("large")).equals(Body)).toBe(true);
  });

  test("a part sent anew takes the place of the one before", async () => {
    const UploadId = await begin("anew");
    await send("anew", UploadId, 1, Buffer.from("old and longer"));
    const { ETag } = await send("anew", UploadId, 1, Buffer.from("new"));
    const { Parts } = await s3.send(new ListPartsCommand({ Bucket, Key: "anew", UploadId }));
    expect(Parts).toEqual([{ PartNumber: 1, ETag, Size: 3, LastModified: expect.any(Date) }]);
    expect(await partFiles()).toHaveLength(1);
    await complete("anew", UploadId);
    expect((await bytesOf("anew")).toString()).toBe("new");
  });

  test("only the named parts count, and they must be those that were sent", async () => {
    const UploadId = await begin("named");
    const [one, two] = [
      await send("named", UploadId, 1, Buffer.from("1")),
      await send("named", UploadId, 2, Buffer.from("2")),
    ];
    expect(await refused(complete("named", UploadId, [{ PartNumber: 3, ETag: one.ETag }]))).toEqual([
      400,
      "MissingPart",
      `Part 3 is missing for upload id ${UploadId}`,
    ]);
    expect(await refused(complete("named", UploadId, [{ PartNumber: 1, ETag: two.ETag }]))).toEqual([
      400,
      "InvalidChecksum",
      "Invalid ETag for part 1",
    ]);
    await complete("named", UploadId, [{ PartNumber: 2, ETag: two.ETag }]);
    expect((await bytesOf("named")).toString()).toBe("2");
  });

  test("giving up removes parts; an upload belongs to its object alone", async () => {
    const UploadId = await begin("given-up");
    await send("given-up", UploadId, 1, Buffer.from("x"));
    const other = { Bucket, Key: "other", UploadId };
    expect(await refused(s3.send(new AbortMultipartUploadCommand(other)))).toEqual(NO_UPLOAD);
    expect(await refused(s3.send(new ListPartsCommand(other)))).toEqual(NO_UPLOAD);
    await s3.send(new AbortMultipartUploadCommand({ ...other, Key: "given-up" }));
    expect(await partFiles()).toEqual([]);
    expect(await refused(send("given-up", UploadId, 1, Buffer.from("x")))).toEqual(NO_UPLOAD);
  });

  test("a bucket with an unfinished upload cannot go", async () => {
    must(await adminOf(backend).storage.createBucket("s3-busy"));
    await s3.send(new CreateMultipartUploadCommand({ Bucket: "s3-busy", Key: "a" }));
    const [status, code] = await refused(s3.send(new DeleteBucketCommand({ Bucket: "s3-busy" })));
    expect([status, code]).toEqual([409, "ResourceReferenced"]);
  });

  test("an upload that nobody completes is forgotten after a day", async () => {
    const UploadId = await begin("forgotten");
    await send("forgotten", UploadId, 1, Buffer.from("x"));
    backend.clock.advance(25 * 60 * 60 * 1000);
    await begin("later");
    await expect.poll(partFiles).toEqual([]);
    expect(await refused(send("forgotten", UploadId, 1, Buffer.from("x")))).toEqual(NO_UPLOAD);
  });
});

describe("limits", () => {
  test("all parts together may not be longer than an object, and the one too many leaves nothing", async () => {
    must(await adminOf(backend).storage.createBucket("s3-tight", { public: false, fileSizeLimit: 100 }));
    const at = { Bucket: "s3-tight", Key: "a" };
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand(at));
    const part = (PartNumber: number, size: number) =>
      s3.send(new UploadPartCommand({ ...at, UploadId, PartNumber, Body: Buffer.alloc(size) }));
    await part(1, 60);
    expect(await refused(part(2, 41))).toEqual([
      413,
      "EntityTooLarge",
      "The object exceeded the maximum allowed size",
    ]);
    await part(2, 40);
    await part(1, 10);
    await part(3, 50);
    const { Parts } = await s3.send(new ListPartsCommand({ ...at, UploadId }));
    expect(Parts?.map((one) => one.Size)).toEqual([10, 40, 50]);
  });

  test("a part's number is from 1 to 10000", async () => {
    const UploadId = await begin("numbers");
    expect(await refused(send("numbers", UploadId, 10_001, Buffer.from("a")))).toEqual([
      400,
      "InvalidRequest",
      "Querystring, partNumber must be <= 10000",
    ]);
  });

  test("the type is checked when the upload begins", async () => {
    must(
      await adminOf(backend).storage.createBucket("s3-typed", {
        public: false,
        allowedMimeTypes: ["image/*"],
      }),
    );
    const create = (ContentType: string) =>
      s3.send(new CreateMultipartUploadCommand({ Bucket: "s3-typed", Key: "a", ContentType }));
    expect((await refused(create("text/plain"))).slice(0, 2)).toEqual([415, "InvalidMimeType"]);
    await create("image/gif");
  });
});

describe("copied parts", () => {
  test("a part may be a range of an object, or all of it", async () => {
    await s3.send(new PutObjectCommand({ Bucket, Key: "source", Body: "0123456789" }));
    const UploadId = await begin("copied");
    const copy = (PartNumber: number, CopySourceRange?: string) =>
      s3.send(
        new UploadPartCopyCommand({
          Bucket,
          Key: "copied",
          UploadId,
          PartNumber,
          CopySource: `${Bucket}/source`,
          ...(CopySourceRange ? { CopySourceRange } : {}),
        }),
      );
    const { CopyPartResult } = await copy(1, "bytes=2-4");
    expect(CopyPartResult).toEqual({
      ETag: expect.stringMatching(/^"[0-9a-f]{32}"$/),
      LastModified: expect.any(Date),
    });
    await copy(2);
    expect((await refused(copy(3, "bytes=2-10"))).slice(0, 2)).toEqual([400, "InvalidRange"]);
    await complete("copied", UploadId);
    expect((await bytesOf("copied")).toString()).toBe("2340123456789");
  });
});

describe("lists", () => {
  test("uploads come by key, folded by the delimiter, page by page", async () => {
    const at = { Bucket: "s3-open" };
    must(await adminOf(backend).storage.createBucket(at.Bucket));
    for (const Key of ["t/1", "t/2", "b", "a"])
      await s3.send(new CreateMultipartUploadCommand({ ...at, Key }));
    const list = (options: object) => s3.send(new ListMultipartUploadsCommand({ ...at, ...options }));
    const keys = (page: Awaited<ReturnType<typeof list>>) => [
      ...(page.Uploads ?? []).map((one) => one.Key),
      ...(page.CommonPrefixes ?? []).map((one) => one.Prefix),
    ];
    expect(keys(await list({}))).toEqual(["a", "b", "t/1", "t/2"]);
    expect(keys(await list({ Delimiter: "/" }))).toEqual(["a", "b", "t/"]);
    expect(keys(await list({ Prefix: "t/" }))).toEqual(["t/1", "t/2"]);
    const first = await list({ Delimiter: "/", MaxUploads: 2 });
    expect([keys(first), first.IsTruncated]).toEqual([["a", "b"], true]);
    const second = await list({ Delimiter: "/", MaxUploads: 2, KeyMarker: first.NextKeyMarker });
    expect([keys(second), second.IsTruncated]).toEqual([["t/"], false]);
    expect(await refused(list({ MaxUploads: 1001 }))).toEqual([
      400,
      "InvalidParameter",
      "Invalid Parameter MaxUploads",
    ]);
  });

  test("parts come by number, page by page", async () => {
    const UploadId = await begin("pages");
    for (const number of [3, 1, 2]) await send("pages", UploadId, number, Buffer.from("x"));
    const list = (options: object) =>
      s3.send(new ListPartsCommand({ Bucket, Key: "pages", UploadId, ...options }));
    const first = await list({ MaxParts: 2 });
    expect(first.Parts?.map((part) => part.PartNumber)).toEqual([1, 2]);
    const second = await list({ MaxParts: 2, PartNumberMarker: first.NextPartNumberMarker });
    expect([second.Parts?.map((part) => part.PartNumber), second.IsTruncated]).toEqual([[3], false]);
  });
});
