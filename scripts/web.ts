/**
 * Vite's server for `npm run dev`. It exits when its parent process is gone: a killed parent cannot notify
 * its children, and an orphan would keep the port.
 */
import { join } from "node:path";
import { createServer } from "vite";
import { root } from "./process.ts";

const PARENT_CHECK_MS = 300;
const [port = "5173", parent = "0"] = process.argv.slice(2);

const server = await createServer({
  root: join(root, "web"),
  configFile: join(root, "web", "vite.config.ts"),
  clearScreen: false,
  logLevel: "warn",
  server: { port: Number(port), strictPort: true, host: "127.0.0.1" },
});
await server.listen();

const stop = () => void server.close().finally(() => process.exit(0));
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, stop);
setInterval(() => {
  try {
    process.kill(Number(parent), 0);
  } catch {
    stop();
  }
}, PARENT_CHECK_MS).unref();
