/** A plan's photos as the unmodified client stores, signs and fetches them. */

import { expect, test } from "vitest";
import { createBackend, forThisFile } from "../../target/integration.ts";
import { clientOf, dataOf, people, plans, signedInEach } from "../people.ts";

const backend = await forThisFile(createBackend());
const [ana, ben] = await signedInEach(backend, "ana", "ben");

const bytes = Uint8Array.from({ length: 70_000 }, (_, index) => (index * 31) % 256);
const path = (name: string) => `${plans.dinner}/${people.ana}/${name}`;

async function fetched(url: string): Promise<{ status: number; type: string | null; body: Uint8Array }> {
  const response = await fetch(url);
  const body = new Uint8Array(await response.arrayBuffer());
  return { status: response.status, type: response.headers.get("content-type"), body };
}

test("a Blob goes up and comes back byte for byte to another person at the table", async () => {
  const blob = new Blob([bytes], { type: "image/webp" });
  const stored = dataOf(await ana.storage.from("plan-photos").upload(path("blob.webp"), blob));
  expect(stored.path).toBe(path("blob.webp"));
  const back = dataOf(await ben.storage.from("plan-photos").download(path("blob.webp")));
  expect(back.type).toBe("image/webp");
  expect(new Uint8Array(await back.arrayBuffer())).toEqual(bytes);
});

test("a File with a name of its own is stored under the path that was asked for", async () => {
  const file = new File([bytes], "IMG 0001.webp", { type: "image/webp" });
  dataOf(await ana.storage.from("plan-photos").upload(path("file.webp"), file));
  const { data } = await ana.storage.from("plan-photos").list(`${plans.dinner}/${people.ana}`);
  expect(data?.map((entry) => entry.name)).toContain("file.webp");
  expect(data?.find((entry) => entry.name === "file.webp")?.metadata).toMatchObject({
    size: bytes.length,
    mimetype: "image/webp",
  });
});

test("an upload does not replace a file unless it says so, and is bound to the bucket's types and size", async () => {
  const bucket = ana.storage.from("plan-photos");
  const blob = new Blob([bytes], { type: "image/webp" });
  dataOf(await bucket.upload(path("once.webp"), blob));
  expect((await bucket.upload(path("once.webp"), blob)).error).toMatchObject({ statusCode: "409" });
  const text = new Blob(["hello"], { type: "text/html" });
  expect((await bucket.upload(path("page.html"), text)).error).toMatchObject({ statusCode: "415" });
  const large = new Blob([new Uint8Array(2 * 1024 * 1024 + 1)], { type: "image/webp" });
  const avatar = await ana.storage.from("avatars").upload(`${people.ana}/large.webp`, large);
  expect(avatar.error).toMatchObject({ statusCode: "413" });
});

test("a signed address opens the file for whoever has it, until it expires", async () => {
  dataOf(
    await ana.storage
      .from("plan-photos")
      .upload(path("signed.webp"), new Blob([bytes], { type: "image/webp" })),
  );
  const { signedUrl } = dataOf(
    await ben.storage.from("plan-photos").createSignedUrl(path("signed.webp"), 60),
  );
  expect(await fetched(signedUrl)).toEqual({ status: 200, type: "image/webp", body: bytes });
  backend.clock.advance(61_000);
  try {
    expect((await fetched(signedUrl)).status).toBe(400);
  } finally {
    backend.clock.advance(-61_000);
  }
});

test("a signed address opens only the file that it was made for", async () => {
  const { signedUrl } = dataOf(
    await ana.storage.from("plan-photos").createSignedUrl(path("signed.webp"), 60),
  );
  expect((await fetched(signedUrl.replace("signed.webp", "blob.webp"))).status).toBe(400);
  expect((await fetched(`${signedUrl}x`)).status).toBe(400);
});

test("many addresses are signed at once, and a file that is not there says so in its own row", async () => {
  const signed = dataOf(
    await ben.storage.from("plan-photos").createSignedUrls([path("blob.webp"), path("never.webp")], 60),
  );
  expect(signed.map((one) => one.error === null)).toEqual([true, false]);
  expect((await fetched(signed[0]?.signedUrl ?? "")).status).toBe(200);
});

test("a signed upload address lets its holder store that one file", async () => {
  const bucket = ana.storage.from("plan-photos");
  const { token } = dataOf(await bucket.createSignedUploadUrl(path("by-token.webp")));
  const nobody = clientOf(backend).storage.from("plan-photos");
  const blob = new Blob([bytes], { type: "image/webp" });
  expect((await nobody.uploadToSignedUrl(path("elsewhere.webp"), token, blob)).error).not.toBeNull();
  dataOf(await nobody.uploadToSignedUrl(path("by-token.webp"), token, blob));
  expect(dataOf(await bucket.info(path("by-token.webp"))).size).toBe(bytes.length);
});

test("avatars of the seed are public, photos of the seed are not", async () => {
  const anyone = clientOf(backend);
  const avatar = anyone.storage.from("avatars").getPublicUrl(`${people.ana}/avatar.webp`).data.publicUrl;
  expect(await fetched(avatar)).toMatchObject({ status: 200, type: "image/webp" });
  const photo = anyone.storage.from("plan-photos").getPublicUrl(`${plans.dumplings}/${people.ana}/momos.webp`)
    .data.publicUrl;
  expect((await fetched(photo)).status).toBe(400);
});

test("a removed file is gone for download, list and addresses signed before", async () => {
  const bucket = ana.storage.from("plan-photos");
  dataOf(await bucket.upload(path("gone.webp"), new Blob([bytes], { type: "image/webp" })));
  const { signedUrl } = dataOf(await bucket.createSignedUrl(path("gone.webp"), 60));
  expect(dataOf(await bucket.remove([path("gone.webp")]))).toHaveLength(1);
  expect((await fetched(signedUrl)).status).toBe(400);
  const { data } = await bucket.list(`${plans.dinner}/${people.ana}`);
  expect(data?.map((entry) => entry.name)).not.toContain("gone.webp");
});
