/**
 * Requests as the clients for Dart, Swift, Kotlin, Python and C# send them, where supabase-js sends others: null and numbers as
 * text in bodies, parts without a name, JSON with DELETE, no body, empty queries, Realtime's older frames. Each names the file
 * of its client that sends it.
 */
import { once } from "node:events";
import { request } from "node:http";
import { beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { createBackend } from "../../src/testing/index.ts";
import { forThisFile } from "../for-this-file.ts";

const DART = "supabase-flutter packages";
const SWIFT = "supabase-swift Sources";
const KOTLIN = "supabase-kt";
const PYTHON = "supabase-py src";
const CSHARP = "supabase-community";

const backend = await forThisFile(createBackend({ bare: true }));
beforeAll(async () => {
  await backend.sql(`
    create table public.notes (id int primary key, "body text" text, tags text[]);
    alter publication supabase_realtime add table public.notes`);
  await send("POST", "/storage/v1/bucket", { json: { id: "box", name: "box", public: true } });
  await send("POST", "/storage/v1/object/box/a.txt", { body: "a", type: "text/plain" });
});

interface Sent {
  headers?: Record<string, string>;
  json?: unknown;
  body?: string | string[];
  type?: string;
  /** A user's token; the secret key otherwise. */
  token?: string;
}

/** Sends exactly these headers, in their case; a body of several strings in chunks of unknown length. */
async function send(method: string, path: string, { headers = {}, json, body, type, token }: Sent = {}) {
  const { hostname, port } = new URL(backend.url);
  const content = json === undefined ? body : JSON.stringify(json);
  const kind = type ?? (json === undefined ? undefined : "application/json");
  const outgoing = request({
    method,
    path,
    hostname,
    port,
    headers: {
      apikey: token ? backend.publishableKey : backend.secretKey,
      ...(token ? { Authorization: `Bearer ${token}` } : {}),
      ...(kind ? { "Content-Type": kind } : {}),
      ...(Array.isArray(content) ? {} : { "Content-Length": Buffer.byteLength(content ?? "") }),
      ...headers,
    },
  });
  for (const part of Array.isArray(content) ? content : [content ?? ""]) outgoing.write(part);
  outgoing.end();
  const [response] = await once(outgoing, "response");
  const text = (await response.toArray()).join("");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // It is no JSON.
  }
  return { status: response.statusCode as number, text, body: value as Record<string, string> };
}

const multipart = (boundary: string, ...parts: string[]) => ({
  type: `multipart/form-data; boundary=${boundary}`,
  body: `${parts.map((part) => `--${boundary}\r\n${part}\r\n`).join("")}--${boundary}--\r\n`,
});
const stored = async (name: string) => (await send("GET", `/storage/v1/object/public/box/${name}`)).text;

