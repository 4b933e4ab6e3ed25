/**
 * Functions that import packages of their project's workspace by name (Deno's manual, "Workspaces and monorepos"; npm's
 * documentation, "workspaces"; supabase/cli issues 3047, 4549 and 4550).
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { modulesOf } from "../../../src/functions/modules/graph.ts";
import { findFunction } from "../../../src/functions/project-functions.ts";
import { createBackend } from "../../../src/testing/index.ts";
import { folderForThisFile, forThisFile } from "../../for-this-file.ts";

const FILES: Record<string, string> = {
  "deno.jsonc": `{ // Deno's workspace
    "workspace": ["./packages/*", "./supabase/functions/denoway",], }`,
  "package.json": JSON.stringify({ private: true, workspaces: ["packages/*"] }),
  "packages/shared/deno.json": JSON.stringify({
    name: "@acme/shared",
    version: "1.0.0",
    exports: { ".": "./mod.ts", "./more": "./more.ts" },
  }),
  "packages/shared/mod.ts": `import { two } from "./more.ts"; export const one = "one " + two;`,
  "packages/shared/more.ts": `export const two = "two";`,
  "packages/num/package.json": JSON.stringify({
    name: "num",
    version: "1.0.0",
    type: "module",
    exports: { ".": { import: "./index.ts" }, "./part": "./part.ts" },
    dependencies: { other: "workspace:*" },
  }),
  "packages/num/index.ts": `export { other as num } from "other";`,
  "packages/num/part.ts": `export const part = "part";`,
  "packages/other/package.json": JSON.stringify({ name: "other", version: "1.0.0", exports: "./index.ts" }),
  "packages/other/index.ts": `export const other = "other";`,
  "supabase/functions/denoway/deno.json": JSON.stringify({ imports: { local: "./local.ts" } }),
  "supabase/functions/denoway/local.ts": `export const local = "local";`,
  "supabase/functions/denoway/index.ts": `import { one } from "@acme/shared"; import { two } from "@acme/shared/more";
    import { num } from "num"; import { local } from "local";
    Deno.serve(() => new Response([one, two, num, local].join(", ")));`,
  "supabase/functions/npmway/package.json": JSON.stringify({
    dependencies: { num: "^1.0.0", "@acme/shared": "workspace:*" },
  }),
  "supabase/functions/npmway/index.ts": `import { num } from "num"; import { part } from "num/part"; import { two } from "@acme/shared/more";
    Deno.serve(() => new Response([num, part, two].join(", ")));`,
  "supabase/functions/alone/index.ts": `import { num } from "num"; Deno.serve(() => new Response(num));`,
  "supabase/config.toml": `project_id = "workspace"
${["denoway", "npmway", "alone"].map((name) => `[functions.${name}]\nverify_jwt = false`).join("\n")}`,
};

const project = folderForThisFile("workspace", FILES);
const backend = await forThisFile(createBackend({ projectFolder: project, bare: true }));

async function answerOf(name: string): Promise<string> {
  return (await fetch(`${backend.url}/functions/v1/${name}`)).text();
}

test("a member of a Deno workspace imports the others, by their deno.json or package.json", async () => {
  expect(await answerOf("denoway")).toBe("one two, two, other, local");
  expect(backend.logs.map(({ message }) => message)).toContain(
    "@acme/shared is a package of the workspace. Hosted finds it only where the function's import map names it.",
  );
});

test("a package.json may depend on packages of the npm workspace, with dependencies of their own", async () => {
  expect(await answerOf("npmway")).toBe("other, part, two");
});

test("a function that declares neither does not get them, as on hosted", async () => {
  expect(JSON.parse(await answerOf("alone"))).toMatchObject({ code: "BOOT_ERROR" });
});

test("their modules belong to the function: uploaded by a deploy, and reloaded on save", async () => {
  const definition = findFunction(backend.config, "denoway");
  if (!definition) throw new Error("no such function");
  const files = modulesOf(definition).files.map((file) => file.slice(project.length + 1));
  expect(files).toEqual(expect.arrayContaining(["packages/shared/mod.ts", "packages/num/index.ts"]));
  await answerOf("denoway");
  writeFileSync(join(project, "packages/shared/more.ts"), `export const two = "changed";`);
  await expect.poll(() => answerOf("denoway"), { timeout: 10_000 }).toContain("one changed, changed");
});
