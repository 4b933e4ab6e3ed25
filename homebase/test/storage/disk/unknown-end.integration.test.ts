/** A lost connection is not the end of its transaction: what it may still commit keeps its bytes. */
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { Readable } from "node:stream";
import { beforeAll, expect, test } from "vitest";
import type { ServiceContext } from "../../../src/service-context.ts";
import { createStorage, RequestContext } from "../../../src/storage/dependencies.ts";
import { discardUnlessCommitted } from "../../../src/storage/objects/put.ts";
import { clientForThisFile, forThisFile } from "../../for-this-file.ts";
import { adminOf, must, storageBackend } from "../fixture.ts";

const backend = await forThisFile(storageBackend());
const other = await clientForThisFile(backend.databaseUrl);
beforeAll(async () => {
  must(await adminOf(backend).storage.createBucket("box", { public: false }));
});

test.each(["commit", "rollback"])("after its %s the bytes are what the row says", async (end) => {
  const { database } = backend.backend;
  const storage = createStorage({ database, storageFolder: backend.storageFolder } as ServiceContext, {});
  const key = `late-${randomUUID()}`;
  const { version } = await storage.files.write("box", key, Readable.from([Buffer.from("late")]), 1_000);
  const place = { bucket: "box", key, version };
  // As the service's own write does it, on a connection that it has lost.
  await other.query("begin");
  await other.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [`box/${key}`]);
  await other.query(
    "insert into storage.objects (bucket_id, name, version, metadata) values ('box', $1, $2, '{}')",
    [key, version],
  );
  const caller = { role: "service_role", subject: undefined, claims: {}, token: "" };
  const request = { headers: {}, method: "POST", path: `/object/box/${key}` };
  const context = new RequestContext(storage, request as never, caller, "storage.object.upload");
  const discarded = discardUnlessCommitted(context, place);
  const waiting = "select from pg_locks where locktype = 'advisory' and not granted";
  await expect.poll(async () => (await backend.sql(waiting)).length).toBe(1);
  expect(existsSync(storage.files.path(place))).toBe(true);
  await other.query(end);
  await discarded;
  expect(existsSync(storage.files.path(place))).toBe(end === "commit");
  await storage.files.remove("box", key, version);
});
