/**
 * Memory and time that anybody can ask for: the process stays within 300 MB above its idle size, and others are served
 * meanwhile, with HOSTILE_MEMORY=1 within 250 ms.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { HostileServer } from "./server.ts";

const MOST_ABOVE_MB = 300;
const HEALTH_MS = 250;
const MB = 1024 * 1024;
let child: ReturnType<typeof fork>;
let server: HostileServer;
beforeAll(async () => {
  child = fork(join(import.meta.dirname, "server.ts"), { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  [server] = (await once(child, "message")) as [HostileServer];
}, 300_000);
afterAll(async () => {
  const ended = once(child, "exit");
  child.disconnect();
  await ended;
}, 180_000);

/** A line of the process's status, in megabytes. */
const sizeOf = (name: "VmHWM" | "VmRSS") =>
  Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) /
  1024;

const WATCH = `
const { parentPort, workerData: { url, key } } = require("node:worker_threads");
let running = true;
let longest = 0;
parentPort.once("message", () => { running = false; });
(async () => {
  for (let count = 0; running; count += 1) {
    const began = performance.now();
    const { status } = await fetch(url + "/auth/v1/health", { headers: { apikey: key } });
    // The first opens the connection.
    if (count === 0) parentPort.postMessage("began");
    else longest = Math.max(longest, status === 200 ? performance.now() - began : Infinity);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  parentPort.postMessage(longest);
})();`;

/** Runs an attack. @returns its statuses, the peak above idle in megabytes, and the longest wait of others. */
async function attack(requests: () => Promise<Response>[]) {
  child.send("state");
  await once(child, "message");
  // Makes the peak the present size.
  writeFileSync(`/proc/${child.pid}/clear_refs`, "5");
  const idle = sizeOf("VmRSS");
  // In a thread: this one is busy with sending.
  const watch = new Worker(WATCH, { eval: true, workerData: { url: server.url, key: server.anonKey } });
  await once(watch, "message");
  const statuses = await Promise.all(
    requests().map(async (one) => {
      const response = await one.catch(refusedEarly);
      await response?.body?.cancel();
      return response?.status;
    }),
  );
  watch.postMessage("end");
  const [longest] = (await once(watch, "message")) as [number];
  return {
    statuses: statuses.filter((status) => status !== undefined),
    above: Math.round(sizeOf("VmHWM") - idle),
    longest: Math.round(longest),
  };
}

/** A server that refuses a body need not read all of it, and a client that is still writing may miss the response. */
function refusedEarly(error: Error): undefined {
  const { code } = (error.cause ?? {}) as { code?: string };
  if (code !== "EPIPE" && code !== "ECONNRESET") throw error;
}

const post = (path: string, body: string | Buffer, type: string) =>
  fetch(server.url + path, {
    method: "POST",
    body: body as string,
    headers: { apikey: server.anonKey, authorization: `Bearer ${server.anonKey}`, "content-type": type },
  });

const fields = (count: number) => Array.from({ length: count }, (_, index) => `field${index}=1`).join("&");
const CSV = "text/csv";
const FORM = "application/x-www-form-urlencoded";
const JSON_TYPE = "application/json";
const ATTACKS: Record<string, () => [path: string, body: string | Buffer, type: string][]> = {
  "CSV of 60 MB in small cells": () => [["/rest/v1/things", Buffer.alloc(60 * MB, "a,b\n"), CSV]],
  "CSV of 60 MB in empty lines": () => [["/rest/v1/things", Buffer.alloc(60 * MB, "\n"), CSV]],
  "CSV with a long name for each row": () => [
    ["/rest/v1/things", Buffer.concat([Buffer.alloc(MB, "n"), Buffer.alloc(4 * MB, "\n1")]), CSV],
  ],
  "CSV of one line": () => [
    ["/rest/v1/things", Buffer.concat([Buffer.alloc(30 * MB, ","), Buffer.from("\n")]), CSV],
  ],
  "two of CSV at once": () => [
    ["/rest/v1/things", Buffer.alloc(20 * MB, "name\nx\n"), CSV],
    ["/rest/v1/things", Buffer.alloc(20 * MB, "name\nx\n"), CSV],
  ],
  "four of CSV at once": () =>
    Array.from({ length: 4 }, () => ["/rest/v1/things", Buffer.alloc(40 * MB, "name\nx\n"), CSV]),
  "four of JSON of 60 MB at once": () =>
    Array.from({ length: 4 }, () => [
      "/rest/v1/things",
      Buffer.concat([Buffer.from('["'), Buffer.alloc(60 * MB, "x"), Buffer.from('"]')]),
      JSON_TYPE,
    ]),
  "four of JSON with rows at once": () =>
    Array.from({ length: 4 }, () => [
      "/rest/v1/things",
      Buffer.concat([
        Buffer.from("["),
        Buffer.alloc(60 * MB, '{"name":"x","note":"y"},'),
        Buffer.from("{}]"),
      ]),
      JSON_TYPE,
    ]),
  "JSON of 60 MB in small values": () => [
    [
      "/rest/v1/things",
      Buffer.concat([Buffer.from("["), Buffer.alloc(60 * MB, "{},"), Buffer.from("{}]")]),
      JSON_TYPE,
    ],
  ],
  "a form of 100,000 fields": () => [["/rest/v1/things", fields(100_000), FORM]],
  "a form of 100,000 arguments": () => [["/rest/v1/rpc/echo", fields(100_000), FORM]],
  "an object of 100,000 names": () => [
    [
      "/rest/v1/rpc/echo",
      JSON.stringify(Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`n${at}`, 1]))),
      JSON_TYPE,
    ],
    [
      "/rest/v1/things",
      JSON.stringify(Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`n${at}`, 1]))),
      JSON_TYPE,
    ],
  ],
  "one name of 900 KB": () => [["/rest/v1/things", JSON.stringify({ ["n".repeat(900_000)]: 1 }), JSON_TYPE]],
  "user_metadata of 900 KB, often": () =>
    Array.from({ length: 20 }, (_, at) => [
      "/auth/v1/signup",
      JSON.stringify({
        email: `m${at}@example.com`,
        password: "secret-enough",
        data: { x: "y".repeat(900_000) },
      }),
      JSON_TYPE,
    ]),
};

describe.runIf(process.platform === "linux")("within 300 MB", () => {
  test.each(Object.entries(ATTACKS))(
    "%s",
    async (_name, bodies) => {
      const given = bodies();
      const { statuses, above, longest } = await attack(() =>
        given.map(([path, body, type]) => post(path, body, type)),
      );
      if (process.env.HOSTILE_MEMORY)
        process.stdout.write(`${_name}: ${statuses.join(" ")}, ${above} MB, ${longest} ms\n`);
      for (const status of statuses) expect([status >= 400 && status < 500, status]).toEqual([true, status]);
      expect(above).toBeLessThan(MOST_ABOVE_MB);
      expect(longest).toBeLessThan(process.env.HOSTILE_MEMORY ? HEALTH_MS : Infinity);
    },
    60_000,
  );
});
