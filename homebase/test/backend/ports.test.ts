/** Ports taken between choosing and listening, and the message for a port in use. */
import { createServer, type Server } from "node:net";
import { expect, test } from "vitest";
import { PortInUse, withFreePort } from "../../src/backend/ports.ts";

const listen = (port: number): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve(server));
  });
const close = (server: Server) => new Promise((resolve) => server.close(resolve));
const isTaken = (error: unknown) => (error as NodeJS.ErrnoException).code === "EADDRINUSE";

test("another port is tried, and said, when the chosen one was taken meanwhile", async () => {
  const lost: number[] = [];
  const intruders: Server[] = [];
  const server = await withFreePort(
    async (port) => {
      // Another process takes the port, once.
      if (intruders.length === 0) intruders.push(await listen(port));
      return listen(port);
    },
    isTaken,
    (port) => lost.push(port),
  );
  expect(lost).toEqual(intruders.map((intruder) => (intruder.address() as { port: number }).port));
  expect(lost).toHaveLength(1);
  await Promise.all([server, ...intruders].map(close));
});

test("what is no lost port is thrown at once", async () => {
  let tries = 0;
  const work = async () => {
    tries += 1;
    throw new Error("something else");
  };
  await expect(withFreePort(work, isTaken)).rejects.toThrow("something else");
  expect(tries).toBe(1);
});

test("a taken port is named with purpose, program and pid", async () => {
  const server = await listen(0);
  const { port } = server.address() as { port: number };
  const { message } = new PortInUse(port, "API");
  expect(message).toMatch(
    new RegExp(`^Port ${port} \\(API\\) is already in use by node.*\\(pid ${process.pid}\\)`),
  );
  await close(server);
});
