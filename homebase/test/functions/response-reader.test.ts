/** Parsing a function's responses, however the socket splits them, and malformed ones. */
import { expect, it } from "vitest";
import { MalformedResponse, type ResponseHead, ResponseReader } from "../../src/functions/response-reader.ts";

interface Seen {
  head?: ResponseHead;
  body: string;
  ended?: boolean;
}

function read(text: string, size: number, { bodiless = false, closes = false } = {}): Seen {
  const seen: Seen = { body: "" };
  const reader = new ResponseReader(bodiless, {
    head: (head) => {
      seen.head = head;
    },
    data: (bytes) => {
      seen.body += bytes.toString("utf8");
    },
    end: (reusable) => {
      seen.ended = reusable;
    },
  });
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
  if (closes) reader.close();
  return seen;
}

const plain =
  "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nset-cookie: a=1\r\nSet-Cookie: b=2\r\ncontent-length: 5\r\n\r\nhello";
const chunked =
  "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Made it\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\nA;x=y\r\n0123456789\r\n0\r\nx-late: 1\r\n\r\n";

it("reads a body of known length, whatever the pieces", () => {
  for (let size = 1; size <= plain.length; size += 1) {
    const { head, body, ended } = read(plain, size);
    expect(head).toEqual({
      status: 200,
      statusText: "OK",
      headers: { "content-type": "text/plain", "set-cookie": ["a=1", "b=2"], "content-length": "5" },
      length: 5,
    });
    expect([body, ended]).toEqual(["hello", true]);
  }
});

it("reads chunks, what comes before the head and behind the last chunk, whatever the pieces", () => {
  for (let size = 1; size <= chunked.length; size += 1) {
    const { head, body, ended } = read(chunked, size);
    expect([head?.status, head?.statusText, head?.length]).toEqual([201, "Made it", undefined]);
    expect([body, ended]).toEqual(["hello0123456789", true]);
  }
});

it("takes the end of the connection for the end of a body without a length", () => {
  expect(read("HTTP/1.1 200 OK\r\n\r\nall of it", 3, { closes: true })).toMatchObject({
    body: "all of it",
    ended: false,
  });
});

it("knows which responses have no body", () => {
  expect(read("HTTP/1.1 204 No Content\r\n\r\n", 9)).toMatchObject({ body: "", ended: true });
  expect(read("HTTP/1.1 304 Not Modified\r\ncontent-length: 9\r\n\r\n", 9)).toMatchObject({ ended: true });
  expect(read("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n", 9, { bodiless: true })).toMatchObject({
    ended: true,
  });
  expect(read("HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n", 99)).toMatchObject({
    ended: false,
  });
});

it("takes header names for names, also those of JavaScript's own", () => {
  const { head } = read("HTTP/1.1 204 No Content\r\nconstructor: a\r\n__proto__: b\r\n\r\n", 99);
  expect(Object.entries(head?.headers ?? {})).toEqual([
    ["constructor", "a"],
    ["__proto__", "b"],
  ]);
});

it.each([
  ["no HTTP at all", "hello\r\n\r\n", {}],
  ["a length that is no number", "HTTP/1.1 200 OK\r\ncontent-length: five\r\n\r\nhello", {}],
  ["a length of another base", "HTTP/1.1 200 OK\r\ncontent-length: 0x5\r\n\r\nhello", {}],
  ["an empty length", "HTTP/1.1 200 OK\r\ncontent-length:\r\n\r\n", {}],
  ["a length below zero, which no byte would end", "HTTP/1.1 200 OK\r\ncontent-length: -5\r\n\r\nhello", {}],
  ["two lengths", "HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 4\r\n\r\nhello", {}],
  ["a chunk without a size", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n", {}],
  ["a chunk that is too long", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nabc\r\n", {}],
  ["bytes behind the end", `${plain}more`, {}],
  ["a head without an end", `HTTP/1.1 200 OK\r\nx: ${"y".repeat(300_000)}`, {}],
  ["a body that breaks off", plain.slice(0, -1), { closes: true }],
  ["a header without a name", "HTTP/1.1 200 OK\r\n: x\r\n\r\n", {}],
])("refuses %s", (_what, text, options) => {
  expect(() => read(text, 1_000, options)).toThrow(MalformedResponse);
});
