/** Owns the build of the page: scripts and one style sheet, named by what they hold. */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { rolldown } from "rolldown";

const PAGE = join(import.meta.dirname, "page");

/** @returns the npm packages whose code is in the script: folders below `node_modules`. */
export async function buildPage(target: string): Promise<string[]> {
  mkdirSync(target, { recursive: true });
  const build = await rolldown({
    input: ["begin.ts", "main.tsx"].map((name) => join(PAGE, name)),
    platform: "browser",
    // Otherwise the first script is a file that only imports its code from another one.
    preserveEntrySignatures: "allow-extension",
    transform: {
      target: "es2022",
      jsx: { runtime: "automatic" },
      define: { "process.env.NODE_ENV": '"production"' },
    },
    onLog: (level, log) => {
      if (level === "warn") throw new Error(log.message);
    },
  });
  const { output } = await build.write({
    dir: target,
    format: "esm",
    entryFileNames: "[name]-[hash].js",
    chunkFileNames: "[name]-[hash].js",
    minify: true,
    sourcemap: false,
  });
  await build.close();
  const css = compact(readFileSync(join(PAGE, "page.css"), "utf8"));
  const sheet = `page-${createHash("sha256").update(css).digest("hex").slice(0, 8)}.css`;
  writeFileSync(join(target, sheet), css);
  let html = readFileSync(join(PAGE, "index.html"), "utf8").replace("page.css", sheet);
  for (const chunk of output)
    if (chunk.type === "chunk" && chunk.isEntry)
      html = html.replace(basename(chunk.facadeModuleId ?? ""), chunk.fileName);
  writeFileSync(join(target, "index.html"), html);
  const packages = output.flatMap((chunk) =>
    chunk.type === "chunk"
      ? chunk.moduleIds.map(
          (id) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id.replaceAll("\\", "/"))?.[0],
        )
      : [],
  );
  return [...new Set(packages.filter((one) => one !== undefined))];
}

/** A style sheet without comments, line breaks and indentation. */
function compact(css: string): string {
  return css.replace(/\/\*[\s\S]*?\*\//g, "").replace(/\s*\n\s*/g, "");
}
