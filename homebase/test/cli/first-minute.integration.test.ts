/** A newcomer's first commands: init, doctor, ports in use by another stack, .env.local, help, completion. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { commandsPage } from "../../../scripts/commands-page.ts";
import { commandsOf } from "../../src/cli/command-list.ts";
import { completionScript, optionsOf } from "../../src/cli/commands/completion/completion.ts";
import type { CommandEntry } from "../../src/cli/kit/options.ts";
import { loadConfig } from "../../src/config/config.ts";
import { chooseFreePorts, neededPorts, storedOffset } from "../../src/developer/port-choice.ts";
import { wantedExtensions } from "../../src/postgres/extensions/uses.ts";
import { wings } from "../../wings/index.ts";
import { COMMAND } from "../command.ts";
import { leaseHostedPorts } from "../port-lease.ts";
import { Project } from "./project.ts";

const commands = commandsOf(wings);

const projects: Project[] = [];
const servers: Server[] = [];

function project(files: Record<string, string> = {}): Project {
  const made = new Project(files);
  projects.push(made);
  return made;
}

afterEach(async () => {
  for (const server of servers.splice(0)) server.close();
  for (const one of projects.splice(0)) await one.remove();
}, 180_000);

const listen = (port: number) =>
  new Promise<void>((resolve, reject) => {
    const server = createServer().once("error", reject);
    servers.push(server);
    server.listen(port, "127.0.0.1", resolve);
  });

function init(folder: string): Record<string, string[]> {
  const args = [COMMAND, "init", "--json", "--workdir", folder];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" })) as Record<string, string[]>;
}

test("init makes a project that starts", async () => {
  const one = project();
  rmSync(join(one.folder, "supabase"), { recursive: true });
  const refused = await one.run("init", "--json").then(({ stderr }) => stderr);
  expect(refused).toContain("takes no --port-offset");
  expect(init(one.folder).made).toContain("supabase/config.toml");
  await one.start("--write-env", "--timing");
  await one.says(/Starting the services +\d+ ms/);
  expect(one.output).toMatch(/Applied supabase\/migrations\/\d{14}_notes\.sql/);
  expect(one.output).toMatch(/Uses +1 migration, 1 seed file, 1 function\n/);
  expect((await one.rest("notes")).status).toBe(200);
  expect(readFileSync(join(one.folder, ".env.local"), "utf8")).toContain(`SUPABASE_URL=${one.url}\n`);
  expect(execFileSync("git", ["init", "-q", one.folder], { encoding: "utf8" })).toBe("");
  expect(
    execFileSync("git", ["status", "--short", "-uall"], { cwd: one.folder, encoding: "utf8" }),
  ).not.toContain(".homebase");
}, 180_000);

/** The start's output by its lines' first words, without times. */
const said = (one: Project) =>
  one.output
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => /^ *[A-Z]\w+( is ready after)?/.exec(line)?.[0] ?? line);
const ADDRESSES = ["Homebase is ready after", "  API", "  Database", "  Inbox", "  Key"];

test("the first start of init's project says what it did and where it is, and nothing else", async () => {
  const one = project();
  rmSync(join(one.folder, "supabase"), { recursive: true });
  init(one.folder);
  await one.start();
  expect(said(one)).toEqual(["  Project", "  Uses", "Applied", "Seeded", ...ADDRESSES]);
  const headers = { apikey: one.key };
  const hello = await fetch(`${one.url}/functions/v1/hello`, { headers });
  expect(await hello.json()).toEqual({ message: "Hello world" });
}, 180_000);

test("settings without effect and functions' secrets that are not set are in doctor, not in a start", async () => {
  const one = project({
    "config.toml": `[api.tls]
enabled = false
[db]
health_timeout = "2m"
[auth.external.apple]
enabled = false
secret = "env(APPLE_SECRET)"
[edge_runtime.secrets]
MAIL_FROM = "env(MAIL_FROM_THAT_IS_NOT_SET)"`,
    "migrations/1_notes.sql": "create table public.notes (id int);",
  });
  const { stdout } = await one.run("doctor");
  expect(stdout).toMatch(/Ignored +api\.tls, db\.health_timeout in the configuration/);
  expect(stdout).toMatch(/Not set +MAIL_FROM of \[edge_runtime\.secrets\]: functions do not get them/);
  await one.start();
  expect(said(one)).toEqual([
    "  Project",
    "  Uses",
    "Applied",
    "The",
    expect.stringContaining("[api] auto_expose_new_tables"),
    ...ADDRESSES,
  ]);
}, 180_000);

