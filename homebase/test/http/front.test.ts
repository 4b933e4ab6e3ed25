/** The HTTP server: its error boundary, its limits, and its output for services' responses. */
import { Readable } from "node:stream";
import { afterEach, expect, test } from "vitest";
import { createLog, type LogEntry } from "../../src/core/log.ts";
import { readBody, type ServiceResponse } from "../../src/http/exchange.ts";
import { HttpServer, type HttpServerOptions } from "../../src/http/server.ts";
import { exchange, open, statusOf } from "./raw.ts";

const running: HttpServer[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) await server.close();
});

async function front(
  handle: HttpServerOptions["handle"],
  options: Partial<HttpServerOptions> = {},
): Promise<{ url: string; logs: LogEntry[] }> {
  const logs: LogEntry[] = [];
  const log = createLog("front", (entry) => logs.push(entry));
  const server = new HttpServer({ log, handle, ...options, limits: { closeMs: 0, ...options.limits } });
  running.push(server);
  return { url: `http://127.0.0.1:${await server.listen({ port: 0 })}`, logs };
}

const ok = (): ServiceResponse => ({ status: 200, headers: {}, body: "ok" });
const request = (line: string, ...headers: string[]) =>
  `${[line, "host: 127.0.0.1", "connection: close", ...headers].join("\r\n")}\r\n\r\n`;

test("an error in a handler is a 500 whose id is in the log, and the next request is answered", async () => {
  const { url, logs } = await front(({ path }) => {
    if (path === "/sync") throw new Error("broken");
    return path === "/async" ? Promise.reject(new Error("broken later")) : ok();
  });
  for (const path of ["/sync", "/async"]) {
    const response = await fetch(url + path);
    const { request_id: id } = (await response.json()) as { request_id: string };
    expect([response.status, logs.at(-1)?.level, logs.at(-1)?.fields?.id]).toEqual([500, "error", id]);
  }
  expect(await (await fetch(url)).text()).toBe("ok");
});

test.each<[string, Partial<ServiceResponse>, number, Record<string, string>]>([
  ["beyond Latin-1", { headers: { "x-a": "5 €" } }, 200, { "x-a": "5 %E2%82%AC" }],
  ["a line break", { headers: { "x-a": "a\r\nset-cookie: b=c" } }, 200, { "x-a": "a set-cookie: b=c" }],
  ["a lone surrogate", { headers: { "x-a": "\ud800" } }, 200, { "x-a": "%EF%BF%BD" }],
  ["a name that is none", { headers: { "x a": "1", "x-b": "2" } }, 200, { "x-b": "2" }],
  ["a reason phrase", { statusText: "Płatność\r\n" }, 200, {}],
  ["a status of 42", { status: 42 }, 500, {}],
  ["a status of 100", { status: 100 }, 500, {}],
  ["a status of 999", { status: 999 }, 500, {}],
  ["no number at all", { status: Number.NaN }, 500, {}],
  [
    "a length that is none of the body's",
    { headers: { "content-length": "5000" } },
    200,
    { "content-length": "2" },
  ],
  [
    "an encoding of the transfer",
    { headers: { "transfer-encoding": "chunked" } },
    200,
    { "content-length": "2" },
  ],
])("an answer with %s is sent as far as HTTP can carry it", async (_name, given, status, headers) => {
  const { url } = await front(() => ({ ...ok(), ...given }));
  const response = await fetch(url, { signal: AbortSignal.timeout(10_000) });
  expect([response.status, await response.text()]).toEqual([status, "ok"]);
  for (const [name, value] of Object.entries(headers)) expect(response.headers.get(name)).toBe(value);
  expect(response.headers.get("set-cookie")).toBeNull();
});

