/** Owns which of the stack's errors are printed unchanged: those whose message is written for people. */
import { DataLocked } from "../backend/data-lock.ts";
import { ResetFailed } from "../backend/developer-stack.ts";
import { PortInUse } from "../backend/ports.ts";
import { DiffRefused } from "../backend/project-diff.ts";
import { DiffImpossible } from "../backend/schema-diff.ts";
import { ConfigError } from "../config/config.ts";
import { PathLeaves } from "../config/project-paths.ts";
import { UnsafeFolder } from "../core/private-folder.ts";
import { DeployRefused } from "../deploy/steps/step.ts";
import { DatabaseUnreachable } from "../deploy/target/database.ts";
import { ManagementError } from "../deploy/target/management.ts";
import { ExplainError, UntestedError } from "../explain/index.ts";
import { PortTaken } from "../http/port-taken.ts";
import { DataFolderError } from "../postgres/cluster/data-folder.ts";
import { ClusterError } from "../postgres/cluster/server-process.ts";
import { ProjectFileError } from "../postgres/files/errors.ts";
import { ForeignDatabase } from "../postgres/origin.ts";
import { CommandError } from "./terminal.ts";

/** Converts an error to the one that ends the command. */
export function commandError(error: unknown): unknown {
  if (error instanceof DeployRefused) return new CommandError(`Not deployed.\n${error.message}`);
  if (error instanceof ProjectFileError) return new CommandError(error.describe());
  const known =
    error instanceof DataLocked ||
    error instanceof DataFolderError ||
    error instanceof ForeignDatabase ||
    error instanceof PortInUse ||
    error instanceof PortTaken ||
    error instanceof UnsafeFolder ||
    error instanceof ResetFailed ||
    error instanceof DiffRefused ||
    error instanceof DiffImpossible ||
    error instanceof DatabaseUnreachable ||
    error instanceof ManagementError ||
    error instanceof ClusterError ||
    error instanceof PathLeaves ||
    error instanceof ExplainError ||
    error instanceof UntestedError ||
    error instanceof ConfigError;
  if (known) return new CommandError(error.message);
  // System and Postgres errors name operation, path or object; ERR_ codes are Node's for programming errors.
  const { code } = error as { code?: unknown };
  if (error instanceof Error && typeof code === "string" && !code.startsWith("ERR_")) {
    return new CommandError(`The system or the database returned an error: ${error.message} (${code}).`);
  }
  return error;
}

/** Why a reset failed, and what is in place now. */
export function resetFailure(error: unknown): string {
  if (error instanceof ResetFailed) return error.message;
  const known = commandError(error);
  return `Nothing was changed.\n${known instanceof Error ? known.message : String(known)}`;
}
