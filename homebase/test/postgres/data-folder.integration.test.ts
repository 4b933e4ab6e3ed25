/** A durable cluster's data folder: who may enter it, and when it is on the disk. */
import { chmodSync, lstatSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Cluster } from "../../src/postgres/cluster/cluster.ts";
import { claimStateFolder } from "../../src/postgres/cluster/state-folder.ts";

let project: string;
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), "homebase-closed-"));
  chmodSync(project, 0o755);
});
afterEach(() => rmSync(project, { recursive: true }));

test.skipIf(process.getuid?.() !== 0)(
  "Postgres starts in a folder that an earlier step closed to its user, which stays unlisted (needs root)",
  async () => {
    const folder = claimStateFolder(project);
    chmodSync(folder, 0o700);
    writeFileSync(join(folder, "push-keys.json"), "{}", { mode: 0o600 });
    const cluster = await Cluster.start({ projectFolder: project, port: undefined, durable: true });
    try {
      expect(lstatSync(folder).mode & 0o777).toBe(0o711);
      expect(lstatSync(join(folder, "push-keys.json")).mode & 0o777).toBe(0o600);
    } finally {
      await cluster.stop();
    }
  },
  60_000,
);

test("a stop waits until what was written before fsync was on is on the disk", async () => {
  const cluster = await Cluster.start({ projectFolder: project, port: undefined, durable: true });
  const settings = () => readFileSync(join(cluster.folder, "postgresql.auto.conf"), "utf8");
  expect(settings()).toMatch(/^fsync = off$/m);
  void cluster.seal();
  await cluster.stop();
  expect(settings()).not.toMatch(/fsync/);
}, 60_000);
