/**
 * Owns: putting the service worker into the build, with the list of the files that make up this version. Own
 * code instead of a plug-in: one list and eighty lines of worker, and nothing that follows Vite's versions.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Plugin, type Rolldown, transformWithOxc } from "vite";

const WORKER = fileURLToPath(new URL("worker.ts", import.meta.url));
const PUBLIC = fileURLToPath(new URL("../public/", import.meta.url));

/** The map's library is a megabyte, and its ground needs a connection anyway: it is kept once somebody has used it. */
const KEPT_WHEN_USED = /node_modules\/maplibre-gl\//;

type Output = Rolldown.OutputAsset | Rolldown.OutputChunk;

/** Scripts, styles, and of the type face the letters that English and German need. */
function isOfTheShell(file: Output): boolean {
  if (/fraunces-latin-opsz-normal.*\.woff2$/.test(file.fileName)) return true;
  if (!/\.(js|css)$/.test(file.fileName)) return false;
  return file.type === "asset" || !file.moduleIds.some((module) => KEPT_WHEN_USED.test(module));
}

/** Adds `/service-worker.js` to the build. */
export function offlineShell(): Plugin {
  return {
    name: "nosh:offline-shell",
    apply: "build",
    generateBundle: {
      // After Vite has put the page itself into the bundle.
      order: "post",
      async handler(_options, bundle) {
        const page = bundle["index.html"];
        if (page?.type !== "asset") throw new Error("The build has no index.html to keep.");
        const assets = Object.values(bundle)
          .filter(isOfTheShell)
          .map((file) => file.fileName)
          .sort();
        const still = readdirSync(PUBLIC).sort();
        const version = createHash("sha256").update(assets.join("\n")).update(page.source);
        for (const name of still) version.update(readFileSync(PUBLIC + name));
        const files = ["index.html", ...assets, ...still].map((name) => `/${name}`);
        const { code } = await transformWithOxc(readFileSync(WORKER, "utf8"), WORKER, {
          define: {
            VERSION: JSON.stringify(version.digest("hex").slice(0, 16)),
            FILES: JSON.stringify(files),
          },
        });
        this.emitFile({ type: "asset", fileName: "service-worker.js", source: code });
      },
    },
  };
}
