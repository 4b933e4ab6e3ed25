/** Owns the types of a tool and of the context that it runs in. */
import type { z } from "zod";
import type { Backend } from "../../src/backend/backend.ts";
import type { OpenInbox } from "../../src/backend/inbox.ts";
import type { Config } from "../../src/config/config.ts";
import type { ReadOnly } from "./read-only.ts";

export interface ToolContext {
  config: Config;
  backend: Backend;
  inbox: OpenInbox;
  logPath: string;
  readOnly: ReadOnly;
  /** Aborted when the client has disconnected. */
  signal: AbortSignal;
}

export interface Tool {
  name: string;
  title: string;
  description: string;
  feature: "database" | "debugging" | "development";
  input: z.ZodObject;
  /** Whether its result has text of rows, requests, logs, mails or names in the database, which is then marked as data. */
  data: boolean;
  /** @returns text, or a value that becomes JSON. @throws ToolRefused, ToolFailed, and errors of Postgres, whose text is marked as data */
  run(input: Record<string, unknown>, context: ToolContext): Promise<unknown>;
}

/** A tool does not do something, for a reason in the stack's own words. */
export class ToolRefused extends Error {}

/** A tool failed for a reason that quotes rows, so that its text is marked as data. */
export class ToolFailed extends Error {}

/** A tool whose `run` has the type of its input. */
export function tool<Shape extends z.ZodRawShape>(
  definition: Omit<Tool, "input" | "run"> & {
    input: z.ZodObject<Shape>;
    run(input: z.output<z.ZodObject<Shape>>, context: ToolContext): Promise<unknown>;
  },
): Tool {
  // The endpoint calls it with what its own schema has parsed.
  return definition as unknown as Tool;
}
