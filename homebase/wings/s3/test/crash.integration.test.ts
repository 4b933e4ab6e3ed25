/** Multipart S3 uploads while the server is killed: acknowledged data is kept, the rest is removed. */

import { randomBytes } from "node:crypto";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  ListPartsCommand,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkStorage } from "../../../src/storage/objects/consistency-check.ts";
import { forThisFile } from "../../../test/for-this-file.ts";
import { leasePorts } from "../../../test/port-lease.ts";
import { ServerProcess } from "../../../test/storage/disk/server-process.ts";
import { adminOf, must } from "../../../test/storage/fixture.ts";
import { storageBackend } from "../../testing.ts";
import { s3Of } from "./clients.ts";

const MEGABYTE = 1024 * 1024;
const PORT = 54_320 + leasePorts();
const AT = { Bucket: "box", Key: "film" };

let server: ServerProcess;
const backend = await forThisFile(storageBackend());
beforeAll(async () => {
  must(await adminOf(backend).storage.createBucket(AT.Bucket, { public: false }));
  server = await ServerProcess.start(backend, { port: PORT });
});
afterAll(() => server.remove());

const filesOf = async (folder: string) =>
  (await readdir(join(server.folder, folder), { recursive: true, withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name);
const check = () =>
  checkStorage({ database: backend.database, storageFolder: server.folder }, { hash: true });

test("an upload goes on where it was, and a check finds nothing amiss at any time", async () => {
  const s3 = s3Of(backend, { endpoint: `${server.url}/storage/v1/s3` });
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand(AT));
  const bodies = [randomBytes(6 * MEGABYTE), randomBytes(24 * MEGABYTE)];
  const send = (PartNumber: number) =>
    s3.send(new UploadPartCommand({ ...AT, UploadId, PartNumber, Body: bodies[PartNumber - 1] }));
  await send(1);

  const interrupted = send(2).then(
    () => "sent",
    () => "broken",
  );
  await expect.poll(() => filesOf("tmp")).toHaveLength(1);
  await server.kill();
  expect(await interrupted).toBe("broken");
  await server.start();
  await expect.poll(() => filesOf("tmp")).toEqual([]);
  const { Parts } = await s3.send(new ListPartsCommand({ ...AT, UploadId }));
  expect(Parts?.map((part) => part.Size)).toEqual([6 * MEGABYTE]);
  expect(await check()).toMatchObject({ parts: 1, missing: [], damaged: [], orphans: [], unfinished: [] });

  await send(2);
  await s3.send(new CompleteMultipartUploadCommand({ ...AT, UploadId }));
  const { Body } = await s3.send(new GetObjectCommand(AT));
  expect(Buffer.from((await Body?.transformToByteArray()) ?? []).equals(Buffer.concat(bodies))).toBe(true);
  expect(await check()).toMatchObject({ objects: 1, parts: 0, missing: [], damaged: [], orphans: [] });
  s3.destroy();
}, 120_000);

test("parts of an upload that there is not are removed at the next start", async () => {
  const folder = join(server.folder, "parts", "8d1f2b74-5a0e-4c57-9f6e-0d7c5a3b1e22");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "1-900150983cd24fb0d6963f7d28e17f72"), "abc");
  expect((await check()).orphans).toEqual([folder]);
  await server.kill();
  await server.start();
  await expect.poll(() => filesOf("parts")).toEqual([]);
  expect((await check()).orphans).toEqual([]);
});
