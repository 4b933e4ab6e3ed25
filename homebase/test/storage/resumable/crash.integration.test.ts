/** Resumable uploads with common clients, while the server is killed. */

import { randomBytes } from "node:crypto";
import { readdir, readFile, rename, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Upload, type UploadOptions } from "tus-js-client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { forThisFile } from "../../for-this-file.ts";
import { leasePorts } from "../../port-lease.ts";
import { ServerProcess } from "../disk/server-process.ts";
import { adminOf, ask, filesOf, must, storageBackend } from "../fixture.ts";

/** A client resumes at the same URL, so each start uses the same port. */
const PORT = 54_320 + leasePorts();

let server: ServerProcess;
const backend = await forThisFile(storageBackend());
beforeAll(async () => {
  must(await adminOf(backend).storage.createBucket("box", { public: false }));
  server = await ServerProcess.start(backend, { port: PORT });
});
afterAll(() => server.remove());

/** Uploads as Supabase's documentation shows it. */
function upload(
  url: string,
  key: string,
  body: Buffer,
  options: Partial<UploadOptions> = {},
): Promise<Upload> {
  return new Promise((resolve, reject) => {
    const made = new Upload(body, {
      endpoint: `${url}/storage/v1/upload/resumable`,
      retryDelays: [0, 100, 200, 400, 800, 1600, 3200, 6400, 12800, 25600],
      headers: { authorization: `Bearer ${backend.serviceRoleKey}` },
      uploadDataDuringCreation: true,
      removeFingerprintOnSuccess: true,
      metadata: { bucketName: "box", objectName: key, contentType: "video/mp4", cacheControl: "60" },
      chunkSize: 6 * 1024 * 1024,
      ...options,
      onError: reject,
      onSuccess: () => resolve(made),
    });
    made.start();
  });
}

async function bytesAt(url: string, key: string): Promise<Buffer> {
  const headers = { authorization: `Bearer ${backend.serviceRoleKey}` };
  const response = await fetch(`${url}/storage/v1/object/box/${key}`, { headers });
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "video/mp4"]);
  return Buffer.from(await response.arrayBuffer());
}

test("tus-js-client uploads in chunks of 6 MiB", async () => {
  const body = randomBytes(15 * 1024 * 1024);
  const chunks: number[] = [];
  await upload(backend.url, "whole.mp4", body, { onChunkComplete: (size) => void chunks.push(size) });
  expect(chunks).toEqual([6_291_456, 6_291_456, 3_145_728]);
  expect((await bytesAt(backend.url, "whole.mp4")).equals(body)).toBe(true);
});

test("an upload goes on by itself when the server is killed in the middle of it and comes back", async () => {
  const body = randomBytes(40 * 1024 * 1024);
  let killed: Promise<void> | undefined;
  let retries = 0;
  const uploading = upload(server.url, "killed.mp4", body, {
    // A single chunk with the whole body: its received part must count, too.
    chunkSize: Number.POSITIVE_INFINITY,
    onShouldRetry: () => {
      retries += 1;
      return true;
    },
    onProgress: (sent) => {
      if (sent > 8 * 1024 * 1024) killed ??= server.kill().then(() => server.start());
    },
  });
  await uploading;
  await killed;
  expect(killed).toBeDefined();
  expect(retries).toBeGreaterThan(0);
  expect((await bytesAt(server.url, "killed.mp4")).equals(body)).toBe(true);
}, 120_000);

test("what had arrived whole when the server ended becomes an object when the client asks how far it is", async () => {
  const location = await begin("whole-but-no-object.mp4", 5);
  await writeFile(join(backend.storageFolder, "uploads", location.version), "12345");
  const head = await fetch(location.url, { method: "HEAD", headers: TUS() });
  expect([head.status, head.headers.get("upload-offset")]).toEqual([200, "5"]);
  expect((await bytesAt(backend.url, "whole-but-no-object.mp4")).toString()).toBe("12345");
});

test("what had become an object when the server ended, but was not noted as that, is finished", async () => {
  const location = await begin("object-but-not-noted.mp4", 5);
  const done = await fetch(location.url, {
    method: "PATCH",
    headers: { ...TUS(), "upload-offset": "0", "content-type": "application/offset+octet-stream" },
    body: "12345",
  });
  expect([done.status, done.headers.get("tus-complete")]).toEqual([204, "1"]);
  const note = join(backend.storageFolder, "uploads", `${location.version}.json`);
  const { finished, ...before } = JSON.parse(await readFile(note, "utf8")) as { finished: boolean };
  expect(finished).toBe(true);
  await writeFile(`${note}.next`, JSON.stringify(before));
  await rename(`${note}.next`, note);
  const head = await fetch(location.url, { method: "HEAD", headers: TUS() });
  expect([head.status, head.headers.get("upload-offset")]).toEqual([200, "5"]);
});

test("after a day without a byte an upload is forgotten, and what is known of a finished one too", async () => {
  const old = await begin("old.mp4", 5);
  const uploads = join(backend.storageFolder, "uploads");
  const yesterday = new Date(backend.clock.now() - 25 * 60 * 60 * 1000);
  for (const name of await readdir(uploads)) await utimes(join(uploads, name), yesterday, yesterday);
  const kept = await begin("kept.mp4", 5);
  backend.clock.advance(61 * 60 * 1000);
  await begin("another.mp4", 5);
  const known = async () => (await filesOf(backend)).filter((path) => path.includes("/uploads/"));
  await expect.poll(async () => (await known()).length).toBe(4);
  expect((await fetch(old.url, { method: "HEAD", headers: TUS() })).status).toBe(404);
  expect((await fetch(kept.url, { method: "HEAD", headers: TUS() })).status).toBe(200);
});

const TUS = () => ({ "tus-resumable": "1.0.0", authorization: `Bearer ${backend.serviceRoleKey}` });

/** Creates an upload without sending bytes. */
async function begin(objectName: string, length: number): Promise<{ url: string; version: string }> {
  const metadata = { bucketName: "box", objectName, contentType: "video/mp4" };
  const response = await ask(backend, "POST", "/upload/resumable", {
    headers: {
      "tus-resumable": "1.0.0",
      "upload-length": String(length),
      "upload-metadata": Object.entries(metadata)
        .map(([name, value]) => `${name} ${Buffer.from(value).toString("base64")}`)
        .join(","),
    },
  });
  expect(response.status).toBe(201);
  const url = response.headers.get("location") ?? "";
  const id = Buffer.from(url.split("/").at(-1) ?? "", "base64url").toString();
  return { url, version: id.split("/").at(-1) ?? "" };
}
