/** Ports taken between choosing and listening, and the message for a port in use. */
import { writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type PortState, remainingTimeWait, waitForPort } from "../../src/developer/port-wait.ts";
import { PortInUse, portFree, withFreePort } from "../../src/developer/ports.ts";

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

test.runIf(process.platform === "linux")(
  "a port in TIME-WAIT is told apart, with the seconds that are left",
  async () => {
    const server = await listen(0);
    const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
    await new Promise((resolve) => client.once("connect", resolve));
    const port = client.localPort ?? 0;
    expect([await portFree(port), remainingTimeWait(port)]).toEqual([false, undefined]);
    // The side that closes first keeps its port.
    client.end();
    await new Promise((resolve) => client.once("close", resolve));
    await close(server);
    await expect.poll(() => remainingTimeWait(port)).toBeGreaterThan(0);
    expect(remainingTimeWait(port)).toBeLessThanOrEqual(60);
    expect(await portFree(port)).toBe(false);
  },
);

/** A port that is in TIME-WAIT until a time; each pause moves the clock. */
function waiting(
  until: number,
  remaining = (now: number): number | undefined => (until - now) / 1_000,
): PortState {
  let now = 0;
  return {
    free: async () => now >= until,
    remaining: () => remaining(now),
    pause: async (milliseconds) => {
      now += milliseconds;
    },
    now: () => now,
  };
}

test("a wait counts down by seconds, and ends when the port is free", async () => {
  const said: number[] = [];
  expect(await waitForPort(1, (seconds) => said.push(seconds), waiting(3_400))).toBe(true);
  expect(said).toEqual([4, 3, 2, 1]);
});

test("a port that is free, or that a program has, is not waited for", async () => {
  const said: number[] = [];
  expect(await waitForPort(1, (seconds) => said.push(seconds), waiting(0))).toBe(true);
  expect(
    await waitForPort(
      1,
      (seconds) => said.push(seconds),
      waiting(1_000, () => undefined),
    ),
  ).toBe(false);
  // A connection that keeps coming back does not hold a start for ever.
  expect(
    await waitForPort(
      1,
      () => {},
      waiting(Number.POSITIVE_INFINITY, () => 30),
    ),
  ).toBe(false);
  expect(said).toEqual([]);
});

test("a port with a listener besides is not in TIME-WAIT", () => {
  const table = join(tmpdir(), `homebase-tcp-${process.pid}`);
  const line = (state: string) =>
    `0: 0100007F:0050 0100007F:845B ${state} 00000000:00000000 03:000003E8 0 0 0 0`;
  writeFileSync(table, ["head", line("06"), line("06").replace("3E8", "7D0")].join("\n"));
  expect(remainingTimeWait(80, [table])).toBe(20);
  writeFileSync(table, ["head", line("06"), line("0A")].join("\n"));
  expect(remainingTimeWait(80, [table, "/not/there"])).toBeUndefined();
});
