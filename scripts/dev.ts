/**
 * `npm run dev`: starts the backend and the web app, says where they are, and stops both on Ctrl+C.
 * Thin: Homebase and Vite do the work, concurrently keeps them together.
 */
import { parseArgs } from "node:util";
import concurrently from "concurrently";
import { PortInUse, portFree, portHolderCommand } from "homebase-stack/ports";
import { isAlive } from "homebase-stack/process-alive";
import { readProject } from "homebase-stack/project";
import { demoAccounts, demoPassword } from "./demo-accounts.ts";
import { endWithParent, node, nodeFlags, root } from "./process.ts";
import { captureSupabase, runSupabase } from "./supabase-cli.ts";
import { developmentKeys, type VapidKeys } from "./vapid-keys.ts";

const HELP = `Usage: npm run dev -- [options]

Starts everything that Nosh needs and shows where it is. Ctrl+C stops all of it; data stays.

Options:
  --backend WHAT     homebase (default): the stack of this repository, nothing else needed
                     supabase: the Supabase CLI's stack (needs Docker)
                     URL: a hosted project, e.g. https://<ref>.supabase.co (with --key or
                     VITE_SUPABASE_PUBLISHABLE_KEY)
  --key KEY          the publishable key of a backend given by URL
  --port-offset N    add N to every port (app 5173, API 54321, database 54322, inbox 54324), so that a
                     second checkout can run beside this one
  --why              say in the terminal why a request was refused or got no rows (homebase only)
  --help             this text`;

const WEB_PORT = 5173;
const WEB_SCRIPT = `${root}/scripts/web.ts`;
/** Vite's server holds 80 MB of the app: V8 would let its heap grow to several times that before it collects. */
const SMALL_HEAP = ["--max-semi-space-size=2", "--optimize-for-size", "--max-old-space-size=256"];
/** Its compilers return what they have freed, instead of keeping it for the next file. */
const FREED_AT_ONCE = { MALLOC_ARENA_MAX: "1", MIMALLOC_PURGE_DELAY: "0" };
const HOMEBASE_SCRIPT = `${root}/homebase/bin/homebase.mjs`;
const READY_TIMEOUT_MS = 60_000;
const LEFTOVER_PATIENCE_MS = 10_000;

interface BackendChoice {
  url: string;
  key: string;
  database?: string;
  inbox?: string;
  /** Keys for web push, if the environment has none. */
  pushKeys?: VapidKeys | undefined;
  /** The command that runs the backend in the foreground, if this script starts it. */
  command?: string;
}

