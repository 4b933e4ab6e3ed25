/**
 * First step of every npm script: installs the dependencies of the lock file if necessary, then runs
 * `scripts/<name>.ts` on the project's pinned Node. JavaScript, as install.mjs, because it must run on the
 * system's Node (20.19 or newer) before anything is installed; everything after it is TypeScript on the
 * pinned Node.
 */
import { execFileSync, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { installDependencies, pinnedNode } from "./install.mjs";

const PARENT_CHECK_MS = 300;
/** Grace period for child processes. */
const END_PATIENCE_MS = 30_000;

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const [script, ...args] = process.argv.slice(2);
const orphaned = parentWatch();

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(
    `Node ${process.versions.node} is too old: 20.19 or newer is needed to install the project's own Node.`,
  );
  process.exit(1);
}
if (!script || !existsSync(join(root, "scripts", `${script}.ts`))) {
  console.error(
    "Usage: node scripts/bootstrap.mjs <dev|test|bench|build|deploy|deploy-web|lines|screenshots|types|push-keys> [options]",
  );
  process.exit(2);
}

if (process.platform === "win32") {
  console.error("Homebase runs on Linux and macOS, on Windows inside WSL 2 only. Nothing was installed.");
  process.exit(1);
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

/**
 * Runs a command on this terminal and waits for it; Ctrl+C reaches the child. The command is stopped when the
 * parent process is gone, because a killed npm cannot notify its children. Resolves to its exit code.
 */
function run(command, parameters, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, parameters, { cwd: root, stdio: "inherit", ...options });
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
      process.on(signal, () => {
        // A terminal sends Ctrl+C to the whole group itself; a plain kill reaches only this process, so pass
        // it on.
        if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
      });
    }
    const watch = setInterval(() => {
      if (!orphaned()) return;
      clearInterval(watch);
      child.kill("SIGTERM");
      setTimeout(() => child.kill("SIGKILL"), END_PATIENCE_MS).unref();
    }, PARENT_CHECK_MS);
    child.on("error", (error) => {
      clearInterval(watch);
      console.error(`${command} could not be started: ${error.message}`);
      resolve(1);
    });
    child.on("exit", (code, signal) => {
      clearInterval(watch);
      resolve(code ?? (signal === "SIGINT" ? 130 : 143));
    });
  });
}

/**
 * Whether the parent process is gone. npm starts scripts in a shell, which waits for this process and
 * survives npm: then the shell's parent matters.
 */
function parentWatch() {
  const parent = process.ppid;
  const above = process.env.npm_lifecycle_event === undefined ? undefined : shellParent(parent);
  return () => {
    if (process.ppid !== parent) return true;
    return above !== undefined && shellParent(parent) !== above;
  };
}

/** The parent of a process that is a shell; undefined for other processes. */
function shellParent(pid) {
  try {
    const [name, parent] = process.platform === "linux" ? linuxParent(pid) : psParent(pid);
    return /^-?(ba|da|a|z|k)?sh$/.test(name) ? parent : undefined;
  } catch {
    return undefined;
  }
}

function linuxParent(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const end = stat.lastIndexOf(")");
  return [stat.slice(stat.indexOf("(") + 1, end), Number(stat.slice(end + 2).split(" ")[1])];
}

function psParent(pid) {
  const text = execFileSync("ps", ["-o", "ppid=,comm=", "-p", String(pid)], { encoding: "utf8" }).trim();
  const [parent, ...name] = text.split(/\s+/);
  return [basename(name.join(" ")), Number(parent)];
}
