/** Requests that once led to a server error, or did more than they say; each by its class. */
import { beforeAll, describe, expect, test } from "vitest";
import { isPasswordHash, verifyPassword } from "../../src/auth/users/passwords.ts";
import { createBackend } from "../../wings/testing.ts";
import { adminOf } from "../auth/client.ts";
import { forThisFile } from "../for-this-file.ts";
import { open, statusOf } from "../http/raw.ts";

const backend = await forThisFile(
  createBackend({
    bare: true,
    limits: { checkMs: 50, bodyStallMs: 500 },
    config: { auth: { oauth_server: { enabled: true, allow_dynamic_registration: true } } },
  }),
);
beforeAll(async () => {
  await backend.sql(`create table public.things (id int, data jsonb); grant all on public.things to anon, authenticated;
    create function public.echo(n json) returns json language sql as 'select n'`);
});

const ask = (path: string, key: string, init: RequestInit = {}) =>
  fetch(backend.url + path, {
    redirect: "manual",
    ...init,
    headers: { apikey: backend.anonKey, authorization: `Bearer ${key}`, ...init.headers },
  });

describe("deep nesting", () => {
  const repeat = (text: string, end = "") => text.repeat(5_000) + end.repeat(5_000);
  test.each(
    [
      `select=${repeat("a(")}`,
      `select=${repeat("a(", ")")}`,
      `select=${repeat("...a(")}`,
      `or=(${repeat("or(")}`,
      `or=(${repeat("or(", ")")})`,
      `and=(${repeat("not.and(")}id.eq.1`,
      `select=${repeat("data->")}a`,
      `select=data${repeat("->a")}`,
      `order=data${repeat("->a")}`,
      `data${repeat("->a")}=eq.1`,
      `${repeat("a.")}id=eq.1`,
      `id=${repeat("not.")}eq.1`,
      `id=in.(${repeat("(")}`,
      `id=eq.${repeat("{")}`,
      `columns=${repeat('"a",')}`,
      `on_conflict=${repeat("a,")}`,
      `${repeat("a=eq.1&")}`,
      `select=${repeat("id,")}id`,
    ].map((query) => [query.slice(0, 30), query]),
  )("%s… is an error of the client", async (_name, query) => {
    for (const method of ["GET", "POST", "PATCH"]) {
      const init = method === "GET" ? { method } : { method, body: "{}" };
      const response = await ask(`/rest/v1/things?${query}`, backend.anonKey, init);
      const text = await response.text();
      // 500 is upstream's own status for Postgres's limits of a statement.
      const fine = response.status < 500 || JSON.parse(text).code === "54011";
      expect([method, fine || text]).toEqual([method, true]);
    }
  });

  test("a hundred levels are read", async () => {
    const logic = `${"or(".repeat(90)}id.eq.1${")".repeat(90)}`;
    expect((await ask(`/rest/v1/things?or=(${logic})`, backend.anonKey)).status).toBe(200);
  });

  test.each(["[", '{"a":', '[{"a":', '{"data":['])("bodies of %s", async (part) => {
    const init = {
      method: "POST",
      body: part.repeat(50_000),
      headers: { "content-type": "application/json" },
    };
    for (const path of ["/rest/v1/things", "/rest/v1/rpc/echo", "/auth/v1/signup", "/storage/v1/bucket"]) {
      expect([path, (await ask(path, backend.serviceRoleKey, init)).status < 500]).toEqual([path, true]);
    }
  });
});

