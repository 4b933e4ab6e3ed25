/**
 * Owns measuring the app's build: a production build in a temporary folder, and from its manifest the
 * JavaScript of each first view and each further route, gzipped as hosts send it.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "vite";

interface Chunk {
  file: string;
  imports?: string[];
}
type Manifest = Record<string, Chunk>;

export interface Weights {
  /** Files of a source module and all that it needs at once, given by path under web/. */
  closure(...sources: string[]): Set<string>;
  /** Bytes of some files, gzipped. */
  gzipped(files: Iterable<string>): number;
  /** Source modules that are loaded on demand. */
  sources: string[];
  /** Bytes of the style sheet in the page, gzipped. */
  css: number;
}

const gzipped = (bytes: Buffer) => gzipSync(bytes, { level: 9 }).length;

/** Builds the app and measures it. */
export async function weigh(web: string): Promise<Weights> {
  const outDir = mkdtempSync(join(tmpdir(), "nosh-bundle-"));
  const before = process.env.NODE_ENV;
  process.env.NODE_ENV = "production";
  try {
    await build({
      root: web,
      mode: "production",
      logLevel: "error",
      build: { outDir, emptyOutDir: true, manifest: true, sourcemap: false },
    });
    const manifest = JSON.parse(readFileSync(join(outDir, ".vite", "manifest.json"), "utf8")) as Manifest;
    const sizes = new Map<string, number>();
    for (const { file } of Object.values(manifest)) {
      if (file.endsWith(".js")) sizes.set(file, gzipped(readFileSync(join(outDir, file))));
    }
    const page = readFileSync(join(outDir, "index.html"), "utf8");
    const [, styles] = /<style>([\s\S]*?)<\/style>/.exec(page) ?? [];
    if (!styles) throw new Error("The built page has no style sheet.");
    return {
      closure: (...sources) => {
        const files = new Set<string>();
        const add = (name: string) => {
          const chunk = manifest[name];
          if (!chunk) throw new Error(`The build has no chunk ${name}.`);
          if (files.has(chunk.file)) return;
          files.add(chunk.file);
          for (const each of chunk.imports ?? []) add(each);
        };
        for (const source of sources) add(source);
        return files;
      },
      gzipped: (files) => [...files].reduce((sum, file) => sum + (sizes.get(file) ?? 0), 0),
      sources: Object.keys(manifest).filter((name) => name.startsWith("src/")),
      css: gzipped(Buffer.from(styles)),
    };
  } finally {
    if (before === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = before;
    rmSync(outDir, { recursive: true, force: true });
  }
}