describe("storage", () => {
  const list = { prefix: "", limit: 100, offset: 0, sortBy: { column: "name", order: "asc" } };
  const copy = { bucketId: "box", sourceKey: "a.txt", destinationBucket: null };
  const dartFile = (filename: string) =>
    multipart(
      "dart-http-boundary-0+Zz.Q_s:1?2,3'(4)",
      'content-disposition: form-data; name="cacheControl"\r\n\r\n3600',
      `content-type: text/plain\r\ncontent-disposition: form-data; name=""; filename="${filename}"\r\n\r\ndart`,
    );

  test.each<[client: string, what: string, method: string, path: string, sent: Sent, answer: object]>([
    [
      `${DART}/storage_client/lib/src/types.dart`,
      "a null search",
      "POST",
      "object/list/box",
      { json: { ...list, search: null }, type: "application/json; charset=utf-8" },
      expect.arrayContaining([expect.objectContaining({ name: "a.txt" })]),
    ],
    [
      `${DART}/storage_client/lib/src/storage_file_api.dart`,
      "an empty object",
      "POST",
      "object/upload/sign/box/dart-later.txt",
      { json: {} },
      { url: expect.stringContaining("token=") },
    ],
    [
      `${DART}/storage_client/lib/src/storage_bucket_api.dart`,
      "JSON with a DELETE",
      "DELETE",
      "bucket/none",
      { json: {} },
      { error: "Bucket not found" },
    ],
    [
      `${SWIFT}/Storage/StorageFileApi.swift`,
      "a null destination",
      "POST",
      "object/copy",
      { json: { ...copy, destinationKey: "copies/swift.txt" } },
      { Key: "box/copies/swift.txt" },
    ],
    [
      `${CSHARP}/storage-csharp Storage/StorageFileApi.cs`,
      "a null destination",
      "POST",
      "object/copy",
      { json: { ...copy, destinationKey: "copies/csharp.txt" }, type: "application/json; charset=utf-8" },
      { Key: "box/copies/csharp.txt" },
    ],
    [
      `${KOTLIN} Storage/…/BucketApiImpl.kt`,
      "a prefix alone",
      "POST",
      "object/list/box",
      { json: { prefix: "" } },
      expect.arrayContaining([expect.objectContaining({ name: "a.txt" })]),
    ],
    [
      `${KOTLIN} Storage/…/BucketApiImpl.kt`,
      "sizes beside expiresIn",
      "POST",
      "object/sign/box/a.txt",
      { json: { expiresIn: 60, width: 10, height: 10, resize: "cover" } },
      { signedURL: expect.stringContaining("token=") },
    ],
    [
      `${KOTLIN} Storage/…/BucketApiImpl.kt`,
      "neither a body nor its type",
      "POST",
      "object/upload/sign/box/kotlin-later.txt",
      {},
      { url: expect.stringContaining("token=") },
    ],
    [
      `${PYTHON}/storage/src/storage3/_sync/file_api.py`,
      "a number as text",
      "POST",
      "object/sign/box/a.txt",
      { json: { expiresIn: "60", download: true } },
      { signedURL: expect.stringContaining("token=") },
    ],
    [
      `${PYTHON}/storage/src/storage3/_sync/file_api.py`,
      "a number as text, for many",
      "POST",
      "object/sign/box",
      { json: { paths: ["a.txt", "none"], expiresIn: "60", download: "b.txt" } },
      [
        { path: "a.txt", error: null },
        { path: "none", signedURL: null },
      ],
    ],
    [
      `${PYTHON}/storage/src/storage3/_sync/file_api.py`,
      "prefixes with a DELETE",
      "DELETE",
      "object/box",
      { json: { prefixes: ["none"] } },
      [],
    ],
  ])("%s: %s", async (_client, _what, method, path, sent, answer) => {
    expect((await send(method, `/storage/v1/${path}`, sent)).body).toMatchObject(answer);
  });

  test.each<[client: string, what: string, name: string, sent: Sent, content: string]>([
    [
      `${DART}/storage_client/lib/src/fetch.dart`,
      "a part without name and file name",
      "dart-bytes.txt",
      { ...dartFile(""), headers: { "x-upsert": "false" } },
      "dart",
    ],
    [
      `${DART}/storage_client/lib/src/fetch.dart`,
      "a part named by a path of the phone",
      "dart-file.txt",
      { ...dartFile("/data/user/0/app/cache/photo%22.txt"), headers: { "x-upsert": "false" } },
      "dart",
    ],
    [
      `${SWIFT}/Storage/MultipartFormData.swift`,
      "its boundary, and headers in capitals",
      "swift.txt",
      {
        ...multipart(
          "alamofire.boundary.00c0ffee00c0ffee",
          'Content-Disposition: form-data; name="cacheControl"\r\n\r\n3600',
          'Content-Disposition: form-data; name="metadata"\r\n\r\n{"by":"swift"}',
          'Content-Disposition: form-data; name=""; filename="swift.txt"\r\nContent-Type: text/plain;charset=UTF-8\r\n\r\nswift',
        ),
        headers: { "Cache-Control": "max-age=3600", "x-upsert": "false" },
      },
      "swift",
    ],
    [
      `${PYTHON}/storage/src/storage3/_sync/file_api.py`,
      "metadata in a header and a field",
      "python.txt",
      {
        ...multipart(
          "f00dfeed",
          'Content-Disposition: form-data; name="metadata"\r\n\r\n{"by": "python"}',
          'Content-Disposition: form-data; name="cacheControl"\r\n\r\n3600',
          'Content-Disposition: form-data; name="file"; filename="python.txt"\r\nContent-Type: text/plain;charset=UTF-8\r\n\r\npython',
        ),
        headers: {
          "x-metadata": "eyJieSI6ICJweXRob24ifQ==",
          "cache-control": "max-age=3600",
          "x-upsert": "false",
          "user-agent": "python-httpx/0.28.1",
        },
      },
      "python",
    ],
    [
      `${KOTLIN} Storage/…/BucketApiImpl.kt`,
      "the bytes alone",
      "kotlin (1).txt",
      { body: "kotlin", type: "text/plain", headers: { "x-upsert": "false", "User-Agent": "ktor-client" } },
      "kotlin",
    ],
    [
      `${CSHARP}/storage-csharp Storage/Extensions/HttpClientProgress.cs`,
      "the bytes alone, in chunks",
      "csharp.txt",
      {
        body: ["cs", "harp"],
        type: "text/plain",
        headers: {
          "cache-control": "max-age=3600",
          "x-metadata": "eyJieSI6ImNzaGFycCJ9",
          "x-duplex": "half",
        },
      },
      "csharp",
    ],
  ])("%s uploads %s", async (_client, _what, name, sent, content) => {
    const path = encodeURIComponent(name);
    const { status, body } = await send("POST", `/storage/v1/object/box/${path}`, sent);
    expect([status, body.Key]).toEqual([200, `box/${name}`]);
    expect(await stored(path)).toBe(content);
  });

  test(`${KOTLIN} Storage/…/BucketApiImpl.kt: an upload to a signed address says whether to replace`, async () => {
    const { body } = await send("POST", "/storage/v1/object/upload/sign/box/signed.txt", {});
    const signed = await send("PUT", `/storage/v1${body.url}`, {
      body: "signed",
      type: "text/plain",
      headers: { "x-upsert": "true" },
    });
    expect([signed.status, await stored("signed.txt")]).toEqual([200, "signed"]);
  });

  test(`${CSHARP}/storage-csharp Storage/StorageFileApi.cs: an address ends with a question mark`, async () => {
    expect(await stored("a.txt?")).toBe("a");
  });
});

