/** Arbitrary input to Storage is rejected or accepted: no text, type or depth causes a server error. */
import { CreateMultipartUploadCommand, DeleteObjectsCommand, ListObjectsV2Command } from "@aws-sdk/client-s3";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { s3Of } from "../../wings/s3/test/clients.ts";
import { storageBackend } from "../../wings/testing.ts";
import { forThisFile } from "../for-this-file.ts";
import { ask } from "./fixture.ts";

const backend = await forThisFile(storageBackend());
beforeAll(async () => {
  expect(
    (await ask(backend, "POST", "/bucket", { json: { id: "box", name: "box", public: true } })).status,
  ).toBe(200);
  expect((await ask(backend, "POST", "/object/box/a.txt", { body: "text" })).status).toBe(200);
});

/** Each endpoint with the fields of its body. */
const ENDPOINTS: [method: string, path: string, body: Record<string, unknown>][] = [
  [
    "POST",
    "/bucket",
    {
      id: "other",
      name: "other",
      public: false,
      file_size_limit: 100,
      allowed_mime_types: ["a/b"],
      type: "STANDARD",
    },
  ],
  ["PUT", "/bucket/box", { public: true, file_size_limit: null, allowed_mime_types: null }],
  [
    "POST",
    "/object/list/box",
    { prefix: "", limit: 10, offset: 0, search: "", sortBy: { column: "name", order: "asc" } },
  ],
  [
    "POST",
    "/object/list-v2/box",
    { prefix: "", limit: 10, cursor: "", with_delimiter: true, sortBy: { column: "name", order: "asc" } },
  ],
  [
    "POST",
    "/object/move",
    { bucketId: "box", sourceKey: "a.txt", destinationKey: "a.txt", destinationBucket: "box" },
  ],
  [
    "POST",
    "/object/copy",
    {
      bucketId: "box",
      sourceKey: "a.txt",
      destinationKey: "b.txt",
      destinationBucket: "box",
      copyMetadata: true,
      metadata: {},
    },
  ],
  ["POST", "/object/sign/box/a.txt", { expiresIn: 60, transform: { width: 1 } }],
  ["POST", "/object/sign/box", { expiresIn: 60, paths: ["a.txt"] }],
  ["DELETE", "/object/box", { prefixes: ["none.txt"] }],
];

const OF_EVERY_TYPE: unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e300,
  "",
  "text",
  "x".repeat(5_000),
  "../..",
  "a/../b",
  "%00",
  [],
  [1],
  [null],
  [[]],
  [{}],
  ["x".repeat(5_000)],
  {},
  { a: { b: [] } },
  { column: "name", order: "; drop" },
  JSON.parse('{"__proto__": {"a": 1}}'),
];
const UNSTORABLE: unknown[] = ["a\0b", "\ud800", ["\0"], { a: "\0" }, { "\0": 1 }];

async function outcome(response: Response) {
  const text = await response.text();
  return { status: response.status, text };
}

describe.each(ENDPOINTS)("%s %s", (method, path, body) => {
  it("takes every type of JSON in every field", async () => {
    for (const field of Object.keys(body)) {
      for (const value of OF_EVERY_TYPE) {
        const { status, text } = await outcome(
          await ask(backend, method, path, { json: { ...body, [field]: value } }),
        );
        expect(status, `${field}: ${JSON.stringify(value)?.slice(0, 80)}: ${text}`).toBeLessThan(500);
      }
    }
  });

  it("refuses NUL, half a surrogate pair and great depth: 400 in Storage's own words", async () => {
    const deep = "[".repeat(100_000) + "]".repeat(100_000);
    const bodies = [
      ...Object.keys(body).flatMap((field) =>
        UNSTORABLE.map((value) => JSON.stringify({ ...body, [field]: value })),
      ),
      deep,
      `{"${Object.keys(body)[0]}":${deep}}`,
    ];
    for (const text of bodies) {
      const answer = await outcome(
        await ask(backend, method, path, { body: text, headers: { "content-type": "application/json" } }),
      );
      expect(answer.status, answer.text).toBe(400);
      expect(JSON.parse(answer.text)).toMatchObject({ statusCode: "400", message: expect.any(String) });
    }
  });
});

