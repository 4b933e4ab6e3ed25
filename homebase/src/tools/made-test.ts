/** Owns a test that a request has become: where it belongs, and whether it passes. */
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { basename, dirname, join, relative } from "node:path";
import { text } from "node:stream/consumers";
import { stripVTControlCharacters } from "node:util";
import type { Config } from "../config/config.ts";
import type { RequestTest, TestKind } from "../explain/index.ts";
import { ensureTemplate } from "../postgres/cluster/template-databases.ts";
import { runInClones } from "./tap/run-pgtap.ts";
import { withTemporaryCluster } from "./temporary.ts";

/** The end of a failed run that is shown. */
const SHOWN = 2_000;

/** The path that a test has by its title, relative to the project. */
export function testFileOf(
  { projectFolder, supabaseFolder }: Config,
  { title }: RequestTest,
  kind: TestKind = "pgtap",
): string {
  const words = title.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const name = basename(words.join("_")).slice(0, 60);
  if (kind === "vitest") return join("tests", `${name.replaceAll("_", "-")}.test.ts`);
  return relative(projectFolder, join(supabaseFolder, "tests", `${name}_test.sql`));
}

/** The packages that a test in Vitest imports. */
const PACKAGES = ["vitest", "@supabase/supabase-js", "homebase-stack"];

/** The packages that a test in Vitest needs and that the project does not have. */
export function missingPackages({ projectFolder }: Config): string[] {
  const { resolve } = createRequire(join(projectFolder, "package.json"));
  return PACKAGES.filter((name) => {
    try {
      return resolve(name === "homebase-stack" ? `${name}/testing` : `${name}/package.json`) === "";
    } catch {
      return true;
    }
  });
}

/** Why a file of tests does not pass in the project's own Vitest; undefined when it does. */
export async function failureInVitest({ projectFolder }: Config, path: string): Promise<string | undefined> {
  const found = createRequire(join(projectFolder, "package.json")).resolve("vitest/package.json");
  const child = spawn(process.execPath, [join(dirname(found), "vitest.mjs"), "run", path], {
    cwd: projectFolder,
    env: { ...process.env, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out, error, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((done, fail) => child.on("close", done).on("error", fail)),
  ]);
  return code === 0 ? undefined : stripVTControlCharacters(`${out}${error}`).trim().slice(-SHOWN);
}

/** Why a test does not pass in a new database; undefined when it does. */
export async function failureOf(
  config: Config,
  path: string,
  { text: sql }: RequestTest,
): Promise<string | undefined> {
  const [outcome] = await withTemporaryCluster(config, async (cluster) =>
    runInClones(cluster, await ensureTemplate(cluster, config), [{ path, sql, plain: true }]),
  );
  if (outcome?.passed) return undefined;
  const failed = outcome?.assertions.find(({ passed }) => !passed);
  return (
    outcome?.error ??
    (failed ? [failed.description, ...failed.diagnostics].join("; ") : "it has no assertion")
  );
}
