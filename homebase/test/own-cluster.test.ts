/** Files run beside each other on the run's cluster, and roles and their settings belong to a cluster: a file that makes some has its own. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const HOMEBASE = join(import.meta.dirname, "..");
const CHANGES_ROLES = /\bcreate\s+(role|user)\s+(?!mapping\b)|\balter\s+role\s+\w+\s+(re)?set\b/i;
const OWN_CLUSTER = /\b(useOwnCluster|probedCluster|startTestCluster|Cluster\.start)\(/;

/** Whether the file, or what it imports from folders of tests, makes a role or changes its settings. */
function changesRoles(file: string, seen = new Set<string>()): boolean {
  if (seen.has(file) || !file.includes("/test/") || !existsSync(file)) return false;
  seen.add(file);
  const text = readFileSync(file, "utf8");
  if (CHANGES_ROLES.test(text)) return true;
  const imported = [...text.matchAll(/ from "(\.[^"]+\.ts)"/g)];
  return imported.some(([, path]) => changesRoles(join(dirname(file), path as string), seen));
}

test("a file of tests that makes roles or changes their settings has a cluster of its own", () => {
  const files = globSync("{test,wings/*/test}/**/*.integration.test.ts", { cwd: HOMEBASE });
  expect(files.length).toBeGreaterThan(100);
  const onSharedCluster = files.filter((file) => {
    const text = readFileSync(join(HOMEBASE, file), "utf8");
    return (
      /\b(createBackend|metaBackend|startHosted)\(/.test(text) &&
      !OWN_CLUSTER.test(text) &&
      changesRoles(join(HOMEBASE, file))
    );
  });
  expect(onSharedCluster).toEqual([]);
});
