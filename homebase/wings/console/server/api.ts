/** Owns the interface between the page and the stack: types alone, which both import. */
import type { DataApi } from "./data/data-answers.ts";
import type { Who } from "./questions.ts";
import type { SqlApi } from "./sql/sql-answers.ts";
import type { StackApi } from "./stack/answers.ts";
import type { Gate, Mark, Why } from "./why-answers.ts";

export type * from "./data/data-answers.ts";
export type * from "./questions.ts";
export type * from "./sql/sql-answers.ts";
export type * from "./stack/answers.ts";
export type * from "./why-answers.ts";

/** What a line of the feed is about. */
export type Kind =
  | "request"
  | "mail"
  | "job"
  | "net"
  | "join"
  | "change"
  | "broadcast"
  | "presence"
  | "file"
  | "log";

/** One line of the feed. */
export interface Row {
  id: string;
  kind: Kind;
  /** The request that caused it: by a function that answered it, by a mail, by a log line. */
  parent?: string | undefined;
  /** Milliseconds since 1970. */
  at: number;
  verb: string;
  service?: string | undefined;
  /** A table, a function, a bucket's path; without the service's prefix. */
  name: string;
  /** What follows the name: the query, with its "?". */
  rest?: string | undefined;
  /** A short name of the user, or the role. */
  who?: string | undefined;
  /** Of an answer; 0 where it was broken off. */
  status?: number | undefined;
  /** A word after the status: a gate's name, "empty", "2 rows". */
  outcome: string;
  mark: Mark;
  /** One letter a gate: o, p, s, or ? for a gate that was not asked. Nothing follows a gate that is shut. */
  gates: string;
  /** Of a call that runs: so far. */
  ms?: number | undefined;
  /** A call of a function that has not been answered yet. */
  running?: true;
}

/** Where a page is in the record of requests, and in the ring of what happened besides. */
export type Cursor = readonly [requests: number, happened: number];

/** What the feed's stream sends, one JSON text a line. */
export interface FeedPart {
  cursor: Cursor;
  /** Requests that were too many to send, or that the stack no longer keeps. */
  leftOut: number;
  /** Preflights and probes. */
  hidden: number;
  /** Requests that the filter does not match. */
  others: number;
  /** Of all, with and without the filter. */
  failed: number;
  empty: number;
  mails: number;
  rows: Row[];
  /** Calls of functions that have not been answered yet, those of the filter. */
  running: Row[];
  /** How often the database was replaced or at rest, and whether it is now: other calls wait meanwhile. */
  replaced: { count: number; now: boolean };
}

/** One request whole. */
export interface Entry {
  row: Row;
  gates: Gate[];
  path: string;
  /** Of the caller's token or key. */
  role?: string | undefined;
  /** The user's email, phone or id, in full. */
  user?: string | undefined;
  code?: string | undefined;
  error?: { message: string; hint?: string } | undefined;
  statement?: { text: string; values: (string | null)[]; searchPath: string; role: string } | undefined;
  /** What the request caused: requests of a function, its log lines, mails. */
  caused: Row[];
  /** Of a mail that is in the inbox. */
  mail?: { id: string; text: string; code?: string; links: string[]; loadsPictures: boolean } | undefined;
  /** Whether the stack has kept the answer's body: of 400 and more, up to 2 KB. */
  answerKept: boolean;
  /** Whether a statement ran of which the record has no values, as they were too large. */
  notKept?: boolean | undefined;
  /** What is missing from `caused`, and why. */
  note?: string | undefined;
  /** Some of those who did not get an event, with the gate that kept it from them. */
  missed?: { who: string; gate: string }[] | undefined;
  /** Whether `why` can say more. */
  explained: boolean;
  /** Whether it can be sent again, and whether a test can be made of it. */
  sendable: boolean;
  testable: boolean;
}

/** A request as the record knows it, with its values. */
export interface Outgoing {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string | undefined;
  /** Whose it was; absent where the record does not say. */
  same?: string | undefined;
}

/** What a request got that was sent from here. */
export interface Sent {
  id: string;
  status: number;
  type: string;
  body: string;
  /** Whether the body was longer. */
  cut: boolean;
}

/** What a reader may look for by name. */
export interface Names {
  tables: string[];
  /** Edge functions, and functions of exposed schemas. */
  functions: string[];
  /** Emails, those who signed in last first. */
  users: string[];
}

/** A test that a request has become. */
export interface MadeTest {
  title: string;
  text: string;
  /** Relative to the project. */
  file: string;
  exists: boolean;
  /** Why it does not pass; absent where it does. */
  failure?: string | undefined;
}

/** The answer of `POST /enter` to a code and the page's filter: all that the first view needs. */
export interface Entered {
  token: string;
  about: About;
  part: FeedPart;
}

/** What the stack says about itself to a page that has entered. */
export interface About {
  /** The project's id, by which tabs of another project are told apart. */
  project: string;
  /** The API's address. */
  url: string;
  /** Milliseconds since 1970. */
  began: number;
  publishableKey: string;
  /** The inbox's address; absent where it has no page. */
  inbox?: string | undefined;
  /** Whether a wing saves states of the stack. */
  snapshots: boolean;
}

/** The calls: each is `POST /api/<name>`, JSON to JSON; the streams answer lines of JSON. */
export interface ConsoleApi extends DataApi, SqlApi, StackApi {
  about(ask: Record<string, never>): Promise<About>;
  /** @param ask.after the cursor of the last part that the page has. */
  feed(ask: { after?: Cursor; filter: string }): AsyncIterable<FeedPart>;
  entry(ask: { id: string }): Promise<Entry>;
  why(ask: { id: string }): Promise<Why>;
  /** The body of an answer of 400 and more. */
  answer(ask: { id: string }): Promise<{ body: string }>;
  /** A ticket for a mail's HTML: `GET /frame/<ticket>` of a frame, once and within a minute. */
  frame(ask: { id: string; pictures: boolean }): Promise<{ ticket: string }>;
  outgoing(ask: { id: string }): Promise<Outgoing>;
  send(ask: Omit<Outgoing, "same"> & { id: string; as: Who }): Promise<Sent>;
  names(ask: Record<string, never>): Promise<Names>;
  /** Makes a test and runs it in a database of its own. */
  test(ask: { id: string }): Promise<MadeTest>;
  /** Writes the test that was made of this request. */
  saveTest(ask: { id: string }): Promise<{ file: string }>;
}

/** The calls that answer a stream: the feed's stays open, and that of a file is bytes. */
export type Streams = "feed" | "export" | "file";

/** The body of every response that is an error. */
export interface Failure {
  error: { message: string; code?: string; hint?: string };
}