test("a body stream that fails, ends early or is too long closes the connection and nothing else", async () => {
  const streams: Record<string, () => ServiceResponse> = {
    "/fails": () => ({ status: 200, headers: {}, body: Readable.from(failing()) }),
    "/failed": () => {
      const body = new Readable({ read() {} });
      body.destroy(new Error("gone before it began"));
      return { status: 200, headers: {}, body };
    },
    "/short": () => ({
      status: 200,
      headers: { "content-length": "10" },
      body: Readable.from([Buffer.from("abc")]),
    }),
    "/long": () => ({
      status: 200,
      headers: { "content-length": "2" },
      body: Readable.from([Buffer.from("abc")]),
    }),
  };
  const { url } = await front(({ path }) => streams[path]?.() ?? ok());
  for (const path of Object.keys(streams)) {
    const { closed } = await open(url, `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`);
    await closed;
    expect(await (await fetch(url)).text()).toBe("ok");
  }
});

async function* failing() {
  yield Buffer.from("a");
  throw new Error("the source broke");
}

test.each<[string, string | Buffer, number]>([
  ["no HTTP", "hello there\r\n\r\n", 400],
  ["a method that does not exist", request("FROB / HTTP/1.1"), 400],
  ["NUL in the path", request("GET /\0 HTTP/1.1"), 400],
  ["a header without a colon", request("GET / HTTP/1.1", "oops"), 400],
  ["two lengths", request("POST / HTTP/1.1", "content-length: 1", "content-length: 2"), 400],
  ["length and chunks", request("POST / HTTP/1.1", "content-length: 1", "transfer-encoding: chunked"), 400],
  ["no Host", "GET / HTTP/1.1\r\n\r\n", 400],
  ["a chunk of no size", `${request("POST / HTTP/1.1", "transfer-encoding: chunked")}zz\r\n`, 400],
  ["headers that are too long", request("GET / HTTP/1.1", `x-a: ${"a".repeat(70_000)}`), 431],
  ["a path that is too long", request(`GET /${"a".repeat(70_000)} HTTP/1.1`), 431],
  [
    "too many headers",
    request("GET / HTTP/1.1", ...Array.from({ length: 300 }, (_, at) => `x-${at}: 1`)),
    431,
  ],
  ["TRACE", request("TRACE / HTTP/1.1"), 405],
  ["CONNECT", request("CONNECT example.com:443 HTTP/1.1"), 405],
  ["an upgrade that is not known", request("GET / HTTP/1.1", "upgrade: h2c", "connection: upgrade"), 200],
  ["an absolute address", request("GET http://127.0.0.1/a?b HTTP/1.1"), 200],
  ["an asterisk", request("OPTIONS * HTTP/1.1"), 200],
  ["an expectation that is none", request("POST / HTTP/1.1", "expect: wonders", "content-length: 0"), 417],
])("%s is answered with its status", async (_name, bytes, status) => {
  const { url } = await front(async (given) => {
    await readBody(given, 1_000);
    return ok();
  });
  const { socket, text, closed } = await open(url, bytes);
  await expect.poll(() => statusOf(text())).toBe(status);
  socket.destroy();
  await closed;
  expect(await (await fetch(url)).text()).toBe("ok");
});

test("400 slow senders of headers are answered 408 and gone after the limit, and others are served meanwhile", async () => {
  const { url } = await front(ok, { limits: { headersMs: 1_000, checkMs: 50 } });
  const slow = await Promise.all(
    Array.from({ length: 400 }, (_, at) => open(url, at % 2 ? "GET / HTTP/1.1\r\nhost: 127" : "")),
  );
  expect((await fetch(url)).status).toBe(200);
  const answers = await Promise.all(slow.map(({ closed }) => closed));
  expect(new Set(answers.map(statusOf))).toEqual(new Set([408]));
  expect((await fetch(url)).status).toBe(200);
});

