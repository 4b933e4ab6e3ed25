/**
 * Owns the data of upstream's suites `bucket`, `object`, `search` and `render-routes` (supabase/storage, src/test): who may
 * what where, and requests as rows of a table. Each row's title is the title there.
 */
import { expect, test } from "vitest";
import type { TestBackend } from "../../../src/testing/index.ts";
import { adminOf, ask, type Body, must, storageBackend, userToken } from "../fixture.ts";

/** Members may do everything in the folder `authenticated` of two buckets, everybody in `public`. */
const POLICIES = `
create policy members on storage.buckets for all to authenticated using (true) with check (true);
create policy members on storage.objects for all to authenticated
  using (bucket_id in ('bucket2', 'bucket3') and (storage.foldername(name))[1] = 'authenticated')
  with check (bucket_id in ('bucket2', 'bucket3') and (storage.foldername(name))[1] = 'authenticated');
create policy everybody on storage.objects for all to anon, authenticated
  using (bucket_id = 'bucket2' and (storage.foldername(name))[1] = 'public')
  with check (bucket_id = 'bucket2' and (storage.foldername(name))[1] = 'public');
`;
const BUCKETS: Record<string, object> = {
  bucket2: {},
  bucket3: {},
  bucket4: {},
  bucket5: {},
  "public-bucket": {},
  "public-bucket-2": { public: true },
  "limit-100": { fileSizeLimit: 100 },
  "limit-1000": { fileSizeLimit: 1_000 },
  images: { allowedMimeTypes: ["image/jpeg"] },
};
const OBJECTS = [
  "bucket2/authenticated/casestudy.png",
  "bucket2/authenticated/cat.jpg",
  "bucket2/authenticated/delete.png",
  "bucket2/authenticated/delete1.png",
  "bucket2/authenticated/delete-multiple3.png",
  "bucket2/authenticated/delete-multiple7.png",
  "bucket2/authenticated/move-orig.png",
  "bucket2/authenticated/move-orig-2.png",
  "bucket2/authenticated/move-orig-3.png",
  "bucket2/authenticated/move-orig-4.png",
  "bucket2/authenticated/move-orig-5.png",
  "bucket2/public/sadcat-upload.png",
  "bucket2/public/sadcat-upload23.png",
  "bucket2/private/sadcat-upload3.png",
  "bucket2/folder/only_uid.jpg",
  "bucket2/folder/subfolder/a.jpg",
  "bucket2/curlimage.jpg",
  "public-bucket/favicon.ico",
  "public-bucket-2/favicon.ico",
];
export const BYTES = "0123456789".repeat(20);

export async function openUpstream(): Promise<TestBackend> {
  const backend = await storageBackend();
  await backend.sql(POLICIES);
  const { storage } = adminOf(backend);
  for (const [name, options] of Object.entries(BUCKETS))
    must(await storage.createBucket(name, { public: false, ...options }));
  for (const path of OBJECTS) {
    const [bucket = "", ...key] = path.split("/");
    const file = new Blob([BYTES], { type: "image/png" });
    must(await storage.from(bucket).upload(key.join("/"), file, { metadata: { test1: 1234 } }));
  }
  return backend;
}

export type Who = "member" | "anon" | "service" | "nobody";

/** A request and its answer. */
export interface Case {
  /** Upstream's title. */
  title: string;
  who: Who;
  /** Method and path. */
  ask: string;
  status: number;
  headers?: Record<string, string>;
  json?: unknown;
  body?: Body | (() => Body);
  /** What the answer's JSON must contain. */
  answer?: unknown;
  answered?: Record<string, string>;
}

export function testCases(open: () => TestBackend, cases: readonly Case[]): void {
  test.each(cases)(
    "$title ($who, $ask)",
    async ({ who, ask: line, status, body, answer, answered, ...sent }) => {
      const backend = open();
      const token = {
        member: await userToken(backend),
        anon: backend.anonKey,
        service: undefined,
        nobody: null,
      }[who];
      const [method = "", path = ""] = line.split(" ");
      const response = await ask(backend, method, path, {
        ...sent,
        ...(body === undefined ? {} : { body: typeof body === "function" ? body() : body }),
        ...(who === "service" ? {} : { token: token ?? null }),
      });
      const text = await response.text();
      expect([response.status, text]).toEqual([status, expect.any(String)]);
      if (answer !== undefined) expect(JSON.parse(text)).toEqual(answer);
      if (answered) expect(Object.fromEntries(response.headers)).toMatchObject(answered);
    },
  );
}

/** A form with one file, and fields before it. */
export function form(bytes: string = BYTES, fields: Record<string, string> = {}): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.set(name, value);
  data.set("file", new Blob([bytes]), "sadcat.jpg");
  return data;
}
