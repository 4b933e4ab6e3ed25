/** Rendered images of one version: everybody may ask for any size, so their number has a bound. */
import { mkdtempSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { ObjectFiles } from "../../../src/storage/disk/stored-bodies.ts";

const MOST = 50;
const VERSIONS = ["aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa", "bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb"] as const;

test("the oldest of too many images go, of their own version only", async () => {
  const root = mkdtempSync(join(tmpdir(), "homebase-renders-"));
  try {
    const files = new ObjectFiles(root);
    const [version, other] = VERSIONS;
    await files.keepRender(files.renderPath(other, "other.png"), Buffer.from("x"));
    for (let at = 0; at < MOST + 5; at += 1) {
      const path = files.renderPath(version, `${String(at).padStart(3, "0")}.png`);
      await files.keepRender(path, Buffer.from("x"));
      utimesSync(path, at, at);
    }
    const kept = readdirSync(dirname(files.renderPath(version, "x"))).sort();
    expect([kept.length, kept[0], kept.at(-1)]).toEqual([MOST, "005.png", "054.png"]);
    expect(readdirSync(dirname(files.renderPath(other, "x")))).toEqual(["other.png"]);
  } finally {
    rmSync(root, { recursive: true });
  }
});
