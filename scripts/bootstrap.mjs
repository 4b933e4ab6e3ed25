/**
 * First step of every npm script: makes sure that the dependencies of the lock file are installed,
 * then hands over to `scripts/<name>.ts` on the project's pinned Node.
 *
 * JavaScript, as install.mjs is, because it has to run on whatever Node (20.19 or newer) the system has, before
 * anything is installed; everything after it is TypeScript on the pinned Node.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { installDependencies, pinnedNode } from "./install.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const [script, ...args] = process.argv.slice(2);

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(
    `Node ${process.versions.node} is too old: 20.19 or newer is needed to install the project's own Node.`,
  );
  process.exit(1);
}
if (!script || !existsSync(join(root, "scripts", `${script}.ts`))) {
  console.error(
    "Usage: node scripts/bootstrap.mjs <dev|test|bench|build|deploy|screenshots|types> [options]",
  );
  process.exit(2);
}

const code = await installDependencies(root, run);
if (code !== 0) {
  console.error("npm ci failed. What it printed above says why; nothing was started.");
  process.exit(code);
}

const node = pinnedNode(root);
if (!node) {
  console.error(
    `There is no package with Node for ${process.platform}-${process.arch} in node_modules. ` +
      "Install without --omit=optional; supported are Linux and macOS on x64 and arm64.",
  );
  process.exit(1);
}
process.exit(
  await run(node, ["--disable-warning=ExperimentalWarning", join(root, "scripts", `${script}.ts`), ...args]),
);

/** Runs a command on this terminal; Ctrl+C reaches the child, and we wait for it. Resolves to its exit code. */
function run(command, parameters, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, parameters, { cwd: root, stdio: "inherit", ...options });
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
      process.on(signal, () => {
        // A terminal sends Ctrl+C to the whole group itself; a plain kill reaches only us, so pass it on.
        if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
      });
    }
    child.on("error", (error) => {
      console.error(`${command} could not be started: ${error.message}`);
      resolve(1);
    });
    child.on("exit", (code, signal) => resolve(code ?? (signal === "SIGINT" ? 130 : 143)));
  });
}
