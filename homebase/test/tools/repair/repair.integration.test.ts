/** Folders that do not start, each repaired by its plan: which of them start then, and what is said of the others. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { type Config, loadConfig } from "../../../src/config/config.ts";
import { createBackend } from "../../../src/testing/index.ts";
import { testCluster } from "../../../src/testing/shared-cluster.ts";
import { summaryOf } from "../../../src/tools/folder-summary.ts";
import { failingFiles } from "../../../src/tools/migration-check.ts";
import { carryOut } from "../../../src/tools/repair/carry-out.ts";
import { planRepair } from "../../../src/tools/repair/repair-plan.ts";
import { useOwnCluster } from "../../own-cluster.ts";
import { brokenFolders } from "./broken-folders.ts";
import { dashboardFolders } from "./dashboard-folders.ts";
import { largerFolders } from "./larger-folders.ts";

await useOwnCluster();
const root = mkdtempSync(join(tmpdir(), "homebase-repair-"));
const cluster = await testCluster(root);
const outcomes: string[] = [];
afterAll(() => {
  rmSync(root, { recursive: true });
  const count = (end: string) => outcomes.filter((one) => one.endsWith(end)).length;
  console.log(
    `${outcomes.join("\n")}\n${count("starts")} of ${outcomes.length} folders start after doctor --write, ${count("named")} name what is lacking.`,
  );
});

function folderOf(files: Record<string, string>): { folder: string; config: Config } {
  const folder = mkdtempSync(join(root, "folder-"));
  for (const [path, text] of Object.entries({ "config.toml": 'project_id = "broken"\n', ...files })) {
    const file = join(folder, "supabase", path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return { folder, config: loadConfig({ from: folder, environment: {} }) };
}

/** Why a Backend of the folder does not start; undefined where it does. */
async function refusal(folder: string): Promise<string | undefined> {
  try {
    await using _ = await createBackend({ projectFolder: folder });
    return undefined;
  } catch (error) {
    return String(error);
  }
}

test.each([...brokenFolders, ...dashboardFolders, ...largerFolders])(
  "$name",
  async ({ name, files, names }) => {
    expect(await refusal(folderOf(files).folder)).toBeDefined();
    const { folder, config } = folderOf(files);
    const plan = await planRepair(cluster, config);
    carryOut(config, plan, () => {});
    const left = summaryOf((await failingFiles(cluster, config)).map((error) => error.problem())).join("\n");
    const again = await planRepair(cluster, config);
    expect([again.writes, again.reorders, again.renames]).toEqual([[], [], []]);
    const refused = await refusal(folder);
    outcomes.push(`${name}: ${refused === undefined ? "starts" : names?.test(left) ? "named" : "neither"}`);
    expect(refused === undefined ? "starts" : left).toMatch(names ?? /^starts$/);
  },
  180_000,
);
