/** A gateway with every service: values that HTTP cannot carry, and foreign web pages and host names. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { GetObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { s3AsUser, s3Of } from "../../wings/s3/test/clients.ts";
import { createBackend, type TestBackend } from "../../wings/testing.ts";
import { exchange, statusOf } from "../http/raw.ts";
import { PhoenixSocket } from "../realtime/phoenix-socket.ts";

const SITE = "https://app.example.com";
let backend: TestBackend;
let hookAnswer: unknown;

const hook = createServer((_request, response) => {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(hookAnswer));
});
beforeAll(async () => {
  await new Promise<void>((ready) => hook.listen(0, "127.0.0.1", ready));
  backend = await createBackend({
    bare: true,
    config: {
      auth: {
        site_url: SITE,
        additional_redirect_urls: [
          "http://127.0.0.1:3000/**",
          "https://*.preview.example.com/**",
          "https://**",
        ],
        hook: {
          before_user_created: {
            enabled: true,
            uri: `http://127.0.0.1:${(hook.address() as AddressInfo).port}/`,
            secrets: "v1,whsec_dGVzdHRlc3R0ZXN0dGVzdA==",
          },
        },
      },
    },
  });
  await backend.sql(`create function public.refuse() returns text language plpgsql as $$
    begin raise sqlstate 'PT402' using message = 'Płatność' || chr(10) || 'x: y'; end $$`);
  await backend.sql(`create function public.headers() returns text language plpgsql as $$
    begin
      perform set_config('response.headers', '[{"X-A":"5 € "},{"Content-Length":"9"},{"Transfer-Encoding":"chunked"}]', true);
      return 'done';
    end $$`);
  await service("/storage/v1/bucket", { method: "POST", json: { name: "open", public: true } });
});
afterAll(async () => {
  await backend.drop();
  hook.close();
});

interface Init {
  method?: string;
  json?: unknown;
  body?: RequestInit["body"];
  headers?: Record<string, string>;
}

function call(path: string, key: string, { json, headers, ...init }: Init = {}): Promise<Response> {
  return fetch(backend.url + path, {
    redirect: "manual",
    signal: AbortSignal.timeout(15_000),
    ...init,
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    headers: {
      apikey: key,
      authorization: `Bearer ${key}`,
      ...(json === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
  });
}
const service = (path: string, init?: Init) => call(path, backend.serviceRoleKey, init);
const anon = (path: string, init?: Init) => call(path, backend.anonKey, init);

describe("what HTTP cannot carry", () => {
  test("a redirect address is percent-encoded", async () => {
    const target = "http://127.0.0.1:3000/%E2%82%AC/€";
    const query = `type=signup&token=x&redirect_to=${encodeURIComponent(target)}`;
    const response = await fetch(`${backend.url}/auth/v1/verify?${query}`, { redirect: "manual" });
    expect(response.status).toBe(303);
    expect(response.headers.get("location")).toMatch(
      /^http:\/\/127\.0\.0\.1:3000\/%E2%82%AC\/%E2%82%AC#error=/,
    );
  });

  test("a raised message goes whole into the body, and as far as it can into the status line", async () => {
    const response = await anon("/rest/v1/rpc/refuse", { method: "POST" });
    expect([response.status, response.statusText]).toEqual([402, "P?atno???x: y"]);
    expect(await response.json()).toMatchObject({ code: "PT402", message: "Płatność\nx: y" });
  });

  test("headers that SQL sets cannot break the answer's frame", async () => {
    const response = await anon("/rest/v1/rpc/headers", { method: "POST" });
    expect([response.status, await response.json()]).toEqual([200, "done"]);
  });

  test.each([42, 999, -1, 1.5, "teapot"])("a hook's status %s is a 500", async (http_code) => {
    hookAnswer = { error: { http_code, message: "No €" } };
    const response = await anon("/auth/v1/signup", {
      method: "POST",
      json: { email: "ada@example.com", password: "secret-enough" },
    });
    expect([response.status, await response.json()]).toMatchObject([500, { msg: "No €" }]);
  });

  const BAD = ["image/png €", "image/png\r\nset-cookie: a=b", "image/png\u0000"];
  test.each(BAD)("storage refuses the content type and the cache control %j", async (bad) => {
    const form = (name: string) => {
      const body = new FormData();
      body.append("", new Blob(["x"], { type: "image/png" }), "x.png");
      body.append(name, bad);
      return body;
    };
    const tus = (name: string) => {
      const entries = { bucketName: "open", objectName: "bad", [name]: bad };
      const metadata = Object.entries(entries).map(
        ([key, value]) => `${key} ${Buffer.from(value).toString("base64")}`,
      );
      return {
        "tus-resumable": "1.0.0",
        "upload-length": "1",
        "upload-metadata": metadata.join(","),
      };
    };
    const answers = await Promise.all([
      service("/storage/v1/object/open/bad", { method: "POST", body: form("contentType") }),
      service("/storage/v1/object/open/bad", { method: "POST", body: form("cacheControl") }),
      service("/storage/v1/upload/resumable", { method: "POST", headers: tus("contentType") }),
    ]);
    for (const answer of answers) {
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
    }
    expect((await service("/storage/v1/object/public/open/bad")).status).toBe(400);
  });

  test("an object whose row says what no header can is served, and the next request too", async () => {
    await service("/storage/v1/object/open/odd", { method: "POST", body: "odd" });
    await backend.sql(`update storage.objects set metadata = metadata ||
      '{"mimetype":"text/plain €","cacheControl":"a\\r\\nb"}' where name = 'odd'`);
    const response = await anon("/storage/v1/object/public/open/odd");
    expect([response.status, await response.text()]).toEqual([200, "odd"]);
    expect(response.headers.get("content-type")).toBe("text/plain %E2%82%AC");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  });

  test("realtime refuses JSON that is nested too deeply, over HTTP and in frames", async () => {
    const deep = `{"messages":[{"topic":"a","event":"b","payload":{"a":${"[".repeat(20_000)}${"]".repeat(20_000)}}}]}`;
    const response = await anon("/realtime/v1/api/broadcast", {
      method: "POST",
      body: deep,
      headers: { "content-type": "application/json" },
    });
    expect(response.status).toBe(400);
    const socket = await PhoenixSocket.open(backend);
    const { topic, ref } = await socket.join("deep");
    socket.socket.send(`["${ref}","2","${topic}","presence",${"[".repeat(50_000)}${"]".repeat(50_000)}]`);
    socket.socket.send(
      `["${ref}","3","${topic}","broadcast",${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}]`,
    );
    expect((await socket.join("still-there")).status).toBe("ok");
    socket.socket.terminate();
  });
});

describe("secret rights and foreign pages", () => {
  const EVIL = "https://evil.example";
  const ADMIN = "/auth/v1/admin/users";
  const places: [string, (headers: Record<string, string>) => Promise<Response>][] = [
    ["auth", (headers) => service(ADMIN, { headers })],
    ["rest", (headers) => service("/rest/v1/", { headers })],
    ["storage", (headers) => service("/storage/v1/bucket", { headers })],
    [
      "realtime",
      (headers) =>
        service("/realtime/v1/api/broadcast", {
          method: "POST",
          json: { messages: [{ topic: "a", event: "b", payload: {} }] },
          headers,
        }),
    ],
    [
      "the key alone",
      (headers) => fetch(backend.url + ADMIN, { headers: { apikey: backend.secretKey, ...headers } }),
    ],
    [
      "a bearer token alone",
      (headers) =>
        fetch(`${backend.url}/storage/v1/bucket`, {
          headers: { authorization: `bearer ${backend.serviceRoleKey}`, ...headers },
        }),
    ],
    [
      "a token without Bearer",
      (headers) =>
        fetch(`${backend.url}/storage/v1/bucket`, {
          headers: { authorization: backend.serviceRoleKey, ...headers },
        }),
    ],
    [
      "a key in the address",
      (headers) => fetch(`${backend.url}/rest/v1/?apikey=${backend.serviceRoleKey}`, { headers }),
    ],
    ["a presigned address of S3", async (headers) => fetch(await presigned(), { headers })],
  ];
  const presigned = async () => {
    const s3 = s3Of(backend);
    await s3.send(new PutObjectCommand({ Bucket: "open", Key: "signed", Body: "x" }));
    return getSignedUrl(s3, new GetObjectCommand({ Bucket: "open", Key: "signed" }));
  };

  test.each(places)("%s: refused from a foreign page, welcome otherwise", async (_name, ask) => {
    for (const headers of [
      { origin: EVIL },
      { origin: "null" },
      { origin: "https://app.example.com.evil.example" },
      { origin: "http://localhost.evil.example" },
      { origin: "https://any.page" },
      { "sec-fetch-site": "cross-site" },
    ]) {
      const refused = await ask(headers as unknown as Record<string, string>);
      expect([headers, refused.status]).toEqual([headers, 403]);
      expect(await refused.json()).toMatchObject({
        message: expect.stringContaining("Secret keys do not work"),
      });
    }
    for (const headers of [
      {},
      { origin: SITE },
      { origin: "http://localhost:5173" },
      { origin: "http://127.0.0.1:5173", "sec-fetch-site": "cross-site" },
      { origin: "http://[::1]:4321" },
      { origin: "https://pr-7.preview.example.com" },
      { "sec-fetch-site": "same-origin" },
    ]) {
      const { status } = await ask(headers as unknown as Record<string, string>);
      expect([headers, status < 300]).toEqual([headers, true]);
    }
  });

  test.each([
    "evil.example",
    "127.0.0.1.evil.example",
    "evil.example:54321",
    "localhost.evil",
    "10.0.0.7",
    "",
    "a b",
  ])("a secret key under the host name %j is refused, a publishable one is not", async (host) => {
    const ask = (key: string) =>
      exchange(
        backend.url,
        `GET /storage/v1/bucket HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\napikey: ${key}\r\nauthorization: Bearer ${key}\r\n\r\n`,
      );
    expect(statusOf(await ask(backend.serviceRoleKey))).toBe(403);
    expect(statusOf(await ask(backend.anonKey))).toBe(200);
  });

  test.each([
    "localhost",
    "LOCALHOST:1",
    "127.0.0.1:9",
    "[::1]:9",
    "host.docker.internal:54321",
    "app.localhost",
  ])("a secret key under the host name %s is welcome", async (host) => {
    const key = backend.serviceRoleKey;
    const answer = await exchange(
      backend.url,
      `GET /storage/v1/bucket HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\nauthorization: Bearer ${key}\r\n\r\n`,
    );
    expect(statusOf(answer)).toBe(200);
  });

  test("the address in the request line counts, whatever Host says", async () => {
    const key = backend.serviceRoleKey;
    const answer = await exchange(
      backend.url,
      `GET http://evil.example/storage/v1/bucket HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\nauthorization: Bearer ${key}\r\n\r\n`,
    );
    expect(statusOf(answer)).toBe(403);
  });

  test("ordinary keys and users' tokens work from any page", async () => {
    const user = await backend.backend.keys.sign({
      role: "authenticated",
      sub: crypto.randomUUID(),
      exp: 4e9,
    });
    for (const key of [backend.anonKey, backend.publishableKey]) {
      const response = await fetch(`${backend.url}/rest/v1/`, { headers: { apikey: key, origin: EVIL } });
      expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
    }
    expect((await call("/storage/v1/bucket", user, { headers: { origin: EVIL } })).status).toBe(200);
    const s3 = s3AsUser(backend, user);
    const signed = await getSignedUrl(s3, new GetObjectCommand({ Bucket: "open", Key: "signed" }));
    const answer = await fetch(signed, { headers: { origin: EVIL } });
    expect([answer.status, await answer.text()]).not.toMatchObject([403, /Secret keys/]);
  });

  test("a socket of a foreign page takes no secret token: not at the handshake, nor in a join or later", async () => {
    await expect(
      PhoenixSocket.open(backend, { key: backend.serviceRoleKey, headers: { origin: EVIL } }),
    ).rejects.toThrow(/403/);
    const socket = await PhoenixSocket.open(backend, { key: backend.anonKey, headers: { origin: EVIL } });
    const refused = await socket.join("a", {}, { access_token: backend.serviceRoleKey });
    expect(refused).toMatchObject({
      status: "error",
      response: { reason: expect.stringContaining("Secret keys do not work") },
    });
    const { topic, ref } = await socket.join("b");
    socket.push(topic, "access_token", { access_token: backend.serviceRoleKey }, ref);
    const ended = await socket.wait(([, , , event, { status }]) => event === "system" && status === "error");
    expect(ended[4].message).toContain("Secret keys do not work");
    socket.socket.terminate();
    const own = await PhoenixSocket.open(backend, {
      key: backend.serviceRoleKey,
      headers: { origin: "http://localhost:5173" },
    });
    expect((await own.join("c")).status).toBe("ok");
    own.socket.terminate();
  });

  test("X-Forwarded headers do not lead a resumable upload elsewhere", async () => {
    const metadata = `bucketName ${btoa("open")},objectName ${btoa("led")}`;
    const response = await service("/storage/v1/upload/resumable", {
      method: "POST",
      headers: {
        "tus-resumable": "1.0.0",
        "upload-length": "1",
        "upload-metadata": metadata,
        "x-forwarded-host": "evil.example",
        "x-forwarded-proto": "https",
        "x-forwarded-prefix": "//evil.example",
      },
    });
    expect(response.headers.get("location")).toMatch(
      new RegExp(`^${backend.url}/storage/v1/upload/resumable/`),
    );
  });
});
