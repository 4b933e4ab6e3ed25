/**
 * Owns building the edge worker of a static host (web/unfurl/worker.ts) into the built app's folder: `_worker.js` and
 * `_routes.json`, as Cloudflare Pages reads them. Other hosts import the same file in an edge function (docs/deploy.md).
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "vite";
import { root } from "./process.ts";
import { type HostHeaders, headersOf } from "./static-host.ts";

/** @param headers as `writeHostFiles` returns them */
export async function writeEdgeWorker(
  folder: string,
  backend: { url: string; publishableKey: string },
  headers: HostHeaders,
): Promise<void> {
  await build({
    configFile: false,
    root: join(root, "web"),
    logLevel: "error",
    publicDir: false,
    define: {
      BACKEND_URL: JSON.stringify(backend.url.replace(/\/+$/, "")),
      BACKEND_KEY: JSON.stringify(backend.publishableKey),
      PAGE_HEADERS: JSON.stringify(headersOf(headers, "/join/")),
    },
    build: {
      outDir: folder,
      emptyOutDir: false,
      target: "es2022",
      lib: { entry: join(root, "web", "unfurl", "worker.ts"), formats: ["es"], fileName: () => "_worker.js" },
    },
  });
  const routes = { version: 1, include: ["/join/*", "/plans/*"], exclude: [] };
  writeFileSync(join(folder, "_routes.json"), `${JSON.stringify(routes, null, 2)}\n`);
}
