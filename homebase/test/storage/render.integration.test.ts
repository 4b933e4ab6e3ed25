/** Rendering of images: sizes, formats, signed options, caching, errors. */
import sharp from "sharp";
import { beforeAll, describe, expect, test } from "vitest";
import { forThisFile } from "../for-this-file.ts";
import {
  adminOf,
  answer,
  ask,
  BUCKET_NOT_FOUND,
  createPubAndPriv,
  filesOf,
  must,
  OBJECT_NOT_FOUND,
  refusal,
  storageBackend,
} from "./fixture.ts";

/** 300 by 200: the left half red, the right half blue. */
async function picture(): Promise<Buffer> {
  const half = { width: 150, height: 200, channels: 3 } as const;
  const blue = await sharp({ create: { ...half, background: "#0000ff" } })
    .png()
    .toBuffer();
  return sharp({ create: { ...half, width: 300, background: "#ff0000" } })
    .composite([{ input: blue, left: 150, top: 0 }])
    .png()
    .toBuffer();
}

const backend = await forThisFile(storageBackend());
beforeAll(async () =>
  createPubAndPriv(backend, {
    "a/p.png": new Blob([new Uint8Array(await picture())], { type: "image/png" }),
    "text.txt": new Blob(["no picture"], { type: "text/plain" }),
    "fake.png": new Blob(["no picture"], { type: "image/png" }),
  }),
);

const get = (query: string, headers: Record<string, string> = {}) =>
  ask(backend, "GET", `/render/image/public/pub/a/p.png?${query}`, { token: null, headers });
async function look(response: Response) {
  const bytes = Buffer.from(await response.arrayBuffer());
  const { width, height, format } = await sharp(bytes).metadata();
  const { data } = await sharp(bytes)
    .resize(1, 1, { fit: "fill" })
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width, height, format, red: (data[0] ?? 0) > 200, blue: (data[2] ?? 0) > 200 };
}

test("a head of a picture says what the picture would", async () => {
  const got = await get("width=30");
  const head = await ask(backend, "HEAD", "/render/image/public/pub/a/p.png?width=30", { token: null });
  expect([head.status, await head.text()]).toEqual([200, ""]);
  for (const name of ["content-type", "content-length", "etag", "x-transformations", "last-modified"]) {
    expect([name, head.headers.get(name)]).toEqual([name, got.headers.get(name)]);
  }
  const missing = await ask(backend, "HEAD", "/render/image/public/pub/none.png", { token: null });
  expect(missing.status).toBe(400);
});

describe("sizes", () => {
  test.each([
    ["width=100&height=100", 100, 100],
    ["width=100&height=100&resize=contain", 100, 67],
    ["width=100&height=150&resize=fill", 100, 150],
    ["width=30", 30, 20],
    ["height=20", 30, 20],
    ["width=3000&height=3000&resize=contain", 300, 200],
    ["quality=50", 300, 200],
  ])("%s", async (query, width, height) => {
    expect(await look(await get(query))).toMatchObject({ width, height, format: "png" });
  });

  test("a gravity or a point chooses what is kept", async () => {
    const square = "width=100&height=200";
    expect(await look(await get(`${square}&gravity=we`))).toMatchObject({ red: true, blue: false });
    expect(await look(await get(`${square}&gravity=ea`))).toMatchObject({ red: false, blue: true });
    expect(await look(await get(`${square}&gravity=fp&x_offset=1&y_offset=0`))).toMatchObject({
      red: false,
      blue: true,
    });
    expect((await get(`${square}&gravity=fp`)).status).toBe(400);
  });

  test("a side of 0 is none", async () => {
    for (const [query, width, height] of [
      ["width=150&height=0", 150, 100],
      ["height=0&width=0", 300, 200],
      ["width=0", 300, 200],
      ["width=150&height=0&resize=contain", 150, 100],
    ] as const)
      expect(await look(await get(query)), query).toMatchObject({ width, height });
  });

  test("offsets are from the sides that the gravity names, in pixels or below 1 as a share", async () => {
    // A cut of 100 of the picture's 300 columns, of which the first 150 are red.
    for (const [asked, described, red] of [
      ["we&x_offset=100", "we:100:0", 0.5],
      ["we&x_offset=0.5", "we:0.5:0", 0],
      ["ea&x_offset=100", "ea:100:0", 0.5],
      ["ea&x_offset=500", "ea:500:0", 1],
      ["ce&x_offset=-50", "ce:-50:0", 1],
      ["nowe&x_offset=75&y_offset=30", "nowe:75:30", 0.75],
      ["no&y_offset=50", "no:0:50", 0.5],
    ] as const) {
      const response = await get(`width=100&height=200&gravity=${asked}`);
      expect(response.headers.get("x-transformations")).toMatch(new RegExp(`gravity:${described}$`));
      const { data } = await sharp(await response.arrayBuffer())
        .removeAlpha()
        .resize(100, 1, { fit: "fill" })
        .raw()
        .toBuffer({ resolveWithObject: true });
      const columns = Array.from({ length: 100 }, (_, at) => (data[at * 3] ?? 0) > 128);
      expect(columns.filter(Boolean).length / 100, asked).toBeCloseTo(red, 1);
    }
  });

  test("a signed URL keeps offsets", async () => {
    const signed = await answer(
      ask(backend, "POST", "/object/sign/pub/a/p.png", {
        json: { expiresIn: 60, transform: { width: 100, height: 200, gravity: "we", x_offset: 100 } },
      }),
    );
    const { signedURL } = JSON.parse(signed[1]) as { signedURL: string };
    const response = await ask(backend, "GET", signedURL, { token: null });
    expect(response.headers.get("x-transformations")).toMatch(/gravity:we:100:0$/);
  });
});

