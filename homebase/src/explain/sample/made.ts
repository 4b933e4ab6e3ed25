/** Owns what a request's test says, before it is written in a language. */
import type { QualifiedName } from "../../rest/schema/schema.ts";

/** What a test says, in whichever language. */
export interface MadeTest {
  title: string;
  /** The explanation, a sentence a line. */
  comments: string[];
  /** The rows as SQL. */
  statements: string[];
  role: string;
  claims: Record<string, unknown>;
  searchPath: string;
  table: QualifiedName;
  command: "select" | "insert" | "update" | "delete";
  /** The row; no columns for one that a write makes. */
  key: { columns: string[]; values: string[] };
  /** The columns to read. */
  columns: string[];
  /** The values of a write. */
  rows: Record<string, unknown>[];
  outcome: "seen" | "empty" | "refused" | "allowed";
}
