/**
 * Uploads: every kind of body, metadata in all forms, keys, limits, replacement; a failure leaves nothing.
 */
import { createHash, randomBytes } from "node:crypto";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { forThisFile } from "../for-this-file.ts";
import {
  adminOf,
  answer,
  ask,
  type Body,
  BUCKET_NOT_FOUND,
  DUPLICATE,
  failure,
  filesOf,
  invalidKey,
  must,
  refusal,
  storageBackend,
  TOO_LARGE,
} from "./fixture.ts";

const backend = await forThisFile(storageBackend());
beforeAll(async () => {
  const { storage } = adminOf(backend);
  must(await storage.createBucket("files", { public: true }));
  must(
    await storage.createBucket("small", {
      public: false,
      fileSizeLimit: 10,
      allowedMimeTypes: ["text/plain", "image/*"],
    }),
  );
});

const files = () => adminOf(backend).storage.from("files");
const read = async (key: string) => Buffer.from(await must(await files().download(key)).arrayBuffer());
const row = async (key: string) => {
  const [found] = await backend.sql("select * from storage.objects where bucket_id = 'files' and name = $1", [
    key,
  ]);
  if (!found) throw new Error(`No row of ${key}.`);
  return found as Record<string, unknown> & { metadata: Record<string, unknown> };
};

function chunked(parts: Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}

describe("bodies of supabase-js", () => {
  const bytes = randomBytes(200_000);
  const form = new FormData();
  form.append("", new Blob([bytes], { type: "image/png" }));
  const bodies: [string, () => Parameters<ReturnType<typeof files>["upload"]>[1], string][] = [
    ["Blob", () => new Blob([bytes], { type: "image/png" }), "image/png"],
    ["File", () => new File([bytes], "f.png", { type: "image/png" }), "image/png"],
    ["FormData", () => form, "image/png"],
    ["ArrayBuffer", () => new Uint8Array(bytes).buffer, "text/plain;charset=UTF-8"],
    ["Buffer", () => bytes, "text/plain;charset=UTF-8"],
    ["stream", () => chunked([bytes.subarray(0, 7), bytes.subarray(7)]), "text/plain;charset=UTF-8"],
  ];
  test.each(bodies)("%s arrives whole, with its type", async (kind, body, mimetype) => {
    const key = `kinds/${kind}`;
    const data = must(await files().upload(key, body(), { duplex: "half" } as object));
    expect(data).toEqual({ path: key, fullPath: `files/${key}`, id: (await row(key)).id });
    expect((await read(key)).equals(bytes)).toBe(true);
    expect((await row(key)).metadata).toMatchObject({
      eTag: `"${createHash("md5").update(bytes).digest("hex")}"`,
      size: bytes.length,
      contentLength: bytes.length,
      mimetype,
      cacheControl: "max-age=3600",
      httpStatusCode: 200,
    });
  });

  test("string arrives whole, typed as the client types strings", async () => {
    must(await files().upload("text.txt", "grüße"));
    expect((await read("text.txt")).toString()).toBe("grüße");
    expect((await row("text.txt")).metadata.mimetype).toBe("text/plain;charset=UTF-8");
  });

  test("metadata and cache time travel in forms and beside raw bodies", async () => {
    const metadata = { mood: "größer", n: 1 };
    must(await files().upload("meta/form", new Blob(["x"]), { metadata, cacheControl: "60" }));
    must(await files().upload("meta/raw", Buffer.from("x"), { metadata, cacheControl: "60" }));
    for (const key of ["meta/form", "meta/raw"]) {
      const found = await row(key);
      expect(found.user_metadata).toEqual(metadata);
      expect(found.metadata.cacheControl).toBe("max-age=60");
      expect(must(await files().info(key)).metadata).toEqual(metadata);
    }
  });
});

