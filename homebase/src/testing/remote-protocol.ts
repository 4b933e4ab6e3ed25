/** Owns what a test's process and the process with its Backends tell each other. */
import type { LoggedEntry, SentMail } from "./types.ts";

/** A call of a function of `homebase-stack/testing`, or of a method of a Backend. */
export interface RemoteCall {
  call: number;
  /** The Backend's number; undefined for a function. */
  backend?: number;
  method: string;
  args: unknown[];
}

export interface RemoteFailure {
  message: string;
  stack?: string | undefined;
  /** SQLSTATE, of an error of Postgres. */
  code?: unknown;
}

/** The fields of a Backend that do not change. */
export type RemoteFields = Readonly<Record<(typeof FIELDS)[number], string>>;
export const FIELDS = [
  "url",
  "publishableKey",
  "secretKey",
  "anonKey",
  "serviceRoleKey",
  "storageFolder",
] as const;

/** A Backend as its process describes it; `databaseUrl` changes with a reset and a restore. */
export interface RemoteState {
  number: number;
  fields: RemoteFields;
  databaseUrl: string;
}

export type RemoteAnswer =
  | { call: number; result?: unknown; failure?: RemoteFailure }
  | { backend: number; mail: SentMail }
  | { backend: number; logged: LoggedEntry };

/** Where child processes find the run's Postgres. */
export const CLUSTER_VARIABLE = "HOMEBASE_TEST_CLUSTER";
