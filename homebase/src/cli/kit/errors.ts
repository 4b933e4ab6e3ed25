/** Owns how the stack's errors are printed: unchanged where their message is written for people. */

import { isDiskFull } from "../../core/disk-full.ts";
import { UserError } from "../../core/user-error.ts";
import { ResetFailed } from "../../developer/stack-reset.ts";
import { ProjectFileError } from "../../postgres/files/errors.ts";
import { databaseOutage } from "../../postgres/trouble.ts";
import { CommandError } from "./terminal.ts";

/** Converts an error to the one that ends the command. */
export function commandError(error: unknown): unknown {
  if (error instanceof ProjectFileError) return new CommandError(error.describe());
  if (error instanceof UserError) return error;
  if (isDiskFull(error)) {
    return new CommandError(
      `The disk is full. Free some space, then run the command again (${error.message}).`,
    );
  }
  // System and Postgres errors name operation, path or object; ERR_ codes are Node's for programming errors.
  const { code } = error as { code?: unknown };
  if (error instanceof Error && typeof code === "string" && !code.startsWith("ERR_")) {
    return new CommandError(`The system or the database returned an error: ${error.message} (${code}).`);
  }
  if (databaseOutage(error) !== undefined) {
    return new CommandError(
      "The connection to the database ended while this command ran. If the stack was stopped or Postgres restarted, run the command again; homebase logs says what happened.",
    );
  }
  return error;
}

/** Why a reset failed, and what is in place now. */
export function resetFailure(error: unknown): string {
  if (error instanceof ResetFailed) return error.message;
  const known = commandError(error);
  return `Nothing was changed.\n${known instanceof Error ? known.message : String(known)}`;
}