describe("raw bodies", () => {
  const post = (key: string, headers: Record<string, string>, body: Body = "x") =>
    answer(ask(backend, "POST", `/object/files/${key}`, { headers, body }));

  test("answer Key and Id, and store JSON as bytes", async () => {
    const json = '{"a" : 1}';
    const [status, text] = await post("raw.json", { "content-type": "application/json" }, json);
    expect([status, text]).toEqual([200, `{"Key":"files/raw.json","Id":"${(await row("raw.json")).id}"}`]);
    expect((await read("raw.json")).toString()).toBe(json);
  });

  test("without a type are bytes, without cache-control uncached, and may be empty", async () => {
    await ask(backend, "POST", "/object/files/empty", { body: new Uint8Array(0) });
    expect((await row("empty")).metadata).toMatchObject({
      mimetype: "application/octet-stream",
      cacheControl: "no-cache",
      size: 0,
      eTag: '"d41d8cd98f00b204e9800998ecf8427e"',
    });
    expect((await row("empty")).user_metadata).toEqual({});
    expect((await read("empty")).length).toBe(0);
  });

  test("metadata that cannot be decoded counts as none", async () => {
    await post("undecodable", { "x-metadata": "!!!" });
    expect((await row("undecodable")).user_metadata).toEqual({});
  });

  test("robots rules are kept, and refused when they are none", async () => {
    await post("robots", { "x-robots-tag": "noindex, nofollow" });
    expect((await ask(backend, "GET", "/object/public/files/robots")).headers.get("x-robots-tag")).toBe(
      "noindex, nofollow",
    );
    expect(await post("robots2", { "x-robots-tag": "whatever" })).toEqual(
      refusal(
        400,
        "400",
        "invalid_x_robots_tag",
        'Invalid X-Robots-Tag header: Invalid X-Robots-Tag rule: "whatever"',
        "InvalidRequest",
      ),
    );
  });

  test("a content type that is none is refused", async () => {
    expect(await post("odd-type", { "content-type": "nonsense" })).toEqual(
      refusal(400, "415", "invalid_mime_type", "Invalid Content-Type header", "InvalidMimeType"),
    );
  });

  test("a form without a file is refused", async () => {
    const form = new FormData();
    form.append("cacheControl", "1");
    expect(await answer(ask(backend, "POST", "/object/files/none", { body: form }))).toEqual(
      refusal(400, "400", "InvalidRequest", "No content provided", "InvalidRequest"),
    );
  });

  test("a form's own contentType and userMetadata are taken", async () => {
    const form = new FormData();
    form.append("contentType", "image/avif");
    form.append("userMetadata", '{"by":"hand"}');
    form.append("anything", new Blob(["x"], { type: "text/plain" }));
    await ask(backend, "POST", "/object/files/form-fields", { body: form });
    const found = await row("form-fields");
    expect(found.metadata).toMatchObject({ mimetype: "image/avif", cacheControl: "no-cache" });
    expect(found.user_metadata).toEqual({ by: "hand" });
  });
});

