/** Responses while the database is stopped, full or out of connections: 503 with Retry-After. */

import { ListBucketsCommand } from "@aws-sdk/client-s3";
import { beforeAll, expect, test } from "vitest";
import type { Backend } from "../../src/backend/backend.ts";
import { s3Of } from "../../wings/s3/test/clients.ts";
import { createBackend } from "../../wings/testing.ts";
import { forThisFile } from "../for-this-file.ts";
import { ownStack } from "../realtime/own-stack.ts";

const backend = await forThisFile(createBackend({ bare: true }));
beforeAll(async () => {
  await backend.sql("create table public.notes (id int); grant all on public.notes to anon");
  await asAdmin(`create function public.full_disk() returns trigger language plpgsql as $$
    begin raise sqlstate '53100' using message = 'could not extend file'; end $$`);
});

const asAdmin = (text: string) => backend.database.query("supabase_admin", text, []);

type Ask = (url: string, headers: Record<string, string>) => Promise<Response>;
const json = { "content-type": "application/json" };
const post =
  (path: string, body: string, more: Record<string, string> = json): Ask =>
  (url, headers) =>
    fetch(url + path, { method: "POST", body, headers: { ...headers, ...more } });

const SIGNUP = post("/auth/v1/signup", '{"email":"ada@example.com","password":"secret-enough"}');
const UPLOAD = post("/storage/v1/object/bucket/key", "bytes", { "content-type": "text/plain" });
const TUS = post("/storage/v1/upload/resumable", "", {
  "tus-resumable": "1.0.0",
  "upload-length": "1",
  "upload-metadata": `bucketName ${btoa("bucket")},objectName ${btoa("key")}`,
});
const ASKED: Record<string, Ask> = {
  "rest, reading": (url, headers) => fetch(`${url}/rest/v1/notes`, { headers }),
  "rest, writing": post("/rest/v1/notes", '{"id":1}'),
  "auth, signing up": SIGNUP,
  "auth, signing in": post(
    "/auth/v1/token?grant_type=password",
    '{"email":"ada@example.com","password":"secret-enough"}',
  ),
  "auth, administration": (url, headers) => fetch(`${url}/auth/v1/admin/users`, { headers }),
  "auth, a link": (url) => fetch(`${url}/auth/v1/verify?type=signup&token=x`, { redirect: "manual" }),
  "storage, buckets": (url, headers) => fetch(`${url}/storage/v1/bucket`, { headers }),
  "storage, an upload": UPLOAD,
  "storage, a public download": (url) => fetch(`${url}/storage/v1/object/public/bucket/key`),
  "storage, a resumable upload": TUS,
  "meta, a list": (url, headers) => fetch(`${url}/pg/tables`, { headers }),
  "meta, a statement": post("/pg/query", '{"query":"select 1"}'),
};

function keysOf({ keys }: Backend): Record<string, string> {
  return { apikey: keys.serviceRoleKey, authorization: `Bearer ${keys.serviceRoleKey}` };
}

async function verdict(ask: Ask, of: Backend) {
  const response = await ask(of.url, keysOf(of));
  await response.arrayBuffer();
  return [response.status, response.headers.has("retry-after")];
}

test("a database without a free connection", async () => {
  const { name } = backend.database;
  await asAdmin(`alter database "${name}" connection limit 0`);
  try {
    await asAdmin(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = '${name}' and pid <> pg_backend_pid() and usename <> 'supabase_admin'`);
    for (const [what, ask] of Object.entries(ASKED)) {
      // A connection that has just been closed may be used once; later requests find none.
      await verdict(ask, backend.backend);
      expect([what, ...(await verdict(ask, backend.backend))]).toEqual([what, 503, true]);
    }
    const failure = await s3Of(backend)
      .send(new ListBucketsCommand({}))
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ $metadata: { httpStatusCode: 503 } });
  } finally {
    await asAdmin(`alter database "${name}" connection limit -1`);
  }
  await expect.poll(() => verdict(ASKED["rest, reading"] ?? SIGNUP, backend.backend)).toEqual([200, false]);
});

test.each([
  ["rest", "public.notes", ASKED["rest, writing"] ?? SIGNUP, [503, true]],
  ["auth", "auth.users", SIGNUP, [503, true]],
  ["storage", "storage.objects", UPLOAD, [507, false]],
] as const)("a full disk under %s", async (_service, table, ask, expected) => {
  await fetch(`${backend.url}/storage/v1/bucket`, {
    method: "POST",
    body: '{"name":"bucket"}',
    headers: { ...keysOf(backend.backend), ...json },
  });
  await asAdmin(
    `create trigger full_disk before insert on ${table} for each row execute function public.full_disk()`,
  );
  try {
    expect(await verdict(ask, backend.backend)).toEqual(expected);
  } finally {
    await asAdmin(`drop trigger full_disk on ${table}`);
  }
});

test("a database that is gone", async () => {
  await using stack = await ownStack();
  const gone = new Promise((resolve) => stack.cluster.onUnexpectedExit(resolve));
  const { rows } = await stack.backend.database.query<{ pid: string }>(
    "supabase_admin",
    "select split_part(pg_read_file('postmaster.pid'), chr(10), 1) as pid",
  );
  process.kill(Number(rows[0]?.pid), "SIGINT");
  await gone;
  for (const [what, ask] of Object.entries(ASKED)) {
    await verdict(ask, stack.backend);
    expect([what, ...(await verdict(ask, stack.backend))]).toEqual([what, 503, true]);
  }
});
