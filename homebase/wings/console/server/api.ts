/** Owns the interface between the page and the stack: types alone, which both import. */
import type { StackApi } from "./stack/answers.ts";

export type * from "./stack/answers.ts";

/** What a gate did with a request; `unknown` is drawn as "not asked". */
export type Mark = "open" | "part" | "shut" | "unknown";

/** One of the places that a request passes on its way, in their order. */
export interface Gate {
  name: string;
  mark: Mark;
  text: string;
  /** The rows that a policy hid, of how many; known after `why`. */
  hidden?: number | undefined;
  of?: number | undefined;
}

/** What a line of the feed is about. */
export type Kind = "request" | "mail" | "job" | "net" | "join" | "change" | "broadcast" | "file" | "log";

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
}

/** One request whole. */
export interface Entry {
  row: Row;
  gates: Gate[];
  path: string;
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
  /** Some of those who did not get an event, with the gate that kept it from them. */
  missed?: { who: string; gate: string }[] | undefined;
  /** Whether `why` can say more. */
  explained: boolean;
  /** Whether it can be sent again, and whether a test can be made of it. */
  sendable: boolean;
  testable: boolean;
}

/** As whom a request is sent: with the claims that it had, as a user, without a token, or with the secret key. */
export type Who =
  | { kind: "same" }
  | { kind: "user"; email: string }
  | { kind: "nobody" }
  | { kind: "secret" };

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

/** As whom rows are looked at. */
export type Lens =
  | { kind: "postgres" }
  | { kind: "role"; role: string }
  /** `name` is for people: an email, a phone number or the id. */
  | { kind: "user"; id: string; name: string };

export interface TableName {
  schema: string;
  name: string;
}

export interface DataColumn {
  name: string;
  type: string;
  nullable: boolean;
  default?: string | undefined;
  /** Generated, or an identity that takes no value: not to be written. */
  made: boolean;
  /** Whether it is a string, by which free text finds rows. */
  text: boolean;
  /** Whether rows can be in its order. */
  sortable: boolean;
  /** Of an enum, and of a boolean. */
  values?: string[] | undefined;
}

/** A foreign key: its columns, and those of the other table in the same order. */
export interface Reference {
  columns: string[];
  table: TableName;
  targets: string[];
}

export interface DataTable extends TableName {
  kind: "table" | "view";
  /** Whether REST serves its schema. */
  exposed: boolean;
  rowSecurity: boolean;
  columns: DataColumn[];
  /** The primary key's columns; none for a view. */
  key: string[];
  references: Reference[];
}

export interface Tables {
  tables: DataTable[];
  /** That REST may take, for a lens. */
  roles: string[];
}

export interface RowsAsk {
  as: Lens;
  table: TableName;
  /** `title`, `status=open`, `id>4`, `note=null`; several are joined by and. */
  where: string;
  order?: { column: string; descending: boolean } | undefined;
  /** `next` of the page before. */
  after?: (string | null)[] | undefined;
}

export interface DataRows {
  /** Postgres's text of each column; the beginning of long ones. */
  rows: (string | null)[][];
  /** Places of cells that have more text. */
  cut: [row: number, column: number][];
  /** Places of rows that the lens would not get. */
  hidden: number[];
  /** Columns that its role may not select. */
  withheld: string[];
  /** Why the lens gets nothing at all, in Postgres's words. */
  refused?: string | undefined;
  /** All rows of the filter as postgres reads them; not exact for many. */
  total: { count: number; exact: boolean };
  /** The rows that the lens gets of a table without a key, where single ones cannot be told. */
  seen?: number | undefined;
  /** Of each column that is a foreign key by itself, the names of the rows that it leads to. */
  names: Record<string, Record<string, string>>;
  next?: (string | null)[] | undefined;
}

/** What the stream of an export sends, one JSON text a line. */
export interface ExportPart {
  /** Those that the lens may select. */
  columns: string[];
  /** Postgres's text of each column, whole. */
  rows: (string | null)[][];
  /** A stream without a last part was broken off. */
  last: boolean;
}

/** A row whole. */
export interface DataRow {
  /** Undefined where there is none by this key any more. */
  values?: (string | null)[] | undefined;
  /** The rows that its foreign keys lead to, with their names for people. */
  references: (Reference & { values: string[]; name?: string | undefined })[];
  /** Rows of other tables that lead to it. */
  pointsHere: { table: TableName; columns: string[]; values: string[]; count: number }[];
}

export type Values = Record<string, string | null>;

/** A staged change. A column that is not named has its default, or stays. */
export type Change =
  /** `was`: what the changed columns had when they were shown. */
  | { kind: "update"; table: TableName; key: string[]; values: Values; was: Values }
  | { kind: "insert"; table: TableName; values: Values }
  | { kind: "delete"; table: TableName; key: string[] };

/** A user of Auth, as the list shows it. */
export interface DataUser {
  id: string;
  email: string | null;
  phone: string | null;
  role: string | null;
  providers: string[];
  anonymous: boolean;
  created: string | null;
  lastSignIn: string | null;
  confirmed: boolean;
  bannedUntil: string | null;
  sessions: number;
  factors: number;
}

export type UserAct =
  | { do: "make"; email: string; password: string }
  | { do: "ban" | "unban" | "sign out" | "delete" | "open"; id: string }
  | { do: "set password"; id: string; password: string };

