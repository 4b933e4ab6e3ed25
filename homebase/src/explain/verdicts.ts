/** Owns the shape of verdicts by keys, which programs get. It names no other module, so that the package can declare it. */

/** Of the shape of what programs get: another number for another shape. */
export const VERSION = 1;

export interface TableName {
  schema: string;
  name: string;
}

/** What a sentence of an explanation says. */
export type SentenceKind =
  /** The answer that the request had, or the error that it fails with. */
  | "answer"
  /** Grants or policies answer with an error. */
  | "refused"
  /** Row security leaves rows out, without an error. */
  | "hidden"
  /** The request's own filters or page leave rows out. */
  | "filtered"
  /** There is no such thing, for anybody. */
  | "absent"
  /** Row security lets it through. */
  | "allowed"
  /** Rows or rules are not those of the recorded request any more. */
  | "changed"
  /** A limit ended it, or it was not run. */
  | "unknown"
  /** How it works, or how to ask on. */
  | "note";

export interface Sentence {
  text: string;
  kind: SentenceKind;
  /** The table whose rules it is about. */
  table?: TableName;
  /** The one policy that decides. */
  policy?: string;
  /** The id of the one part that decides. */
  part?: string;
  /** The statement that would change it. */
  sql?: string;
  /** What an option of `homebase explain` adds: printed after the text as "With --replay it is run and undone." */
  further?: { option: "--replay" | "--upsert"; does: string };
}

/** The beginning of a sentence. */
export type Label = Pick<Sentence, "kind" | "text">;

/** A value of a key. */
export type KeyValue = string | number | bigint | boolean;

/** The caller whose rights are asked about. */
export interface Asker {
  role: string;
  /** Of the token; `{ role }` by default. */
  claims?: Record<string, unknown>;
  /** The request's headers that policies read, by lower-case names. */
  headers?: Record<string, string>;
}

/** A part of a policy, which is split at AND, OR and NOT. */
export interface PartText {
  table: TableName;
  policy: string;
  kind: "using" | "check";
  /** As Postgres prints it with an empty search path. */
  text: string;
}

export interface KeyVerdict {
  /** As it was given, of several columns in their order. */
  key: KeyValue[];
  /** Whether there is such a row, whoever asks. */
  exists: boolean;
  /** Null where a limit of the judge ended before it was decided. */
  visible: boolean | null;
  /** The index of its group, which has the parts' verdicts; undefined where no policy was asked. */
  group?: number;
}

/** Rows for which every part has the same verdict. */
export interface VerdictGroup {
  visible: boolean;
  /** By the parts' ids. */
  verdicts: Record<string, boolean | null>;
  /** The errors that parts raise, by their ids. */
  errors?: Record<string, string>;
  /** The fewest parts that have to be different for the rows to be visible, or hidden when they are. */
  reason: string[];
}

export interface KeyVerdicts {
  version: typeof VERSION;
  table: TableName;
  command: "select" | "update" | "delete";
  /** The grants, before any policy: without them the request is refused, and no row is visible. */
  granted: boolean;
  rowSecurity: "on" | "off" | "bypassed" | "owner";
  /** One for each key, in the order of the keys. */
  verdicts: KeyVerdict[];
  groups: VerdictGroup[];
  parts: Record<string, PartText>;
}

/** A text of SQL and its value as text; null for SQL's null. */
export interface ValueText {
  text: string;
  value: string | null;
}

/** Why a part, or a condition inside a function or another table's policy, has its verdict. */
export interface Because {
  /** The part's id, or the condition's text. */
  part?: string;
  text?: string;
  verdict: boolean | null;
  error?: string;
  values?: ValueText[];
  /** The rows that it looks for, counted up to 1,000: those tied to the row, those of them that meet each condition, and all. */
  looked?: {
    tables: TableName[];
    link: { text: string; value?: string | null }[];
    linked: number;
    conditions: { text: string; count: number }[];
    found: number;
    /** Of those found, the ones that row security lets the asker see. */
    seen?: number;
  };
  /** The function that was gone into. */
  inside?: { call: string; runsAs: string; because: Because[] };
  /** The statements that a function without a body in SQL ran, with the rows that they took from tables. */
  ran?: { text: string; found: { table: TableName; rows: number; withoutRowSecurity: number }[] }[];
  /** The reasons within the text, e.g. in the branch of a CASE. */
  within?: { branch?: string; because: Because[] };
  /** Other tables' policies that hide the rows that it looks for. */
  hidden?: { table: TableName; because: Because[] }[];
  note?: string;
}

/** Rows of a table that were judged by one rule. */
export interface JudgedRows {
  /** Which rows, where a table has several rules, e.g. "rows after". */
  rows?: string;
  /** Where they are another table's, which a view reads. */
  table?: TableName;
  /** The role that is asked about: the caller's, or a view's owner. */
  role: string;
  command: "select" | "insert" | "update" | "delete";
  candidates: number;
  /** Why not all of them were judged. */
  cut?: string;
  /** The policies that apply, by their names. */
  policies: string[];
  groups: (VerdictGroup & {
    count: number;
    /** The keys of the first rows, by the names of the columns. */
    keys: Record<string, string>[];
    because?: Because[];
  })[];
}

export interface ExplainedTable {
  table: TableName;
  /** The embeds that lead to it; absent for the request's own. */
  embed?: string;
  /** Which rows, where a request that is not REST's asks a table several questions. */
  about?: string;
  command: "select" | "insert" | "update" | "delete";
  granted: boolean;
  rowSecurity: KeyVerdicts["rowSecurity"];
  /** The row that was asked for: whether it is there, and the filters that it meets. */
  row?: { key: string; exists: boolean; filters: { text: string; met: boolean | null }[] };
  judged: JudgedRows[];
}

/** An explanation of a request, an event or a channel. */
export interface ExplanationData {
  version: typeof VERSION;
  asked: { method: string; path: string; role: string; user?: string };
  /** What a person can act on; the most important first. */
  sentences: Sentence[];
  tables: ExplainedTable[];
  /** The parts of the policies, by their ids. */
  parts: Record<string, PartText>;
  /** The statements that ran inside a function, without `rows` where one did not run as the caller. */
  inside?: { text: string; rows?: number; withoutRowSecurity: number }[];
}
