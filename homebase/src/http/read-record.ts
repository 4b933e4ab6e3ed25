/** Owns the shape of a record of a request as commands, tests and tools read it. */

/** What a response of 400 and more said. Postgres's `details` quote rows, so they are not among it. */
export interface RecordedError {
  message: string;
  hint?: string;
  /** Postgres refused this table, or what it names so; the message has no schema. */
  refused?: { name: string; by: "grant" | "policy" };
}

/** A record as a command and a test read it. */
export interface ReadRecord {
  id: string;
  /** ISO 8601. */
  at: string;
  milliseconds: number;
  service: string | undefined;
  method: string;
  path: string;
  query: string;
  status: number;
  rows: number | undefined;
  bytes: number | undefined;
  code: string | undefined;
  error: RecordedError | undefined;
  parent: string | undefined;
  role: string | undefined;
  claims: Record<string, unknown> | undefined;
  /** Undefined where no statement ran, or its values were not kept. */
  statement:
    | {
        text: string;
        values: (string | null)[];
        searchPath: string;
        readOnly: boolean;
        headers: Readonly<Record<string, string>>;
      }
    | undefined;
  /** Whether everything is here that running it again takes. */
  replayable: boolean;
  /** What it uses that hosted's version of the service does not have, one sentence each; missing for nothing. */
  later?: readonly string[];
}

/** The role that claims name. */
export function callerRoleOf({ role }: Record<string, unknown> = {}): string | undefined {
  return typeof role === "string" && role !== "" ? role : undefined;
}

/** Email, phone and id of a token's user, as far as its claims have them. */
export function callerOf({ email, phone, sub }: Record<string, unknown> = {}): string[] {
  return [email, phone, sub].filter((one): one is string => typeof one === "string" && one !== "");
}
