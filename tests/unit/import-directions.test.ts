/** The lint rule on imports, tried with what it must refuse and what it must let pass. */
import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";

const root = join(import.meta.dirname, "..", "..");
const probes: string[] = [];

afterEach(() => {
  for (const probe of probes.splice(0)) rmSync(probe, { force: true });
});

/** What the linter says of a file with one import. The probe stands in the tree, as rules go by path. */
function lint(file: string, specifier: string): string {
  const probe = join(root, file.replace(/[^/]+(\.tsx?)$/, "import-directions-probe$1"));
  probes.push(probe);
  writeFileSync(probe, `import { thing } from "${specifier}";\nthing();\n`);
  return diagnostics(probe);
}

function diagnostics(path: string): string {
  const biome = join(root, "node_modules", ".bin", "biome");
  const { stdout, stderr } = spawnSync(biome, ["lint", path], { cwd: root, encoding: "utf8" });
  return stdout + stderr;
}

test.each([
  ["web/src/lib/x.ts", "../features/plans/queries.ts"],
  ["web/src/ui/x.tsx", "../app/router.tsx"],
  ["web/src/features/plans/x.ts", "../../app/router.tsx"],
  ["web/src/features/plans/x.ts", "homebase/testing"],
  ["web/src/features/plans/x.tsx", "lucide-react"],
  ["homebase/src/rest/x.ts", "../auth/service.ts"],
  ["homebase/src/realtime/changes/x.ts", "../../storage/files.ts"],
  ["homebase/src/auth/x.ts", "../gateway/gateway.ts"],
  ["homebase/src/gateway/x.ts", "../backend/backend.ts"],
  ["homebase/src/postgres/x.ts", "../rest/service.ts"],
  ["homebase/src/backend/x.ts", "../cli/main.ts"],
  ["homebase/src/service/x.ts", "../../../web/src/lib/backend/env.ts"],
])("%s may not import %s", (file, specifier) => {
  expect(lint(file, specifier)).toContain("noRestrictedImports");
});

test.each([
  ["web/src/app/x.tsx", "../features/plans/queries.ts"],
  ["web/src/features/plans/x.ts", "../../lib/backend/env.ts"],
  ["homebase/src/rest/x.ts", "../postgres/database.ts"],
  ["homebase/src/backend/x.ts", "../rest/service.ts"],
  ["homebase/src/cli/x.ts", "../backend/backend.ts"],
])("%s may import %s", (file, specifier) => {
  expect(lint(file, specifier)).not.toContain("noRestrictedImports");
});

test("the module of the fourteen icons, and only it, imports them", () => {
  expect(diagnostics(join(root, "web", "src", "ui", "icons.ts"))).not.toContain("noRestrictedImports");
});
