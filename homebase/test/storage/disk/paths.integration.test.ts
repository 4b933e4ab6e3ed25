/** Rows written by arbitrary SQL: no version and no part's name leads out of the storage folder. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ListPartsCommand, UploadPartCommand } from "@aws-sdk/client-s3";
import { beforeAll, expect, test } from "vitest";
import { checkStorage } from "../../../src/storage/objects/consistency-check.ts";
import { s3Of } from "../../../wings/s3/test/clients.ts";
import { storageBackend } from "../../../wings/testing.ts";
import { forThisFile } from "../../for-this-file.ts";
import { adminOf, ask, must } from "../fixture.ts";

const SECRET = "not for anybody";
/**
 * Paths from a body's folder, a rendered image's, and the folder of parts, to a folder next to the storage
 * folder.
 */
const CLIMBS = ["../../../../outside.txt", "../../outside.txt", "../outside.txt"];

const backend = await forThisFile(storageBackend({}));
const outside = join(backend.storageFolder, "..", "outside.txt");
beforeAll(async () => {
  await writeFile(outside, SECRET);
  must(await adminOf(backend).storage.createBucket("box", { public: true }));
});

test("reading, rendering, copying, moving, overwriting, removing and checking stay inside", async () => {
  for (const [index, version] of CLIMBS.entries()) {
    const key = `climb-${index}`;
    const metadata = { size: SECRET.length, mimetype: "image/png", eTag: '"x"', cacheControl: "no-cache" };
    const insert = () =>
      backend.sql(
        `insert into storage.objects (bucket_id, name, version, metadata) values ('box', $1, $2, $3)
         on conflict (bucket_id, name) do update set version = excluded.version`,
        [key, version, metadata],
      );
    await insert();
    const answers = [
      await ask(backend, "GET", `/object/public/box/${key}`),
      await ask(backend, "GET", `/render/image/public/box/${key}?width=10`),
      await ask(backend, "POST", "/object/copy", {
        json: { bucketId: "box", sourceKey: key, destinationKey: `${key}-copy` },
      }),
      await ask(backend, "POST", "/object/move", {
        json: { bucketId: "box", sourceKey: key, destinationKey: `${key}-moved` },
      }),
    ];
    for (const answer of answers) {
      expect(answer.ok, key).toBe(false);
      expect(await answer.text()).not.toContain(SECRET);
    }
    const check = await checkStorage(
      { database: backend.database, storageFolder: backend.storageFolder },
      { hash: true },
    );
    expect(check.missing).toContainEqual({ bucket: "box", key });
    // A valid version replaces it; nothing is removed at the bad version's path.
    expect((await ask(backend, "PUT", `/object/box/${key}`, { body: "fine" })).status).toBe(200);
    await insert();
    expect((await ask(backend, "DELETE", `/object/box/${key}`)).status).toBe(200);
    expect(await readFile(outside, "utf8")).toBe(SECRET);
  }
});

test("parts of uploads that rows name are not looked for outside either", async () => {
  const upload = "../..";
  await backend.sql(
    `insert into storage.s3_multipart_uploads (id, bucket_id, key, upload_signature, version)
     values ($1, 'box', 'big', 'x', gen_random_uuid()::text)`,
    [upload],
  );
  await backend.sql(
    `insert into storage.s3_multipart_uploads_parts (upload_id, bucket_id, key, part_number, etag, size, version)
     values ($1, 'box', 'big', 1, '"../outside.txt"', $2, 'x')`,
    [upload, SECRET.length],
  );
  const check = await checkStorage({ database: backend.database, storageFolder: backend.storageFolder });
  expect(check.missing).toContainEqual({ bucket: "box", key: "big", part: 1 });
  const s3 = s3Of(backend);
  const at = { Bucket: "box", Key: "big", UploadId: upload };
  await expect(s3.send(new UploadPartCommand({ ...at, PartNumber: 1, Body: "x" }))).rejects.toThrow();
  await s3.send(new ListPartsCommand(at)).catch(() => undefined);
  await backend
    .sql("delete from storage.s3_multipart_uploads where id = $1", [upload])
    .catch(() => undefined);
  s3.destroy();
  expect(await readFile(outside, "utf8")).toBe(SECRET);
});
