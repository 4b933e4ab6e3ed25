/** Tests conditions of S3 requests, and that parts of S3 which Storage does not have answer 501 and change nothing. */
import {
  DeleteObjectTaggingCommand,
  GetBucketLifecycleConfigurationCommand,
  GetObjectAclCommand,
  GetObjectCommand,
  ListObjectVersionsCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  PutObjectTaggingCommand,
} from "@aws-sdk/client-s3";
import { afterAll, beforeAll, expect, test } from "vitest";
import { forThisFile } from "../../../test/for-this-file.ts";
import { adminOf, must } from "../../../test/storage/fixture.ts";
import { storageBackend } from "../../testing.ts";
import { refused, s3Of } from "./clients.ts";

const Bucket = "not-carried";
const Key = "kept";

const backend = await forThisFile(storageBackend());
const s3 = s3Of(backend);
beforeAll(async () => {
  must(await adminOf(backend).storage.createBucket(Bucket));
  await s3.send(new PutObjectCommand({ Bucket, Key, Body: "original" }));
});
afterAll(() => s3.destroy());

const get = (conditions: object = {}) => s3.send(new GetObjectCommand({ Bucket, Key, ...conditions }));
const content = async (conditions?: object) => (await get(conditions)).Body?.transformToString();

test("a read whose condition does not hold is refused", async () => {
  const { ETag } = await get();
  const failed = [412, "PreconditionFailed", "At least one of the pre-conditions you specified did not hold"];
  expect(await refused(get({ IfMatch: '"other"' }))).toEqual(failed);
  expect(await refused(get({ IfUnmodifiedSince: new Date(0) }))).toEqual(failed);
  expect(await content({ IfMatch: ETag, IfUnmodifiedSince: new Date(0) })).toBe("original");
  expect(await content({ IfMatch: "*" })).toBe("original");
});

test.each([
  ["tags of an object", () => s3.send(new PutObjectTaggingCommand({ Bucket, Key, Tagging: { TagSet: [] } }))],
  ["removing tags", () => s3.send(new DeleteObjectTaggingCommand({ Bucket, Key }))],
  ["an access control list", () => s3.send(new GetObjectAclCommand({ Bucket, Key }))],
  ["versions of objects", () => s3.send(new ListObjectVersionsCommand({ Bucket }))],
  ["rules of expiration", () => s3.send(new GetBucketLifecycleConfigurationCommand({ Bucket }))],
  [
    "versioning of a new bucket",
    () =>
      s3.send(
        new PutBucketVersioningCommand({ Bucket: "made", VersioningConfiguration: { Status: "Enabled" } }),
      ),
  ],
])("%s are not carried", async (_what, command) => {
  const [status, code, message] = await refused(command());
  expect([status, code]).toEqual([501, "NotImplemented"]);
  expect(message).toMatch(/^Storage has no /);
  expect(await content()).toBe("original");
  expect((await adminOf(backend).storage.getBucket("made")).error).not.toBeNull();
});

test("a write on a condition is refused, because Storage would write in any case", async () => {
  const write = (conditions: object) =>
    refused(s3.send(new PutObjectCommand({ Bucket, Key, Body: "changed", ...conditions })));
  for (const conditions of [{ IfNoneMatch: "*" }, { IfMatch: '"other"' }]) {
    expect((await write(conditions)).slice(0, 2)).toEqual([501, "NotImplemented"]);
  }
  expect(await content()).toBe("original");
});
