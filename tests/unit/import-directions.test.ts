/** The import rules, tested with imports that must be rejected and accepted. */
import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { circles, floors, importsOf, parts, readImports, refusal } from "../../scripts/import-rules.ts";
import { root } from "../../scripts/process.ts";

/** Each pair of folders of a part, as a file of the first that imports one of the second. */
const pairs = Object.entries(floors).flatMap(([base, rows]) =>
  rows.flatMap((above, floor) =>
    above.flatMap((from) =>
      rows.flatMap((below, otherFloor) =>
        below
          .filter((to) => to !== from)
          .map((to) => ({
            from: `${base}/${from}/x.ts`,
            to: `${base}/${to}/y.ts`,
            allowed: otherFloor > floor,
          })),
      ),
    ),
  ),
);

describe("floors", () => {
  test.each(pairs.filter(({ allowed }) => !allowed))("$from may not import $to", (pair) => {
    expect(refusal(pair)).toMatch(/stands below or beside/);
  });

  test("a folder may import what lies below it, and itself", () => {
    for (const pair of pairs.filter(({ allowed }) => allowed)) expect(refusal(pair)).toBeUndefined();
    expect(
      refusal({ from: "homebase/src/auth/users/x.ts", to: "homebase/src/auth/mail/y.ts" }),
    ).toBeUndefined();
  });

  test("a folder that stands on no floor is refused until somebody gives it one", () => {
    expect(refusal({ from: "homebase/src/attic/x.ts", to: "homebase/src/core/log.ts" })).toMatch(/no floor/);
    expect(refusal({ from: "homebase/src/core/log.ts", to: "homebase/src/attic/x.ts" })).toMatch(/no floor/);
  });
});

describe("parts", () => {
  test.each([
    ["web/src/lib/x.ts", "homebase/src/core/log.ts"],
    ["homebase/src/service/x.ts", "web/src/lib/backend/env.ts"],
    ["web/src/app/x.ts", "supabase/functions/send-invites/index.ts"],
    ["supabase/functions/_shared/x.ts", "web/src/lib/time.ts"],
  ])("%s may not import %s", (from, to) => {
    expect(refusal({ from, to })).toMatch(/imports nothing of/);
  });

  test("the app may import what the functions share with it", () => {
    expect(
      refusal({ from: "web/src/features/best/x.ts", to: "supabase/functions/_shared/ranking.ts" }),
    ).toBeUndefined();
  });
});

test("imports are found in every form, types included", () => {
  const code = `import type { A } from "./a.ts";
    export { b } from "./b.ts";
    export * from "./c.ts";
    import "./d.ts";
    const e = await import("./e.ts");
    import { f } from "a-package";`;
  expect(importsOf("web/src/lib/x.tsx", code).map(({ to }) => to)).toEqual(
    ["a", "d", "b", "c", "e"].map((name) => `web/src/lib/${name}.ts`),
  );
});

test("circles are found once each, however long", () => {
  const ring = ["a", "b", "c"].map((from, at) => ({ from, to: ["b", "c", "a"][at] ?? "" }));
  expect(circles([...ring, { from: "d", to: "a" }, { from: "e", to: "f" }, { from: "f", to: "e" }])).toEqual([
    ["a", "b", "c"],
    ["e", "f"],
  ]);
});

test("the tree keeps to the floors", () => {
  expect(
    readImports()
      .map(refusal)
      .filter((each) => each !== undefined),
  ).toEqual([]);
  expect(Object.keys(parts).length).toBeGreaterThan(0);
});

describe("icons", () => {
  const probes: string[] = [];
  afterEach(() => {
    for (const probe of probes.splice(0)) rmSync(probe, { force: true });
  });
  const diagnostics = (path: string): string => {
    const biome = join(root, "node_modules", ".bin", "biome");
    const { stdout, stderr } = spawnSync(biome, ["lint", path], { cwd: root, encoding: "utf8" });
    return stdout + stderr;
  };

  test("the module of the fourteen, and only it, imports the library", () => {
    expect(diagnostics(join(root, "web", "src", "ui", "icons.ts"))).not.toContain("noRestrictedImports");
    const probe = join(root, "web", "src", "features", "plans", "import-directions-probe.ts");
    probes.push(probe);
    writeFileSync(probe, 'import { Heart } from "lucide-react";\nHeart;\n');
    expect(diagnostics(probe)).toContain("noRestrictedImports");
  });

  test("the app may not import Homebase's package", () => {
    const probe = join(root, "web", "src", "features", "plans", "import-directions-probe-2.ts");
    probes.push(probe);
    writeFileSync(probe, 'import { createBackend } from "homebase-stack/testing";\ncreateBackend();\n');
    expect(diagnostics(probe)).toContain("noRestrictedImports");
  });
});
