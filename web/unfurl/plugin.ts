/** Owns: previews of invite links and plans' addresses in Vite's development server and in its preview server for the built app. */
import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { resolve } from "node:path";
import type { Plugin } from "vite";
import { type Backend, linkedBy, unfurled } from "./unfurl.ts";

export function unfurl(): Plugin {
  let backend: Backend | undefined;
  return {
    name: "nosh:unfurl",
    configResolved({ env }) {
      const { VITE_SUPABASE_URL: address, VITE_SUPABASE_PUBLISHABLE_KEY: key } = env;
      if (address && key) backend = { url: String(address).replace(/\/+$/, ""), publishableKey: String(key) };
    },
    configureServer(server) {
      server.middlewares.use(
        serveInvites(
          () => backend,
          async (path) =>
            server.transformIndexHtml(
              path,
              await readFile(resolve(server.config.root, "index.html"), "utf8"),
            ),
        ),
      );
    },
    configurePreviewServer(server) {
      const { root, build } = server.config;
      server.middlewares.use(
        serveInvites(
          () => backend,
          () => readFile(resolve(root, build.outDir, "index.html"), "utf8"),
        ),
      );
    },
  };
}

/** Serves the pages of links that have a preview; all other requests are left to Vite. */
function serveInvites(backend: () => Backend | undefined, read: (path: string) => Promise<string>) {
  return (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void): void => {
    const address = new URL(request.url ?? "/", `http://${request.headers.host ?? "localhost"}`);
    const known = backend();
    if (request.method !== "GET" || !known || linkedBy(address.pathname) === null) {
      next();
      return;
    }
    read(address.pathname)
      .then((page) => unfurled(page, address, known))
      .then((page) => {
        response.writeHead(200, { "content-type": "text/html; charset=utf-8", "cache-control": "no-cache" });
        response.end(page);
      })
      .catch(next);
  };
}
