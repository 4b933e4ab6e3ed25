/** Owns which errors of the stack are said to people as they are: those whose message is written for them. */
import { DataLocked } from "../backend/data-lock.ts";
import { ResetFailed } from "../backend/developer-stack.ts";
import { PortHeld } from "../backend/ports.ts";
import { ConfigError } from "../config/config.ts";
import { UnsafeFolder } from "../core/private-folder.ts";
import { DataRefused } from "../postgres/data-folder.ts";
import { SqlFileError, UnreadableFile } from "../postgres/migrations.ts";
import { ClusterError } from "../postgres/server-process.ts";
import { CommandError } from "./terminal.ts";

/** The error that ends a command, for one that was thrown below it. */
export function commandError(error: unknown): unknown {
  if (error instanceof SqlFileError || error instanceof UnreadableFile)
    return new CommandError(error.describe());
  const known =
    error instanceof DataLocked ||
    error instanceof DataRefused ||
    error instanceof PortHeld ||
    error instanceof UnsafeFolder ||
    error instanceof ResetFailed ||
    error instanceof ClusterError ||
    error instanceof ConfigError;
  if (known) return new CommandError(error.message);
  // A file of the project or of .homebase/ that the system refuses: its message names operation and path.
  const { syscall, path } = error as NodeJS.ErrnoException;
  if (error instanceof Error && syscall !== undefined && path !== undefined) {
    return new CommandError(`The system refused a file that is needed: ${error.message}`);
  }
  return error;
}

/** Why a reset failed, and what is in place after it. */
export function resetFailure(error: unknown): string {
  if (error instanceof ResetFailed) return error.message;
  const known = commandError(error);
  return `Nothing was changed.\n${known instanceof Error ? known.message : String(known)}`;
}
