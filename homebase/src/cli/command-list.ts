/** Owns the list of commands: name, the line that says what each does, and how its module is loaded. */
import type { CommandEntry } from "./kit/options.ts";
import type { Wing } from "./wing.ts";

/** The core's commands by name, in the order of the overview. A module is loaded when its command is called. */
const CORE: Record<string, CommandEntry> = {
  start: {
    summary: "start the stack and keep it running until Ctrl+C",
    load: async () => (await import("./commands/start/start.ts")).start,
  },
  stop: {
    summary: "stop the running stack; data stays",
    load: async () => (await import("./commands/stop/stop.ts")).stop,
  },
  status: {
    summary: "show what is running, with its addresses and keys",
    load: async () => (await import("./commands/status/status.ts")).status,
  },
  requests: {
    summary: "show the last requests: who asked for what, and what was answered",
    load: async () => (await import("./commands/requests/requests.ts")).requests,
  },
  init: {
    summary: "create a supabase/ folder for a new project",
    load: async () => (await import("./commands/init/init.ts")).init,
  },
  doctor: {
    summary: "check this machine and project before a start",
    load: async () => (await import("./commands/doctor/doctor.ts")).doctor,
  },
  trust: {
    summary: "show what is in .homebase and sign it, when it was made elsewhere",
    load: async () => (await import("./commands/trust/trust.ts")).trust,
  },
  migrate: {
    summary: "apply pending migrations now (saving a file does so by itself)",
    load: async () => (await import("./commands/migrate/migrate.ts")).migrate,
  },
  db: {
    summary: "compare, dump, pull, push and check databases: diff, dump, pull, push, lint, advisors",
    load: async () => (await import("./commands/db/db.ts")).db,
  },
  migration: {
    summary: "manage migrations and a database's history: new, list, up, repair, squash, fetch",
    load: async () => (await import("./commands/migration/migration.ts")).migration,
  },
  functions: {
    summary: "create a function, or follow the log of those that are served: new, serve",
    load: async () => (await import("./commands/functions/functions.ts")).functions,
  },
  test: {
    summary: "run the pgTAP files of supabase/tests, or create a new one",
    load: async () => (await import("./commands/test/test.ts")).test,
  },
  advisors: {
    summary: "the same as db advisors: security and performance issues",
    load: async () => (await import("./commands/advisors/advisors.ts")).advisors,
  },
  explain: {
    summary: "say why rows are missing from an answer, or a write is refused",
    load: async () => (await import("./commands/explain/explain.ts")).explainCommand,
  },
  "make-test": {
    summary: "write a pgTAP test of what a request gets",
    load: async () => (await import("./commands/make-test/make-test.ts")).makeTest,
  },
  token: {
    summary: "make a token as the other issuer of config.toml does (Clerk, Auth0, Firebase, …)",
    load: async () => (await import("./commands/token/token.ts")).token,
  },
  gen: {
    summary: "generate TypeScript types of a database",
    load: async () => (await import("./commands/gen/gen.ts")).gen,
  },
  reset: {
    summary: "rebuild database and files from migrations, seed and config.toml",
    load: async () => (await import("./commands/reset/reset.ts")).reset,
  },
  seed: {
    summary: "apply the buckets of config.toml or the seed files now",
    load: async () => (await import("./commands/seed/seed.ts")).seed,
  },
  logs: { summary: "show the stack's log", load: async () => (await import("./commands/logs/logs.ts")).logs },
  "link-cli": {
    summary: "make supabase in node_modules/.bin run Homebase, so that scripts stay as they are",
    load: async () => (await import("./commands/link-cli/link-cli.ts")).linkCli,
  },
  storage: {
    summary: "check that stored files and their rows match",
    load: async () => (await import("./commands/storage/storage.ts")).storage,
  },
};

/** All commands: the core's, then those of wings. */
export function commandsOf(wings: readonly Wing[]): Record<string, CommandEntry> {
  const commands: Record<string, CommandEntry> = Object.assign(
    { ...CORE },
    ...wings.map((wing) => wing.commands),
  );
  return Object.assign(commands, {
    supabase: {
      summary:
        "run a command line of the Supabase CLI: here, or by that CLI where it is about a hosted project",
      load: async () => (await import("./commands/supabase/supabase.ts")).supabaseOf(commands),
    },
    completion: {
      summary: "print the completion script of a shell",
      load: async () => (await import("./commands/completion/completion.ts")).completionOf(commands),
    },
  });
}

/** Commands of the Supabase CLI that have no counterpart here: they are about hosted projects. */
export const elsewhere: readonly string[] = [
  "backups",
  "bootstrap",
  "branches",
  "config",
  "domains",
  "encryption",
  "link",
  "login",
  "logout",
  "network-bans",
  "network-restrictions",
  "orgs",
  "postgres-config",
  "projects",
  "secrets",
  "services",
  "snippets",
  "ssl-enforcement",
  "sso",
  "unlink",
  "vanity-subdomains",
];

/** The overview that `homebase --help` prints. */
export function overview(commands: Readonly<Record<string, CommandEntry>>): string {
  const lines = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(11)} ${summary}`);
  return `Homebase runs the whole Supabase stack on this machine: Postgres, REST, auth, storage, realtime,
functions and a mail inbox. No Docker, no account.

Usage: homebase <command> [options]

Commands:
${lines.join("\n")}

First steps:
  homebase init                make supabase/config.toml and a first migration, where there are none
  homebase start               start; the addresses and keys for your app are printed when it is ready
  homebase status -o env       the same as variables, for a script or an .env file
  homebase start --write-env   write them into .env.local, under the names that your app reads

Options:
  -v, --version   print the version
  -h, --help      this text; homebase <command> --help tells about one command
`;
}