describe("replacing", () => {
  test("needs x-upsert in lower case, or PUT, which also creates", async () => {
    expect((await answer(ask(backend, "PUT", "/object/files/put", { body: "1" })))[0]).toBe(200);
    expect(await answer(ask(backend, "POST", "/object/files/put", { body: "2" }))).toEqual(DUPLICATE);
    for (const value of ["TRUE", "1"]) {
      const headers = { "x-upsert": value };
      expect(await answer(ask(backend, "POST", "/object/files/put", { headers, body: "2" }))).toEqual(
        DUPLICATE,
      );
    }
    expect((await read("put")).toString()).toBe("1");
    must(await files().upload("put", "3", { upsert: true }));
    expect((await read("put")).toString()).toBe("3");
    must(await files().update("put", "4"));
    expect((await read("put")).toString()).toBe("4");
    expect(failure((await files().upload("put", "5")).error)).toEqual({
      status: 400,
      statusCode: "409",
      message: "The resource already exists",
    });
  });

  test("keeps id and birth, takes a new version, replaces user metadata, leaves one file", async () => {
    const before = (await filesOf(backend)).length;
    must(await files().upload("again", "1", { metadata: { a: 1 } }));
    const first = await row("again");
    must(await files().upload("again", "22", { upsert: true }));
    const second = await row("again");
    expect(second).toMatchObject({ id: first.id, created_at: first.created_at, user_metadata: {} });
    expect(second.version).not.toBe(first.version);
    expect(Number(second.updated_at)).toBeGreaterThan(Number(first.updated_at));
    await expect.poll(async () => (await filesOf(backend)).length).toBe(before + 1);
  });

  test("two new uploads to one key at once: one object, one file, whole", async () => {
    const before = (await filesOf(backend)).length;
    const bodies = [randomBytes(300_000), randomBytes(300_000)];
    const done = await Promise.all(bodies.map((body) => files().upload("contested", body)));
    expect(done.some(({ error }) => !error)).toBe(true);
    for (const { error } of done) if (error) expect(failure(error)).toMatchObject({ statusCode: "409" });
    const kept = await read("contested");
    expect(bodies.some((body) => body.equals(kept))).toBe(true);
    await expect.poll(async () => (await filesOf(backend)).length).toBe(before + 1);
  });

  test("twenty replacements of one key at once: the last is whole, readers meanwhile see a whole one", async () => {
    must(await files().upload("busy", Buffer.alloc(100_000, 0)));
    const before = (await filesOf(backend)).length;
    let writing = true;
    const writers = Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        files().upload("busy", Buffer.alloc(100_000, n), { upsert: true }),
      ),
    ).finally(() => {
      writing = false;
    });
    while (writing) {
      const seen = await read("busy");
      expect([seen.length, new Set(seen).size]).toEqual([100_000, 1]);
    }
    for (const { error } of await writers) expect(error).toBeNull();
    await expect.poll(async () => (await filesOf(backend)).length).toBe(before);
  });
});

describe("keys", () => {
  test.each([
    ["a"],
    ["a/b"],
    ["dir/"],
    ["dd//x"],
    ["!.*'()&$=@;:+, -_"],
    ["what?"],
    [`${"n".repeat(300)}/${"m".repeat(700)}`],
    ["...dots.../.hidden"],
  ])("%j is stored beside all others and read back", async (key) => {
    const path = key.split("/").map(encodeURIComponent).join("/");
    expect((await answer(ask(backend, "POST", `/object/files/${path}`, { body: key })))[0]).toBe(200);
    expect(await answer(ask(backend, "GET", `/object/public/files/${path}`))).toEqual([200, key]);
  });

  test.each([["é"], ["50%"], ["a#b"], ['"'], ["a[1]"], ["~"], ["a\\b"], ["日本"], ["x".repeat(1025)]])(
    "%j is refused",
    async (key) => {
      expect(
        await answer(ask(backend, "POST", `/object/files/${encodeURIComponent(key)}`, { body: "x" })),
      ).toEqual(invalidKey(key));
    },
  );

  test("that climb are refused", async () => {
    const dotted = (key: string) => invalidKey(`${key} contains dot path segment`);
    expect(await answer(ask(backend, "POST", "/object/files/a%2F..%2Fb", { body: "x" }))).toEqual(
      dotted("a/../b"),
    );
    expect(await answer(ask(backend, "GET", "/object/files/..%2F..%2Fetc%2Fpasswd"))).toEqual(
      dotted("../../etc/passwd"),
    );
    expect((await answer(ask(backend, "POST", "/object/files/a%00b", { body: "x" })))[1]).toContain(
      "InvalidKey",
    );
  });

  test("that are empty: no route without the slash, no key with it", async () => {
    expect((await ask(backend, "POST", "/object/files", { body: "x" })).status).toBe(404);
    expect(await answer(ask(backend, "POST", "/object/files/", { body: "x" }))).toEqual(invalidKey(""));
  });

  test("in a bucket that is not there: Bucket not found, whoever asks", async () => {
    expect(
      await answer(ask(backend, "POST", "/object/nowhere/x", { body: "x", token: backend.anonKey })),
    ).toEqual(BUCKET_NOT_FOUND);
  });
});

