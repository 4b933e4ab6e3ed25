/** Large bodies: stored unchanged, rejected like small ones, without blocking other requests. */
import { connect, type Socket } from "node:net";
import { beforeAll, expect, test, vi } from "vitest";
import type { AdmitBody } from "../../../src/http/exchange.ts";
import { LargeBodies } from "../../../src/rest/request/large-bodies.ts";
import { createBackend } from "../../../src/testing/index.ts";
import { forThisFile } from "../../for-this-file.ts";

const backend = await forThisFile(createBackend({ bare: true }));
beforeAll(async () => {
  await backend.sql(`create table public.rows (id int, name text);
    grant all on public.rows to anon, service_role;
    create function public.size(json) returns int language sql as 'select octet_length($1::text)'`);
});

const post = (path: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
  fetch(`${backend.url}/rest/v1/${path}`, {
    method: "POST",
    body,
    headers: { apikey: backend.anonKey, "content-type": "application/json", ...headers },
  });
const rowsOf = (count: number, name: string) =>
  JSON.stringify(Array.from({ length: count }, (_, id) => ({ id, name })));

test("20 MB of rows are not read on the thread that answers others, and others are answered", async () => {
  await backend.sql("truncate public.rows");
  const body = Buffer.from(rowsOf(10_000, "é".repeat(1_000)));
  expect(body.length).toBeGreaterThan(20_000_000);
  const { parse } = JSON;
  let longest = 0;
  JSON.parse = (text, reviver) => {
    longest = Math.max(longest, text.length);
    return parse(text, reviver);
  };
  let done = false;
  const times: number[] = [];
  try {
    // No more, because a statement has 8 seconds, on a slow machine too.
    const stored = post("rows", body, { apikey: backend.secretKey }).finally(() => {
      done = true;
    });
    while (!done) {
      const from = performance.now();
      const health = await fetch(`${backend.url}/auth/v1/health`, { headers: { apikey: backend.anonKey } });
      await health.arrayBuffer();
      times.push(performance.now() - from);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const answer = await stored;
    expect([answer.status, await answer.text()]).toEqual([201, ""]);
  } finally {
    JSON.parse = parse;
  }
  if (process.env.SHOW_FIGURES)
    process.stdout.write(`slowest of ${times.length}: ${Math.max(...times)} ms\n`);
  expect(longest).toBeLessThan(1024 * 1024);
  expect(times.length).toBeGreaterThan(3);
  expect(await backend.sql("select count(*)::int, max(length(name)) from public.rows")).toEqual([
    { count: 10_000, max: 1_000 },
  ]);
}, 300_000);

/** Begins a POST with a large body, of a stated length or in chunks, and leaves it open. */
function begin(length: number | undefined): Promise<Socket> {
  const { hostname, port } = new URL(backend.url);
  const socket = connect(Number(port), hostname);
  const framing = length === undefined ? "Transfer-Encoding: chunked" : `Content-Length: ${length}`;
  socket
    .on("error", () => {})
    .write(
      `POST /rest/v1/rows HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\napikey: ${backend.secretKey}\r\n${framing}\r\n\r\n`,
    );
  // A megabyte is large. No more, so that the server still reads the socket, and notices its end.
  const part = Buffer.alloc(1024 * 1024, " ");
  socket.write(length === undefined ? Buffer.concat([Buffer.from("100000\r\n"), part]) : part);
  return new Promise((resolve) => socket.once("drain", () => resolve(socket)));
}

test("a client that leaves while its body waits for memory takes none", async () => {
  const asked: number[] = [];
  const { place } = LargeBodies.prototype;
  const spy = vi.spyOn(LargeBodies.prototype, "place").mockImplementation(function (
    this: LargeBodies,
    arriving,
  ) {
    const own = place.call(this, arriving);
    const admit: AdmitBody = (bytes, end) => {
      asked.push(bytes);
      return own.admit(bytes, end);
    };
    return { ...own, admit };
  });
  const first = await begin(60 * 1024 * 1024);
  const waiting = await begin(undefined);
  await expect.poll(() => asked.length).toBe(2);
  spy.mockRestore();
  const large = () => post("rows", rowsOf(20_000, "x".repeat(90)), { apikey: backend.secretKey });
  const other = large();
  await new Promise((resolve) => waiting.once("close", resolve).destroy());
  await new Promise((resolve) => first.once("close", resolve).destroy());
  expect((await other).status).toBe(201);
  expect((await large()).status).toBe(201);
}, 120_000);

const LONG = "x".repeat(2_000_000);
test.each<[string, string, string, number, unknown]>([
  ["rows", `[{"id":1,"name":"${LONG}"}]`, "application/json", 201, undefined],
  ["rows?columns=id", `[{"id":1,"name":"${LONG}"}]`, "application/json", 201, undefined],
  ["rows?columns=id", `  {"id":1,"name":"${LONG}"}`, "application/json", 201, undefined],
  ["rows", `{"id":1,"name":"${LONG}"}`, "application/json", 201, undefined],
  ["rows", `id,name\n1,${LONG}\n`, "text/csv", 201, undefined],
  ["rows", `id=1&name=${LONG}`, "application/x-www-form-urlencoded", 201, undefined],
  ["rpc/size", `{"a":"${LONG}"}`, "application/json", 200, LONG.length + 8],
  [
    "rows",
    `[{"id":1,"name":"${LONG}"}`,
    "application/json",
    400,
    { code: "PGRST102", message: "Empty or invalid json" },
  ],
  [
    "rows",
    `[{"id":1,"name":"${LONG}"},{"id":1}]`,
    "application/json",
    400,
    { message: "All object keys must match" },
  ],
  ["rows", `[{"id":1,"nome":"${LONG}"}]`, "application/json", 400, { code: "PGRST204" }],
  ["rows", `"${LONG}"`, "application/json", 201, undefined],
  ["rows", `id,name\n1,"${LONG}`, "text/csv", 400, { code: "PGRST102" }],
  ["rows", LONG, "image/png", 400, { code: "PGRST102" }],
])("%s takes %.20s… as %s with %i", async (path, body, type, status, expected) => {
  const response = await post(path, body, { "content-type": type });
  const text = await response.text();
  expect([response.status, text.slice(0, 300)]).toEqual([status, expect.any(String)]);
  if (expected !== undefined) {
    const answer: unknown = JSON.parse(text);
    if (typeof expected === "object") expect(answer).toMatchObject(expected as object);
    else expect(answer).toBe(expected);
  }
});

test("bytes that are no text are refused", async () => {
  const bytes = Buffer.concat([Buffer.from('{"name":"'), Buffer.alloc(2_000_000, 0xff), Buffer.from('"}')]);
  expect((await post("rows", bytes)).status).toBe(400);
});