const { values } = parseArgs({
  options: {
    backend: { type: "string", default: "homebase" },
    key: { type: "string" },
    "port-offset": { type: "string", default: "0" },
    why: { type: "boolean", default: false },
    help: { type: "boolean", short: "h" },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
const offset = Number(values["port-offset"]);
if (!Number.isInteger(offset) || offset < 0) fail("--port-offset takes a whole number, 0 or more.");

const webPort = WEB_PORT + offset;
if (!(await portFree(webPort))) await endLeftoverOf(webPort);
const backend = await choose(values.backend);
const app = `http://127.0.0.1:${webPort}`;

const { result, commands } = concurrently(
  [
    ...(backend.command
      ? [
          {
            name: "homebase",
            command: backend.command,
            prefixColor: "magenta",
            // Secrets of the functions (supabase/config.toml, edge_runtime.secrets): the app's URL for links in mails,
            // the mail server, and the keys for web push.
            env: { SITE_URL: app, MAIL_URL: backend.inbox, ...backend.pushKeys },
          },
        ]
      : []),
    {
      name: "web",
      command: `${quote(node)} ${[...nodeFlags, ...SMALL_HEAP].join(" ")} ${quote(WEB_SCRIPT)} ${webPort} ${process.pid}`,
      prefixColor: "cyan",
      env: { ...FREED_AT_ONCE, VITE_SUPABASE_URL: backend.url, VITE_SUPABASE_PUBLISHABLE_KEY: backend.key },
    },
  ],
  { cwd: root, killOthersOn: ["failure", "success"], prefix: "name", outputStream: process.stdout },
);
// Ctrl+C in a terminal reaches the children directly; a plain kill of this process, or its parent's exit,
// must be passed on.
endWithParent(() => {
  for (const command of commands) command.kill("SIGTERM");
});

announce().catch(() => undefined);
await result.then(
  () => process.exit(0),
  (events: unknown) => {
    const codes = Array.isArray(events)
      ? events.map((event: { exitCode: number | string }) => event.exitCode)
      : [];
    // Ctrl+C is the normal way to stop.
    process.exit(
      codes.every((code) => code === 0 || code === "SIGINT" || code === "SIGTERM" || code === 130) ? 0 : 1,
    );
  },
);

/**
 * Waits for the web server of a killed run of this checkout to exit; another process on the port is an error.
 */
async function endLeftoverOf(port: number): Promise<void> {
  const holder = portHolderCommand(port);
  const [script, , parent] = holder?.words.slice(-3) ?? [];
  if (!holder || script !== WEB_SCRIPT) fail(new PortInUse(port, "app").message);
  if (parent !== undefined && isAlive(Number(parent))) fail(alreadyRunning(port, parent));
  console.log(`Ending the web server that an earlier run left behind (pid ${holder.pid}).`);
  try {
    process.kill(holder.pid, "SIGTERM");
  } catch {
    // Already exited.
  }
  const deadline = Date.now() + LEFTOVER_PATIENCE_MS;
  while (!(await portFree(port))) {
    if (Date.now() > deadline) fail(new PortInUse(port, "app").message);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** What works when this checkout runs already. @param parent the process that runs it. */
function alreadyRunning(port: number, parent: string): string {
  const { ports } = readProject(root);
  const api = ports.api + offset;
  // The other run may use a backend that is not of this checkout.
  const own = portHolderCommand(api)?.words.includes(HOMEBASE_SCRIPT) === true;
  return [
    "npm run dev is already running for this checkout:",
    `  App       http://127.0.0.1:${port}`,
    ...(own ? [`  API       http://127.0.0.1:${api}`, `  Database  ${databaseUrl(ports.database)}`] : []),
    `Open the app, or stop that run: Ctrl+C in its terminal, or kill ${parent}.`,
    "A checkout has one database. A second copy needs a checkout of its own (git worktree add ../copy), and there:",
    "  npm run dev -- --port-offset 100",
  ].join("\n");
}

function databaseUrl(port: number): string {
  return `postgresql://postgres:postgres@127.0.0.1:${port + offset}/postgres`;
}

/** Quotes a path or word for the shell that runs each command. */
function quote(text: string): string {
  return `"${text}"`;
}

async function choose(choice: string): Promise<BackendChoice> {
  if (choice === "homebase") {
    const { ports, publishableKey, projectFolder, environment } = readProject(root);
    return {
      url: `http://127.0.0.1:${ports.api + offset}`,
      key: publishableKey,
      database: databaseUrl(ports.database),
      inbox: `http://127.0.0.1:${ports.inbox + offset}`,
      pushKeys: environment.VAPID_PUBLIC_KEY ? undefined : developmentKeys(projectFolder),
      command: `${quote(node)} ${nodeFlags.join(" ")} ${quote(HOMEBASE_SCRIPT)} start --brief --end-with ${process.pid} --workdir ${quote(root)} --port-offset ${offset}${values.why ? " --why" : ""}`,
    };
  }
  if (choice === "supabase") {
    const code = await runSupabase(["start"]);
    if (code !== 0)
      fail("The Supabase CLI's stack did not start (it needs Docker). What it printed says why.");
    const { stdout } = await captureSupabase(["status", "-o", "env"]);
    const variable = (name: string) => new RegExp(`^${name}="?(.*?)"?$`, "m").exec(stdout)?.[1] ?? "";
    return {
      url: variable("API_URL"),
      key: variable("PUBLISHABLE_KEY") || variable("ANON_KEY"),
      database: variable("DB_URL"),
      inbox: variable("MAILPIT_URL"),
    };
  }
  if (!/^https?:\/\//.test(choice)) fail(`--backend takes homebase, supabase or a URL, not ${choice}.`);
  const key = values.key ?? process.env.VITE_SUPABASE_PUBLISHABLE_KEY;
  if (!key) fail("A backend given by URL needs its publishable key: --key sb_publishable_...");
  return { url: choice.replace(/\/$/, ""), key };
}

/** Waits until both are ready, then prints their addresses. */
async function announce(): Promise<void> {
  await Promise.all([backendReady(), answers(app)]);
  const lines = [
    "",
    "  Nosh is ready.",
    `  App       ${app}`,
    `  API       ${backend.url}`,
    ...(backend.database ? [`  Database  ${backend.database}`] : []),
    ...(backend.inbox ? [`  Inbox     ${backend.inbox}`] : []),
    ...(backend.database ? [`  Sign in   ${demoAccounts.join(" or ")}, password ${demoPassword}`] : []),
    "  Ctrl+C stops everything.",
    "",
  ];
  console.log(lines.join("\n"));
}

/** Another project's stack may answer on the port, so the own one's word counts. */
async function backendReady(): Promise<void> {
  if (!backend.command) return answers(`${backend.url}/auth/v1/health`, { apikey: backend.key });
  return new Promise((ready) => {
    commands[0]?.stdout.subscribe((text) => {
      if (String(text).includes("Homebase is ready")) ready();
    });
  });
}

async function answers(url: string, headers: Record<string, string> = {}): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (Date.now() < deadline) {
    const response = await fetch(url, { headers }).catch(() => undefined);
    if (response && response.status < 500) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${url} did not answer`);
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}
