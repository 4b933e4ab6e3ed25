/** Owns the shape of a deploy's steps, and what each is planned from. */
import type pg from "pg";
import type { Config, RemoteConfig } from "../../config/config.ts";
import type { Management } from "../target/management.ts";
import type { Known } from "../target/record.ts";

/** What a step is planned from. */
export interface StepContext {
  config: Config;
  remote: RemoteConfig;
  management: Management;
  /** On the target, as role postgres. */
  client: pg.Client;
  /** What earlier deploys left; a step changes it as it goes, and it is kept on the target. */
  known: Known;
  projectUrl: string;
  publishableKey: string;
  secretKey: string;
  /** Secrets for functions. */
  secrets: Readonly<Record<string, string>>;
  /** Whether functions that are only on the target are removed. */
  prune: boolean;
  /** Whether migrations older than the newest applied one are applied too. */
  includeAll: boolean;
}

/** A planned step. */
export interface Step {
  name: string;
  /** What it will change, a sentence each, without secrets. Empty: nothing. */
  changes: string[];
  /** Worth a second look before it is agreed to. */
  warnings: string[];
  /** How to go back after it. */
  undo: string;
  /** Carries the changes out. `done` is told of each as it is complete. */
  apply(done: (change: string) => void): Promise<void>;
}

/** A deploy that does not begin: a sentence for each reason. */
export class DeployRefused extends Error {
  readonly reasons: readonly string[];
  constructor(reasons: readonly string[]) {
    super(reasons.join("\n"));
    this.reasons = reasons;
  }
}