describe("signed tokens with claims of any kind", () => {
  const ROLES = [
    "",
    "\0",
    "no such role",
    "x".repeat(70),
    'a"b',
    "a'b",
    "\ud800",
    "none",
    "PUBLIC",
    "postgres ",
    "😀",
    "a\nb",
  ];
  const VALUES = [
    null,
    0,
    -1,
    1e308,
    -1e308,
    0.5,
    true,
    [],
    {},
    "1",
    ["authenticated"],
    { a: 1 },
    "9".repeat(400),
    2 ** 53,
  ];
  const claims: Record<string, unknown>[] = [
    ...[...ROLES, ...VALUES].map((role) => ({ role, exp: 4e9, sub: crypto.randomUUID() })),
    ...[...ROLES, ...VALUES].flatMap((value) =>
      ["exp", "nbf", "iat", "sub", "aud", "iss", "session_id", "aal", "email", "is_anonymous"].map(
        (name) => ({
          role: "authenticated",
          exp: 4e9,
          sub: crypto.randomUUID(),
          [name]: value,
        }),
      ),
    ),
    { role: "authenticated", exp: 4e9, "a\0b": 1, deep: JSON.parse("[".repeat(900) + "]".repeat(900)) },
  ];
  const paths: [string, string, string?][] = [
    ["GET", "/rest/v1/things"],
    ["GET", "/auth/v1/user"],
    ["GET", "/auth/v1/admin/users"],
    ["POST", "/auth/v1/logout"],
    ["GET", "/storage/v1/bucket"],
    ["GET", "/storage/v1/object/none/none"],
    ["POST", "/storage/v1/object/none/none", "x"],
    ["POST", "/storage/v1/object/list/none", '{"prefix":""}'],
    ["POST", "/storage/v1/upload/resumable"],
    [
      "POST",
      "/realtime/v1/api/broadcast",
      '{"messages":[{"topic":"a","event":"b","payload":{},"private":true}]}',
    ],
    ["GET", "/realtime/v1/api/tenants/realtime-dev/health"],
    ["GET", "/functions/v1/none"],
  ];
  test.each(paths)(
    "%s %s",
    async (method, path, body) => {
      const failed: unknown[] = [];
      for (const one of claims) {
        const token = await backend.backend.keys.sign(one);
        const { status } = await ask(path, token, {
          method,
          ...(body === undefined ? {} : { body, headers: { "content-type": "application/json" } }),
        });
        if (status >= 500) failed.push([status, JSON.stringify(one).slice(0, 100)]);
      }
      expect(failed).toEqual([]);
    },
    60_000,
  );
});

test("a body that never ends is answered 408 by each service", async () => {
  const places = [
    "POST /rest/v1/things",
    "POST /auth/v1/signup",
    "POST /storage/v1/bucket",
    "POST /storage/v1/object/none/none",
    "POST /realtime/v1/api/broadcast",
    "POST /pg/query",
  ];
  const answers = places.map(async (place) => {
    const head = `${place} HTTP/1.1\r\nhost: localhost\r\napikey: ${backend.serviceRoleKey}\r\nauthorization: Bearer ${backend.serviceRoleKey}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"a`;
    const status = statusOf(await (await open(backend.url, head)).closed);
    return [place, status];
  });
  // Uploads to a bucket that does not exist are refused before their body.
  const expected = places.map((place) => [place, place.includes("none") ? 400 : 408]);
  expect(await Promise.all(answers)).toEqual(expected);
});

test("a resumable upload takes nothing after its end", async () => {
  await ask("/storage/v1/bucket", backend.serviceRoleKey, {
    method: "POST",
    body: '{"name":"box"}',
    headers: { "content-type": "application/json" },
  });
  const tus = { "tus-resumable": "1.0.0" };
  const made = await ask("/storage/v1/upload/resumable", backend.serviceRoleKey, {
    method: "POST",
    headers: {
      ...tus,
      "upload-length": "3",
      "upload-metadata": `bucketName ${btoa("box")},objectName ${btoa("a")}`,
    },
  });
  const path = new URL(made.headers.get("location") ?? "").pathname;
  const patch = (offset: string, body: string) =>
    ask(path, backend.serviceRoleKey, {
      method: "PATCH",
      body,
      headers: { ...tus, "upload-offset": offset, "content-type": "application/offset+octet-stream" },
    });
  expect((await patch("0", "abc")).status).toBe(204);
  for (const [offset, body] of [
    ["3", ""],
    ["3", "d"],
    ["0", "abc"],
    ["9", "x"],
    ["-1", ""],
    ["3", "x".repeat(100_000)],
  ] as const) {
    const { status } = await patch(offset, body);
    expect([offset, status >= 400 && status < 500]).toEqual([offset, true]);
  }
  expect(
    (await ask(path, backend.serviceRoleKey, { method: "HEAD", headers: tus })).headers.get("upload-offset"),
  ).toBe("3");
  const object = await ask("/storage/v1/object/authenticated/box/a", backend.serviceRoleKey);
  expect(await object.text()).toBe("abc");
});

