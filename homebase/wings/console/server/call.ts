/** Owns what a call of the page is: a question, checked by its schema, and the answer, which is JSON or a stream. */
import type { z } from "zod";
import type { DeveloperStart } from "../../../src/developer/stack-wing.ts";
import { CallRefused } from "./call-refused.ts";
import type { Feed } from "./feed.ts";
import type { Frames } from "./frames.ts";
import type { MadeTests } from "./made-tests.ts";
import type { Source } from "./owner-connections.ts";
import type { Snippets } from "./sql/snippets.ts";
import type { SavedStates } from "./stack/saved-states.ts";
import type { Reasons } from "./why.ts";

/** The parts that calls use, for as long as the stack runs. */
export interface CallContext {
  /** With the signal of the page that asks. */
  start: DeveloperStart & Source;
  feed: Feed;
  frames: Frames;
  reasons: Reasons;
  tests: MadeTests;
  snippets: Snippets;
  states: SavedStates;
}

export type Ask = Readonly<Record<string, unknown>>;
/** @throws CallRefused, UserError, and Postgres's errors, which are answers for the reader */
export type Call = (context: CallContext, ask: Ask, signal: AbortSignal) => unknown;

/** @throws CallRefused */
export function checked<Schema extends z.ZodType>(schema: Schema, ask: unknown): z.output<Schema> {
  const parsed = schema.safeParse(ask);
  if (parsed.success) return parsed.data;
  throw new CallRefused(400, parsed.error.issues[0]?.message ?? "The question is not complete.");
}