describe("auth", () => {
  const captcha = { gotrue_meta_security: { captcha_token: null } };
  const challenge = { code_challenge: null, code_challenge_method: null };
  const charset = { type: "application/json; charset=utf-8" };

  test(`${DART}/gotrue/lib/src/gotrue_client.dart: null for what is not given, and {} where nothing is sent`, async () => {
    const who = { email: "dart@nosh.test", password: "correct horse" };
    const joined = await send("POST", "/auth/v1/signup", {
      json: { ...who, data: null, ...captcha, ...challenge },
      ...charset,
    });
    expect(joined.status).toBe(200);
    const signedIn = await send("POST", "/auth/v1/token?grant_type=password", {
      json: { ...who, ...captcha },
      ...charset,
    });
    expect(signedIn.status).toBe(200);
    const token = signedIn.body.access_token;
    if (token === undefined) throw new Error("There is no token.");
    const otp = { email: who.email, data: {}, create_user: true, ...captcha, ...challenge };
    expect((await send("POST", "/auth/v1/otp", { json: otp, ...charset })).status).toBe(200);
    const idToken = { provider: "google", id_token: "x", nonce: null, access_token: null, ...captcha };
    const refused = await send("POST", "/auth/v1/token?grant_type=id_token", { json: idToken, ...charset });
    expect(refused.status).toBe(400);
    expect(
      (await send("GET", "/auth/v1/user", { token, headers: { "X-Supabase-Api-Version": "2024-01-01" } }))
        .status,
    ).toBe(200);
    const out = await send("POST", "/auth/v1/logout?scope=local", { json: {}, token, ...charset });
    expect([out.status, out.text]).toEqual([204, ""]);
  });
});

describe("REST", () => {
  const prefer = (text: string) => ({ headers: { Prefer: text } });
  test.each<
    [client: string, what: string, method: string, path: string, sent: Sent, status: number, answer: unknown]
  >([
    [
      `${PYTHON}/postgrest/src/postgrest/base_request_builder.py`,
      "columns in quotes",
      "POST",
      "notes?columns=%22id%22%2C%22body+text%22",
      { json: [{ id: 1, "body text": "one" }], ...prefer("return=representation") },
      201,
      [{ id: 1, "body text": "one", tags: null }],
    ],
    [
      `${PYTHON}/postgrest/src/postgrest/base_request_builder.py`,
      "preferences without a space",
      "POST",
      "notes?on_conflict=id&columns=%22id%22%2C%22tags%22",
      {
        json: [{ id: 1, tags: ["x"] }],
        ...prefer("return=representation,count=exact,resolution=merge-duplicates,missing=default"),
      },
      200,
      [{ id: 1, "body text": "one", tags: ["x"] }],
    ],
    [
      `${PYTHON}/postgrest/src/postgrest/base_request_builder.py`,
      "a plus sign for a space",
      "GET",
      "notes?select=%22body+text%22&tags=cs.%7Bx%7D",
      {},
      200,
      [{ "body text": "one" }],
    ],
    [
      `${PYTHON}/postgrest/src/postgrest/base_request_builder.py`,
      "list elements in braces",
      "GET",
      "notes?body+text=like%28any%29.%7Bo%2A%2Ct%2A%7D&select=id",
      {},
      200,
      [{ id: 1 }],
    ],
    [
      `${PYTHON}/postgrest/src/postgrest/base_request_builder.py`,
      "{} with a DELETE",
      "DELETE",
      "notes?id=eq.9",
      { json: {}, ...prefer("return=representation") },
      200,
      [],
    ],
  ])("%s: %s", async (_client, _what, method, path, sent, status, answer) => {
    const given = await send(method, `/rest/v1/${path}`, sent);
    expect([given.status, given.body]).toEqual([status, answer]);
  });
});