describe("formats and headers", () => {
  test("webp to whoever takes it, unless origin is asked for; avif when asked for", async () => {
    const accept = { accept: "image/avif,image/webp,*/*" };
    expect((await get("width=10", accept)).headers.get("content-type")).toBe("image/webp");
    expect((await get("width=10&format=origin", accept)).headers.get("content-type")).toBe("image/png");
    const avif = await get("width=10&format=avif");
    expect(avif.headers.get("content-type")).toBe("image/avif");
    expect((await look(avif)).width).toBe(10);
  });

  test("tell what was done, and the source's tag", async () => {
    const { headers } = await get("width=100&height=50&quality=40&download=x.png");
    const source = await ask(backend, "HEAD", "/object/public/pub/a/p.png", { token: null });
    expect(Object.fromEntries(headers)).toMatchObject({
      "x-transformations": "height:50,width:100,resizing_type:fill,quality:40",
      etag: source.headers.get("etag"),
      "cache-control": "max-age=3600",
      "content-disposition": "attachment; filename=x.png; filename*=UTF-8''x.png",
    });
  });
});

describe("through supabase-js", () => {
  test("public address, download and signed address take a transformation", async () => {
    const { storage } = adminOf(backend);
    const transform = { width: 60, height: 30, resize: "contain" } as const;
    const { publicUrl } = storage.from("pub").getPublicUrl("a/p.png", { transform }).data;
    expect(await look(await fetch(publicUrl))).toMatchObject({ width: 45, height: 30 });
    const blob = must(await storage.from("priv").download("a/p.png", { transform }));
    expect((await sharp(Buffer.from(await blob.arrayBuffer())).metadata()).width).toBe(45);

    const { signedUrl } = must(await storage.from("priv").createSignedUrl("a/p.png", 60, { transform }));
    expect(signedUrl).toContain("/render/image/sign/priv/a/p.png?token=");
    const [, body = ""] = signedUrl.split("token=")[1]?.split(".") ?? [];
    const claims = JSON.parse(Buffer.from(body, "base64url").toString()) as Record<string, unknown>;
    expect(Object.keys(claims)).toEqual(["transformations", "url", "scope", "iat", "exp"]);
    expect(claims.transformations).toBe("height:30,width:60,resize:contain");
    const response = await fetch(`${signedUrl}&width=10`);
    expect([response.headers.has("cache-control"), response.headers.has("expires")]).toEqual([false, true]);
    expect(await look(response)).toMatchObject({ width: 45, height: 30 });
  });

  test("a transformation without effect signs the object itself", async () => {
    const { storage } = adminOf(backend);
    const { signedUrl } = must(
      await storage.from("priv").createSignedUrl("a/p.png", 60, { transform: { resize: "fill" } }),
    );
    expect(signedUrl).toContain("/object/sign/priv/");
  });
});

