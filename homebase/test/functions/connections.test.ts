/** Connections to a function's process, against a server that closes them at any time. */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterEach, expect, test } from "vitest";
import { Connections, NotReached } from "../../src/functions/connections.ts";

const folder = mkdtempSync(join(tmpdir(), "homebase-connections-"));
let server: Server | undefined;
let connections: Connections | undefined;
afterEach(() => {
  connections?.destroy();
  server?.close();
  rmSync(folder, { recursive: true, force: true });
});

test("a connection that is closed as soon as it is used again fails neither a GET nor a POST", async () => {
  const path = join(folder, "s");
  server = createServer((socket: Socket) => {
    socket.on("error", () => {});
    let requests = 0;
    socket.on("data", () => {
      requests += 1;
      if (requests > 1) socket.destroy();
      else socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
    });
  });
  await new Promise<void>((ready) => server?.listen(path, ready));
  connections = new Connections(path);
  for (const method of ["GET", "GET", "POST", "POST", "GET"]) {
    expect([method, await send(connections, method)]).toEqual([method, "ok"]);
  }
});

function send(to: Connections, method: string): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const body = method === "POST" ? Readable.from([Buffer.from("body")]) : null;
    to.exchange(
      {
        method,
        target: "/",
        headers: body ? ["content-length", "4"] : [],
        body,
        length: body ? "4" : undefined,
      },
      {
        head: () => {},
        data: (bytes) => {
          text += bytes.toString();
        },
        end: () => resolve(text),
        error: (error) => resolve(String(error)),
      },
    );
  });
}

test("a request that finds no process keeps its body, for another process", async () => {
  const body = Readable.from(["the whole ", "body"]);
  const request = { method: "POST", target: "/", headers: [], body, length: undefined };
  const { promise, resolve } = Promise.withResolvers<Error>();
  const unexpected = () => resolve(new Error("answered"));
  const events = { head: unexpected, data: unexpected, end: unexpected, error: resolve };
  new Connections("/nonexistent/socket").exchange(request, events);
  expect(await promise).toBeInstanceOf(NotReached);
  expect(await body.toArray()).toEqual(["the whole ", "body"]);
});
