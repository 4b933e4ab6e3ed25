/** Tests buckets and listing over the S3 protocol with the AWS SDK. */
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  GetBucketLocationCommand,
  GetBucketVersioningCommand,
  HeadBucketCommand,
  ListBucketsCommand,
  ListObjectsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  paginateListObjectsV2,
} from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { forThisFile } from "../../../test/for-this-file.ts";
import { adminOf, must } from "../../../test/storage/fixture.ts";
import { storageBackend } from "../../testing.ts";
import { refused, s3Of } from "./clients.ts";

const backend = await forThisFile(storageBackend());
const s3 = s3Of(backend);
afterAll(() => s3.destroy());

describe("buckets", () => {
  test("one is made, seen, listed and removed", async () => {
    const Bucket = "Made-By-S3";
    expect((await s3.send(new CreateBucketCommand({ Bucket }))).Location).toBe(`/${Bucket}`);
    expect((await s3.send(new HeadBucketCommand({ Bucket }))).BucketRegion).toBe("local");
    const { Buckets } = await s3.send(new ListBucketsCommand({}));
    expect(Buckets).toEqual([{ Name: Bucket, CreationDate: expect.any(Date) }]);
    expect((await s3.send(new GetBucketLocationCommand({ Bucket }))).LocationConstraint).toBe("local");
    const versioning = await s3.send(new GetBucketVersioningCommand({ Bucket }));
    expect(versioning.Status).toBe("Suspended");
    expect((await s3.send(new DeleteBucketCommand({ Bucket }))).$metadata.httpStatusCode).toBe(204);
    expect((await refused(s3.send(new HeadBucketCommand({ Bucket }))))[0]).toBe(404);
  });

  test("it is public when its list of access says so", async () => {
    await s3.send(new CreateBucketCommand({ Bucket: "s3-public", ACL: "public-read" }));
    await s3.send(new CreateBucketCommand({ Bucket: "s3-private" }));
    const admin = adminOf(backend).storage;
    expect(must(await admin.getBucket("s3-public")).public).toBe(true);
    expect(must(await admin.getBucket("s3-private")).public).toBe(false);
  });

  test("twice the same name, a bad name, and one that is not empty are refused", async () => {
    await s3.send(new CreateBucketCommand({ Bucket: "s3-twice" }));
    expect(await refused(s3.send(new CreateBucketCommand({ Bucket: "s3-twice" })))).toEqual([
      409,
      "BucketAlreadyExists",
      "The resource already exists",
    ]);
    expect(await refused(s3.send(new CreateBucketCommand({ Bucket: "s3~bad" })))).toEqual([
      400,
      "InvalidBucketName",
      "Bucket name invalid",
    ]);
    await s3.send(new PutObjectCommand({ Bucket: "s3-twice", Key: "a", Body: "a" }));
    expect(await refused(s3.send(new DeleteBucketCommand({ Bucket: "s3-twice" })))).toEqual([
      409,
      "ResourceNotEmpty",
      "The bucket you tried to delete is not empty",
    ]);
    expect(await refused(s3.send(new DeleteBucketCommand({ Bucket: "none" })))).toEqual([
      404,
      "NoSuchBucket",
      "Bucket not found",
    ]);
  });
});