describe("what is kept", () => {
  test("a picture is made once, and goes with the object's version", async () => {
    const { storage } = adminOf(backend);
    const upload = async () => {
      must(
        await storage
          .from("pub")
          .upload("kept.png", new Blob([new Uint8Array(await picture())], { type: "image/png" }), {
            upsert: true,
          }),
      );
    };
    await upload();
    const renders = async () => (await filesOf(backend)).filter((file) => file.includes("/renders/"));
    const before = new Set(await renders());
    const fresh = async () => (await renders()).filter((file) => !before.has(file));
    const render = async () =>
      (await ask(backend, "GET", "/render/image/public/pub/kept.png?width=33")).arrayBuffer();
    const first = Buffer.from(await render());
    const made = await fresh();
    expect(made).toHaveLength(1);
    expect(Buffer.from(await render()).equals(first)).toBe(true);
    await expect.poll(fresh).toEqual(made);
    await upload();
    await expect.poll(fresh).toEqual([]);
    await render();
    await expect.poll(fresh).not.toEqual(made);
    must(await storage.from("pub").remove(["kept.png"]));
    await expect.poll(fresh).toEqual([]);
  });
});

describe("the bytes decide", () => {
  const upload = async (key: string, bytes: Buffer, type: string) =>
    must(
      await adminOf(backend)
        .storage.from("pub")
        .upload(key, new Blob([new Uint8Array(bytes)], { type })),
    );

  test("what is stored as something else is a picture all the same, in its own format", async () => {
    await upload("unnamed", await picture(), "application/octet-stream");
    const small = await look(await ask(backend, "GET", "/render/image/public/pub/unnamed?width=30"));
    expect(small).toMatchObject({ width: 30, format: "png" });
    await upload("named-wrong.jpg", await picture(), "image/jpeg");
    const origin = await ask(
      backend,
      "GET",
      "/render/image/public/pub/named-wrong.jpg?width=30&format=origin",
    );
    expect(origin.headers.get("content-type")).toBe("image/png");
  });

  test("a wrong checksum does not keep a picture from being shown", async () => {
    const bytes = await picture();
    const end = bytes.indexOf("IEND");
    bytes.writeUInt32BE(0, end - 8);
    await upload("damaged.png", bytes, "image/png");
    const shown = await look(await ask(backend, "GET", "/render/image/public/pub/damaged.png?width=30"));
    expect(shown).toMatchObject({ width: 30 });
  });
});

describe("refusals", () => {
  const invalid = refusal(
    400,
    "400",
    "InvalidRequest",
    "The source image is invalid or unsupported for rendering",
    "InvalidRequest",
  );
  test("what is no picture, whatever it is called", async () => {
    for (const key of ["text.txt", "fake.png"])
      expect(await answer(ask(backend, "GET", `/render/image/public/pub/${key}?width=5`))).toEqual(invalid);
  });

  test("what is not there or not open", async () => {
    const render = (path: string, token: string | null = null) =>
      answer(ask(backend, "GET", `/render/image/${path}?width=5`, { token }));
    expect(await render("public/pub/nothing.png")).toEqual(OBJECT_NOT_FOUND);
    expect(await render("public/priv/a/p.png")).toEqual(BUCKET_NOT_FOUND);
    expect(await render("authenticated/priv/a/p.png", backend.anonKey)).toEqual(OBJECT_NOT_FOUND);
    expect(await render("authenticated/priv/a/p.png")).toEqual(
      refusal(400, "403", "Unauthorized", "Invalid Compact JWS", "AccessDenied"),
    );
  });

  test.each([
    ["width=x", "querystring/width must be integer"],
    ["width=-1", "querystring/width must be >= 0"],
    ["quality=5", "querystring/quality must be >= 20"],
    ["quality=101", "querystring/quality must be <= 100"],
    ["format=gif", "querystring/format must be equal to one of the allowed values"],
    ["resize=zoom", "querystring/resize must be equal to one of the allowed values"],
  ])("%s", async (query, message) => {
    expect(await answer(get(query))).toEqual(refusal(400, "400", "Error", message, "InvalidRequest"));
  });

  test("where it is switched off there is no such route, and signing ignores it", async () => {
    await using off = await storageBackend({ image_transformation: { enabled: false } });
    expect((await ask(off, "GET", "/render/image/public/pub/a/p.png")).status).toBe(404);
  });
});
