/** The process of a started stack after a burst: its memory goes back to the system. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Project } from "./project.ts";

const BODIES = 16;
const BODY_BYTES = 5 * 1024 * 1024;
/** Of the size before; without a limit of its own, glibc keeps half as much again. */
const MOST_RATIO = 1.3;
/** Threads that parse large bodies end after 10 s, and memory is released when nothing has happened for 10 s. */
const RELEASED_MS = 120_000;

let project: Project;
beforeAll(async () => {
  project = new Project({
    "migrations/20260101000000_notes.sql":
      "create table public.notes (body text); alter table public.notes enable row level security;",
  });
  await project.start();
}, 120_000);
afterAll(() => project.remove(), 60_000);

const megabytes = () =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${project.pid}/status`, "utf8"))?.[1]) / 1024;
const post = (body: string) =>
  fetch(`${project.url}/rest/v1/notes`, {
    method: "POST",
    headers: { apikey: project.secret, "content-type": "application/json" },
    body,
  });

test.runIf(process.platform === "linux" && process.getBuiltinModule("node:ffi"))(
  "after sixteen bodies of 5 MB at once the process is as large as before, but for a third",
  async () => {
    expect((await post('{"body":"first"}')).status).toBe(201);
    const idle = megabytes();
    const body = JSON.stringify({ body: "x".repeat(BODY_BYTES) });
    const statuses = await Promise.all(Array.from({ length: BODIES }, async () => (await post(body)).status));
    expect(new Set(statuses)).toEqual(new Set([201]));
    await expect.poll(megabytes, { timeout: RELEASED_MS, interval: 500 }).toBeLessThan(idle * MOST_RATIO);
  },
  180_000,
);