export interface Bucket {
  name: string;
  public: boolean;
  /** Bytes of a file. */
  limit: number | null;
  /** Those that are allowed; none for all. */
  types: string[];
  files: number;
  bytes: number;
  /** Whether the lens does not get it in its own list. */
  hidden: boolean;
}

export interface FilesAsk {
  as: Lens;
  bucket: string;
  /** The folder, with a slash at its end, and the beginning of a name in it. */
  prefix: string;
  /** `next` of the page before. */
  after?: string | undefined;
}

/** A file of a bucket, or a folder, whose path ends with a slash. */
export interface StoredFile {
  path: string;
  folder: boolean;
  /** Whether the lens does not get it in its own list. */
  hidden: boolean;
  size?: number | undefined;
  /** As it was said by the upload. */
  type?: string | undefined;
  changed?: string | undefined;
  /** An email, or what its token names. */
  owner?: string | undefined;
}

export interface FilePlace {
  /** For Storage postgres is the service. */
  as: Lens;
  bucket: string;
  path: string;
}

export type FileAct = FilePlace & ({ do: "sign"; seconds: number } | { do: "delete" });

/** Of `PUT /upload`, whose body is the file. */
export interface UploadAsk extends FilePlace {
  type: string;
  /** Whether a file of this name is replaced. */
  replace: boolean;
}

export interface SqlAsk {
  as: Lens;
  text: string;
  /** Plans instead of results; nothing stays of what runs for them. */
  explain: boolean;
}

/** The answer of one statement of a text. */
export interface SqlResult {
  /** "SELECT", "CREATE TABLE". */
  command: string;
  /** Rows that it touched, or that it returned. */
  count?: number | undefined;
  columns: { name: string; type: string }[];
  /** Postgres's text of each value. */
  rows: (string | null)[][];
  /** Whether there were more: 10,000 rows, and 8 MB of all results of a text, are the most. */
  cut: boolean;
  /** Where its rows are those of one table with its key: the table's column of each of the result's. */
  table?: TableName & { columns: (string | null)[] };
  milliseconds: number;
}

export interface SqlError {
  message: string;
  code?: string | undefined;
  detail?: string | undefined;
  hint?: string | undefined;
  /** A name that is there, where a similar one was not. */
  near?: string | undefined;
  /** Its place in the text, in UTF-16 units from 0. */
  at?: number | undefined;
}

export interface SqlAnswer {
  results: SqlResult[];
  notices: string[];
  error?: SqlError | undefined;
  /** The statements that are committed: all, none, those before the error; "open": a transaction was not ended, and is undone. */
  saved: "all" | "none" | "before" | "open";
  milliseconds: number;
}

/** A file of `supabase/snippets`. */
export interface Snippet {
  name: string;
  text: string;
  /** Of what the file has; another one was saved by somebody else. */
  version: string;
}

export type SnippetAct =
  /** `version`: of the file as the page knows it, which no other may replace; absent for a new file. */
  | { do: "save"; name: string; text: string; version?: string }
  | { do: "rename"; name: string; to: string }
  | { do: "delete"; name: string; version: string };

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

/** Why an answer is as it is. */
export interface Why {
  sentences: string[];
  /** The record's gates, with what the policies decided today. */
  gates: Gate[];
  /** As the command prints it. */
  text: string;
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
}

/** The calls: each is `POST /api/<name>`, JSON to JSON; the streams answer lines of JSON. */
export interface ConsoleApi extends StackApi {
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
  tables(ask: Record<string, never>): Promise<Tables>;
  rows(ask: RowsAsk): Promise<DataRows>;
  /** All rows of a filter that the lens gets. */
  export(ask: Omit<RowsAsk, "after">): AsyncIterable<ExportPart>;
  row(ask: { table: TableName; key: string[] }): Promise<DataRow>;
  /** Why the lens gets a row, or not. */
  whyRow(ask: { as: Lens; table: TableName; key: string[] }): Promise<Why>;
  /** The statements of changes. @param ask.save whether they run: as one transaction, which is undone unless each touches one row */
  write(ask: { as: Lens; changes: Change[]; save: boolean }): Promise<{ sql: string[] }>;
  users(ask: { text: string }): Promise<{ users: DataUser[]; more: boolean }>;
  /** @returns for "open" a link that signs in to the app, for "make" the new user's id */
  userAct(ask: UserAct): Promise<{ link?: string; id?: string }>;
  /** `refused`: why the lens gets none at all. */
  buckets(ask: { as: Lens }): Promise<{ buckets: Bucket[]; refused?: string }>;
  files(ask: FilesAsk): Promise<{ files: StoredFile[]; next?: string | undefined; refused?: string }>;
  /** The bytes of a file. @param ask.most only the first of them */
  file(ask: FilePlace & { most?: number | undefined }): AsyncIterable<Uint8Array>;
  /** @returns for "sign" the link */
  fileAct(ask: FileAct): Promise<{ link?: string }>;
  whyFile(ask: FilePlace): Promise<Why>;
  sql(ask: SqlAsk): Promise<SqlAnswer>;
  snippets(ask: Record<string, never>): Promise<{ names: string[] }>;
  snippet(ask: { name: string }): Promise<Snippet>;
  /** @returns the version of what is saved. @throws 409 where another one is there */
  snippetAct(ask: SnippetAct): Promise<{ version?: string }>;
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
