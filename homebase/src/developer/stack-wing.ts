/** Owns what a wing adds to a developer's stack. */

import type { Backend } from "../backend/backend.ts";
import type { OpenInbox } from "../backend/inbox.ts";
import type { BackendWing } from "../backend/wing.ts";
import type { Config } from "../config/config.ts";
import type { ServiceName } from "../gateway/routes.ts";
import type { Service } from "../http/exchange.ts";
import type { Cluster } from "../postgres/cluster/cluster.ts";
import type { FileProblem } from "../postgres/files/errors.ts";
import type { MigrationOutcome } from "./notices.ts";
import type { StateSwap } from "./state-swap.ts";

/** A running developer's stack, as the parts see it that open with it. */
export interface DeveloperStart {
  backend: Backend;
  inbox: OpenInbox;
  /** The right of this start, for `/mcp`. */
  token: string;
  /** The file of the stack's log. */
  logPath: string;
  /** The package's version. */
  version: string;
  /** Why a file of the project could not be applied, until it is. */
  unapplied(): FileProblem | undefined;
  /** Its saved states; undefined without a wing that saves some. */
  snapshots?: (() => Promise<Snapshots>) | undefined;
}

/** What the caller of a start adds to it. */
export type Told = Omit<DeveloperStart, "backend" | "inbox" | "unapplied" | "snapshots">;

/** A saved state of a stack. */
export interface SavedState {
  name: string;
  /** ISO 8601. */
  made: string;
  bytes: number;
  /** The newest migration that was applied. */
  migration: string | null;
  /** Why it cannot be restored here, in words. */
  unfit: string | null;
}

/** What a restore has done besides. */
export interface RestoredState {
  /** Migrations that are newer than the saved state. */
  applied: string[];
  /** Why one of these could not be applied. */
  failed: string | undefined;
}

/** The saved states of a running stack. Its methods that change something run one after the other. */
export interface Snapshots {
  /** Newest first. */
  list(): SavedState[];
  /** @throws UserError when the name is taken or not a plain one */
  save(name: string): Promise<unknown>;
  /** @throws UserError when it does not fit; the message says what is in place */
  restore(name: string): Promise<RestoredState>;
  /** @throws UserError when there is none */
  delete(name: string): Promise<void>;
  /** How many bytes are copied of those to copy; undefined where nothing is being done. */
  progress(): Promise<{ done: number; total: number } | undefined>;
}

/** What a wing has opened beside the gateway. */
export interface Opened {
  /** Lines of the table that a start prints on a terminal. */
  lines: [name: string, value: string][];
  /** Commands of the control socket (cli/control.ts). */
  commands?: Record<string, (argument: unknown) => Promise<unknown>>;
  close(): Promise<void>;
}

/** What a wing opens beside the gateway of a developer's start. */
export interface OpensBeside {
  /** The port that it takes, and what for; undefined where config.toml or the start leaves it out. */
  port(config: Config): [port: number, purpose: string] | undefined;
  /** Called once the Backend is open, unless `port` returned undefined; closed with the stack. @throws PortTaken */
  open(start: DeveloperStart): Promise<Opened>;
}

/** A running stack, for what copies or replaces its state. */
export interface HeldStack {
  readonly config: Config;
  readonly cluster: Cluster;
  /**
   * Runs `work` while services and Postgres are stopped. @param reason for clients of Realtime
   * @returns how long requests waited, in ms
   */
  atRest(work: () => Promise<void>, reason: string): Promise<number>;
  /** Replaces the state by the prepared one. @throws RestoreFailed: the message says what is in place */
  restore(swap: StateSwap): Promise<MigrationOutcome>;
  /** Applies pending migrations. */
  migrate(): Promise<MigrationOutcome>;
}

/** A command of the control socket that needs the whole stack. */
export type HeldCommand = (stack: HeldStack, argument: unknown) => Promise<unknown>;

/** What a developer's stack takes from a wing, besides. */
export interface StackWing extends BackendWing {
  beside?: OpensBeside;
  /** Commands of the control socket, by name; loaded when first asked. */
  control?: Record<string, () => Promise<HeldCommand>>;
  /** Services of the gateway that only `homebase start` has, created by their first request. */
  stack?: Partial<Record<ServiceName, (start: DeveloperStart) => Promise<Service>>>;
  /** Saved states of the stack; loaded when first asked. */
  snapshots?: () => Promise<(stack: HeldStack) => Snapshots>;
}
