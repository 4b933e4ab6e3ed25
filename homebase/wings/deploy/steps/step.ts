/** Owns the types of a deploy's steps and of their input. */
import type pg from "pg";
import type { Config, RemoteConfig } from "../../../src/config/config.ts";
import { UserError } from "../../../src/core/user-error.ts";
import type { Management } from "../target/management.ts";
import type { StoredDigests } from "../target/record.ts";

/** The input for planning a step. */
export interface StepContext {
  config: Config;
  remote: RemoteConfig;
  management: Management;
  /** The target's database, as role postgres. */
  client: pg.Client;
  /** State of earlier deploys; a step updates it, and it is stored on the target. */
  known: StoredDigests;
  projectUrl: string;
  publishableKey: string;
  secretKey: string;
  /** Secrets for functions. */
  secrets: Readonly<Record<string, string>>;
  /** Whether functions that exist only on the target are removed. */
  prune: boolean;
  /** Whether migrations older than the newest applied one are applied too. */
  includeAll: boolean;
}

/** A planned step. */
export interface Step {
  name: string;
  /** The planned changes, one sentence each, without secrets. Empty for none. */
  changes: string[];
  /** Warnings to read before confirming. */
  warnings: string[];
  /** How to roll back. */
  undo: string;
  /** Performs the changes. `done` is called after each one. */
  apply(done: (change: string) => void): Promise<void>;
}

/** A refused deploy: one sentence for each reason. */
export class DeployRefused extends UserError {
  readonly reasons: readonly string[];
  constructor(reasons: readonly string[]) {
    super(reasons.join("\n"));
    this.reasons = reasons;
  }
}
