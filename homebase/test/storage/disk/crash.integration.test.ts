/** Crashes: the server is repeatedly killed during uploads; no acknowledged write is lost. */
import { createHash, randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import { basename } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { forThisFile } from "../../for-this-file.ts";
import { adminOf, must, storageBackend } from "../fixture.ts";
import { ServerProcess } from "./server-process.ts";

const ROUNDS = 3;
const WRITERS = 6;
const KEYS = 5;

const backend = await forThisFile(storageBackend());
const server = await ServerProcess.start(backend);
beforeAll(async () => {
  must(await adminOf(backend).storage.createBucket("box", { public: false }));
});
afterAll(() => server.remove());

const md5 = (bytes: Uint8Array) => createHash("md5").update(bytes).digest("hex");

async function versionsOnDisk(): Promise<string[]> {
  const found = await readdir(server.folder, { recursive: true, withFileTypes: true });
  return found.filter((entry) => entry.isFile()).map((entry) => basename(entry.name));
}

async function versionsInRows(): Promise<string[]> {
  const rows = await backend.sql<{ version: string }>("select version from storage.objects");
  return rows.map(({ version }) => version);
}

test("after each kill every acknowledged object is whole, no row lacks bytes, no file lacks a row", async () => {
  /** The valid bodies of each key: the last acknowledged one, and later ones. */
  const allowed = new Map<string, Set<string>>();
  let acknowledged = 0;
  let interrupted = 0;
  const headers = { authorization: `Bearer ${backend.serviceRoleKey}`, "x-upsert": "true" };

  /** Writes its own keys repeatedly until the server is gone. */
  const write = async (writer: number) => {
    for (let n = 0; ; n += 1) {
      const key = `${writer}/${n % KEYS}`;
      const body = randomBytes(50_000 + Math.floor(Math.random() * 900_000));
      const candidates = allowed.get(key) ?? new Set<string>(["absent"]);
      allowed.set(key, candidates.add(md5(body)));
      try {
        const response = await fetch(`${server.url}/storage/v1/object/box/${key}`, {
          method: "POST",
          headers,
          body,
        });
        if (!response.ok) throw new Error(await response.text());
        await response.text();
      } catch (error) {
        if (server.running) throw error;
        interrupted += 1;
        return;
      }
      allowed.set(key, new Set([md5(body)]));
      acknowledged += 1;
    }
  };

  for (let round = 0; round < ROUNDS; round += 1) {
    const before = acknowledged;
    const writers = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
    // A slow machine stores its first object later; the kill comes in the middle of what follows.
    await Promise.race([writers, expect.poll(() => acknowledged).toBeGreaterThan(before + 1)]);
    await pause(Math.random() * 250);
    await Promise.all([server.kill(), writers]);
    await server.start();

    await expect.poll(async () => (await versionsOnDisk()).sort()).toEqual((await versionsInRows()).sort());
    for (const [key, bodies] of allowed) {
      const response = await fetch(`${server.url}/storage/v1/object/box/${key}`, { headers });
      const bytes = new Uint8Array(await response.arrayBuffer());
      expect(bodies).toContain(response.ok ? md5(bytes) : "absent");
      if (response.ok) expect(response.headers.get("etag")).toBe(`"${md5(bytes)}"`);
      if (response.ok) allowed.set(key, new Set([md5(bytes)]));
    }
  }
  expect(acknowledged).toBeGreaterThan(ROUNDS);
  expect(interrupted).toBe(ROUNDS * WRITERS);
}, 120_000);
