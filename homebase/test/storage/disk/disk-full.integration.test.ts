/** A full disk: the error says so, existing data is kept, and a rejected upload leaves nothing. */
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { createClient } from "@supabase/supabase-js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkStorage } from "../../../src/storage/objects/consistency-check.ts";
import { refused, s3Of } from "../../../wings/s3/test/clients.ts";
import { storageBackend } from "../../../wings/testing.ts";
import { forThisFile } from "../../for-this-file.ts";
import { adminOf, answer, must, refusal } from "../fixture.ts";
import { ServerProcess } from "./server-process.ts";

const MEGABYTE = 1024 * 1024;
const TEXT = "The disk is full. Free some space, then try again.";
const FULL = refusal(507, "507", "Insufficient Storage", TEXT, "InsufficientStorage");

let server: ServerProcess;
let folder: string;
let mounted = false;

const backend = await forThisFile(storageBackend());
beforeAll(async () => {
  must(await adminOf(backend).storage.createBucket("box", { public: false }));
  folder = await mkdtemp(join(tmpdir(), "homebase-small-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=6m", "tmpfs", folder], { stdio: "ignore" });
    mounted = true;
  } catch {
    // Only root can mount a small disk: otherwise a file size limit fails at the same place.
  }
  server = await ServerProcess.start(backend, { folder, ...(mounted ? {} : { blocks: 12 * 1024 }) });
});
afterAll(async () => {
  await server.kill();
  if (mounted) execFileSync("umount", [folder]);
  await rm(folder, { recursive: true, force: true });
});

const headers = () => ({ authorization: `Bearer ${backend.serviceRoleKey}` });
const put = (key: string, body: Buffer) =>
  fetch(`${server.url}/storage/v1/object/box/${key}`, { method: "PUT", headers: headers(), body });
const get = async (key: string) =>
  Buffer.from(
    await (await fetch(`${server.url}/storage/v1/object/box/${key}`, { headers: headers() })).arrayBuffer(),
  );
async function filesOnDisk(): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

test("an upload is refused, what was there stays, and a smaller one still fits", async () => {
  const kept = randomBytes(MEGABYTE);
  expect((await put("kept", kept)).status).toBe(200);
  const before = await filesOnDisk();
  const tooMuch = randomBytes(8 * MEGABYTE);
  expect(await answer(put("new", tooMuch))).toEqual(FULL);
  expect(await answer(put("kept", tooMuch))).toEqual(FULL);
  expect(await filesOnDisk()).toEqual(before);
  expect((await get("kept")).equals(kept)).toBe(true);
  expect((await put("small", Buffer.from("fits"))).status).toBe(200);
  expect(
    await checkStorage({ database: backend.database, storageFolder: folder }, { hash: true }),
  ).toMatchObject({
    objects: 2,
    missing: [],
    damaged: [],
    orphans: [],
    unfinished: [],
  });
});

test("a resumable upload keeps what has arrived, and goes once it is ended", async () => {
  const created = await fetch(`${server.url}/storage/v1/upload/resumable`, {
    method: "POST",
    headers: {
      ...headers(),
      "tus-resumable": "1.0.0",
      "upload-length": String(8 * MEGABYTE),
      "upload-metadata": `bucketName ${btoa("box")},objectName ${btoa("resumed")}`,
    },
  });
  const location = created.headers.get("location") ?? "";
  const at = (method: string, extra: Record<string, string> = {}, body?: Buffer) =>
    fetch(location, {
      method,
      headers: { ...headers(), "tus-resumable": "1.0.0", ...extra },
      ...(body ? { body } : {}),
    });
  const patch = { "upload-offset": "0", "content-type": "application/offset+octet-stream" };
  expect(await answer(at("PATCH", patch, randomBytes(8 * MEGABYTE)))).toEqual([507, TEXT]);
  const offset = Number((await at("HEAD")).headers.get("upload-offset"));
  expect(offset).toBeGreaterThan(MEGABYTE);
  expect(offset).toBeLessThan(8 * MEGABYTE);
  expect((await at("DELETE")).status).toBe(204);
  expect((await put("after", randomBytes(MEGABYTE))).status).toBe(200);
});

test("S3 says the same in its own way, and keeps no part of a part", async () => {
  const s3 = s3Of(backend, { endpoint: `${server.url}/storage/v1/s3` });
  const at = { Bucket: "box", Key: "s3" };
  const Body = randomBytes(8 * MEGABYTE);
  expect(await refused(s3.send(new PutObjectCommand({ ...at, Body })))).toEqual([
    507,
    "InsufficientStorage",
    TEXT,
  ]);
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand(at));
  const before = await filesOnDisk();
  const part = new UploadPartCommand({ ...at, UploadId, PartNumber: 1, Body });
  expect(await refused(s3.send(part))).toEqual([507, "InsufficientStorage", TEXT]);
  expect(await filesOnDisk()).toEqual(before);
  s3.destroy();
});

test("every route that writes a file answers 507 on a disk without a free block (needs root)", async ({
  skip,
}) => {
  skip(!mounted, "only root can mount a small disk");
  const s3 = s3Of(backend, { endpoint: `${server.url}/storage/v1/s3` });
  const at = { Bucket: "box", Key: "late" };
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand(at));
  const Body = randomBytes(MEGABYTE);
  const { ETag } = await s3.send(new UploadPartCommand({ ...at, UploadId, PartNumber: 1, Body }));
  const api = createClient(server.url, backend.serviceRoleKey, { auth: { persistSession: false } }).storage;
  const { token } = must(await api.from("box").createSignedUploadUrl("signed"));
  const filler = join(folder, "filler");
  await writeFile(filler, randomBytes(8 * MEGABYTE)).catch(() => undefined);
  const status = async ({ error }: { error: unknown }) =>
    (error as { status?: number } | null)?.status ?? 200;
  const form = new FormData();
  form.set("", new Blob([Body]));
  const parts = { Parts: [{ PartNumber: 1, ETag }] };
  const attempts: Record<string, Promise<unknown>> = {
    upload: status(await api.from("box").upload("new", Body)),
    form: fetch(`${server.url}/storage/v1/object/box/form`, {
      method: "POST",
      headers: headers(),
      body: form,
    }).then((response) => response.status),
    replacement: status(await api.from("box").update("small", Body)),
    signed: status(await api.from("box").uploadToSignedUrl("signed", token, Body)),
    resumable: fetch(`${server.url}/storage/v1/upload/resumable`, {
      method: "POST",
      headers: {
        ...headers(),
        "tus-resumable": "1.0.0",
        "upload-length": "10",
        "upload-metadata": `bucketName ${btoa("box")},objectName ${btoa("resumed")}`,
      },
    }).then((response) => response.status),
    put: refused(s3.send(new PutObjectCommand({ ...at, Body }))).then(([code]) => code),
    part: refused(s3.send(new UploadPartCommand({ ...at, UploadId, PartNumber: 2, Body }))).then(
      ([code]) => code,
    ),
    complete: refused(
      s3.send(new CompleteMultipartUploadCommand({ ...at, UploadId, MultipartUpload: parts })),
    ).then(([code]) => code),
  };
  for (const [route, attempt] of Object.entries(attempts))
    expect([route, await attempt]).toEqual([route, 507]);
  await rm(filler);
  expect((await put("after", Body)).status).toBe(200);
  s3.destroy();
});
