/**
 * Owns serving a build as a static host does: compressed, hashed files cached forever, the app's page for
 * every path. Vite's own preview compresses nothing, which would distort the measurement.
 */
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { brotliCompressSync } from "node:zlib";

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".json": "application/json",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
  ".png": "image/png",
  ".webp": "image/webp",
};
const COMPRESSED = new Set([".html", ".js", ".css", ".svg", ".json", ".webmanifest"]);

export interface Host {
  /** Without trailing slash. */
  url: string;
  close(): Promise<void>;
}

/**
 * Serves a folder on a free port of 127.0.0.1, or on `port`.
 * @param headersFor more headers for a path, as a host with security headers gives them.
 */
export async function serveBuild(
  folder: string,
  port = 0,
  headersFor: (path: string) => Record<string, string> = () => ({}),
): Promise<Host> {
  const compressed = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://host");
    const wanted = normalize(decodeURIComponent(pathname)).replace(/^(\.\.[/\\])+/, "");
    const exists = extname(wanted) !== "" && existsSync(join(folder, wanted));
    if (!exists && extname(wanted) !== "") return void response.writeHead(404).end();
    const path = exists ? wanted : "/index.html";
    const type = extname(path);
    const headers: Record<string, string> = {
      ...headersFor(path),
      "content-type": TYPES[type] ?? "application/octet-stream",
      "cache-control": path.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache",
    };
    let body: Buffer = readFileSync(join(folder, path));
    if (COMPRESSED.has(type) && /\bbr\b/.test(request.headers["accept-encoding"] ?? "")) {
      let small = compressed.get(path);
      if (!small) {
        small = brotliCompressSync(body);
        compressed.set(path, small);
      }
      body = small;
      headers["content-encoding"] = "br";
    }
    response.writeHead(200, headers).end(request.method === "HEAD" ? undefined : body);
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
