/** Owns what the page is answered about tables, rows, users and files: types alone. */
import type {
  Change,
  FileAct,
  FilePlace,
  FilesAsk,
  Lens,
  NewBucket,
  RowsAsk,
  TableName,
  UserAct,
} from "../questions.ts";
import type { Why } from "../why-answers.ts";

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
  kind: "table" | "view" | "materialized view";
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

export interface DataRows {
  /** Postgres's text of each column; the beginning of long ones. */
  rows: (string | null)[][];
  /** Places of cells that have more text. */
  cut: [row: number, column: number][];
  /** Of each row, the whole values of its key. */
  keys: string[][];
  /** Places of rows that the lens would not get. */
  hidden: number[];
  /** Columns that its role may not select. */
  withheld: string[];
  /** Why the lens gets nothing at all, in Postgres's words. */
  refused?: string | undefined;
  /** All rows of the filter as postgres reads them: of many an estimate, or what there is at least. */
  total: { count: number; as: "exact" | "estimate" | "least" };
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
  /** Places of values of which this is the beginning. */
  cut: number[];
  /** The rows that its foreign keys lead to, with their names for people. */
  references: (Reference & { values: string[]; name?: string | undefined })[];
  /** Rows of other tables that lead to it. */
  pointsHere: { table: TableName; columns: string[]; values: string[]; count: number }[];
}

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

export interface DataApi {
  tables(ask: Record<string, never>): Promise<Tables>;
  rows(ask: RowsAsk): Promise<DataRows>;
  /** All rows of a filter that the lens gets. */
  export(ask: Omit<RowsAsk, "after">): AsyncIterable<ExportPart>;
  row(ask: { table: TableName; key: string[] }): Promise<DataRow>;
  /** Why the lens gets a row, or not. */
  whyRow(ask: { as: Lens; table: TableName; key: string[] }): Promise<Why>;
  /** The statements of changes, once they ran where they are saved. */
  write(ask: { as: Lens; changes: Change[]; save: boolean }): Promise<{ sql: string[] }>;
  users(ask: { text: string }): Promise<{ users: DataUser[]; more: boolean }>;
  /** @returns for "open" a link that signs in to the app, for "make" the new user's id */
  userAct(ask: UserAct): Promise<{ link?: string; id?: string }>;
  /** `refused`: why the lens gets none at all. */
  buckets(ask: { as: Lens }): Promise<{ buckets: Bucket[]; refused?: string }>;
  /** Made by Storage as the service. */
  makeBucket(ask: NewBucket): Promise<Record<string, never>>;
  files(ask: FilesAsk): Promise<{ files: StoredFile[]; next?: string | undefined; refused?: string }>;
  /** The bytes of a file. @param ask.most only the first of them */
  file(ask: FilePlace & { most?: number | undefined }): AsyncIterable<Uint8Array>;
  /** @returns for "sign" the link */
  fileAct(ask: FileAct): Promise<{ link?: string }>;
  whyFile(ask: FilePlace): Promise<Why>;
}
