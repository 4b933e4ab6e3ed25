/** Owns the options that choose which database a command works on, and what they mean. */
import { type Target, targetOf } from "../../tools/command-connection.ts";
import { configFor } from "./options.ts";
import { runningAddress } from "./running.ts";
import { CommandError } from "./terminal.ts";

export const targetOptions = {
  "db-url": { type: "string" },
  remote: { type: "string" },
  local: { type: "boolean" },
  linked: { type: "boolean" },
} as const;

/** Lines about them, for a command's help. */
export const targetHelp = `  --db-url URL       the database to work on (default: the running stack's); --remote=URL means the same
  --local            the running stack's database
  --linked           not built: Homebase keeps no links to projects; give --db-url`;

export interface TargetValues {
  "db-url"?: string | undefined;
  remote?: string | undefined;
  local?: boolean | undefined;
  linked?: boolean | undefined;
  workdir?: string | undefined;
  "port-offset"?: string | undefined;
}

/**
 * The address that the options give; undefined where they mean the running stack.
 * @param command its words after `homebase`, which the Supabase CLI has as well.
 * @throws CommandError
 */
export function addressOf(values: TargetValues, command: string): string | undefined {
  if (values.linked) {
    throw new CommandError(
      `--linked is not built: Homebase keeps no links to projects. Give --db-url, or use the Supabase CLI: npx supabase ${command} --linked`,
    );
  }
  const address = values["db-url"] ?? values.remote;
  if (values.local && address !== undefined) throw new CommandError("Use either --local or --db-url.", 2);
  if (values.remote !== undefined && !values.remote.includes("://")) {
    throw new CommandError(
      `--remote takes an address of a database here. For a project's ref or a branch use the Supabase CLI: npx supabase ${command} --remote=${values.remote}`,
    );
  }
  return address;
}

/** The database that the options mean. @throws CommandError */
export async function chosenTarget(values: TargetValues, command: string): Promise<Target> {
  const address = addressOf(values, command);
  return targetOf(address ?? (await runningAddress(configFor(values), ", or give --db-url")));
}
