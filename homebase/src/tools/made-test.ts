/** Owns a test that a request has become: where it belongs, and whether it passes. */
import { basename, join, relative } from "node:path";
import type { Config } from "../config/config.ts";
import type { RequestTest } from "../explain/index.ts";
import { ensureTemplate } from "../postgres/cluster/template.ts";
import { runInClones } from "./tap/run.ts";
import { withTemporaryCluster } from "./temporary.ts";

/** The path that a test has by its title, relative to the project. */
export function testFileOf({ projectFolder, supabaseFolder }: Config, { title }: RequestTest): string {
  const words = title.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const file = join(supabaseFolder, "tests", `${basename(words.join("_")).slice(0, 60)}_test.sql`);
  return relative(projectFolder, file);
}

/** Why a test does not pass in a new database; undefined when it does. */
export async function failureOf(
  config: Config,
  path: string,
  { sql }: RequestTest,
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
