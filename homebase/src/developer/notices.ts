/** Owns what is told about the developer's database while its files are applied. */
import type { WeakExtension } from "../postgres/extensions/uses.ts";
import type { ProjectFileError } from "../postgres/files/errors.ts";
import type { SkippedMigration } from "../postgres/files/project-files.ts";
import type { Difference } from "../postgres/files/run-file.ts";

/** A notice about the database. */
export type Notice =
  | { kind: "applied"; files: string[] }
  | { kind: "seeded"; files: string[] }
  | { kind: "extensions"; uses: WeakExtension[] }
  /** A file that cannot be applied; `later` are the files after it, which wait, as a seed does where there is one. */
  | { kind: "failed"; error: ProjectFileError; later: string[]; seed: boolean; unprotected: string[] }
  | { kind: "differs"; differences: Difference[] }
  | { kind: "skipped"; files: SkippedMigration[] }
  | { kind: "unmatched"; patterns: string[] }
  /** The project does not say which privileges the API's roles have on new tables in public. */
  | { kind: "exposure" }
  | { kind: "edited"; files: string[] }
  | { kind: "removed"; versions: string[] }
  /** Pending files that are later than the version of the last reset: they are applied when that is asked for. */
  | { kind: "held"; files: string[] }
  /** A file was recorded in place of the ones that it replaces. */
  | { kind: "replaced"; file: string; versions: string[] }
  /** Settings that nobody could work with; they are reset. */
  | { kind: "locked-out"; statements: string[] }
  /** Objects that would run in the stack's own sessions, or dial out with the server's account. */
  | { kind: "disabled"; objects: string[] }
  | { kind: "upgraded"; steps: string[] }
  | { kind: "ports"; text: string }
  | { kind: "port-wait"; port: number; purpose: string; seconds: number }
  | { kind: "objects"; path: string; rows: number }
  | { kind: "vault-key"; path: string; secrets: number }
  | { kind: "reset-finished" }
  /** A killed replacement of the whole state, e.g. by a snapshot, was undone. */
  | { kind: "restore-undone"; by: string }
  /** The state belongs to another git branch (branch-of-state.ts): nothing was applied. */
  | { kind: "other-branch"; text: string }
  | { kind: "restarted"; reason: string };

/** The result of applying the files. */
export interface MigrationOutcome {
  applied: string[];
  /** Files that were recorded in place of others, without running them. */
  replaced: string[];
  seeded: string[];
  failed: ProjectFileError | undefined;
}
