/**
 * Vite's server for `npm run dev`. It exits when its parent process is gone: a killed parent cannot notify
 * its children, and an orphan would keep the port.
 */
import { join } from "node:path";
import { isAlive } from "homebase-stack/process-alive";
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
  if (!isAlive(Number(parent))) stop();
}, PARENT_CHECK_MS).unref();
