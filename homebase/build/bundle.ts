/** Owns the JavaScript of the package: the sources and the pure JavaScript they depend on, as few files as are needed. */
import { dirname, join, relative, sep } from "node:path";
import { type Plugin, rolldown } from "rolldown";
import { INSTALLED } from "./manifest.ts";

/** Entries of the package: the name below `lib/`, and the source. */
export const ENTRIES: Readonly<Record<string, string>> = {
  cli: "bin.ts",
  runtime: "core/runtime.ts",
  stack: "stack/index.ts",
  explain: "stack/explain.ts",
  project: "stack/project.ts",
  ports: "developer/ports.ts",
  testing: "testing/public.ts",
  // Started by testing.cjs.
  "testing-process": "testing/remote-process.ts",
  "testing-vitest": "testing/vitest.ts",
  "testing-global-setup": "testing/global-setup.ts",
  "testing-playwright": "testing/playwright.ts",
  // A thread of its own, which is started by its file's name.
  "large-payload-thread": "rest/request/large-payload-thread.ts",
  // A process of its own, likewise.
  "renderer-process": "storage/render/renderer-process.ts",
};

/** Packages that npm installs; and those that are only there if the user has them. */
const EXTERNAL = [
  ...INSTALLED,
  "vitest",
  "@playwright/test",
  "pg-native",
  "bufferutil",
  "utf-8-validate",
  // An optional part of pg-delta, for ordering files; a comparison does not call it.
  "@supabase/pg-topo",
];

/**
 * Bundles the sources in `source` into `lib` of the package, and what runs in Deno beside its assets.
 * @returns the npm packages whose code is in the bundle: folders below `node_modules`.
 */
export async function bundle(source: string, target: string): Promise<string[]> {
  const packages = new Set<string>();
  const build = await rolldown({
    input: Object.fromEntries(Object.entries(ENTRIES).map(([name, file]) => [name, join(source, file)])),
    platform: "node",
    // Tests may run on Node 20; the commands move to the package's own Node.
    transform: {
      target: "node20",
      inject: { "Promise.withResolvers": [join(source, "core/with-resolvers.ts"), "withResolvers"] },
    },
    external: (id) => EXTERNAL.some((name) => id === name || id.startsWith(`${name}/`)),
    plugins: [assetPaths(source), lazyBuiltins()],
    onLog: (level, log) => {
      if (level !== "debug" && level !== "info" && log.code !== "EVAL") throw new Error(log.message);
    },
  });
  const { output } = await build.write({
    dir: join(target, "lib"),
    format: "esm",
    entryFileNames: "[name].js",
    // Beside the entries: a module finds the package's files by its own folder.
    chunkFileNames: "[name]-[hash].js",
    // Identifiers stay readable: a stack trace of a user has to tell us something.
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
    keepNames: true,
    sourcemap: false,
  });
  await build.close();
  for (const chunk of output) {
    if (chunk.type !== "chunk") continue;
    for (const id of chunk.moduleIds) {
      const name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id.split(sep).join("/"));
      if (name) packages.add(name[0]);
    }
  }
  await bundlePrelude(source, target);
  await bundleForRequire(source, target);
  return [...packages].sort();
}

/** The testing API for `require`, which starts `testing-process`. */
async function bundleForRequire(source: string, target: string): Promise<void> {
  const build = await rolldown({
    input: join(source, "testing/remote.ts"),
    platform: "node",
    transform: { target: "node20" },
  });
  await build.write({ file: join(target, "lib/testing.cjs"), format: "cjs" });
  await build.close();
}

/** Deno, as Node, does not run TypeScript that lies below `node_modules`. */
async function bundlePrelude(source: string, target: string): Promise<void> {
  const build = await rolldown({ input: join(source, "functions/runtime/prelude.ts"), platform: "node" });
  await build.write({ file: join(target, "src/functions/runtime/prelude.js"), format: "esm" });
  await build.close();
}

/** `import.meta.dirname` leads to the folder of the package that holds the module's assets, as in the sources. */
function assetPaths(source: string): Plugin {
  const own = [source, join(dirname(source), "wings")];
  return {
    name: "asset-paths",
    transform(code, id) {
      if (!own.some((folder) => id.startsWith(folder + sep)) || !code.includes("import.meta.dirname")) return;
      const folder = relative(dirname(source), dirname(id)).split(sep).join("/");
      return code.replaceAll("import.meta.dirname", `(import.meta.dirname + "/../${folder}")`);
    },
  };
}

/**
 * Takes Node's modules by `process.getBuiltinModule`: an `import` of them runs every lazy getter of the module, of
 * which `node:http` loads undici. That takes 50 ms and 19 MB of each command.
 */
function lazyBuiltins(): Plugin {
  const statement = /^import\s*([^;"']*?)\s*from\s*"(node:[^"]+)";?$/gm;
  const clause = /^(?:([\w$]+))?(?:\s*,\s*)?(?:\{([^}]*)\})?$/;
  return {
    name: "lazy-builtins",
    renderChunk(code) {
      return code.replace(statement, (_, names: string, module: string) => {
        const [, whole, parts] = clause.exec(names) ?? [];
        if (!whole && !parts) throw new Error(`This import of ${module} is not understood: ${names}`);
        const taken = [whole, parts && `{${parts.replaceAll(" as ", ": ")}}`].filter(Boolean);
        const loaded = `globalThis.process.getBuiltinModule("${module}")`;
        return `const ${taken.map((name) => `${name} = ${loaded}`).join(", ")};`;
      });
    },
  };
}
