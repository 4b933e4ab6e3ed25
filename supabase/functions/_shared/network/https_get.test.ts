/** Tests https_get.ts. */
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { type Connection, httpsGet, type Network, Unreachable } from "./https_get.ts";

const LIMITS = { milliseconds: 2_000, bytes: 100, redirects: 2 };
const ok = (body: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

/** A network in which each connection returns the next of these responses; it records its calls. */
function network(names: Record<string, string[]>, answers: (string | Uint8Array | null)[]) {
  const log: string[] = [];
  const it: Network & { log: string[] } = {
    log,
    async resolve(name) {
      log.push(`resolve ${name}`);
      return names[name] ?? [];
    },
    async connect(address, name): Promise<Connection> {
      log.push(`connect ${address} ${name}`);
      const answer = answers.shift();
      if (answer === null || answer === undefined) throw new Error("refused");
      const bytes = typeof answer === "string" ? new TextEncoder().encode(answer) : answer;
      return {
        readable: new ReadableStream({
          // One byte at a time: no line and no chunk arrives whole.
          start(controller) {
            for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
            controller.close();
          },
        }),
        async write(request) {
          log.push(new TextDecoder().decode(request).split("\r\n")[0] ?? "");
        },
        close: () => log.push("close"),
      };
    },
  };
  return it;
}
const get = (url: string, net: Network) => httpsGet(url, "text/calendar", net, LIMITS);
const reasonOf = (promise: Promise<unknown>) =>
  promise.then(
    () => "answered",
    (error: unknown) => (error instanceof Unreachable ? error.reason : error),
  );

describe("httpsGet", () => {
  it("asks the first address that accepts, and closes the connection", async () => {
    const net = network({ "a.example.com": ["8.8.8.8", "8.8.4.4"] }, [null, ok("hello")]);
    expect(await get("https://a.example.com/x?y=1", net)).toEqual({ status: 200, text: "hello" });
    expect(net.log).toEqual([
      "resolve a.example.com",
      "connect 8.8.8.8 a.example.com",
      "connect 8.8.4.4 a.example.com",
      "GET /x?y=1 HTTP/1.1",
      "close",
    ]);
  });

  it.each([
    [["8.8.8.8", "127.0.0.1"]],
    [["::1"]],
    [["::ffff:10.0.0.1"]],
    [["100.64.3.2"]],
    [["169.254.169.254"]],
    [["fd00::1", "2606:4700::1"]],
  ])("connects to none of %j", async (addresses) => {
    const net = network({ "a.example.com": addresses }, [ok("secret")]);
    expect(await reasonOf(get("https://a.example.com/", net))).toBe("not_public");
    expect(net.log).toEqual(["resolve a.example.com"]);
  });

  it("follows redirects as often as it may, each checked", async () => {
    const moved = (to: string) => `HTTP/1.1 302 Found\r\nLocation: ${to}\r\n\r\n`;
    const names = { "a.example.com": ["8.8.8.8"], "b.example.com": ["8.8.4.4"] };
    const two = network(names, [moved("https://b.example.com/"), moved("/c"), ok("there")]);
    expect(await get("https://a.example.com/", two)).toEqual({ status: 200, text: "there" });
    expect(await reasonOf(get("https://a.example.com/", network(names, Array(9).fill(moved("/")))))).toBe(
      "too_many_redirects",
    );
    for (const to of [
      "http://b.example.com/",
      "https://127.0.0.1/",
      "file:///etc/passwd",
      "https://b.internal/",
    ]) {
      expect(await reasonOf(get("https://a.example.com/", network(names, [moved(to), ok("x")])))).toBe(
        "not_public",
      );
    }
  });

  it("reads bodies by length, in chunks, until the end, and packed", async () => {
    const names = { "a.example.com": ["8.8.8.8"] };
    const packed = gzipSync("packed");
    const head = new TextEncoder().encode(
      `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${packed.length}\r\n\r\n`,
    );
    const answers: [string | Uint8Array, string][] = [
      [`${ok("length")}more`, "length"],
      [
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=1\r\nchu\r\n3\r\nnks\r\n0\r\n\r\n",
        "chunks",
      ],
      ["HTTP/1.0 200 OK\n\nuntil the end", "until the end"],
      [`HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n${ok("late")}`, "late"],
      [new Uint8Array([...head, ...packed]), "packed"],
    ];
    for (const [answer, text] of answers) {
      expect(await get("https://a.example.com/", network(names, [answer]))).toEqual({ status: 200, text });
    }
  });

  it("takes no more than it may, packed or not, and no half of an answer", async () => {
    const names = { "a.example.com": ["8.8.8.8"] };
    const bomb = gzipSync("x".repeat(100_000));
    const head = new TextEncoder().encode("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n");
    const answers: [string | Uint8Array, string][] = [
      [ok("x".repeat(101)), "too_large"],
      [new Uint8Array([...head, ...bomb]), "too_large"],
      ["HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", "no_answer"],
      ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhalf", "no_answer"],
      ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n", "no_answer"],
      [`HTTP/1.1 200 OK\r\nX: ${"x".repeat(40_000)}\r\n\r\n`, "no_answer"],
      ["SSH-2.0-OpenSSH\r\n\r\n", "no_answer"],
      ["", "no_answer"],
    ];
    for (const [answer, reason] of answers) {
      expect(await reasonOf(get("https://a.example.com/", network(names, [answer])))).toBe(reason);
    }
  });

  it("ends with the time, whoever is silent", async () => {
    const limits = { ...LIMITS, milliseconds: 20 };
    const never = new Promise<never>(() => undefined);
    const net = network({ "a.example.com": ["8.8.8.8"] }, []);
    const silent: Network[] = [
      { ...net, resolve: () => never },
      { ...net, connect: () => never },
      {
        ...net,
        async connect() {
          let stop: (reason: Error) => void = () => undefined;
          return {
            readable: new ReadableStream({
              start(controller) {
                stop = (why) => controller.error(why);
              },
            }),
            write: async () => undefined,
            close: () => stop(new Error("closed")),
          };
        },
      },
    ];
    for (const each of silent) {
      expect(await reasonOf(httpsGet("https://a.example.com/", "*/*", each, limits))).toBe("no_answer");
    }
  });
});
