/** Upstream's suite `render-routes` (supabase/storage, src/test), with a picture and a real renderer. */
import sharp from "sharp";
import { beforeAll, expect, test } from "vitest";
import { forThisFile } from "../../for-this-file.ts";
import { ask } from "../fixture.ts";
import { openUpstream, testCases } from "./fixture.ts";

const IMAGE = "bucket2/authenticated/casestudy.png";
const PUBLIC = "public-bucket-2/favicon.png";
const backend = await forThisFile(openUpstream());
beforeAll(async () => {
  const picture = await sharp({ create: { width: 300, height: 200, channels: 3, background: "#ff0000" } })
    .png()
    .toBuffer();
  for (const path of [IMAGE, PUBLIC]) {
    const headers = { "content-type": "image/png", "x-upsert": "true" };
    await ask(backend, "POST", `/object/${path}`, { body: new Uint8Array(picture), headers });
  }
});

testCases(
  () => backend,
  [
    {
      title: "will render an authenticated image applying transformations using external image processing",
      who: "member",
      ask: `GET /render/image/authenticated/${IMAGE}?width=100&height=100`,
      status: 200,
    },
    ...["gravity=sm&x_offset=12&y_offset=-4", "gravity=fp&x_offset=0.25&y_offset=0.75"].map((gravity) => ({
      title: "renders the public gravity query",
      who: "nobody" as const,
      ask: `GET /render/image/public/${PUBLIC}?width=100&height=100&resize=cover&${gravity}`,
      status: 200,
    })),
    {
      title: "rejects focal-point gravity without coordinates before backend work",
      who: "nobody",
      ask: `GET /render/image/public/${PUBLIC}?gravity=fp`,
      status: 400,
      answer: expect.objectContaining({ message: expect.stringContaining("x_offset") }),
    },
    {
      title: "rejects focal-point gravity with out-of-range coordinates before backend work",
      who: "nobody",
      ask: `GET /render/image/public/${PUBLIC}?gravity=fp&x_offset=1.1&y_offset=0.5`,
      status: 400,
      answer: expect.objectContaining({ message: expect.stringMatching(/x_offset|must be/) }),
    },
    {
      title: "rejects an unknown gravity value",
      who: "nobody",
      ask: `GET /render/image/public/${PUBLIC}?gravity=obj`,
      status: 400,
      answer: expect.objectContaining({ message: expect.stringContaining("gravity") }),
    },
    {
      title: "rejects format parameter with newline character in info route",
      who: "nobody",
      ask: `GET /object/info/public/${PUBLIC}?format=avif%0Amalicious`,
      status: 400,
      answer: expect.objectContaining({
        message: expect.stringMatching(/format.*must be equal to one of the allowed values/),
      }),
    },
    {
      title: "rejects resize parameter with newline character in HEAD route",
      who: "nobody",
      ask: `HEAD /object/${PUBLIC}?resize=cover%0Amalicious`,
      status: 400,
    },
    {
      title: "rejects resize parameter with newline character in HEAD route",
      who: "nobody",
      ask: `HEAD /object/public/${PUBLIC}?resize=cover%0Amalicious`,
      status: 400,
    },
    {
      title: "accepts valid transformation parameters in info route",
      who: "nobody",
      ask: `GET /object/info/public/${PUBLIC}?width=100&height=200`,
      status: 200,
    },
    {
      title:
        "returns NoSuchKey when rendering a public image by a version id that does not exist: has no versions",
      who: "nobody",
      ask: `GET /render/image/public/${PUBLIC}?versionId=does-not-exist&width=100`,
      status: 501,
    },
  ],
);

const formatOf = async (response: Response) =>
  (await sharp(Buffer.from(await response.arrayBuffer())).metadata()).format;

test("will render a public image in all supported formats", async () => {
  const rendered = async (format: string) =>
    formatOf(
      await ask(backend, "GET", `/render/image/public/${PUBLIC}?format=${format}&width=100&height=100`, {
        token: null,
      }),
    );
  expect([await rendered("origin"), await rendered("webp"), await rendered("avif")]).toEqual([
    "png",
    "webp",
    "heif",
  ]);
});

test.each([
  ["origin", "png"],
  [undefined, "webp"],
])("uses the expected Accept header for a signed url with format %s", async (format, expected) => {
  const json = { expiresIn: 60_000, transform: { width: 100, height: 100, resize: "contain", format } };
  const signed = await ask(backend, "POST", `/object/sign/${IMAGE}`, { json });
  const { signedURL } = (await signed.json()) as { signedURL: string };
  expect(signedURL).toContain("/render/image/sign/");
  const headers = { accept: "image/webp" };
  const answer = await ask(backend, "GET", signedURL, { token: null, headers });
  expect([answer.status, await formatOf(answer)]).toEqual([200, expected]);
});
