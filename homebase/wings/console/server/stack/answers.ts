/** Owns the types of what the stack says of itself: policies, migrations, values, and what exists now. */
import type { SnapshotAct } from "../questions.ts";

/** A condition of a policy, with what the project's tests have decided of it where they were counted. */
export interface PolicyPart {
  kind: "using" | "check";
  text: string;
  decided?: { true: number; false: number; missing: readonly ("true" | "false")[] } | undefined;
}

export interface StackPolicy {
  name: string;
  command: string;
  permissive: boolean;
  /** Empty for all. */
  roles: string[];
  parts: PolicyPart[];
  /** As SQL. */
  text: string;
}

export interface StackTable {
  schema: string;
  name: string;
  rowSecurity: boolean;
  /** Of anon and authenticated, those that may select some of its columns. */
  readers: string[];
  policies: StackPolicy[];
}

export interface Policies {
  tables: StackTable[];
  /** Of the advisors, the worst first. */
  findings: { level: "INFO" | "WARN" | "ERROR"; title: string; object: string }[];
  /** Why no part has its coverage. */
  uncounted?: string | undefined;
}

export interface MigrationState {
  version: string;
  name: string;
  state: "applied" | "failed" | "not applied" | "older than an applied one" | "no file" | "skipped";
  file?: string | undefined;
  /** Why a file failed or was skipped. */
  problem?: { message: string; line?: number; statement?: string; advice?: string } | undefined;
}

export interface Migrations {
  migrations: MigrationState[];
  /** Of a seed or another file that is no migration. */
  problem?: { file: string; message: string; line?: number } | undefined;
}

export interface ConfigValue {
  key: string;
  /** JSON, with dots in place of a secret. */
  value: string;
  /** The configuration's file. */
  file: string;
  /** Absent for a default. */
  line?: number | undefined;
  variable?: string | undefined;
  /** Of a port: by how much this start has moved it. */
  moved?: number | undefined;
}

export interface StackFunction {
  name: string;
  state: "running" | "not running" | "disabled";
  verifyJwt: boolean;
  /** Relative to the project. */
  file: string;
  last?: { id: string; at: number; status: number; ms: number } | undefined;
}

export interface StackExtension {
  name: string;
  version: string;
  class: "real" | "stand-in" | "inert" | "refused";
  differs: string;
}

export interface Health {
  at: number;
  /** Of the stack's own process, in bytes. */
  memory: number;
  /** Of Postgres, by anybody, and how many there can be. */
  connections: number;
  mostConnections: number;
  sockets: number;
  channels: number;
  /** In bytes. */
  database: number;
  files: number;
  /** `.homebase`: the cluster with its logs, and stored files. */
  folder: number;
  free: number;
}

/** The channels, functions and jobs that exist now, above the Feed. */
export interface Live {
  channels: { topic: string; private: boolean; members: number }[];
  functions: StackFunction[];
  jobs: { id: string; name: string; schedule: string; active: boolean; due?: number }[];
}

/** A saved state, as the core's `SavedState`. */
export interface Snapshot {
  name: string;
  /** ISO 8601. */
  made: string;
  bytes: number;
  migration: string | null;
  /** Why it cannot be restored here. */
  unfit: string | null;
}

export interface SnapshotStates {
  /** Newest first. */
  snapshots: Snapshot[];
  /** The act of a page, or (without `act`) of a command, that goes on, and how many bytes are copied. */
  working?: { act?: SnapshotAct | undefined; done: number; total: number } | undefined;
  /** How the last act of a page has ended: its page may be closed by then. */
  last?: (SnapshotAct & { failure?: string | undefined; applied: string[] }) | undefined;
}

export interface StackApi {
  policies(ask: Record<string, never>): Promise<Policies>;
  migrations(ask: Record<string, never>): Promise<Migrations>;
  config(ask: Record<string, never>): Promise<ConfigValue[]>;
  functions(ask: Record<string, never>): Promise<StackFunction[]>;
  extensions(ask: Record<string, never>): Promise<StackExtension[]>;
  health(ask: Record<string, never>): Promise<Health>;
  live(ask: Record<string, never>): Promise<Live>;
  snapshots(ask: Record<string, never>): Promise<SnapshotStates>;
  snapshotAct(ask: SnapshotAct): Promise<Record<string, never>>;
  runJob(ask: { id: string }): Promise<Record<string, never>>;
}
