/**
 * First step of every npm script: makes sure that the dependencies of the lock file are installed,
 * then hands over to `scripts/<name>.ts` on the project's own Node 24.
 *
 * The one JavaScript file of the project, because it has to run on whatever Node (20.19 or newer) the
 * system has, before anything is installed; everything after it is TypeScript on the pinned Node.
 */
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const PARENT_CHECK_MS = 300;
/** How long what we started may take to end by itself. */
const END_PATIENCE_MS = 30_000;

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const [script, ...args] = process.argv.slice(2);
const orphaned = parentWatch();
const stamp = join(root, "node_modules", ".installed-lock");

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(
    `Node ${process.versions.node} is too old: 20.19 or newer is needed to install the project's own Node 24.`,
  );
  process.exit(1);
}
if (!script || !existsSync(join(root, "scripts", `${script}.ts`))) {
  console.error(
    "Usage: node scripts/bootstrap.mjs <dev|test|bench|build|deploy|screenshots|types> [options]",
  );
  process.exit(2);
}

const lockHash = createHash("sha256")
  .update(readFileSync(join(root, "package-lock.json")))
  .digest("hex");
const installed =
  projectNode() !== undefined && existsSync(stamp) && readFileSync(stamp, "utf8") === lockHash;

if (!installed) {
  console.error("Installing dependencies (once per change of package-lock.json) ...");
  const code = await run("npm", ["ci", "--no-audit", "--no-fund"], { shell: process.platform === "win32" });
  if (code !== 0) {
    console.error("npm ci failed. What it printed above says why; nothing was started.");
    process.exit(code);
  }
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, lockHash);
}

const node = projectNode();
if (!node) {
  console.error(
    `There is no package with Node 24 for ${process.platform}-${process.arch} in node_modules. ` +
      "Install without --omit=optional; supported are Linux and macOS on x64 and arm64.",
  );
  process.exit(1);
}
process.exit(
  await run(node, ["--disable-warning=ExperimentalWarning", join(root, "scripts", `${script}.ts`), ...args]),
);

/** The Node 24 that npm installed. Not by `.bin`: not every npm links a command called node. */
function projectNode() {
  const platform = `${process.platform}-${process.arch}`;
  return [`node-${platform}`, `node-bin-${platform}`]
    .map((name) => join(root, "node_modules", name, "bin", "node"))
    .find((path) => existsSync(path));
}

/**
 * Runs a command on this terminal; Ctrl+C reaches the child, and we wait for it. It is ended when the process
 * that started us is gone: npm that is killed tells nobody. Resolves to its exit code.
 */
function run(command, parameters, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, parameters, { cwd: root, stdio: "inherit", ...options });
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
      process.on(signal, () => {
        // A terminal sends Ctrl+C to the whole group itself; a plain kill reaches only us, so pass it on.
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
 * Whether the process that started us is gone. npm starts scripts below a shell, which waits for us and so
 * survives npm: then it is the shell's parent that matters.
 */
function parentWatch() {
  const parent = process.ppid;
  const above = process.env.npm_lifecycle_event === undefined ? undefined : shellParent(parent);
  return () => {
    if (process.ppid !== parent) return true;
    return above !== undefined && shellParent(parent) !== above;
  };
}

/** The parent of a process that is a shell; undefined when it is none, or gone. */
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