test("init does not hide the project of a folder below, or above, unless the folder is named", () => {
  const one = project();
  rmSync(join(one.folder, "supabase"), { recursive: true });
  const shop = join(one.folder, "packages", "shop");
  expect(init(shop).made).toContain("supabase/seed.sql");
  const tried = (cwd: string, ...args: string[]) =>
    spawnSync(process.execPath, [COMMAND, "init", ...args], { cwd, encoding: "utf8" });
  const refused = tried(one.folder);
  expect([refused.status, refused.stderr]).toEqual([
    1,
    "Error: There is a project in packages/shop. To start it from here: homebase start. To make one in this folder too: homebase init --workdir .\n",
  ]);
  expect(existsSync(join(one.folder, "supabase"))).toBe(false);
  mkdirSync(join(shop, "src"));
  expect(tried(join(shop, "src")).stderr).toContain("There is a project in ...");
  const made = tried(one.folder, "--workdir", ".");
  expect([made.status, made.stdout]).toEqual([
    0,
    expect.stringContaining("\nStart the stack with: npx homebase-stack start\n"),
  ]);
});

test("init adds to a project what is missing, and a second time nothing", () => {
  const one = project({ "migrations/1_own.sql": "select 1;\n" });
  rmSync(join(one.folder, "supabase", "config.toml"));
  expect(init(one.folder)).toEqual({ made: ["supabase/config.toml", "supabase/.gitignore"], kept: [] });
  expect(init(one.folder)).toEqual({ made: [], kept: ["supabase/config.toml", "supabase/.gitignore"] });
  expect(readdirSync(join(one.folder, "supabase", "migrations"))).toEqual(["1_own.sql"]);
});

test("hosted has the reference that config.toml names, so that a deploy to it is taken", async () => {
  const ref = "qrstabcdefghijklmnop";
  const one = project({ "config.toml": `project_id = "own"\n[remotes.production]\nproject_id = "${ref}"\n` });
  const offset = leaseHostedPorts();
  const args = [COMMAND, "hosted", "--json", "--port-offset", String(offset), "--workdir", one.folder];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(child.stdout.setEncoding("utf8"), "data");
  expect(JSON.parse(String(line))).toMatchObject({ kind: "ready", ref });
  child.kill("SIGINT");
  await once(child, "exit");
}, 60_000);

test("a second hosted says which port is in use by whom, and the way on", async () => {
  const one = project();
  const offset = leaseHostedPorts();
  for (const [port, name] of [
    [55_324, "inbox"],
    [55_320, "management"],
  ] as const) {
    await listen(port + offset);
    const args = [COMMAND, "hosted", "--port-offset", String(offset), "--workdir", one.folder];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(
        new RegExp(
          `^Error: Port ${port + offset} \\(${name}\\) is already in use by .+\nStop it, or choose other ports: homebase hosted --port-offset ${offset + 100}\n$`,
        ),
      ),
    ]);
    for (const server of servers.splice(0)) server.close();
  }
}, 60_000);

test("doctor says what is used, stood in for, ignored and missing, and changes nothing", async () => {
  const one = project({
    "config.toml": 'project_id = "x"\n[analytics]\nenabled = true\n[api]\nwrong = 1\n',
    "migrations/20260101000000_a.sql":
      '-- create extension not_this;\nselect 1;\n/* a note */ create extension if not exists pg_cron;\ncreate extension "uuid-ossp";\ncreate extension postgis_of_mars;\n',
    "functions/hello/index.ts": "Deno.serve(() => new Response());\n",
  });
  const { code, stdout, stderr } = await one.run("doctor", "--json");
  const report = JSON.parse(stdout) as Record<string, unknown>;
  expect(report).toMatchObject({
    migrations: 1,
    functions: ["hello"],
    running: false,
    node: process.versions.node,
    ignoredKeys: ["analytics"],
    warnings: ["supabase/config.toml: unknown key api.wrong, ignored."],
    extensions: [
      { name: "pg_cron", class: "stand-in" },
      { name: "uuid-ossp", class: "real" },
      { name: "postgis_of_mars", class: "unknown", file: "supabase/migrations/20260101000000_a.sql" },
    ],
  });
  expect([code, stderr]).toEqual([1, expect.stringContaining("postgis_of_mars")]);
  expect(existsSync(join(one.folder, ".homebase"))).toBe(false);
});

