/** Owns what commands ask of the running stack, and what they say when none runs. */

import type { Config } from "../../config/config.ts";
import { lockHolder } from "../../developer/data-lock.ts";
import { Database } from "../../postgres/database.ts";
import { control } from "./control.ts";
import { controlSocketPath } from "./state.ts";
import { CommandError } from "./terminal.ts";

/**
 * The stack's answer to a control command.
 * @param otherwise ends the message when nothing runs: another way besides a start
 * @throws CommandError when nothing runs
 */
export async function running<T>(
  config: Config,
  command: string,
  argument?: unknown,
  otherwise = "",
): Promise<T> {
  const answer = await control<T>(controlSocketPath(config), command, argument);
  if (answer !== undefined) return answer;
  const holder = lockHolder(config.projectFolder);
  throw new CommandError(
    holder
      ? `${holder.command} (pid ${holder.pid}) is working on this project and does not respond yet.`
      : `The stack of this project is not running. Start it with: homebase start${otherwise}`,
  );
}

/** The address of the running stack's database. @throws CommandError when nothing runs */
export async function runningAddress(config: Config, otherwise?: string): Promise<string> {
  const status = await running<{ variables: { DB_URL: string } }>(config, "status", null, otherwise);
  return status.variables.DB_URL;
}

/** The database at an address that a running stack reports. */
export function databaseAt(address: string): Database {
  const { hostname, port, pathname, password } = new URL(address);
  return new Database({
    host: hostname,
    port: Number(port),
    name: pathname.slice(1),
    password: decodeURIComponent(password),
  });
}