describe("Realtime", () => {
  /** Sends frames one after the other and gives what came back until `until`. */
  async function talk(query: string, frames: object[], until: (frame: Record<string, unknown>) => boolean) {
    const socket = new WebSocket(`${backend.url.replace("http", "ws")}/realtime/v1/websocket?${query}`);
    const heard: Record<string, unknown>[] = [];
    const done = Promise.withResolvers<void>();
    socket.on("message", (data) => {
      heard.push(JSON.parse(String(data)));
      if (heard.some(until)) done.resolve();
    });
    socket.on("close", () => done.reject(new Error(`closed after ${JSON.stringify(heard)}`)));
    await once(socket, "open");
    for (const frame of frames) socket.send(JSON.stringify(frame));
    await done.promise;
    socket.removeAllListeners("close").close();
    return heard;
  }
  const replied = (topic: string) => (frame: Record<string, unknown>) =>
    frame.topic === topic && frame.event === "phx_reply";
  const ok = (topic: string, ref: string | null) =>
    expect.objectContaining({
      topic,
      event: "phx_reply",
      ref,
      payload: expect.objectContaining({ status: "ok" }),
    });
  const changes = (more: object) => [{ event: "*", schema: "public", ...more }];

  test(`${KOTLIN} Realtime/…/RealtimeChannelImpl.kt: a join without a ref`, async () => {
    const topic = "realtime:kotlin";
    const config = {
      broadcast: { ack: false, self: false },
      presence: { key: "", enabled: false },
      postgres_changes: changes({ table: "notes" }),
    };
    const join = { topic, event: "phx_join", payload: { config, access_token: backend.anonKey }, ref: null };
    const heard = await talk(
      `apikey=${backend.publishableKey}&vsn=1.0.0`,
      [join],
      ({ event }) => event === "system",
    );
    expect(heard).toContainEqual(ok(topic, null));
    expect(heard).toContainEqual(
      expect.objectContaining({ event: "system", payload: expect.objectContaining({ status: "ok" }) }),
    );
  });

  test(`${KOTLIN} Realtime/…/RealtimeImpl.kt: a heartbeat with a number as text, then a leave without a ref`, async () => {
    const topic = "realtime:left";
    const frames = [
      { topic: "phoenix", event: "heartbeat", payload: {}, ref: "1" },
      { topic, event: "phx_join", payload: { config: {} }, ref: null },
      { topic, event: "phx_leave", payload: {}, ref: null },
    ];
    const heard = await talk(
      `apikey=${backend.publishableKey}&vsn=1.0.0`,
      frames,
      ({ event }) => event === "phx_close",
    );
    expect(heard[0]).toEqual(ok("phoenix", "1"));
  });

  test(`${PYTHON}/realtime/src/realtime/_async/client.py: no version in the address, a heartbeat without a ref`, async () => {
    const beat = { event: "heartbeat", topic: "phoenix", ref: null, payload: {}, join_ref: null };
    expect(await talk(`apikey=${backend.publishableKey}`, [beat], replied("phoenix"))).toEqual([
      ok("phoenix", null),
    ]);
  });

  test(`${CSHARP}/realtime-csharp Realtime/RealtimeSocket.cs: an empty token in the address, a ping without a payload`, async () => {
    const ref = "7b0a4a52-9d0b-4a0f-8d50-0e2f2f5d8c11";
    const ping = { topic: "phoenix", event: "heartbeat", payload: null, ref };
    const heard = await talk(`token=&apikey=${backend.publishableKey}&vsn=1.0.0`, [ping], replied("phoenix"));
    expect(heard).toEqual([ok("phoenix", ref)]);
  });

  test(`${CSHARP}/realtime-csharp Realtime/Channel/JoinPush.cs: null for parts of the join`, async () => {
    const topic = "realtime:csharp";
    const config = {
      broadcast: null,
      presence: null,
      postgres_changes: changes({ table: "notes" }),
    };
    const join = { topic, event: "phx_join", payload: { config }, ref: "a1", join_ref: "a1" };
    const heard = await talk(
      `token=&apikey=${backend.publishableKey}&vsn=1.0.0`,
      [join],
      ({ event }) => event === "system",
    );
    expect(heard).toContainEqual(ok(topic, "a1"));
    expect(heard).toContainEqual(
      expect.objectContaining({ event: "system", payload: expect.objectContaining({ status: "ok" }) }),
    );
  });

  test(`${KOTLIN} Realtime/…/RealtimeChannelImpl.kt: a broadcast by HTTP before the channel is joined`, async () => {
    const messages = [{ topic: "kotlin", event: "shout", payload: { word: "hi" }, private: false }];
    expect((await send("POST", "/realtime/v1/api/broadcast", { json: { messages } })).status).toBe(202);
  });
});
