/** Owns what a request's test says, before it is written in a language. */
import type { QualifiedName } from "../../rest/schema/schema-cache.ts";

/** What a test says, in whichever language. */
export interface MadeTest {
  title: string;
  /** The explanation, a sentence a line. */
  comments: string[];
  /** The rows as SQL. */
  statements: string[];
  role: string;
  claims: Record<string, unknown>;
  /** The caller's address among the rows; undefined for nobody, and for a user without one. */
  address: string | undefined;
  searchPath: string;
  table: QualifiedName;
  command: "select" | "insert" | "update" | "delete";
  /** The row; no columns for one that a write makes. */
  key: { columns: string[]; values: string[] };
  /** The columns to read. */
  columns: string[];
  /** The values of a write. */
  rows: Record<string, unknown>[];
  outcome: "seen" | "empty" | "refused" | "allowed" | "value";
  /** Of a refusal: Postgres's message, which names the table. */
  message?: string;
  /** Of the outcome "value", as text. */
  value?: string | null;
  /** A function's call in the place of the table's rows. */
  called?: { name: QualifiedName; args: Record<string, unknown>; set: boolean };
  /** An object that is stored in the place of a row. */
  uploaded?: { bucket: string; name: string };
  /** Whether it asserts first that the row is there for those whom no policy restricts. */
  there?: boolean;
}

/** The claims of everybody who has signed in with a password. */
export const USUAL_CLAIMS = {
  role: "authenticated",
  aud: "authenticated",
  aal: "aal1",
  is_anonymous: false,
  app_metadata: {},
};

/** The other claims of a test's user. */
export function furtherClaims({ claims, role }: Pick<MadeTest, "claims" | "role">): Record<string, unknown> {
  const usual: Record<string, unknown> = { ...USUAL_CLAIMS, sub: claims.sub };
  return Object.fromEntries(
    Object.entries({ role, ...claims }).filter(
      ([name, value]) => JSON.stringify(usual[name]) !== JSON.stringify(value),
    ),
  );
}
