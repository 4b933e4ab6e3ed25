/**
 * Builds the package that others install into homebase/dist: bundled JavaScript, declarations, SQL, pages, the bin.
 * `npm run build:homebase`; then `npm pack ./homebase/dist` or `npm publish ./homebase/dist`. Without the dot npm
 * takes the path for a repository of GitHub.
 */
import { chmodSync, copyFileSync, cpSync, globSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { PREBUILT_FOLDER } from "../src/postgres/cluster/prebuilt.ts";
import { PACKAGES } from "../src/postgres/extensions/extension-files.ts";
import { bundle, ENTRIES } from "./bundle.ts";
import { writeDeclarations } from "./declarations.ts";
import { FOR_REQUIRE, publishedManifest, writeNotices } from "./manifest.ts";
import { buildPrebuiltCluster } from "./prebuilt.ts";

const root = join(import.meta.dirname, "..", "..");
const source = join(root, "homebase", "src");
/** Entries that users import; the others are started. */
const STARTED = ["cli", "runtime", "large-payload-thread", "renderer-process", "testing-process"];

/**
 * Builds the package.
 * @param target an empty or missing folder; what is there is replaced.
 * @param parts whether the package gets type declarations and a prebuilt cluster, which take longest
 */
export async function buildPackage(target: string, { types = true, cluster = true } = {}): Promise<void> {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const bundled = await bundle(source, target);
  const carried = carriedArchives();
  // What is no TypeScript is read at run time, from the same places as in the repository.
  const homebase = dirname(source);
  for (const file of globSync("{src,wings}/**/*.{sql,control,css,html,js,md}", {
    cwd: homebase,
    exclude: ["wings/*/test/**", "wings/*/page/**"],
  })) {
    mkdirSync(dirname(join(target, file)), { recursive: true });
    copyFileSync(join(homebase, file), join(target, file));
  }
  const onPages = await buildPages(homebase, target);
  const archives = join(target, "src", "postgres", "extensions", "carried");
  mkdirSync(archives, { recursive: true });
  for (const { folder, archive } of carried) copyFileSync(join(folder, archive), join(archives, archive));
  if (cluster) await buildPrebuiltCluster(join(target, "src", relative(source, PREBUILT_FOLDER)));
  cpSync(join(root, "homebase", "bin"), join(target, "bin"), { recursive: true });
  chmodSync(join(target, "bin", "homebase.mjs"), 0o755);
  for (const page of ["README.md", "LICENSE", "CHANGELOG.md"]) {
    copyFileSync(join(root, "homebase", page), join(target, page));
  }
  writeNotices(join(target, "THIRD-PARTY.md"), [
    ...new Set([...bundled, ...onPages]),
    ...carried.map(({ folder }) => dirname(folder)),
  ]);
  const entries = Object.fromEntries(Object.entries(ENTRIES).filter(([name]) => !STARTED.includes(name)));
  const declared = types
    ? writeDeclarations({ root, source, target }, entries, FOR_REQUIRE)
    : new Map<string, string>();
  writeFileSync(
    join(target, "package.json"),
    `${JSON.stringify(publishedManifest(root, declared), null, 2)}\n`,
  );
}

/** Pages of wings, each by its wing's own build. @returns the npm packages whose code is in them */
async function buildPages(homebase: string, target: string): Promise<string[]> {
  const packages: string[] = [];
  for (const file of globSync("wings/*/build.ts", { cwd: homebase })) {
    const { buildPage } = (await import(join(homebase, file))) as {
      buildPage(page: string): Promise<string[]>;
    };
    packages.push(...(await buildPage(join(target, dirname(file), "built"))));
  }
  return packages;
}

/** Archives of SQL that npm packages carry, and where they are. */
function carriedArchives(): { folder: string; archive: string }[] {
  const require = createRequire(join(source, "x.js"));
  return PACKAGES.map(({ package: name, archive }) => ({ folder: dirname(require.resolve(name)), archive }));
}

if (import.meta.main) {
  const began = performance.now();
  const target = join(root, "homebase", "dist");
  await buildPackage(target);
  console.log(`homebase/dist, built in ${((performance.now() - began) / 1000).toFixed(1)} s`);
}
