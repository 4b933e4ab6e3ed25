/** Upstream's suite `object`, signed URLs (supabase/storage, src/test). */
import { describe, expect, test } from "vitest";
import { forThisFile } from "../../for-this-file.ts";
import { ask } from "../fixture.ts";
import { BYTES, type Case, form, openUpstream, testCases } from "./fixture.ts";

const backend = await forThisFile(openUpstream());

const CAT = "bucket2/authenticated/cat.jpg";
const UPLOAD = "bucket2/public/sadcat-upload.png";
const NO_ACCESS = "Either the object does not exist or you do not have access to it";

describe("generating signed URLs", () => {
  const json = { expiresIn: 1_000 };
  const many = (count: number) => ({
    ...json,
    paths: Array.from({ length: count }, (_, at) => `authenticated/${at}`),
  });
  testCases(
    () => backend,
    [
      {
        title:
          "check if RLS policies are respected: authenticated user is able to sign URL for an authenticated resource",
        who: "member",
        ask: `POST /object/sign/${CAT}`,
        json,
        status: 200,
        answer: { signedURL: expect.stringContaining(`/object/sign/${CAT}?token=`) },
      },
      {
        title:
          "check if RLS policies are respected: anon user is not able to generate signedURL for authenticated resource",
        who: "anon",
        ask: `POST /object/sign/${CAT}`,
        json,
        status: 400,
      },
      {
        title: "user is not able to generate signedURLs without Auth header",
        who: "nobody",
        ask: `POST /object/sign/${CAT}`,
        json,
        status: 400,
      },
      {
        title: "return 400 when generate signed urls from a non existent bucket",
        who: "member",
        ask: "POST /object/sign/notfound/authenticated/cat.jpg",
        json,
        status: 400,
      },
      {
        title: "signing url of a non existent key",
        who: "member",
        ask: "POST /object/sign/bucket2/authenticated/notfound.jpg",
        json,
        status: 400,
      },
      ...[
        1e21,
        Number.MAX_SAFE_INTEGER,
        Math.floor(Number.MAX_SAFE_INTEGER / 1000 - Date.now() / 1000) + 10,
      ].map((expiresIn) => ({
        title: `rejects oversized expiresIn values for signed URLs before jwt signing: ${expiresIn}`,
        who: "member" as const,
        ask: `POST /object/sign/${CAT}`,
        json: { expiresIn },
        status: 400,
        answer: expect.objectContaining({ message: expect.stringContaining("expiresIn") }),
      })),
      {
        title: "rejects oversized expiresIn values for batch signed URLs before jwt signing",
        who: "member",
        ask: "POST /object/sign/bucket2",
        json: { expiresIn: 1e21, paths: ["authenticated/cat.jpg"] },
        status: 400,
        answer: expect.objectContaining({ message: expect.stringContaining("expiresIn") }),
      },
      {
        title: "returns NoSuchKey when signing a URL by a version id that does not exist: has no versions",
        who: "member",
        ask: `POST /object/sign/${CAT}`,
        json: { ...json, versionId: "does-not-exist" },
        status: 501,
      },
      {
        title:
          "check if RLS policies are respected: authenticated user is able to sign URLs for an authenticated resource",
        who: "member",
        ask: "POST /object/sign/bucket2",
        json: { ...json, paths: ["authenticated/cat.jpg"] },
        status: 200,
        answer: [{ error: null, path: "authenticated/cat.jpg", signedURL: expect.any(String) }],
      },
      {
        title:
          "check if RLS policies are respected: anon user is not able to generate signedURLs for authenticated resource",
        who: "anon",
        ask: "POST /object/sign/bucket2",
        json: { ...json, paths: ["authenticated/cat.jpg"] },
        status: 200,
        answer: [{ error: NO_ACCESS, path: "authenticated/cat.jpg", signedURL: null }],
      },
      {
        title: "user is not able to generate signedURLs without Auth header",
        who: "nobody",
        ask: "POST /object/sign/bucket2",
        json: many(2),
        status: 400,
      },
      {
        title: "authenticated user can sign URLs up to the request cap",
        who: "member",
        ask: "POST /object/sign/bucket2",
        json: many(1_000),
        status: 200,
      },
      {
        title: "rejects signed URL requests over the object request cap",
        who: "member",
        ask: "POST /object/sign/bucket2",
        json: many(1_001),
        status: 400,
      },
      {
        title: "return 400 when generate signed urls from a non existent bucket",
        who: "member",
        ask: "POST /object/sign/notfound",
        json: many(1),
        status: 200,
        answer: [{ error: NO_ACCESS, path: "authenticated/0", signedURL: null }],
      },
    ],
  );
});