describe("lists", () => {
  const Bucket = "s3-listed";
  const KEYS = ["a b&c.txt", "dir/1", "dir/2", "dir/sub/3", "dir2/4", "e"];
  beforeAll(async () => {
    await s3.send(new CreateBucketCommand({ Bucket }));
    await adminOf(backend).storage.from(Bucket).upload("e", Buffer.from("12345"));
    for (const Key of KEYS.filter((key) => key !== "e")) {
      await s3.send(new PutObjectCommand({ Bucket, Key, Body: Key }));
    }
  });
  const list = (options: object) => s3.send(new ListObjectsV2Command({ Bucket, ...options }));
  const names = (page: { Contents?: { Key?: string }[] | undefined }) =>
    page.Contents?.map((one) => one.Key) ?? [];
  const prefixes = (page: { CommonPrefixes?: { Prefix?: string }[] | undefined }) =>
    page.CommonPrefixes?.map((one) => one.Prefix) ?? [];

  test("all keys come in the order of their bytes, with size, ETag and date", async () => {
    const page = await list({});
    expect(names(page)).toEqual(KEYS);
    expect(page).toMatchObject({ Name: Bucket, KeyCount: KEYS.length, MaxKeys: 1000, IsTruncated: false });
    expect(page.Contents?.find((one) => one.Key === "e")).toEqual({
      Key: "e",
      Size: 5,
      ETag: '"827ccb0eea8a706c4c34a16891f84e7b"',
      LastModified: expect.any(Date),
      StorageClass: "STANDARD",
    });
  });

  test("a delimiter gathers what is behind it, under a prefix too", async () => {
    const top = await list({ Delimiter: "/" });
    expect([names(top), prefixes(top)]).toEqual([
      ["a b&c.txt", "e"],
      ["dir/", "dir2/"],
    ]);
    expect(top.KeyCount).toBe(4);
    const inner = await list({ Delimiter: "/", Prefix: "dir/" });
    expect([names(inner), prefixes(inner)]).toEqual([["dir/1", "dir/2"], ["dir/sub/"]]);
    const long = await list({ Delimiter: "ir", Prefix: "d" });
    expect([names(long), prefixes(long)]).toEqual([[], ["dir"]]);
  });

  test("pages follow one another by their token until there is none", async () => {
    const seen: string[] = [];
    const paginator = paginateListObjectsV2({ client: s3, pageSize: 1 }, { Bucket, Delimiter: "/" });
    for await (const page of paginator) {
      expect(page.KeyCount).toBe(1);
      seen.push(...names(page).map(String), ...prefixes(page).map(String));
    }
    expect(seen).toEqual(["a b&c.txt", "dir/", "dir2/", "e"]);
    expect(await refused(list({ ContinuationToken: "nonsense" }))).toEqual([
      400,
      "InvalidParameter",
      "Invalid Parameter continuation token",
    ]);
  });

  test("a list may start behind a key", async () => {
    expect(names(await list({ StartAfter: "dir/2" }))).toEqual(["dir/sub/3", "dir2/4", "e"]);
    const page = await list({ StartAfter: "dir/sub/3", Delimiter: "/", MaxKeys: 1 });
    expect([prefixes(page), page.IsTruncated]).toEqual([["dir2/"], true]);
  });

  test("names come percent-encoded when asked for", async () => {
    const page = await list({ EncodingType: "url", Prefix: "a b", MaxKeys: 1 });
    expect(page).toMatchObject({ EncodingType: "url", Prefix: "a%20b" });
    expect(names(page)).toEqual(["a%20b%26c.txt"]);
    expect(await refused(list({ EncodingType: "base64" }))).toEqual([
      400,
      "InvalidRequest",
      "Querystring, encoding-type must be equal to one of the allowed values",
    ]);
  });

  test("the first version of the list goes on by marker", async () => {
    const send = (options: object) => s3.send(new ListObjectsCommand({ Bucket, ...options }));
    const first = await send({ Delimiter: "/", MaxKeys: 2 });
    expect([names(first), prefixes(first), first.NextMarker]).toEqual([["a b&c.txt"], ["dir/"], "dir/"]);
    const second = await send({ Delimiter: "/", MaxKeys: 2, Marker: first.NextMarker });
    expect([names(second), prefixes(second), second.IsTruncated]).toEqual([["e"], ["dir2/"], false]);
    expect((await send({ MaxKeys: 1 })).NextMarker).toBeUndefined();
  });

  test("a bucket that is not there has no list", async () => {
    const sent = s3.send(new ListObjectsV2Command({ Bucket: "none" }));
    expect(await refused(sent)).toEqual([404, "NoSuchBucket", "Bucket not found"]);
  });
});
