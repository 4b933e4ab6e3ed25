#!/usr/bin/env node
/**
 * Starts the CLI on a Node that runs TypeScript as it is: this one when it is new enough, otherwise the
 * Node that npm installed beside the package.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import module from "node:module";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
if (newEnough()) {
  module.enableCompileCache();
  const { main } = await import("../src/cli/main.ts");
  const code = await main(process.argv.slice(2));
  if (code !== 0) process.exit(code);
} else {
  const node = installedNode();
  if (!node) {
    console.error(
      `Homebase needs Node 24.7 or newer; this is ${process.versions.node}, and npm installed no other.`,
    );
    process.exit(1);
  }
  const child = spawn(
    node,
    ["--disable-warning=ExperimentalWarning", fileURLToPath(import.meta.url), ...process.argv.slice(2)],
    {
      stdio: "inherit",
    },
  );
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  process.on("SIGINT", () => {});
  child.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGINT" ? 130 : 143)));
}

/** The Node that npm installed somewhere above. Not by `.bin`: not every npm links a command called node. */
function installedNode() {
  const platform = `${process.platform}-${process.arch}`;
  for (let folder = here; ; folder = dirname(folder)) {
    for (const name of [`node-${platform}`, `node-bin-${platform}`]) {
      const path = join(folder, "node_modules", name, "bin", "node");
      if (existsSync(path)) return path;
    }
    if (folder === dirname(folder)) return undefined;
  }
}

/** Whether this Node runs TypeScript and has crypto.argon2. */
function newEnough() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  return major > 24 || (major === 24 && minor >= 7);
}
