/** The limits of concurrent pg_net requests, and of a response's size. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createBackend, type TestBackend } from "../../src/testing/index.ts";

let backend: TestBackend;
let address: string;
/** Requests held until released. */
const crowd: ServerResponse[] = [];
let mostAtOnce = 0;

const server = createServer((incoming, outgoing) => {
  outgoing.on("error", () => {});
  if (incoming.url === "/crowd") {
    crowd.push(outgoing);
    mostAtOnce = Math.max(mostAtOnce, crowd.length);
    return;
  }
  outgoing.writeHead(200);
  for (let piece = 0; piece < 80; piece += 1) outgoing.write(Buffer.alloc(64 * 1024, "x"));
  outgoing.end();
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  backend = await createBackend({ bare: true });
  await backend.sql("create extension pg_net");
});
afterAll(async () => {
  await backend?.drop();
  server.closeAllConnections();
  server.close();
});

it("makes two hundred requests at a time, and the others when those are over", async () => {
  await backend.sql("select net.http_get($1, timeout_milliseconds => 60000) from generate_series(1, 230)", [
    `${address}/crowd`,
  ]);
  await expect.poll(() => crowd.length, { timeout: 15_000 }).toBe(200);
  const [left] = await backend.sql("select count(*)::int as count from net.http_request_queue");
  expect(left).toEqual({ count: 30 });
  const release = () => {
    for (const waiting of crowd.splice(0)) waiting.end();
  };
  release();
  await expect.poll(() => crowd.length, { timeout: 15_000 }).toBe(30);
  release();
  expect(mostAtOnce).toBe(200);
});

it("gives up an answer that is too large, and says so", async () => {
  const [asked] = await backend.sql<{ id: string }>("select net.http_get($1) as id", [`${address}/large`]);
  await expect
    .poll(() =>
      backend.sql("select status_code, error_msg from net._http_response where id = $1", [asked?.id]),
    )
    .toEqual([{ status_code: null, error_msg: "The answer is larger than 4194304 bytes" }]);
});
