/** Owns the types of `homebase-stack/testing`, which do not depend on the stack's internals. */

import type { ExplanationData } from "../explain/verdicts.ts";

/** Options of a test's Backend. */
export interface TestBackendOptions {
  /** The project whose `supabase/` folder is used. Defaults to the one found from the working directory upwards. */
  projectFolder?: string;
  /** Changes to its config.toml, deeply merged: `{ auth: { site_url: "http://127.0.0.1:3000" } }`. */
  config?: { readonly [section: string]: unknown };
  /** Codes of the mails to these addresses, e.g. `{ "ana@example.com": "123456" }`, so that a test signs in without reading mail. */
  mailCodes?: Readonly<Record<string, string>>;
  /** Whether functions get 384 numbers of hashed words from `Supabase.ai`'s gte-small, which is refused otherwise. */
  modelStandIn?: boolean;
  /** Without the project's migrations and seed: only Supabase's own objects. */
  bare?: boolean;
  /** `false`: with policies as they are even under HOMEBASE_COVERAGE=1, for a test that reads their text or plans. */
  coverage?: boolean;
}

/** A mail that was sent. */
export interface SentMail {
  from: { name: string; address: string };
  to: { name: string; address: string }[];
  subject: string;
  html?: string;
  text?: string;
  headers?: Record<string, string>;
}

/** A line of the log. */
export interface LoggedEntry {
  /** ISO 8601. */
  time: string;
  level: string;
  service: string;
  message: string;
  fields?: object;
}

/** A clock that runs with the machine's, offset by a test. */
export interface TestClock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Moves time forward (or back, when negative) by `milliseconds`. With `require`, await it. */
  advance(milliseconds: number): void;
  /** Resets to the machine's time. */
  reset(): void;
}

/** A Backend created for one test: a database, stored files, mails, a clock and a URL of its own. */
export interface TestBackend {
  /** The API's address, for `createClient`. */
  url: string;
  publishableKey: string;
  secretKey: string;
  /** Legacy JWT keys. */
  anonKey: string;
  serviceRoleKey: string;
  /** For `psql`, an ORM or a driver: a `postgresql:` URL of role postgres, on 127.0.0.1. */
  databaseUrl: string;
  clock: TestClock;
  /** Folder of the stored objects' bytes. */
  storageFolder: string;
  /** Mails sent so far, oldest first. */
  mails: SentMail[];
  /** Everything logged so far. */
  logs: LoggedEntry[];
  /**
   * The last requests, and why the last one to REST was answered as it was: grants, policies and the parts that decided.
   * @param options `row`: the primary key of the row in question; several columns with commas.
   */
  why(options?: { row?: string }): Promise<string>;
  /**
   * Why the last request to REST or Storage was answered as it was, as data (docs/explain.md, "For programs").
   * @throws Error with a readable message where there is none, or none that can be explained
   */
  explain(options?: { row?: string }): Promise<ExplanationData>;
  /** An access token with these claims, as Auth signs it: valid for an hour, of role `authenticated` by default. */
  token(claims?: Record<string, unknown>): Promise<string>;
  /**
   * A token as the issuer of `[auth.third_party.NAME]` makes it, signed by a key of this Backend alone. `sign`
   * fails with a readable message where that issuer is not enabled.
   */
  issuer(name: string): { sign(claims?: Record<string, unknown>): Promise<string> };
  /** Runs SQL as role postgres. */
  sql<Row extends Record<string, unknown> = Record<string, unknown>>(
    text: string,
    values?: unknown[],
  ): Promise<Row[]>;
  /**
   * Restores the data it began with: a new copy of the migrated and seeded database, the seed's files, no mails,
   * the machine's time. Address and keys stay; sessions end and sockets close. Takes some 100 ms.
   */
  reset(): Promise<void>;
  /**
   * Saves rows, stored files, mails and the clock as they are now. Roles are not part of it: the Backends of a run share
   * them. Sockets close. @returns the snapshot's name, for `restore`.
   */
  snapshot(): Promise<string>;
  /** Goes back to a snapshot of this Backend, as often as wanted. Sessions that it does not know end, and sockets close. */
  restore(snapshot: string): Promise<void>;
  /** Closes it and removes its database and files. */
  drop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The Postgres shared by the Backends of a test run. */
export interface TestRun {
  stop(): Promise<void>;
}
