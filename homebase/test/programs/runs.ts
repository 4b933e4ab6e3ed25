/** Owns the command lines that the programs and files of each command are counted with. */
import { commandsOf } from "../../src/cli/command-list.ts";
import type { Command, CommandEntry } from "../../src/cli/kit/options.ts";
import { wings } from "../../wings/index.ts";

const commands = commandsOf(wings);

export interface CommandRun {
  args: string[];
  /** Folders and files of the project that this command is asked to write. */
  writes?: string[];
  /** Whether the quick pass leaves it out, because it starts what others in it start too. */
  whole?: true;
}

/** By command, in the order they run in beside a running stack. `{url}` is the database's address. */
export const runs: Record<string, CommandRun> = {
  status: { args: ["-o", "json"] },
  doctor: { args: [] },
  requests: { args: ["--json"] },
  console: { args: [] },
  mcp: { args: [] },
  explain: { args: ["GET", "/rest/v1/second"] },
  "make-test": { args: ["GET", "/rest/v1/second"], writes: ["supabase/tests"], whole: true },
  trust: { args: ["--dry-run"] },
  token: { args: ["--sub", "one"] },
  migrate: { args: [] },
  "migration list": { args: [], whole: true },
  "migration up": { args: [], whole: true },
  "db dump": { args: ["-f", "dump/schema.sql"], writes: ["dump"] },
  "db query": { args: ["select 1"], whole: true },
  "db lint": { args: [] },
  "db advisors": { args: [], whole: true },
  advisors: { args: [], whole: true },
  "db diff": { args: [] },
  "db pull": { args: ["pulled", "--db-url", "{url}", "--yes"], writes: ["supabase/migrations"] },
  "db push": { args: ["--db-url", "{url}", "--dry-run"], whole: true },
  pull: { args: ["--data", "--yes", "--db-url", "{url}"] },
  "gen types": { args: [] },
  "inspect db": { args: ["table-sizes"] },
  "inspect report": { args: ["--output-dir", "report"], writes: ["report"], whole: true },
  "test db": { args: [] },
  "policies coverage": { args: ["--html", "page/policies.html"], writes: ["page"] },
  "policies mutate": { args: [], whole: true },
  "test new": { args: ["new"], writes: ["supabase/tests"], whole: true },
  "functions new": { args: ["another"], writes: ["supabase/functions"], whole: true },
  "migration new": { args: ["new"], writes: ["supabase/migrations"], whole: true },
  "migration fetch": { args: ["--db-url", "{url}"], writes: ["supabase/migrations"] },
  "migration repair": { args: ["20240102000000", "--status", "applied"], whole: true },
  "seed buckets": { args: [] },
  "seed data": { args: [], whole: true },
  "storage check": { args: ["--hash"] },
  "snapshot save": { args: ["one"] },
  "snapshot list": { args: [] },
  "snapshot restore": { args: ["one"] },
  "snapshot delete": { args: ["one"], whole: true },
  "snapshot branch": { args: [], whole: true },
  logs: { args: ["--lines", "5"] },
  completion: { args: ["bash"], whole: true },
  "migration squash": { args: [], writes: ["supabase/migrations"] },
  "db reset": { args: [], whole: true },
  reset: { args: [], whole: true },
  "link-cli": { args: ["--remove"] },
};

/** Commands that the tests run by themselves, each with the reason. */
export const apart: Record<string, string> = {
  start: "serves until it is stopped",
  "db start": "serves until it is stopped",
  "functions serve": "follows the log until it is stopped",
  stop: "ends what start began",
  hosted: "serves until it is stopped",
  rest: "serves until it is stopped",
  deploy: "needs a target: the stand-in",
  init: "works where there is no project",
  supabase: "runs the other commands, or the CLI that the user has installed",
};

/** Every command that does something itself, by its words. */
export async function allCommands(): Promise<string[]> {
  const walk = async (entries: Record<string, CommandEntry>, before: string): Promise<string[]> => {
    const found: string[] = [];
    for (const [name, entry] of Object.entries(entries)) {
      const words = `${before}${name}`;
      const command: Command = await entry.load();
      // The inspections differ in their query only.
      if (command.subcommands && words !== "inspect db")
        found.push(...(await walk(command.subcommands, `${words} `)));
      else found.push(words);
    }
    return found;
  };
  return walk(commands, "");
}