describe("limits of the bucket", () => {
  const small = (key: string, headers: Record<string, string>, body: Body) =>
    answer(ask(backend, "POST", `/object/small/${key}`, { headers, body }));
  const plain = { "content-type": "text/plain" };

  test("types are compared exactly, with a wildcard for the kind", async () => {
    expect((await small("t1", plain, "x"))[0]).toBe(200);
    expect((await small("t2", { "content-type": "image/x-odd" }, "x"))[0]).toBe(200);
    for (const type of ["text/plain;charset=UTF-8", "TEXT/PLAIN", "application/pdf"]) {
      expect(await small("t3", { "content-type": type }, "x")).toEqual(
        refusal(400, "415", "invalid_mime_type", `mime type ${type} is not supported`, "InvalidMimeType"),
      );
    }
  });

  test("an empty folder's stand-in is of any type, and empty", async () => {
    expect((await small("f/.emptyFolderPlaceholder", { "content-type": "a/b" }, ""))[0]).toBe(200);
    expect(await small("g/.emptyFolderPlaceholder", { "content-type": "a/b" }, "x")).toEqual(TOO_LARGE);
  });

  test("too many bytes are refused: declared, chunked, in a form; and leave nothing", async () => {
    const before = await filesOf(backend);
    expect((await small("fits", plain, "0123456789"))[0]).toBe(200);
    expect(await small("big", plain, "0123456789x")).toEqual(TOO_LARGE);
    expect(await small("big", plain, chunked([Buffer.from("01234"), Buffer.from("56789x")]))).toEqual(
      TOO_LARGE,
    );
    const form = new FormData();
    form.append("", new Blob(["0123456789x"], { type: "text/plain" }));
    expect(await small("big", {}, form)).toEqual(TOO_LARGE);
    expect(
      await small("huge", plain, chunked(Array.from({ length: 64 }, () => new Uint8Array(65_536)))),
    ).toEqual(TOO_LARGE);
    await expect.poll(async () => (await filesOf(backend)).length).toBe(before.length + 1);
    expect(await backend.sql("select name from storage.objects where name = any ('{big,huge}')")).toEqual([]);
  });

  test("a refused replacement leaves the object as it was", async () => {
    await small("kept", plain, "old");
    const upsert = { ...plain, "x-upsert": "true" };
    expect(await small("kept", upsert, chunked([Buffer.from("far too long")]))).toEqual(TOO_LARGE);
    expect(await answer(ask(backend, "GET", "/object/small/kept"))).toEqual([200, "old"]);
  });
});

describe("a body that breaks off", () => {
  const head = (type: string) =>
    `POST /storage/v1/object/files/broken HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${backend.serviceRoleKey}\r\ncontent-type: ${type}\r\ncontent-length: 500000\r\n\r\n`;

  test.each([
    ["raw", "text/plain", ""],
    [
      "in a form",
      "multipart/form-data; boundary=edge",
      '--edge\r\ncontent-disposition: form-data; name=""; filename="x"\r\ncontent-type: text/plain\r\n\r\n',
    ],
  ])("%s leaves no row and no file", async (_how, type, opening) => {
    const before = await filesOf(backend);
    const socket = connect(Number(new URL(backend.url).port), "127.0.0.1");
    socket.write(head(type) + opening + "x".repeat(100_000));
    await expect.poll(async () => (await filesOf(backend)).length).toBe(before.length + 1);
    socket.destroy();
    await expect.poll(() => filesOf(backend)).toEqual(before);
    await pause(50);
    expect(await backend.sql("select 1 from storage.objects where name = 'broken'")).toEqual([]);
  });
});
