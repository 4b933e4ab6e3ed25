#!/usr/bin/env node
/**
 * Starts the CLI on a Node that is new enough: this one, one that npm installed beside the package, or one that is
 * fetched for it. In the package the CLI is a built file, in the repository its source.
 *
 * JavaScript for Node 20.19, as that may be what the system has.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import module from "node:module";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const built = existsSync(join(here, "..", "lib", "cli.js"));
if (process.platform === "win32") {
  console.error(
    "Homebase runs on Windows inside WSL 2 (wsl --install), not on Windows itself: how it ends and guards Postgres " +
      "and functions there is not built.",
  );
  process.exit(1);
}
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(
    `Homebase needs Node 20.19 or newer; this is ${process.versions.node}. Node 20 to 24 come from nodejs.org or a version manager.`,
  );
  process.exit(1);
}
if (newEnough() || (built && worksOnFiles(process.argv.slice(2)))) {
  withoutExperimentalWarnings();
  module.enableCompileCache?.();
  const { run } = await import(built ? "../lib/cli.js" : "../src/bin.ts");
  const code = await run(process.argv.slice(2));
  if (code !== 0) process.exit(code);
} else {
  const node = await anotherNode().catch((error) => {
    console.error(
      `Homebase needs Node 22.13, 24 or newer; this is ${process.versions.node}, and no other could be had.\n${error.message}`,
    );
    process.exit(1);
  });
  const child = spawn(
    node,
    ["--disable-warning=ExperimentalWarning", fileURLToPath(import.meta.url), ...process.argv.slice(2)],
    {
      stdio: "inherit",
    },
  );
  for (const signal of ["SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2"])
    process.on(signal, () => child.kill(signal));
  process.on("SIGINT", () => {});
  child.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGINT" ? 130 : 143)));
}

/** A Node that npm installed somewhere above, or one of the cache, which npm fetches first if it has to. */
async function anotherNode() {
  const installed = installedNode();
  if (installed) return installed;
  if (!built) throw new Error("Run npm install in the repository, without --omit=optional.");
  const { fetchRuntime } = await import("../lib/runtime.js");
  return fetchRuntime("node", (text) => console.error(text));
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

/** Whether a command only prints a text or makes files of a new project: nothing is fetched for these. */
function worksOnFiles([name = "--help", next = "", ...rest]) {
  if ([next, ...rest].some((word) => word === "--help" || word === "-h")) return true;
  if (["init", "completion", "help", "--help", "-h", "--version", "-v"].includes(name)) return true;
  return next === "new" && ["functions", "migration", "test"].includes(name);
}

/** Whether this Node is one that the commands are tested on: from 22.13 on, node:sqlite needs no flag. */
function newEnough() {
  return major >= 24 || (major === 22 && minor >= 13);
}

/** Leaves out warnings that a user cannot act on: Node calls SQLite, which holds the project's lock, experimental. */
function withoutExperimentalWarnings() {
  const { emitWarning } = process;
  process.emitWarning = (warning, ...details) => {
    if (details[0] !== "ExperimentalWarning") emitWarning.call(process, warning, ...details);
  };
}
