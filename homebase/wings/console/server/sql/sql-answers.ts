/** Owns what the page is answered about SQL and snippets: types alone. */
import type { SnippetAct, SqlAsk, TableName } from "../questions.ts";

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

export interface SqlApi {
  sql(ask: SqlAsk): Promise<SqlAnswer>;
  snippets(ask: Record<string, never>): Promise<{ names: string[] }>;
  snippet(ask: { name: string }): Promise<Snippet>;
  /** @returns the version of what is saved. @throws 409 where another one is there */
  snippetAct(ask: SnippetAct): Promise<{ version?: string }>;
}
