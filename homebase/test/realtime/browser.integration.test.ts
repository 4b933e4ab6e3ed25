/** The client library in a browser, where its heartbeat runs in a Web Worker (supabase-js, `realtime.worker`). */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { chromium } from "@playwright/test";
import type { createClient } from "@supabase/supabase-js";
import { expect, test } from "vitest";
import { createBackend } from "../../src/testing/index.ts";
import { forThisFile } from "../for-this-file.ts";

const browserPath = [process.env.CHROMIUM_PATH, chromium.executablePath(), "/usr/bin/chromium"].find(
  (path) => path !== undefined && existsSync(path),
);
const library = join(
  dirname(createRequire(import.meta.url).resolve("@supabase/supabase-js/package.json")),
  "dist/umd/supabase.js",
);

const backend = await forThisFile(createBackend({ bare: true }));

test.skipIf(!browserPath)("a worker's heartbeats are answered, and the callback hears of each", async () => {
  const browser = await chromium.launch({ executablePath: browserPath ?? "", args: ["--no-sandbox"] });
  try {
    const page = await browser.newPage();
    await page.goto(`${backend.url}/realtime/v1/api/ping?apikey=${backend.publishableKey}`);
    await page.addScriptTag({ path: library });
    const seen = await page.evaluate(
      async ({ url, key }) => {
        const { supabase, Worker } = globalThis as unknown as {
          supabase: { createClient: typeof createClient };
          Worker: new () => unknown;
        };
        const statuses: string[] = [];
        const latencies: boolean[] = [];
        const { promise, resolve } = Promise.withResolvers<void>();
        const client = supabase.createClient(url, key, {
          realtime: {
            worker: true,
            // The client closes a socket whose last beat was not answered when the next is due.
            heartbeatIntervalMs: 1_000,
            heartbeatCallback: (status, latency) => {
              statuses.push(status);
              if (status === "ok") latencies.push(typeof latency === "number" && latency >= 0);
              if (latencies.length === 2) resolve();
            },
          },
        });
        const joined = Promise.withResolvers<string>();
        client.channel("beats").subscribe((status) => joined.resolve(status));
        const status = await joined.promise;
        await promise;
        const { workerRef } = client.realtime as unknown as { workerRef: unknown };
        const worker = workerRef instanceof Worker;
        await client.removeAllChannels();
        const all = { statuses: [...new Set(statuses)].sort(), latencies: [...new Set(latencies)] };
        return { status, worker, ...all };
      },
      { url: backend.url, key: backend.publishableKey },
    );
    expect(seen).toEqual({
      status: "SUBSCRIBED",
      worker: true,
      statuses: ["ok", "sent"],
      latencies: [true],
    });
  } finally {
    await browser.close();
  }
});
