/** A newcomer's first evening with the packed package, from an empty folder to a deploy that its wing rehearses, by edits of files. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { Installed, type Output } from "../../build/installed.ts";
import { leaseHostedPorts, leasePorts } from "../port-lease.ts";

vi.setConfig({ testTimeout: 180_000, hookTimeout: 300_000 });

const OFFSET = leasePorts();
const root = join(import.meta.dirname, "..", "..", "..");
const URL = `http://127.0.0.1:${54_321 + OFFSET}`;
const APP = {
  ".gitignore": ".env*.local\nnode_modules\n",
  ".env.example": "NEXT_PUBLIC_SUPABASE_URL=\nNEXT_PUBLIC_SUPABASE_ANON_KEY=\nSUPABASE_SERVICE_ROLE_KEY=\n",
  "app.mjs": `import { createClient } from "@supabase/supabase-js";
const { NEXT_PUBLIC_SUPABASE_URL: url, NEXT_PUBLIC_SUPABASE_ANON_KEY: key } = process.env;
const supabase = createClient(url, key);
const { data, error } = await supabase.from("todos").select("title");
console.log(JSON.stringify(error ?? data));
const system = await new Promise((resolve) => {
  supabase.channel("todos").on("postgres_changes", { event: "*", schema: "public", table: "todos" }, () => {})
    .on("system", {}, resolve).subscribe();
});
console.log(system.status);
process.exit(0);
`,
};
const TODOS = `create table public.todos (id int primary key, title text not null);
alter table public.todos enable row level security;
create policy "Everybody reads" on public.todos for select using (true);
grant select on public.todos to anon, authenticated;
`;

let installed: Installed;
let folder: string;
let stack: ChildProcess;
let output = "";

beforeAll(async () => {
  const { devDependencies } = JSON.parse(readFileSync(join(root, "homebase/package.json"), "utf8")) as {
    devDependencies: Record<string, string>;
  };
  installed = await Installed.make([`@supabase/supabase-js@${devDependencies["@supabase/supabase-js"]}`]);
  folder = await installed.project("todo-app", APP);
  git("init", "-q");
});
afterAll(async () => {
  if (stack?.exitCode === null) {
    const ended = once(stack, "close");
    stack.kill("SIGINT");
    await ended;
  }
  await installed?.remove();
});

const command = () => join(installed.folder, "node_modules/homebase-stack/bin/homebase.mjs");
const homebase = (...args: string[]): Promise<Output> => installed.node(folder, command(), ...args);
const save = (path: string, text: string) => writeFileSync(join(folder, "supabase", path), text);
const git = (...args: string[]) =>
  execFileSync("git", ["-c", "user.name=Ana", "-c", "user.email=ana@example.test", ...args], {
    cwd: folder,
    encoding: "utf8",
  });
const said = (pattern: RegExp) => expect.poll(() => output).toMatch(pattern);

async function start(...options: string[]): Promise<void> {
  output = "";
  stack = spawn(process.execPath, [command(), "start", "--port-offset", String(OFFSET), ...options], {
    cwd: folder,
    env: installed.environment,
    stdio: ["ignore", "pipe", "pipe"],
  });
  for (const stream of [stack.stdout, stack.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  await said(/Homebase is ready[\s\S]*Key .*\n/);
}

const key = () =>
  /^NEXT_PUBLIC_SUPABASE_ANON_KEY=(.*)$/m.exec(readFileSync(join(folder, ".env.local"), "utf8"))?.[1];
const hello = async (name = "hello") => {
  const response = await fetch(`${URL}/functions/v1/${name}`, {
    method: "POST",
    headers: { apikey: key() ?? "", authorization: `Bearer ${key()}` },
    body: '{"name":"Ana"}',
  });
  return `${response.status} ${await response.text()}`;
};
const rows = async () =>
  (await fetch(`${URL}/rest/v1/todos?select=title`, { headers: { apikey: key() ?? "" } })).json();

test("init on the system's own Node makes a project, and fetches nothing", async () => {
  const made = await installed.homebase(folder, "init");
  expect([made.code, made.stderr]).toEqual([0, ""]);
  expect(readdirSync(join(folder, "supabase")).sort()).toEqual([
    ".gitignore",
    "config.toml",
    "functions",
    "migrations",
    "seed.sql",
  ]);
  expect(existsSync(installed.environment.HOMEBASE_CACHE ?? "")).toBe(false);
});

test("the first start says what it did and where it is; the app's names are in .env.local", async () => {
  await start("--write-env");
  const words = output.split("\n").map((line) => /^ *\w+/.exec(line)?.[0].trim() ?? "");
  expect(words).toEqual(
    "Project Uses Applied Seeded Wrote Homebase API Database Inbox Key".split(" ").concat(""),
  );
  const written = readFileSync(join(folder, ".env.local"), "utf8");
  expect(written).toContain(`NEXT_PUBLIC_SUPABASE_URL=${URL}\n`);
  expect(written).toMatch(/^SUPABASE_SERVICE_ROLE_KEY=eyJ/m);
  expect(git("status", "--short", "-uall")).not.toMatch(/\.homebase|\.env\.local/);
});

test("a saved migration is applied, and the app reads its table by the variables of its example", async () => {
  save("migrations/20990101000000_todos.sql", TODOS);
  await said(/Applied supabase\/migrations\/20990101000000_todos\.sql/);
  save("seed.sql", "insert into public.todos values (1, 'Buy milk');\n");
  expect(await homebase("reset")).toMatchObject({ code: 0 });
  const app = await installed.node(folder, "--env-file=.env.local", "app.mjs");
  expect([app.stderr, app.stdout]).toEqual(["", '[{"title":"Buy milk"}]\nerror\n']);
  await said(/public\.todos and gets none: .*alter publication supabase_realtime add table public\.todos;/);
});

test("the first function reloads: edited twice, broken, mended, and gone and back with a commit", async () => {
  await expect.poll(() => hello()).toBe('200 {"message":"Hello Ana"}');
  const write = (text: string) => save("functions/hello/index.ts", text);
  for (const text of ["one", "two"]) {
    write(`Deno.serve(() => new Response("${text}"));`);
    await expect.poll(() => hello()).toBe(`200 ${text}`);
  }
  write("Deno.serve(() => {");
  await expect.poll(() => hello()).toMatch(/^503 .*BOOT_ERROR/);
  await said(/functions\/hello\/index\.ts:1:/);
  write('Deno.serve(() => new Response("mended"));');
  await expect.poll(() => hello()).toBe("200 mended");

  git("add", "-A");
  git("commit", "-qm", "With a function");
  git("branch", "-M", "with");
  git("checkout", "-q", "--orphan", "without");
  git("rm", "-rqf", "supabase/functions");
  git("commit", "-qm", "Without");
  await expect.poll(() => hello()).toMatch(/^404/);
  git("checkout", "-q", "with");
  await expect.poll(() => hello()).toBe("200 mended");
  write('Deno.serve(() => new Response("edited again"));');
  await expect.poll(() => hello()).toBe("200 edited again");
  expect(await homebase("functions", "new", "second")).toMatchObject({ code: 0 });
  expect(await hello("second")).toBe('200 {"message":"Hello Ana"}');
});

test("a mistake in the seed is named by file and line, and the mended seed applied", async () => {
  save(
    "seed.sql",
    "insert into public.todos values (1, 'Buy milk');\ninsert into public.todoes values (2, 'x');\n",
  );
  const failed = await homebase("reset");
  expect(failed.code).toBe(1);
  expect(failed.stdout + failed.stderr).toMatch(/supabase\/seed\.sql:2/);
  save("seed.sql", "insert into public.todos values (1, 'Buy milk'), (2, 'Call Ben');\n");
  expect(await homebase("reset")).toMatchObject({ code: 0 });
  expect(await rows()).toEqual([{ title: "Buy milk" }, { title: "Call Ben" }]);
});

test("lint, types and dump know the schema", async () => {
  await homebase(
    "db",
    "query",
    "create function lacks() returns int language plpgsql as 'begin return gone(); end'",
  );
  const lint = await homebase("db", "lint", "--json");
  expect([lint.stderr, lint.stdout]).toEqual(["", expect.stringContaining("function gone() does not exist")]);
  await homebase("db", "query", "drop function lacks");
  expect((await homebase("gen", "types")).stdout).toMatch(/todos: \{\s+Row: \{\s+id: number/);
  expect((await homebase("db", "dump")).stdout).toContain('CREATE TABLE "public"."todos"');
});

test("after a stop the next start has the rows, and says nothing new", async () => {
  await homebase("db", "query", "insert into todos values (3, 'Rest')");
  const ended = once(stack, "close");
  expect((await homebase("stop")).stdout).toBe("Stopped.\n");
  await ended;
  await start();
  expect(output.split("\n").map((line) => /^ *\w+/.exec(line)?.[0].trim() ?? "")).toEqual(
    "Project Uses Homebase API Database Inbox Key".split(" ").concat(""),
  );
  expect(await rows()).toHaveLength(3);
});

test("the configuration of the Supabase CLI's own init is deployed to the stand-in, twice", async (context) => {
  const program = process.env.SUPABASE_CLI;
  context.skip(!program, "the Supabase CLI is not installed");
  rmSync(join(folder, "supabase", "config.toml"));
  execFileSync(program ?? "", ["init", "--force", "--workdir", folder], {
    env: { ...process.env, SUPABASE_TELEMETRY_DISABLED: "1", DO_NOT_TRACK: "1" },
  });
  const rehearse = ["deploy", "--rehearse", "--port-offset", String(leaseHostedPorts())];
  const asked = await homebase(...rehearse);
  expect(asked.code, asked.stderr).toBe(0);
  const section = asked.stderr.slice(asked.stderr.indexOf("\n[remotes.production]"));
  writeFileSync(join(folder, "supabase", "config.toml"), section, { flag: "a" });
  const rehearsed = await homebase(...rehearse);
  expect(rehearsed.code, rehearsed.stderr).toBe(0);
  expect(rehearsed.stderr).toMatch(/^(New tables are open here [^\n]*\n)?$/);
  expect(rehearsed.stdout).toMatch(/Deployed to \w{20}\.[\s\S]*nothing to do\./);
});