test("extensions are found where a statement creates them, and nowhere else", () => {
  const wanted = (sql: string) => wantedExtensions([{ path: "a.sql", sql }]).map(({ name }) => name);
  expect(
    wanted("select 'create extension a'; CREATE EXTENSION IF NOT EXISTS B; -- create extension c"),
  ).toEqual(["b"]);
  expect(wanted("do $$ begin execute 'create extension d'; end $$;")).toEqual([]);
});

test("ports that are taken move by themselves and stay moved, unless the project demands them", async () => {
  const one = project();
  const read = () => loadConfig({ from: one.folder, environment: {} });
  // Another stack may use the default ports on this machine: then they are in use as well.
  await listen(54_321).catch(() => undefined);
  const config = read();
  const said = await chooseFreePorts(config);
  expect(said).toMatch(/^Port 5432[124] \(\w+\) is in use by .*ports \d+00 higher from now on/);
  expect(config.api.port).toBe(54_321 + storedOffset(one.folder));
  expect(storedOffset(one.folder) % 100).toBe(0);
  const demanded = { ...read(), api: { ...read().api, port: 54_330 } };
  await listen(54_330).catch(() => undefined);
  expect(await chooseFreePorts(demanded)).toBeUndefined();
  expect(demanded.api.port).toBe(54_330);
});

test("ports that are taken move to the first hundred at which all are free", async () => {
  const one = project();
  const config = loadConfig({ from: one.folder, environment: {} });
  const needed = neededPorts(config).map(([port]) => port);
  // Another stack may use some of these on this machine: then they are in use as well.
  await listen(54_321).catch(() => undefined);
  await listen(54_422).catch(() => undefined);
  await chooseFreePorts(config);
  const chosen = storedOffset(one.folder);
  // A hundred in which one of them is taken is passed over.
  expect(chosen).toBeGreaterThanOrEqual(200);
  expect(chosen % 100).toBe(0);
  expect(neededPorts(config).map(([port]) => port)).toEqual(needed.map((port) => port + chosen));
});

test("a start and a stop leave git nothing to see, in a project that ignores nothing", async () => {
  const one = project({ "migrations/20260101000000_a.sql": "create table public.a (id int);\n" });
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.test", ...args], {
      cwd: one.folder,
      encoding: "utf8",
    });
  git("init", "-q");
  git("add", "-A");
  git("commit", "-qm", "Before the first start");
  expect(git("ls-files")).not.toContain(".gitignore");
  await one.start();
  await one.stop();
  expect(existsSync(join(one.folder, ".homebase"))).toBe(true);
  expect(git("status", "--porcelain", "-uall")).toBe("");
}, 120_000);

test("a kept offset that is no offset counts as none", () => {
  const one = project();
  mkdirSync(join(one.folder, ".homebase"));
  for (const text of ["", "{", '{"offset":-100}', '{"offset":"100"}', '{"offset":1e9}', "null"]) {
    writeFileSync(join(one.folder, ".homebase", "ports.json"), text);
    expect(storedOffset(one.folder), text).toBe(0);
  }
});

test("a project without config.toml is found from a folder below it", () => {
  const one = project({ "migrations/20260101000000_a.sql": "select 1;\n" });
  rmSync(join(one.folder, "supabase", "config.toml"));
  const below = join(one.folder, "src", "deep");
  mkdirSync(below, { recursive: true });
  expect(loadConfig({ from: below, environment: {} }).projectFolder).toBe(one.folder);
});

