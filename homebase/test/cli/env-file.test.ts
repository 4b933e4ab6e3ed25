/** `.env.local`, written by `homebase start --write-env` under the names that an app reads. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { withBlock, writeEnvFile } from "../../src/cli/commands/start/env-file.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "homebase-env-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (path: string, text: string) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
};
const values = {
  url: "http://127.0.0.1:1",
  publishableKey: "sb_publishable_x",
  anonKey: "anon.jwt",
  secretKey: "sb_secret_x",
  serviceRoleKey: "service.jwt",
};
const written = () =>
  readFileSync(join(folder, ".env.local"), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
const variables = () => {
  const { leftOut } = writeEnvFile(folder, values);
  return { lines: written(), leftOut };
};
const repository = (ignored: string) => {
  execFileSync("git", ["init", "-q", folder]);
  write(".gitignore", ignored);
};

test("a project without an app gets the address and the publishable key, also with its framework's prefix", () => {
  expect(variables().lines).toEqual([
    "SUPABASE_URL=http://127.0.0.1:1",
    "SUPABASE_PUBLISHABLE_KEY=sb_publishable_x",
  ]);
  write("package.json", '{"devDependencies":{"vite":"8"}}');
  expect(variables().lines.slice(1)).toEqual([
    "VITE_SUPABASE_URL=http://127.0.0.1:1",
    "SUPABASE_PUBLISHABLE_KEY=sb_publishable_x",
    "VITE_SUPABASE_PUBLISHABLE_KEY=sb_publishable_x",
  ]);
});

test.each<[app: string, path: string, text: string, lines: string[]]>([
  [
    "Next.js by its example file",
    ".env.local.example",
    "NEXT_PUBLIC_SUPABASE_URL=your-project-url\nNEXT_PUBLIC_SUPABASE_ANON_KEY=your-anon-key\n",
    ["NEXT_PUBLIC_SUPABASE_ANON_KEY=anon.jwt", "NEXT_PUBLIC_SUPABASE_URL=http://127.0.0.1:1"],
  ],
  [
    "Next.js by its newer example file",
    ".env.example",
    "NEXT_PUBLIC_SUPABASE_URL=\nNEXT_PUBLIC_SUPABASE_PUBLISHABLE_DEFAULT_KEY=\n",
    [
      "NEXT_PUBLIC_SUPABASE_PUBLISHABLE_DEFAULT_KEY=sb_publishable_x",
      "NEXT_PUBLIC_SUPABASE_URL=http://127.0.0.1:1",
    ],
  ],
  [
    "Expo by its sources",
    "src/lib/supabase.ts",
    "createClient(process.env.EXPO_PUBLIC_SUPABASE_URL!, process.env.EXPO_PUBLIC_SUPABASE_ANON_KEY!)",
    ["EXPO_PUBLIC_SUPABASE_ANON_KEY=anon.jwt", "EXPO_PUBLIC_SUPABASE_URL=http://127.0.0.1:1"],
  ],
  [
    "Vite by its sources",
    "apps/web/src/client.tsx",
    "createClient(import.meta.env.VITE_SUPABASE_URL, import.meta.env.VITE_SUPABASE_ANON_KEY)",
    ["VITE_SUPABASE_ANON_KEY=anon.jwt", "VITE_SUPABASE_URL=http://127.0.0.1:1"],
  ],
  [
    "SvelteKit by its sources",
    "src/routes/+layout.svelte",
    'import { PUBLIC_SUPABASE_URL, PUBLIC_SUPABASE_PUBLISHABLE_KEY } from "$env/static/public";',
    ["PUBLIC_SUPABASE_PUBLISHABLE_KEY=sb_publishable_x", "PUBLIC_SUPABASE_URL=http://127.0.0.1:1"],
  ],
  [
    "Nuxt by its example file",
    ".env.example",
    "SUPABASE_URL=\nSUPABASE_KEY=\n",
    ["SUPABASE_KEY=sb_publishable_x", "SUPABASE_URL=http://127.0.0.1:1"],
  ],
])("%s", (_, path, text, lines) => {
  write(path, text);
  write(
    "node_modules/other/index.js",
    "process.env.SUPABASE_SERVICE_ROLE_KEY; process.env.SUPABASE_ANON_KEY",
  );
  write("supabase/functions/hello/index.ts", 'Deno.env.get("SUPABASE_SERVICE_ROLE_KEY")');
  expect(variables()).toEqual({ lines, leftOut: [] });
});

const EXAMPLE = "NEXT_PUBLIC_SUPABASE_URL=\nNEXT_PUBLIC_SUPABASE_ANON_KEY=\nSUPABASE_SERVICE_ROLE_KEY=\n";
const SECRET = "SUPABASE_SERVICE_ROLE_KEY=service.jwt";

test("the secret key is written where the example names it and git ignores the file", () => {
  write(".env.example", EXAMPLE);
  repository(".env*.local\n");
  const { lines, leftOut } = variables();
  expect(lines).toContain(SECRET);
  expect(leftOut).toEqual([]);
});

test("the secret key is said and not written where git does not ignore the file, or knows it already", () => {
  write(".env.example", EXAMPLE);
  const said = [
    `SUPABASE_SERVICE_ROLE_KEY is not written: git does not ignore .env.local. To add it by hand: ${SECRET}`,
  ];
  const outside = variables();
  expect(outside.lines).not.toContain(SECRET);
  expect(outside.leftOut).toEqual(said);
  repository("");
  expect(variables()).toEqual(outside);
  execFileSync("git", ["-C", folder, "add", "-f", ".env.local"]);
  write(".gitignore", ".env.local\n");
  expect(variables()).toEqual(outside);
});

test("the secret key is not written where only a source names it, nor ever under a name for browsers", () => {
  repository(".env.local\n");
  write("server.ts", "process.env.SUPABASE_SECRET_KEY");
  write(".env.example", "VITE_SUPABASE_URL=\nVITE_SUPABASE_ANON_KEY=\nVITE_SUPABASE_SERVICE_ROLE_KEY=\n");
  const { lines, leftOut } = variables();
  expect(lines.join()).not.toMatch(/service\.jwt|sb_secret/);
  expect(leftOut).toEqual([
    "SUPABASE_SECRET_KEY is not written: no .env.example names it. To add it by hand: SUPABASE_SECRET_KEY=sb_secret_x",
    "VITE_SUPABASE_SERVICE_ROLE_KEY is not written: browsers would get a key that passes row level security.",
  ]);
});

test("what the developer wrote in .env.local is kept, before and after the block", () => {
  write(".env.local", "MINE=1");
  variables();
  writeFileSync(join(folder, ".env.local"), `${readFileSync(join(folder, ".env.local"), "utf8")}AFTER=2\n`);
  writeEnvFile(folder, { ...values, url: "http://127.0.0.1:2" });
  expect(written()).toEqual([
    "MINE=1",
    "SUPABASE_URL=http://127.0.0.1:2",
    "SUPABASE_PUBLISHABLE_KEY=sb_publishable_x",
    "AFTER=2",
  ]);
  expect(withBlock("", "block\n")).toBe("block\n");
});

test("in a monorepo the variables go to the root where the app's example file is, unless the project has one", () => {
  repository(".env.local\n");
  write("packages/db/supabase/config.toml", "");
  const project = join(folder, "packages", "db");
  expect(writeEnvFile(project, values).path).toBe(join(project, ".env.local"));
  rmSync(join(project, ".env.local"));
  write(".env.example", "NEXT_PUBLIC_SUPABASE_URL=\nSUPABASE_SERVICE_ROLE_KEY=\n");
  expect(writeEnvFile(project, values).path).toBe(join(folder, ".env.local"));
  expect(written()).toEqual([
    "NEXT_PUBLIC_SUPABASE_URL=http://127.0.0.1:1",
    "SUPABASE_PUBLISHABLE_KEY=sb_publishable_x",
    "SUPABASE_SERVICE_ROLE_KEY=service.jwt",
  ]);
  write("packages/db/.env.example", "SUPABASE_URL=\n");
  expect(writeEnvFile(project, values).path).toBe(join(project, ".env.local"));
});
