/** Files that are stored compressed: every way of an upload keeps their coding, and every reader is told it. */
import { brotliCompressSync, gzipSync } from "node:zlib";
import { beforeAll, expect, test } from "vitest";
import { forThisFile } from "../for-this-file.ts";
import { adminOf, must, storageBackend } from "./fixture.ts";

const TEXT = "compressed ".repeat(1_000);
const backend = await forThisFile(storageBackend());
const files = () => adminOf(backend).storage.from("files");
beforeAll(async () => {
  must(await adminOf(backend).storage.createBucket("files", { public: true }));
});

/** As anybody reads it: fetch decodes what the header names. */
async function read(key: string) {
  const response = await fetch(`${backend.url}/storage/v1/object/public/files/${key}`);
  return { coding: response.headers.get("content-encoding"), text: await response.text() };
}

const form = (fields: Record<string, string>) => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append("", new Blob([gzipSync(TEXT)], { type: "text/plain" }));
  return form;
};

test.each([
  ["a buffer", () => gzipSync(TEXT)],
  ["a form, whose field follows the file", () => new Blob([gzipSync(TEXT)], { type: "text/plain" })],
  ["a form of the caller's own", () => form({ contentEncoding: "gzip" })],
])("%s keeps its coding", async (name, body) => {
  const key = `${name}.txt`;
  must(await files().upload(key, body(), { contentType: "text/plain", contentEncoding: "gzip" }));
  expect(await read(key)).toEqual({ coding: "gzip", text: TEXT });
  expect(await must(await files().info(key))).toMatchObject({ contentEncoding: "gzip" });
  const head = await fetch(`${backend.url}/storage/v1/object/public/files/${key}`, { method: "HEAD" });
  expect(head.headers.get("content-encoding")).toBe("gzip");
});

test("a signed upload, a replacement and a copy keep it, and without one there is none", async () => {
  const { token, path } = must(await files().createSignedUploadUrl("signed.txt"));
  must(await files().uploadToSignedUrl(path, token, brotliCompressSync(TEXT), { contentEncoding: "br" }));
  expect(await read("signed.txt")).toEqual({ coding: "br", text: TEXT });
  must(await files().copy("signed.txt", "copy.txt"));
  expect(await read("copy.txt")).toEqual({ coding: "br", text: TEXT });
  must(await files().update("copy.txt", Buffer.from(TEXT)));
  expect(await read("copy.txt")).toEqual({ coding: null, text: TEXT });
  expect(await must(await files().info("copy.txt"))).toMatchObject({ contentEncoding: null });
});

test.each(["gzip\r\nx-evil: 1", "a b", "é", "gzip,,br", "x".repeat(40)])(
  "%j is no coding",
  async (coding) => {
    const { error } = await files().upload("refused.txt", form({ contentEncoding: coding }));
    expect(error).toMatchObject({ message: "The content encoding is no list of codings, e.g. gzip" });
    expect((await files().info("refused.txt")).error).toBeTruthy();
  },
);
