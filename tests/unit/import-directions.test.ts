/** The import rules, tested with imports that must be rejected and accepted. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { circles, importsOf, layers, parts, readImports, refusal } from "../../scripts/import-rules.ts";
import { root } from "../../scripts/process.ts";

describe("floors", () => {
  test.each([
    ["web/src/lib", "web/src/features/plans"],
    ["web/src/ui", "web/src/features/plans"],
    ["web/src/features/plans", "web/src/app"],
    ["homebase/src/rest", "homebase/src/auth"],
    ["homebase/src/auth", "homebase/src/gateway"],
    ["homebase/src/postgres", "homebase/src/rest"],
    ["homebase/src/core", "homebase/src/config"],
    ["homebase/src/gateway", "homebase/src/backend"],
    ["homebase/src/backend", "homebase/src/cli"],
    ["homebase/src/http", "homebase/src/storage"],
    ["homebase/src/auth/users", "homebase/src/auth/mail"],
  ])("%s may not import %s", (from, to) => {
    expect(refusal({ from: `${from}/x.ts`, to: `${to}/y.ts` })).toMatch(/stands below or beside/);
  });

  test("a folder may import what lies below it, and itself", () => {
    for (const [from, to] of [
      ["homebase/src/cli/x.ts", "homebase/src/core/log.ts"],
      ["web/src/app/x.ts", "web/src/features/plans/queries.ts"],
      ["homebase/src/auth/mail/x.ts", "homebase/src/auth/users/y.ts"],
    ] as const) {
      expect(refusal({ from, to })).toBeUndefined();
    }
  });

  test.each([
    ["queries.ts", "components/card.tsx"],
    ["schema.ts", "queries.ts"],
    ["words.ts", "domain.ts"],
    ["draft.ts", "components/card.tsx"],
  ])("in a feature %s may not import %s", (from, to) => {
    const feature = "web/src/features/plans";
    expect(refusal({ from: `${feature}/${from}`, to: `${feature}/${to}` })).toMatch(/stands below/);
    expect(refusal({ from: `${feature}/${to}`, to: `${feature}/${from}` })).toBeUndefined();
  });

  test("a wing's page imports of the stack only the types of server/api.ts", () => {
    const from = "homebase/wings/console/page/main.tsx";
    expect(refusal({ from, to: "homebase/wings/console/server/api.ts" })).toBeUndefined();
    expect(refusal({ from, to: "homebase/wings/console/server/access.ts" })).toMatch(/only the types/);
    expect(refusal({ from, to: "homebase/src/http/server.ts" })).toMatch(
      /may not import this room|only the types/,
    );
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
      refusal({ from: "web/src/features/matches/x.ts", to: "supabase/functions/_shared/ranking.ts" }),
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

describe("libraries", () => {
  const folder = mkdtempSync(join(tmpdir(), "nosh-lint-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  /** What the linter says of a text at a path, in a folder with the repository's rules and nothing else. */
  const diagnostics = (path: string, text: string): string => {
    const rules = JSON.parse(readFileSync(join(root, "biome.json"), "utf8")) as object;
    writeFileSync(join(folder, "biome.json"), JSON.stringify({ ...rules, vcs: { enabled: false } }));
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), text);
    const biome = join(root, "node_modules", ".bin", "biome");
    const { stdout, stderr } = spawnSync(biome, ["lint", path], { cwd: folder, encoding: "utf8" });
    return stdout + stderr;
  };
  const icons = "web/src/ui/icons.ts";
  const screen = "web/src/features/plans/probe.ts";

  test("the module of the fourteen icons, and only it, imports their library", () => {
    expect(diagnostics(icons, readFileSync(join(root, icons), "utf8"))).not.toContain("noRestrictedImports");
    expect(diagnostics(screen, 'import { Heart } from "lucide-react";\nHeart;\n')).toContain(
      "noRestrictedImports",
    );
  });

  test("the app may not import Homebase's package", () => {
    expect(
      diagnostics(screen, 'import { createBackend } from "homebase-stack/testing";\ncreateBackend();\n'),
    ).toContain("noRestrictedImports");
  });
});

test("the architecture page lists the floors of both products", () => {
  const floors = layers.split("\n").filter((line) => /^(?:homebase|web)\/src: /.test(line));
  expect(floors).toHaveLength(2);
  expect(readFileSync(join(root, "docs/architecture.md"), "utf8")).toContain(floors.join("\n"));
});