test("each shell's completion parses and knows every command", async () => {
  for (const shell of ["bash", "zsh", "fish"]) {
    const script = await completionScript(shell, commands);
    for (const name of Object.keys(commands)) expect(script).toContain(name);
    // A file, because fish does not read one from a pipe of Node's.
    const file = join(tmpdir(), `completion-${process.pid}.${shell}`);
    writeFileSync(file, script);
    const parsed = spawnSync(shell, ["-n", file], { encoding: "utf8" });
    rmSync(file);
    // Not every machine has every shell.
    if (parsed.error === undefined) expect([shell, parsed.status, parsed.stderr]).toEqual([shell, 0, ""]);
  }
  const script = await completionScript("bash", commands);
  const offered = (...words: string[]) => {
    const typed = `COMP_WORDS=(homebase ${words.join(" ")} ""); COMP_CWORD=${words.length + 1}; _homebase; echo "\${COMPREPLY[@]}"`;
    return execFileSync("bash", ["-c", `${script}\n${typed}`], { encoding: "utf8" })
      .trim()
      .split(" ");
  };
  expect(offered()).toEqual(Object.keys(commands));
  expect(offered("start")).toContain("--write-env");
  expect(offered("storage")[0]).toBe("check");
  expect(offered("db")).toEqual(expect.arrayContaining(["diff", "dump"]));
  // A subcommand's own, also behind options and their values; not those of the one beside it.
  expect(offered("db", "--port-offset", "3", "diff")).toContain("--file");
  expect(offered("db", "diff")).not.toContain("--mask");
  expect(offered("db", "diff")).not.toContain("dump");
  // Where an option or an argument takes some values only, these.
  expect(offered("completion")).toEqual(expect.arrayContaining(["bash", "zsh", "fish"]));
  expect(offered("db", "advisors", "--fail-on")).toEqual(["none", "info", "warn", "error"]);
  expect(offered("db", "lint", "--fail-on")).toEqual(["none", "warning", "error"]);
  expect(offered("migration", "repair", "--status")).toEqual(["applied", "reverted"]);
  expect(offered("status", "-o")).toEqual(["pretty", "env", "json", "toml", "yaml"]);
  expect(offered("start", "-x")).toContain("gotrue");
  expect(await completionScript("fish", commands)).toContain("-l status -xa 'applied reverted'");
});

test("the page of commands has every command and every option of its help", async () => {
  const page = readFileSync(join(import.meta.dirname, "../../../docs/commands.md"), "utf8");
  expect(page, "run: node scripts/commands-page.ts").toBe(await commandsPage());
  const sections = new Map(
    page
      .split(/^#+ /m)
      .slice(1)
      .map((section) => [section.split("\n", 1)[0] ?? "", section]),
  );
  const described = await describedIn("homebase", commands);
  const reports = [...described.keys()].filter((name) => /^homebase inspect db (?!db-stats)/.test(name));
  expect([...sections.keys()].filter((name) => name.startsWith("homebase "))).toEqual(
    [...described.keys()].filter((name) => !reports.includes(name)),
  );
  for (const [name, help] of described) {
    expect(help, name).toMatch(/^Usage: homebase /);
    expect(help, name).toContain("\nExamples:\n");
    const section = sections.get(reports.includes(name) ? "homebase inspect db db-stats" : name) ?? "";
    const [, same] = /^The same as \[([^\]]+)\]/m.exec(section) ?? [];
    expect(optionsSaid(sections, same === undefined ? section : sections.get(same)), name).toEqual(
      withoutHelp(optionsOf(help)),
    );
  }
});

/** The options of a section, with those of the lists that it refers to. */
function optionsSaid(sections: ReadonlyMap<string, string>, section = "") {
  const said = [
    section,
    ...["shared", "target"]
      .filter((name) => section.includes(`](#${name}-options)`))
      .map((name) => sections.get(`${name[0]?.toUpperCase()}${name.slice(1)} options`)),
  ].flatMap((text) => text?.split("\n").filter((line) => line.startsWith("- ")) ?? []);
  return withoutHelp([...said.join("\n").matchAll(/`(--?[a-z][a-z-]*)/g)].map(([, option]) => option));
}

/** All options but --help, which the page says once. */
function withoutHelp(options: readonly (string | undefined)[]) {
  return new Set(options.filter((option) => option !== "-h" && option !== "--help"));
}

/** The help of each command and subcommand, by its name. */
async function describedIn(above: string, entries: Record<string, CommandEntry>) {
  const helps = new Map<string, string>();
  for (const [each, { load }] of Object.entries(entries)) {
    const { help, subcommands = {} } = await load();
    helps.set(`${above} ${each}`, help);
    for (const [name, text] of await describedIn(`${above} ${each}`, subcommands)) helps.set(name, text);
  }
  return helps;
}
