/** Owns the page's files: built into the package, or from sources once into this user's cache. */
import { createHash } from "node:crypto";
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { userCache } from "../../../src/core/user-folders.ts";
import { jsonResponse, type ServiceResponse } from "../../../src/http/exchange.ts";

const PAGE = join(import.meta.dirname, "..", "page");
const BUILT = join(import.meta.dirname, "..", "built");

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".woff2": "font/woff2",
};

/** Addresses of views, which the page reads itself. */
const VIEW = /^\/(?:index\.html|(?:data|sql|stack)(?:\/.*)?)?$/;
/** Those of calls, whose answers are for programs. */
const CALL = /^\/(?:api|enter|frame|upload)(?:\/|$)/;

/** The page's files in memory, with their compressed form. @throws where they can be neither found nor built */
export async function openFiles(): Promise<{
  answer(path: string, headers: IncomingHttpHeaders): ServiceResponse;
}> {
  const folder = existsSync(BUILT) ? BUILT : await builtFromSources();
  const files = new Map(
    readdirSync(folder).map((name) => {
      const bytes = readFileSync(join(folder, name));
      return [`/${name}`, { bytes, packed: name.endsWith(".woff2") ? undefined : gzipSync(bytes) }];
    }),
  );
  return {
    answer(path, { "accept-encoding": accepted = "", accept = "" }) {
      // A reader of an unknown address gets the page, which says so in words.
      const missing = !files.has(path) && !CALL.test(path) && accept.includes("text/html");
      const known = VIEW.test(path);
      const name = known || missing ? "/index.html" : path;
      const file = files.get(name);
      if (!file) return jsonResponse(404, { error: { message: "There is no such page." } });
      const packed = /\bgzip\b/.test(String(accepted)) ? file.packed : undefined;
      return {
        status: known || !missing ? 200 : 404,
        headers: {
          "content-type": TYPES[extname(name)] ?? "application/octet-stream",
          vary: "accept-encoding",
          ...(packed ? { "content-encoding": "gzip" } : {}),
          // Their names have a hash of what they hold.
          ...(name === "/index.html" ? {} : { "cache-control": "private, max-age=31536000, immutable" }),
        },
        body: packed ?? file.bytes,
      };
    },
  };
}

/** @returns the folder, by a hash of the sources. */
async function builtFromSources(): Promise<string> {
  const hash = createHash("sha256");
  for (const file of globSync("**/*", { cwd: PAGE, withFileTypes: true })
    .filter((one) => one.isFile())
    .sort((a, b) => (join(a.parentPath, a.name) < join(b.parentPath, b.name) ? -1 : 1)))
    hash.update(file.name).update(readFileSync(join(file.parentPath, file.name)));
  const parent = join(userCache(), "console");
  const folder = join(parent, hash.digest("hex").slice(0, 16));
  if (existsSync(folder)) return folder;
  mkdirSync(parent, { recursive: true });
  const making = mkdtempSync(join(parent, "new-"));
  try {
    // Not a literal: the package has the result, and no bundler.
    const builder = join(import.meta.dirname, "..", "build.ts");
    const { buildPage } = (await import(builder)) as { buildPage: (target: string) => Promise<unknown> };
    await buildPage(making);
    // In one step, because another stack may build it meanwhile.
    if (!existsSync(folder)) renameSync(making, folder);
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
  return folder;
}
