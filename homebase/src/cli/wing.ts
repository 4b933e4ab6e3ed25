/** Owns the interface of a wing: what can be left out of Homebase, by deleting its folder and its line of wings/index.ts. */
import type { StackWing } from "../developer/stack-wing.ts";
import type { CommandEntry } from "./kit/options.ts";

/**
 * Names and summaries are plain data, so that a list of wings costs nothing; everything else is loaded when first used.
 */
export interface Wing extends StackWing {
  /** Its folder's name. */
  name: string;
  /** What it is for, in one line. */
  summary: string;
  /** Its part of the list of sessions (postgres/server-sessions.ts): by role, the files that name it for a session. */
  sessions?: Readonly<Record<string, readonly string[]>>;
  /** Commands of `homebase`, by name. */
  commands?: Record<string, CommandEntry>;
}
