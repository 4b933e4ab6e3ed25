/** One request of pg_net or http: it ends, whatever the server makes of it. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { exchange } from "../../src/background/outgoing-request.ts";

let server: Server;
beforeAll(async () => {
  server = createServer((_request, response) => void response.end("answered"));
  server.on("connect", (_request, socket) => void socket.write("HTTP/1.1 200 OK\r\n\r\n"));
  server.on("upgrade", (_request, socket) => {
    socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(() => server.closeAllConnections());
afterAll(() => void server.close());

const send = (method: string, headers: Record<string, string> | null = null) => {
  const { port } = server.address() as AddressInfo;
  const request = { method, headers, body: null, timeout_milliseconds: 20_000 };
  return exchange(new URL(`http://127.0.0.1:${port}/`), request, new AbortController().signal);
};

test("a tunnel and another protocol, which are no answers, end the request", async () => {
  expect(await send("GET")).toMatchObject({ status: 200, content: "answered" });
  const closed = "The connection was closed without an answer";
  await expect(send("CONNECT")).rejects.toThrow(closed);
  await expect(send("GET", { connection: "upgrade", upgrade: "other" })).rejects.toThrow(closed);
});
