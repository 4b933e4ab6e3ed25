/** Purging the CDN cache: access and validation; there is no CDN to purge. */
import { beforeAll, expect, test } from "vitest";
import { forThisFile } from "../for-this-file.ts";
import { adminOf, answer, ask, invalidKey, must, refusal, storageBackend, userToken } from "./fixture.ts";

const backend = await forThisFile(storageBackend());
beforeAll(async () => {
  const { storage } = adminOf(backend);
  must(await storage.createBucket("box", { public: true }));
  must(await storage.from("box").upload("a/b.txt", Buffer.from("x")));
});

const purge = (path: string, token?: string | null) =>
  answer(ask(backend, "DELETE", path, token === undefined ? {} : { token }));

test.each(["/cdn", "/cdn/", "/cdn/box", "/cdn/box?transformations=true", "/cdn/box/a/b.txt"])(
  "DELETE %s succeeds for the service",
  async (path) => {
    expect(await purge(path)).toEqual([200, '{"message":"success"}']);
  },
);

test("an object that does not exist may be purged, for a cache may still have it; no name at all is refused", async () => {
  expect(await purge("/cdn/box/none")).toEqual([200, '{"message":"success"}']);
  expect(await purge("/cdn/box/")).toEqual(invalidKey(""));
});

test("nobody but the service may", async () => {
  const denied = refusal(403, "403", "Unauthorized", "Access denied: Invalid role", "AccessDenied");
  for (const token of [backend.anonKey, await userToken(backend)]) {
    expect(await purge("/cdn/box/a/b.txt", token)).toEqual(denied);
    expect(await purge("/cdn", token)).toEqual(denied);
  }
  expect(await purge("/cdn", "not.a.token")).toEqual(
    refusal(400, "403", "Unauthorized", "Invalid Compact JWS", "AccessDenied"),
  );
});
