/**
 * Owns: putting the service worker into the build, with the list of the files that make up this version. It is our
 * own code because it is small (one list, eighty lines of worker), while plug-ins follow Vite's versions.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Plugin, type Rolldown, transformWithOxc } from "vite";

const WORKER = fileURLToPath(new URL("worker.ts", import.meta.url));
const PUBLIC = fileURLToPath(new URL("../public/", import.meta.url));

/** Not in the list: the map's library is a megabyte. The worker caches it after its first use. */
const KEPT_WHEN_USED = /node_modules\/maplibre-gl\//;

type Output = Rolldown.OutputAsset | Rolldown.OutputChunk;

/** Shown by the browser before the app is installed, never by the app. */
const OF_THE_MANIFEST = /^screenshot-/;

/** Scripts, styles, and the font subsets that English and German need. */
function isOfTheShell(file: Output): boolean {
  if (/fraunces-latin-opsz-normal.*\.woff2$/.test(file.fileName)) return true;
  if (!/\.(js|css)$/.test(file.fileName)) return false;
  return file.type === "asset" || !file.moduleIds.some((module) => KEPT_WHEN_USED.test(module));
}

async function builtWorker(version: string, files: readonly string[]): Promise<string> {
  const { code } = await transformWithOxc(readFileSync(WORKER, "utf8"), WORKER, {
    define: { VERSION: JSON.stringify(version), FILES: JSON.stringify(files) },
  });
  return code;
}

/** Serves the worker in development, with no files to cache: notifications need one. The app registers it on demand. */
export function developmentWorker(): Plugin {
  return {
    name: "nosh:development-worker",
    apply: "serve",
    configureServer(server) {
      server.middlewares.use("/service-worker.js", (_request, response, next) => {
        builtWorker("development", []).then((code) => {
          response.setHeader("content-type", "text/javascript").end(code);
        }, next);
      });
    },
  };
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
        const still = readdirSync(PUBLIC)
          .filter((name) => !OF_THE_MANIFEST.test(name))
          .sort();
        const version = createHash("sha256").update(assets.join("\n")).update(page.source);
        for (const name of still) version.update(readFileSync(PUBLIC + name));
        const files = ["index.html", ...assets, ...still].map((name) => `/${name}`);
        const source = await builtWorker(version.digest("hex").slice(0, 16), files);
        this.emitFile({ type: "asset", fileName: "service-worker.js", source });
      },
    },
  };
}