describe("retrieving signed URL", () => {
  const sign = async (path: string) => {
    const response = await ask(backend, "POST", `/object/sign/${path}`, { json: { expiresIn: 100 } });
    const { signedURL } = (await response.json()) as { signedURL: string };
    return signedURL.slice(signedURL.indexOf("?"));
  };
  const read = async (route: string, query: string, headers = {}) => {
    const response = await ask(backend, "GET", `/${route}/${UPLOAD}${query}`, { token: null, headers });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const error = ({ status, text }: { status: number; text: string }) => [
    status,
    (JSON.parse(text) as { error: string }).error,
  ];

  test("get object with a token", async () => {
    const answer = await read("object/sign", await sign(UPLOAD));
    expect([answer.status, answer.text, answer.headers.get("x-robots-tag")]).toEqual([200, BYTES, "none"]);
    const seen = { "if-none-match": answer.headers.get("etag") ?? "" };
    expect((await read("object/sign", await sign(UPLOAD), seen)).status).toBe(304);
  });

  test.each(["object/sign", "render/image/sign"])(
    "%s: get object with incorrect url in jwt",
    async (route) => {
      expect(error(await read(route, await sign(CAT)))).toEqual([400, "InvalidSignature"]);
      expect(error(await read(route, "?token=this is not a jwt"))).toEqual([400, "InvalidJWT"]);
      expect((await read(route, "")).status).toBe(400);
    },
  );

  test.each(["object/sign", "render/image/sign"])("%s: rejects an upload-scoped token", async (route) => {
    const headers = { "x-upsert": "true" };
    const response = await ask(backend, "POST", `/object/upload/sign/${UPLOAD}`, { headers });
    const { token } = (await response.json()) as { token: string };
    expect(error(await read(route, `?token=${token}`))).toEqual([400, "InvalidSignature"]);
  });

  test("will reject double-encoded signed render paths", async () => {
    const key = "bucket2/authenticated/일이삼.png";
    const at = key.split("/").map(encodeURIComponent).join("/");
    // Storage allows no such key: the escapes of one that is allowed, twice.
    const plain = "bucket2/authenticated/a b.png";
    await ask(backend, "POST", `/object/${encodeURI(plain)}`, { body: BYTES });
    const query = await sign(encodeURI(plain));
    const twice = encodeURI(plain).replaceAll("%", "%25");
    const answer = await ask(backend, "GET", `/object/sign/${twice}${query}`, { token: null });
    expect(error({ status: answer.status, text: await answer.text() })).toEqual([400, "InvalidSignature"]);
    expect((await ask(backend, "POST", `/object/${at}`, { body: BYTES })).status).toBe(400);
  });
});

describe("signed upload URL", () => {
  const RLS = "check if RLS policies are respected:";
  const row = (title: string, who: Case["who"], ask: string, status: number, answer?: unknown): Case => ({
    title,
    who,
    ask: ask.replace(" ", " /object/upload/sign/"),
    status,
    ...(ask.startsWith("PUT") ? { body: BYTES } : {}),
    ...(answer === undefined ? {} : { answer }),
  });
  testCases(
    () => backend,
    [
      row(
        `${RLS} authenticated user is able to sign upload URL for a resource`,
        "member",
        "POST bucket2/authenticated/cat1.jpg",
        200,
        expect.objectContaining({ url: expect.any(String) }),
      ),
      row(
        `${RLS} anon user is not able to sign upload URL for authenticated resource`,
        "anon",
        "POST bucket2/authenticated/cat1.jpg",
        400,
        {
          statusCode: "403",
          error: "Unauthorized",
          message: "new row violates row-level security policy",
          code: "AccessDenied",
        },
      ),
      row("user is not able to sign a upload url without Auth header", "nobody", `POST ${CAT}`, 400),
      row(
        "return 400 when generating signed upload urls from a non existent bucket",
        "member",
        "POST notfound/authenticated/cat.jpg",
        400,
      ),
      row(
        "signing upload url of a non existent key",
        "member",
        "POST bucket2/authenticated/notfound.jpg",
        200,
      ),
      row(
        "signing upload url of an existent key",
        "member",
        `POST ${CAT}`,
        400,
        expect.objectContaining({ statusCode: "409" }),
      ),
      row("upload object without a token", "nobody", "PUT bucket2/public/sadcat-upload1.png", 400),
      row(
        "upload object with a malformed JWT",
        "nobody",
        "PUT bucket2/public/sadcat-upload1.png?token=xxx",
        400,
        expect.objectContaining({ error: "InvalidJWT" }),
      ),
    ],
  );

  test("upload object with a token, once, and again only when it was signed with x-upsert", async () => {
    const path = "bucket2/public/sadcat-upload-signed.png";
    const sign = async (headers: Record<string, string>) => {
      const answer = await ask(backend, "POST", `/object/upload/sign/${path}`, { headers });
      return ((await answer.json()) as { token: string }).token;
    };
    const put = async (token: string) =>
      (await ask(backend, "PUT", `/object/upload/sign/${path}?token=${token}`, { body: form(), token: null }))
        .status;
    const once = await sign({});
    expect([await put(once), await put(once)]).toEqual([200, 400]);
    expect(await put(await sign({ "x-upsert": "true" }))).toBe(200);
    const at = once.lastIndexOf(".") + 1;
    expect(await put(`${once.slice(0, at)}${once[at] === "a" ? "b" : "a"}${once.slice(at + 1)}`)).toBe(400);
  });
});
