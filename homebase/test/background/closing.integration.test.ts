/** Closing scheduled jobs: whatever a job is doing, it ends. */

import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { expect, test } from "vitest";
import { JobRunner } from "../../src/background/jobs.ts";
import { createLog } from "../../src/core/log.ts";
import type { Database } from "../../src/postgres/database.ts";
import { createBackend } from "../../src/testing/index.ts";

test("a stop ends while a job's session is still connecting", async () => {
  await using backend = await createBackend({ bare: true });
  // Takes the connection and says nothing, as Postgres in the first moment.
  const server = createServer((socket) => void socket.resume());
  const connected = new Promise<void>((resolve) => server.once("connection", () => resolve()));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await backend.sql("create extension pg_cron");
    await backend.sql("select cron.schedule('often', '1 seconds', 'select 1')");
    const { port } = server.address() as AddressInfo;
    const database = {
      query: backend.database.query.bind(backend.database),
      address: backend.database.address,
      connection: () => ({
        host: "127.0.0.1",
        port,
        user: "postgres",
        password: "x",
        database: "postgres",
      }),
    } as unknown as Database;
    const runner = new JobRunner(
      database,
      backend.clock,
      createLog("jobs", () => {}),
      () => {},
      true,
    );
    runner.reload();
    await connected;
    await expect(runner.close()).resolves.toBeUndefined();
  } finally {
    server.close();
  }
});
