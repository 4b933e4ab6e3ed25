/** Bodies are received while access is checked: nothing of a rejected one is kept. */
import { randomBytes } from "node:crypto";
import { request } from "node:http";
import { beforeAll, expect, test } from "vitest";
import { forThisFile } from "../for-this-file.ts";
import {
  adminOf,
  answer,
  ask,
  BUCKET_NOT_FOUND,
  DUPLICATE,
  filesOf,
  must,
  RLS,
  storageBackend,
  TOO_LARGE,
  userToken,
} from "./fixture.ts";

const MEGABYTE = 1024 * 1024;
const backend = await forThisFile(storageBackend());
beforeAll(async () => {
  const { storage } = adminOf(backend);
  must(await storage.createBucket("box", { public: true }));
  must(await storage.createBucket("small", { public: true, fileSizeLimit: MEGABYTE }));
  must(await storage.from("box").upload("there", Buffer.from("old")));
});

test("refused bodies of any size leave no file, whatever they are refused for", async () => {
  const before = await filesOf(backend);
  const token = await userToken(backend);
  for (const size of [1, 100_000, 8 * MEGABYTE]) {
    const body = randomBytes(size);
    const post = (path: string, options: object = {}) =>
      answer(ask(backend, "POST", path, { body, ...options }));
    expect(await post("/object/box/new", { token })).toEqual(RLS);
    expect(await post("/object/none/new")).toEqual(BUCKET_NOT_FOUND);
    expect(await post("/object/box/there")).toEqual(DUPLICATE);
    if (size > MEGABYTE) expect(await post("/object/small/new")).toEqual(TOO_LARGE);
  }
  expect(await filesOf(backend)).toEqual(before);
});

/** Sends bytes without a length, and ends only on request. */
function sendSlowly(path: string, token: string) {
  const { promise, resolve, reject } = Promise.withResolvers<[number, string]>();
  const outgoing = request(`${backend.url}/storage/v1${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "transfer-encoding": "chunked" },
  });
  outgoing.on("error", reject);
  outgoing.on("response", (response) => {
    let text = "";
    response.setEncoding("utf8").on("data", (part: string) => {
      text += part;
    });
    response.on("end", () => resolve([response.statusCode ?? 0, text]));
  });
  return { outgoing, answered: promise };
}

test("a refusal does not wait for the end of the body", async () => {
  const { outgoing, answered } = sendSlowly("/object/box/slow", await userToken(backend));
  outgoing.write(randomBytes(1000));
  expect(await answered).toEqual(RLS);
  outgoing.destroy();
});

test("a body without a length is cut off where the bucket's limit is, though more were allowed elsewhere", async () => {
  const before = await filesOf(backend);
  const { outgoing, answered } = sendSlowly("/object/small/slow", backend.serviceRoleKey);
  outgoing.write(randomBytes(MEGABYTE));
  outgoing.write(randomBytes(1000));
  expect(await answered).toEqual(TOO_LARGE);
  outgoing.destroy();
  await expect.poll(() => filesOf(backend)).toEqual(before);
});

test("of many at once for one key each whole body is there or none, and one file is left", async () => {
  const bodies = Array.from({ length: 12 }, (_, index) => Buffer.alloc(200_000, index));
  const answers = await Promise.all(
    bodies.map((body) =>
      ask(backend, "POST", "/object/box/raced", { body, headers: { "x-upsert": "true" } }),
    ),
  );
  expect(answers.map((one) => one.status)).toEqual(bodies.map(() => 200));
  const got = Buffer.from(await (await ask(backend, "GET", "/object/public/box/raced")).arrayBuffer());
  expect(bodies.some((body) => body.equals(got))).toBe(true);
  const rows = await backend.sql<{ version: string }>("select version from storage.objects");
  const versions = async () => (await filesOf(backend)).map((path) => path.split("/").at(-1)).sort();
  await expect.poll(versions).toEqual(rows.map((row) => row.version).sort());
});
