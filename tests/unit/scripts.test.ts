/** Every script that is run says what it does with --help, and does nothing else then. */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "../../scripts/process.ts";

/** Modules that other scripts import. */
const MODULES = [
  "browser",
  "core-copy",
  "demo-accounts",
  "edge-worker",
  "in-memory",
  "process",
  "source-lines",
  "static-host",
  "supabase-cli",
  "vapid-keys",
];
const scripts = readdirSync(join(root, "scripts"))
  .filter((file) => file.endsWith(".ts"))
  .map((file) => file.slice(0, -3))
  .filter((name) => !MODULES.includes(name));

describe.each(scripts)("%s", (name) => {
  test("answers --help", () => {
    const lock = join(root, "package-lock.json");
    const before = readFileSync(lock, "utf8");
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ["--disable-warning=ExperimentalWarning", join("scripts", `${name}.ts`), "--help"],
      { cwd: root, encoding: "utf8" },
    );
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^(?:Usage: |Groups: )/);
    expect(readFileSync(lock, "utf8")).toBe(before);
  }, 60_000);
});

test("a page that names a script names its npm command, since the system's Node cannot run it", () => {
  const pages = [
    "README.md",
    "CONTRIBUTING.md",
    ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".md"))
      .map((file) => `docs/${file}`),
  ];
  const found = pages.filter((page) =>
    /node scripts\/[\w-]+\.ts/.test(readFileSync(join(root, page), "utf8")),
  );
  expect(found).toEqual([]);
});
