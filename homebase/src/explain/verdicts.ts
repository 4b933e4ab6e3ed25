/** Owns the shape of verdicts by keys, which programs get. It names no other module, so that the package can declare it. */

/** Of the shape of what programs get: another number for another shape. */
export const VERSION = 1;

export interface TableName {
  schema: string;
  name: string;
}

/** A value of a key. */
export type KeyValue = string | number | bigint | boolean;

/** Who asks. */
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
  /** What comes before policies: a missing grant refuses the request, and its rows are not visible. */
  granted: boolean;
  rowSecurity: "on" | "off" | "bypassed" | "owner";
  /** One for each key, in the order of the keys. */
  verdicts: KeyVerdict[];
  groups: VerdictGroup[];
  parts: Record<string, PartText>;
}