describe("paths, queries and headers", () => {
  const places = [
    "/object/PLACE/KEY",
    "/object/public/PLACE/KEY",
    "/object/authenticated/PLACE/KEY",
    "/object/info/PLACE/KEY",
    "/object/sign/PLACE/KEY?token=%00",
    "/object/upload/sign/PLACE/KEY",
    "/render/image/public/PLACE/KEY",
    "/bucket/PLACE",
    "/cdn/PLACE/KEY",
  ];

  it.each(["GET", "HEAD", "POST", "PUT", "DELETE"])("%s of any name is no failure", async (method) => {
    for (const place of places) {
      for (const [bucket, key] of [
        ["%00", "a.txt"],
        ["box", "%00"],
        ["box", "a%00b"],
        ["box", "%ED%A0%80"],
        ["box", "%"],
        ["%ff", "%ff"],
        ["box", "a".repeat(3_000)],
        ["box", "a/".repeat(1_000)],
        ["..%2f..", "..%2f.."],
      ]) {
        const path = place.replace("PLACE", bucket ?? "").replace("KEY", key ?? "");
        const body = method === "POST" || method === "PUT" ? { body: "text" } : {};
        const { status, text } = await outcome(await ask(backend, method, path, body));
        expect(status, `${method} ${path.slice(0, 100)}: ${text}`).toBeLessThan(500);
      }
    }
  });

  it("metadata and robots of any form are no failure", async () => {
    const base64 = (text: string) => Buffer.from(text).toString("base64");
    const metadata = [
      '{"a":"\\u0000"}',
      '{"a":"\\ud800"}',
      "[".repeat(5_000) + "]".repeat(5_000),
      "no json",
      "null",
      '"text"',
    ].map(base64);
    const robots = ["a:".repeat(3_000), "unavailable_after: ".repeat(200), ",".repeat(3_000), "\u00ff"];
    for (const headers of [
      ...metadata.map((value) => ({ "x-metadata": value })),
      ...robots.map((value) => ({ "x-robots-tag": value })),
    ]) {
      const { status, text } = await outcome(
        await ask(backend, "POST", "/object/box/m.txt", {
          body: "text",
          headers: { ...headers, "x-upsert": "true" },
        }),
      );
      expect(status, text).toBeLessThan(500);
    }
  });

  it("a form's fields of any text are no failure", async () => {
    for (const [name, value] of [
      ["cacheControl", "\0"],
      ["metadata", '{"a":"\\u0000"}'],
      ["metadata", `${"[".repeat(50_000)}`],
      ["contentType", "a/\0"],
      ["\0", "x"],
    ]) {
      const form = new FormData();
      form.append(name ?? "", value ?? "");
      form.append("", new Blob(["text"]), "na\0me.txt");
      const { status, text } = await outcome(
        await ask(backend, "POST", "/object/box/form.txt", { body: form, headers: { "x-upsert": "true" } }),
      );
      expect(status, text).toBeLessThan(500);
    }
  });

  it("a resumable upload of any metadata is no failure", async () => {
    const base64 = (text: string) => Buffer.from(text).toString("base64");
    for (const [bucket, key, metadata] of [
      ["box", "a\0b", ""],
      ["\0", "a.txt", ""],
      ["box", "\ud800", ""],
      ["box", "r.txt", '{"a":"\\u0000"}'],
      ["box", "r.txt", "[".repeat(3_000)],
    ]) {
      const { status, text } = await outcome(
        await ask(backend, "POST", "/upload/resumable", {
          headers: {
            "tus-resumable": "1.0.0",
            "upload-length": "4",
            "upload-metadata": `bucketName ${base64(bucket ?? "")},objectName ${base64(key ?? "")},contentType ${base64("text/plain\0")},metadata ${base64(metadata ?? "")}`,
          },
        }),
      );
      expect(status, text).toBeLessThan(500);
    }
  });

  it("S3 names, markers and documents of any text are no failure", async () => {
    const client = s3Of(backend);
    const sent: (() => Promise<unknown>)[] = [
      () => client.send(new ListObjectsV2Command({ Bucket: "box", Prefix: "\0" })),
      () => client.send(new ListObjectsV2Command({ Bucket: "box", ContinuationToken: "\0" })),
      () => client.send(new ListObjectsV2Command({ Bucket: "box", StartAfter: "a\0", Delimiter: "\0" })),
      () => client.send(new CreateMultipartUploadCommand({ Bucket: "box", Key: "a\0b" })),
      () =>
        client.send(
          new DeleteObjectsCommand({
            Bucket: "box",
            Delete: { Objects: [{ Key: "a\0b" }, { Key: "&#0;" }] },
          }),
        ),
    ];
    for (const one of sent) {
      const status = await one().then(
        () => 200,
        (error: { $metadata?: { httpStatusCode?: number } }) => error.$metadata?.httpStatusCode ?? 0,
      );
      expect(status).toBeGreaterThanOrEqual(200);
      expect(status).toBeLessThan(500);
    }
  });
});

it("arbitrary JSON in arbitrary fields gives no failure of the server", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...ENDPOINTS),
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.jsonValue(),
      fc.nat(),
      async ([method, path, body], more, value, at) => {
        const names = Object.keys(body);
        const field = names[at % names.length] ?? "";
        const { status, text } = await outcome(
          await ask(backend, method, path, { json: { ...body, ...more, [field]: value } }),
        );
        expect(status, text).toBeLessThan(500);
      },
    ),
    { seed: 12, numRuns: 120 },
  );
});