test("a body that stalls is answered 408 and its handler let go; one that makes progress may take longer", async () => {
  const broken: string[] = [];
  const { url, logs } = await front(
    async (given) => {
      const body = await readBody(given, 1_000).catch((error: Error) => {
        broken.push(error.message);
        throw error;
      });
      return { ...ok(), body: String(body.length) };
    },
    { limits: { bodyStallMs: 500, checkMs: 50 } },
  );
  const head = "POST / HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 20\r\n\r\n";
  const stalled = await open(url, `${head}abc`);
  const going = await open(url, head);
  const drip = setInterval(() => going.socket.write("a"), 60);
  const answer = await stalled.closed;
  expect(statusOf(answer)).toBe(408);
  await expect.poll(() => broken).toEqual(["The request body broke off."]);
  await expect.poll(() => going.text()).toMatch(/200 OK[\s\S]*20$/);
  clearInterval(drip);
  going.socket.destroy();
  expect(logs.filter(({ level }) => level === "error")).toEqual([]);
});

test("a stalled body whose answer is sent already does not hold its connection", async () => {
  const { url } = await front(ok, { limits: { bodyStallMs: 300, checkMs: 50 } });
  const { closed } = await open(url, "POST / HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 20\r\n\r\nabc");
  expect(statusOf(await closed)).toBe(200);
});

test("a body that waits for its reader, and an answer that takes long, are not cut", async () => {
  const { promise: waited, resolve: go } = Promise.withResolvers<void>();
  const { url } = await front(
    async (given) => {
      await waited;
      return { ...ok(), body: String((await readBody(given, 10_000_000)).length) };
    },
    { limits: { bodyStallMs: 100, checkMs: 20, headersMs: 100 } },
  );
  const answer = fetch(url, { method: "POST", body: Buffer.alloc(5_000_000) });
  // More than ten checks run while nobody reads.
  const other = await open(url, "");
  await other.closed;
  const third = await open(url, "");
  await third.closed;
  go();
  expect(await (await answer).text()).toBe("5000000");
});

test("idle connections are closed, and no more are taken than allowed", async () => {
  const { url } = await front(ok, { limits: { keepAliveMs: 100, checkMs: 20, sockets: 3 } });
  const idle = await open(url, "GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n");
  expect(statusOf(await idle.closed)).toBe(200);
  const { promise: held, resolve: release } = Promise.withResolvers<ServiceResponse>();
  const busy = await front(() => held, { limits: { sockets: 2 } });
  const get = "GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n";
  const taken = await Promise.all([open(busy.url, get), open(busy.url, get)]);
  expect(await exchange(busy.url, get)).toBe("");
  release(ok());
  expect((await Promise.all(taken.map(({ closed }) => closed))).map(statusOf)).toEqual([200, 200]);
});

test("a service may ask for the end of its connection, and for nothing else of it", async () => {
  const { url } = await front(({ path }) => ({ ...ok(), headers: { connection: path.slice(1) } }));
  const get = (path: string) => open(url, `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`);
  expect(statusOf(await (await get("/close")).closed)).toBe(200);
  const other = await get("/upgrade");
  await expect.poll(() => other.text()).toMatch(/connection: keep-alive/i);
  other.socket.destroy();
});

test("an upgrade whose handler fails is answered, and a connection that breaks meanwhile harms nobody", async () => {
  const { promise: seen, resolve: arrived } = Promise.withResolvers<void>();
  const { url, logs } = await front(ok, {
    upgrade: async ({ path }, socket) => {
      if (path === "/broken") {
        arrived();
        await new Promise((closed) => socket.once("close", closed));
        socket.write("to nobody");
      }
      throw new Error("no socket for you");
    },
  });
  const upgrade = (path: string) =>
    `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n`;
  expect(statusOf(await exchange(url, upgrade("/")))).toBe(500);
  const broken = await open(url, upgrade("/broken"));
  await seen;
  broken.socket.resetAndDestroy();
  await expect.poll(() => logs.length).toBe(2);
  expect((await fetch(url)).status).toBe(200);
});
