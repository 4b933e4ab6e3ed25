/** Owns the declarations of the package: those of its entries and what they name, and nothing of the stack's inside. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, posix } from "node:path";

/** Packages whose types an entry may name: the user has them when the entry is of use. */
const FOREIGN = ["vitest", "@playwright/test"];

/**
 * Writes the declarations of `entries` (name in `lib/` to source) below `types/` of the package; those of `forRequire`
 * also as CommonJS, which may name a module's types only by its mode.
 * @returns for each entry the path for `exports`.
 * @throws when a declaration names a package that users of the entry need not have.
 */
export function writeDeclarations(
  { root, source, target }: { root: string; source: string; target: string },
  entries: Readonly<Record<string, string>>,
  forRequire: readonly string[],
): Map<string, string> {
  const folder = mkdtempSync(join(tmpdir(), "homebase-types-"));
  try {
    const project = join(folder, "tsconfig.json");
    writeFileSync(
      project,
      JSON.stringify({
        extends: join(root, "tsconfig.json"),
        compilerOptions: {
          noEmit: false,
          declaration: true,
          emitDeclarationOnly: true,
          // Of the wings too, which the sources name.
          rootDir: dirname(source),
          outDir: join(folder, "out"),
          types: ["node"],
          typeRoots: [join(root, "node_modules", "@types")],
        },
        files: Object.values(entries).map((file) => join(source, file)),
        include: [],
      }),
    );
    execFileSync(join(root, "node_modules", ".bin", "tsc"), ["-p", project], { stdio: "inherit" });
    const wanted = Object.values(entries).map((file) => file.replace(/\.ts$/, ".d.ts"));
    for (const file of wanted) {
      const text = readFileSync(join(folder, "out", basename(source), file), "utf8");
      for (const [, specifier = ""] of text.matchAll(/(?:from|import) ?\(?"([^"]+)"/g)) {
        if (specifier.startsWith(".")) {
          const found = posix.join(posix.dirname(file), specifier.replace(/\.ts$/, ".d.ts"));
          if (!wanted.includes(found)) wanted.push(found);
        } else if (!FOREIGN.includes(specifier) && !specifier.startsWith("node:")) {
          throw new Error(`The declaration ${file} names ${specifier}, which users of the package lack.`);
        }
      }
      const path = join(target, "types", file);
      mkdirSync(dirname(path), { recursive: true });
      // Whatever `lib` the user's compiler is set to.
      const lib = text.includes("Symbol.asyncDispose") ? '/// <reference lib="esnext.disposable" />\n' : "";
      writeFileSync(path, lib + text.replace(/(["'])(\.{1,2}\/[^"']+)\.ts\1/g, "$1$2.js$1"));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  for (const name of forRequire) {
    const file = entries[name];
    if (file === undefined) throw new Error(`There is no entry ${name}.`);
    const module = `./${basename(file, ".ts")}.js`;
    writeFileSync(
      join(target, "types", file.replace(/\.ts$/, ".d.cts")),
      `import type * as module from "${module}" with { "resolution-mode": "import" };\nexport = module;\n`,
    );
  }
  return new Map(
    Object.entries(entries).map(([name, file]) => [name, `./types/${file.replace(/\.ts$/, ".d.ts")}`]),
  );
}
