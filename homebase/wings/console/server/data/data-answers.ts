/** Owns what the page asks and is answered about tables, rows, users and files: types alone. */
import type { Why } from "../why-answers.ts";

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
  /** Of each row, the whole values of its key. */
  keys: string[][];
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
  /** Places of values of which this is the beginning. */
  cut: number[];
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

export interface NewBucket {
  name: string;
  public: boolean;
  /** As Storage takes it, "5MB"; "" for the project's. */
  limit: string;
  /** None for all. */
  types: string[];
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

export interface DataApi {
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
  /** Made by Storage as the service. */
  makeBucket(ask: NewBucket): Promise<Record<string, never>>;
  files(ask: FilesAsk): Promise<{ files: StoredFile[]; next?: string | undefined; refused?: string }>;
  /** The bytes of a file. @param ask.most only the first of them */
  file(ask: FilePlace & { most?: number | undefined }): AsyncIterable<Uint8Array>;
  /** @returns for "sign" the link */
  fileAct(ask: FileAct): Promise<{ link?: string }>;
  whyFile(ask: FilePlace): Promise<Why>;
}