test("HEAD does not act: a mailed link stays", async () => {
  const { data } = await adminOf(backend).auth.admin.generateLink({
    type: "signup",
    email: "link@example.com",
    password: "secret-enough",
  });
  const link = new URL(data.properties?.action_link ?? "");
  for (let count = 0; count < 3; count += 1) {
    const head = await fetch(link, { method: "HEAD", redirect: "manual" });
    expect([head.status, head.headers.get("location")]).toEqual([405, null]);
  }
  const flows = async () =>
    (await backend.sql<{ count: string }>("select count(*) from auth.flow_state"))[0]?.count;
  const before = await flows();
  for (const path of [
    "authorize?provider=github",
    "callback?code=a&state=b",
    "reauthenticate",
    "user/identities/authorize?provider=github",
  ]) {
    expect([path, (await ask(`/auth/v1/${path}`, backend.anonKey, { method: "HEAD" })).status]).toEqual([
      path,
      405,
    ]);
  }
  expect(await flows()).toBe(before);
  const used = await fetch(link, { redirect: "manual" });
  expect(used.headers.get("location")).toContain("access_token=");
});

test.each([
  { redirect_uris: ["https://tool.example/a,javascript:alert(1)"] },
  { redirect_uris: ["https://tool.example/a,https://evil.example/"] },
  { redirect_uris: ["http://localhost/a,http://evil.example/"] },
  { redirect_uris: ["javascript:alert(1)"] },
  { redirect_uris: ["javascript://tool.example/%0aalert(1)"] },
  { redirect_uris: ["data:text/html,x"] },
  { redirect_uris: ["https://tool.example/"], client_uri: "javascript:alert(1)" },
  { redirect_uris: ["https://tool.example/"], client_uri: "JavaScript:alert(1)" },
  { redirect_uris: ["https://tool.example/"], logo_uri: "data:image/svg+xml,<svg onload=alert(1)>" },
  { redirect_uris: ["https://tool.example/"], logo_uri: "vbscript:x" },
])("an application does not register %j", async (given) => {
  const response = await ask("/auth/v1/oauth/clients/register", backend.anonKey, {
    method: "POST",
    body: JSON.stringify({ client_name: "Tool", ...given }),
    headers: { "content-type": "application/json" },
  });
  expect(response.status).toBe(400);
});

describe("hashes that cost too much", () => {
  const tail = "a".repeat(53);
  const COSTLY = [
    `$2a$31$${tail}`,
    `$2b$16$${tail}`,
    `$2y$99$${tail}`,
    "$argon2id$v=19$m=1048576,t=3,p=4$c2FsdHNhbHQ$aGFzaGhhc2g",
    "$argon2id$v=19$m=64,t=4294967295,p=1$c2FsdHNhbHQ$aGFzaGhhc2g",
    "$argon2id$v=19$m=65536,t=3,p=16777215$c2FsdHNhbHQ$aGFzaGhhc2g",
    "$fbscrypt$v=1,n=20,r=8,p=1,sk=aGFzaA==$c2FsdA==$aGFzaA==",
    "$fbscrypt$v=1,n=14,r=999999,p=1,sk=aGFzaA==$c2FsdA==$aGFzaA==",
    "$fbscrypt$v=1,n=14,r=8,p=999999,sk=aGFzaA==$c2FsdA==$aGFzaA==",
  ];
  test.each(COSTLY)("%s is not imported and not tried", async (hash) => {
    expect(isPasswordHash(hash)).toBe(false);
    expect(await verifyPassword("x", hash)).toBe(false);
  });

  test("one that SQL has stored keeps no thread", async () => {
    const { data } = await adminOf(backend).auth.admin.createUser({
      email: "slow@example.com",
      email_confirm: true,
    });
    await backend.database.query(
      "supabase_auth_admin",
      "update auth.users set encrypted_password = $2 where id = $1",
      [data.user?.id, `$2a$31$${tail}`],
    );
    const response = await ask("/auth/v1/token?grant_type=password", backend.anonKey, {
      method: "POST",
      body: '{"email":"slow@example.com","password":"anything"}',
      headers: { "content-type": "application/json" },
    });
    expect(response.status).toBe(400);
  });

  test.each([
    "$argon2id$v=19$m=65536,t=3,p=4$c2FsdHNhbHQ$aGFzaGhhc2g",
    "$argon2id$v=19$m=8,t=1,p=1$YQ$YQ",
    "$fbscrypt$v=1,n=14,r=8,p=1,sk=aGFzaA==$c2FsdA==$aGFzaA==",
  ])("%s is tried, and matches nothing", async (hash) => {
    expect(await verifyPassword("x", hash)).toBe(false);
  });
});
