/**
 * Vite's server for `npm run dev`. It exits when its parent process is gone: a killed parent cannot notify
 * its children, and an orphan would keep the port.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isAlive } from "homebase-stack/process-alive";
import { createServer, optimizeDeps, resolveConfig } from "vite";
import { exitWithHelp, node, nodeFlags, root, run } from "./process.ts";

const PARENT_CHECK_MS = 300;
const BUNDLE = "bundle";
const [port = "5173", parent = "0"] = process.argv.slice(2);
if (port === "--help")
  exitWithHelp(`Usage: web.ts [port] [parent's process id]\n\nStarted by npm run dev: serves the app.`);
const web = join(root, "web");
const app = { root: web, configFile: join(web, "vite.config.ts"), clearScreen: false } as const;

if (port === BUNDLE) {
  await optimizeDeps(await resolveConfig({ ...app, logLevel: "error" }, "serve"));
  process.exit(0);
}
await bundleDependencies();
const server = await createServer({
  ...app,
  logLevel: "warn",
  server: { port: Number(port), strictPort: true, host: "127.0.0.1" },
});
await server.listen();

// By a signal, and at once: an exit waits for the threads of Vite's native bundler, and was once seen to do so without end.
// Closing the server first may wait as well, and there is nothing to save.
const stop = () => {
  process.removeAllListeners("SIGTERM");
  process.kill(process.pid, "SIGTERM");
};
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, stop);
setInterval(() => {
  if (!isAlive(Number(parent))) stop();
}, PARENT_CHECK_MS).unref();

/**
 * Has the dependencies bundled by a process of its own when they have changed: it takes half a gigabyte, which the
 * server would keep. Where it fails, the server does it.
 */
async function bundleDependencies(): Promise<void> {
  const hash = createHash("sha256");
  for (const file of ["package-lock.json", "web/vite.config.ts"]) hash.update(readFileSync(join(root, file)));
  const wanted = hash.digest("hex");
  const stamp = join(web, "node_modules", ".vite", "bundled");
  const made = existsSync(join(web, "node_modules", ".vite", "deps", "_metadata.json"));
  if (made && existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  if ((await run(node, [...nodeFlags, import.meta.filename, BUNDLE])) !== 0) return;
  writeFileSync(stamp, wanted);
}
