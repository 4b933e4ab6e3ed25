/** Owns the types of `homebase-stack/testing`, which name nothing of the stack's inside. */

/** What a test may ask for. */
export interface TestBackendOptions {
  /** The project whose `supabase/` folder is used. Defaults to the one found from the working directory upwards. */
  projectFolder?: string;
  /** Changes to its config.toml, merged in depth: `{ auth: { site_url: "http://127.0.0.1:3000" } }`. */
  config?: { readonly [section: string]: unknown };
  /** Without the project's migrations and seed: only what Supabase itself brings. */
  bare?: boolean;
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

/** A clock that runs with the machine's, moved by as much as a test asked for. */
export interface TestClock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Moves time forward (or back, when negative) by `milliseconds`. */
  advance(milliseconds: number): void;
  /** Back to the machine's time. */
  reset(): void;
}

/** A Backend made for one test: a database, stored files, mails, a clock and an address of its own. */
export interface TestBackend {
  /** The API's address, for `createClient`. */
  url: string;
  publishableKey: string;
  secretKey: string;
  /** Legacy JWT keys. */
  anonKey: string;
  serviceRoleKey: string;
  /** For `psql`, an ORM or a driver: a `postgresql:` address of role postgres, on 127.0.0.1. */
  databaseUrl: string;
  clock: TestClock;
  /** Where the bytes of stored objects are. */
  storageFolder: string;
  /** Mails sent so far, oldest first. */
  mails: SentMail[];
  /** Everything logged so far. */
  logs: LoggedEntry[];
  /** Runs SQL as role postgres. */
  sql<Row extends Record<string, unknown> = Record<string, unknown>>(
    text: string,
    values?: unknown[],
  ): Promise<Row[]>;
  /** Closes it and removes its database and files. */
  drop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The Postgres that the Backends of a test run share. */
export interface TestRun {
  stop(): Promise<void>;
}
