/** The archive of a prebuilt cluster: what is unpacked equals what was packed, and copies are stored once. */
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packCluster, unpackCluster } from "../../src/postgres/cluster/prebuilt.ts";

const SEGMENT = "000000010000000000000001";
const page = randomBytes(100_000);
const FILES: Record<string, Buffer> = {
  PG_VERSION: Buffer.from("17\n"),
  "base/1/1247": page,
  "base/5/1247": Buffer.concat([page, Buffer.alloc(8192)]),
  "base/5/empty": Buffer.alloc(0),
  "base/5/zeros": Buffer.alloc(8192),
  [`pg_wal/${SEGMENT}`]: Buffer.concat([Buffer.from("log"), Buffer.alloc(1_000_000)]),
};

test("files and folders come back as they were, and equal files are stored once", ({ onTestFinished }) => {
  const folder = mkdtempSync(join(tmpdir(), "homebase-prebuilt-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [from, to] = [join(folder, "from"), join(folder, "to")];
  for (const path of ["base/1", "base/5", "pg_wal", "pg_notify"])
    mkdirSync(join(from, path), { recursive: true });
  for (const [path, bytes] of Object.entries(FILES)) writeFileSync(join(from, path), bytes);
  writeFileSync(join(from, "pg_wal", "000000010000000000000002"), "a later segment");
  writeFileSync(join(from, "postmaster.pid"), "1");

  const archive = packCluster(from, SEGMENT);
  writeFileSync(join(folder, "cluster.zst"), archive);
  mkdirSync(to);
  unpackCluster(join(folder, "cluster.zst"), to, undefined);

  const unpacked = readdirSync(to, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(to.length + 1));
  expect(unpacked.sort()).toEqual(Object.keys(FILES).sort());
  for (const [path, bytes] of Object.entries(FILES))
    expect(readFileSync(join(to, path)).equals(bytes), path).toBe(true);
  expect(readdirSync(join(to, "pg_notify"))).toEqual([]);
  // Random bytes do not compress.
  expect(archive.length).toBeLessThan(2 * page.length);
});
