/** Owns the interface between the page and the stack: types alone, which both import. */

/** What a gate did with a request; `unknown` is drawn as "not asked". */
export type Mark = "open" | "part" | "shut" | "unknown";

/** One of the places that a request passes on its way, in their order. */
export interface Gate {
  name: string;
  mark: Mark;
  text: string;
  /** The rows that a policy hid, of how many; known after `why`. */
  hidden?: number;
  of?: number;
}

/** One line of the feed. */
export interface Row {
  id: string;
  /** The request that a function was answering when it made this one. */
  parent?: string;
  /** Milliseconds since 1970. */
  at: number;
  verb: string;
  service?: string;
  /** A table, a function, a bucket's path; without the service's prefix. */
  name: string;
  /** What follows the name: the query, with its "?". */
  rest?: string;
  /** A short name of the user, or the role. */
  who?: string;
  status: number;
  /** A word after the status: a gate's name, "empty", "2 rows". */
  outcome: string;
  mark: Mark;
  /** One letter a gate: o, p, s, or ? for a gate that was not asked. Nothing follows a gate that is shut. */
  gates: string;
  ms: number;
}

/** What the feed's stream sends, one JSON text a line. */
export interface FeedPart {
  cursor: number;
  /** Requests that were too many to send, or that the stack no longer keeps. */
  leftOut: number;
  /** Preflights and probes. */
  hidden: number;
  rows: Row[];
}

/** One request whole. */
export interface Entry {
  row: Row;
  gates: Gate[];
  path: string;
  role?: string;
  /** The user's email, phone or id, in full. */
  user?: string;
  code?: string;
  error?: { message: string; hint?: string };
  statement?: { text: string; values: (string | null)[]; searchPath: string; role: string };
  /** Requests that a function made while it answered this one. */
  caused: Row[];
  /** Whether `why` can say more. */
  explained: boolean;
  /** A command for a shell that sends it again, with the publishable key. */
  curl: string;
}

/** Why an answer is as it is. */
export interface Why {
  sentences: string[];
  /** The record's gates, with what the policies decided today. */
  gates: Gate[];
  /** As the command prints it. */
  text: string;
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
}

/** The calls: each is `POST /api/<name>`, JSON to JSON; `feed` answers lines of JSON on a request that stays open. */
export interface ConsoleApi {
  about(ask: Record<string, never>): Promise<About>;
  /** @param ask.after the cursor of the last part that the page has. */
  feed(ask: { after?: number; filter: string }): AsyncIterable<FeedPart>;
  entry(ask: { id: string }): Promise<Entry>;
  why(ask: { id: string }): Promise<Why>;
}

/** The body of every response that is an error. */
export interface Failure {
  error: { message: string; code?: string; hint?: string };
}
