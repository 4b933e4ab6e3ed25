/** `homebase link-cli`: the link, what was there before, and how the real CLI is found. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { COMMAND } from "../../command.ts";
import { LinkedProject } from "./linked-project.ts";

let linked: LinkedProject;
beforeEach(() => {
  linked = new LinkedProject({});
});
afterEach(() => linked.project.remove(), 60_000);

const command = () => join(linked.folder, "node_modules", ".bin", "supabase");

/** What npm makes of the dependency `supabase`. */
function linkByNpm(): void {
  rmSync(command(), { force: true });
  mkdirSync(join(command(), ".."), { recursive: true });
  symlinkSync("../supabase/cli.js", command());
}

test("the command of npm is put aside, and back by --remove", async () => {
  linkByNpm();
  expect(linked.link()).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('"postinstall": "homebase link-cli"'),
  });
  expect(readlinkSync(command())).toBe("../homebase-stack/bin/supabase.mjs");
  expect(linked.link().code).toBe(0);
  expect((await linked.run("supabase projects list --output json")).code).toBe(0);
  expect(linked.calls()).toEqual([["projects", "list", "--output", "json"]]);

  expect(linked.link("--remove").stdout).toBe("supabase is npm's again.\n");
  expect(readlinkSync(command())).toBe("../supabase/cli.js");
  expect(linked.link("--remove").stdout).toBe("supabase was not linked.\n");
  expect(readlinkSync(command())).toBe("../supabase/cli.js");
});

test("a later install that has made npm's command again is followed by a link", () => {
  linkByNpm();
  linked.link();
  linkByNpm();
  linked.write("package.json", JSON.stringify({ scripts: { postinstall: "homebase link-cli" } }));
  expect(linked.link().stdout).not.toContain("postinstall");
  expect(readlinkSync(command())).toBe("../homebase-stack/bin/supabase.mjs");
  linked.link("--remove");
  expect(readlinkSync(command())).toBe("../supabase/cli.js");
});

test("without the real CLI a line that is for it says so, and never runs the link again", async () => {
  linked.link();
  rmSync(join(linked.folder, "node_modules", "supabase"), { recursive: true });
  const only = `PATH=${join(command(), "..")}:${join(process.execPath, "..")}:/usr/bin:/bin`;
  expect(await linked.run(`${only} supabase db push --linked`)).toEqual({
    code: 1,
    stdout: "",
    stderr:
      "Error: supabase db push --linked is for the Supabase CLI (Homebase has no such command), which is neither in node_modules nor on PATH. Install it: npm install --save-dev supabase\n",
  });
  expect((await linked.run(`${only} supabase --help`)).stdout).toContain("Usage: homebase supabase");
});

test("the real CLI's exit code is the link's, and its words are unchanged", async () => {
  linked.link();
  linked.write(
    "node_modules/supabase/cli.js",
    "console.log(JSON.stringify(process.argv.slice(2))); process.exit(7);",
  );
  const words = `db push --db-url "postgresql://a b" '' -- --local`;
  expect(await linked.run(`supabase ${words}`)).toMatchObject({
    code: 7,
    stdout: '["db","push","--db-url","postgresql://a b","","--","--local"]\n',
  });
});

test("a line with --local reaches the running stack by the real CLI, wherever its ports are", async () => {
  linked.link();
  const real = "node_modules/supabase/cli.js";
  linked.write(
    real,
    "const { SUPABASE_API_PORT: api, SUPABASE_DB_PORT: db } = process.env; console.log(api, db);",
  );
  expect((await linked.run("supabase start")).code).toBe(0);
  const { offset } = linked.project;
  const ports = `${54_321 + offset} ${54_322 + offset}\n`;
  expect((await linked.run("supabase db push --local")).stdout).toBe(ports);
  expect((await linked.run("SUPABASE_DB_PORT=1 supabase db push --local")).stdout).toBe(
    `${54_321 + offset} 1\n`,
  );
  // A line that may mean a hosted project learns nothing of this machine.
  expect((await linked.run("supabase db push")).stdout).toBe("undefined undefined\n");
  const config = linked.read("supabase/config.toml");
  linked.write("supabase/config.toml", "project_id = ");
  expect((await linked.run("supabase db push --local")).stdout).toBe("undefined undefined\n");
  // Otherwise nothing could stop the stack.
  linked.write("supabase/config.toml", config);
}, 120_000);

test("a linked project takes gen types to the real CLI, and --local keeps it here", async () => {
  linked.link();
  linked.write("supabase/.temp/project-ref", "abcdefghijklmnopqrst");
  expect((await linked.run("supabase gen types")).code).toBe(0);
  expect(linked.calls()).toEqual([["gen", "types"]]);
  expect((await linked.run("supabase gen types --local")).stderr).toContain("is not running");
  expect(linked.calls()).toEqual([]);
});

test("a project that has not installed the package, or has no node_modules, is refused in words", () => {
  rmSync(join(linked.folder, "node_modules", "homebase-stack"));
  expect(linked.link()).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("npm install --save-dev homebase-stack"),
  });
  expect(existsSync(command())).toBe(false);
});

test("where Yarn would not see the link, none is made, and the words are said that work there", async () => {
  linkByNpm();
  linked.write("yarn.lock", "__metadata:\n  version: 10\n");
  expect(linked.link()).toMatchObject({ code: 1, stderr: expect.stringContaining("homebase supabase") });
  expect(readlinkSync(command())).toBe("../supabase/cli.js");
  expect((await linked.run(`node ${COMMAND} supabase projects list`)).code).toBe(0);
  expect(linked.calls()).toEqual([["projects", "list"]]);
  linked.write("yarn.lock", "# yarn lockfile v1\n");
  expect(linked.link().code).toBe(0);
});

test("npm installs over the link without an error, and makes its own command again", () => {
  rmSync(join(linked.folder, "node_modules"), { recursive: true });
  linked.write("cli/package.json", JSON.stringify({ name: "supabase", version: "2.0.0", bin: "cli.js" }));
  linked.write("cli/cli.js", "#!/usr/bin/env node\n");
  linked.write("homebase/package.json", JSON.stringify({ name: "homebase-stack", version: "1.0.0" }));
  linked.write("homebase/bin/supabase.mjs", "#!/usr/bin/env node\n");
  linked.write(
    "package.json",
    JSON.stringify({ devDependencies: { supabase: "file:cli", "homebase-stack": "file:homebase" } }),
  );
  const npm = (...args: string[]) =>
    execFileSync("npm", [...args, "--offline", "--no-audit", "--no-fund"], {
      cwd: linked.folder,
      stdio: "pipe",
    });
  npm("install");
  expect(readlinkSync(command())).toContain("cli.js");
  expect(linked.link().code).toBe(0);
  npm("install");
  linked.link();
  npm("ci");
  expect(readlinkSync(command())).toContain("cli.js");
}, 120_000);
