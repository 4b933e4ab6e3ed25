/**
 * Owns the shape of a plan: a request resolved against the schema cache, ready to be written as SQL.
 */
import type { Utf8Text } from "../../postgres/pipeline/wire.ts";
import type { Aggregate, Field, Filter, JoinType } from "../grammar/syntax.ts";
import type { Column, QualifiedName, Relation, Relationship, Routine } from "../schema/schema-cache.ts";

export type OutputColumn =
  /** Every column of the node's relation. */
  | { kind: "all" }
  | { kind: "field"; field: Field; cast?: string; aggregate?: Aggregate; aggregateCast?: string; as?: string }
  | { kind: "count"; cast?: string; as: string }
  /** The whole row, so that a node that spreads it can count rows. */
  | { kind: "row"; as: string };

/** A column of a spread relation that becomes a column of its parent. */
export interface LiftedColumn {
  name: string;
  /** Whether the parent computes it, because the spread has no rows of its own. */
  aggregate?: Aggregate;
  cast?: string;
}

/** The source of a node's rows. */
export type NodeSource =
  | { kind: "relation" }
  /** The statement's own source: affected rows, or a function's result. */
  | { kind: "source" };

export interface ReadNode {
  /** The name of its rows in the statement, unquoted. */
  alias: string;
  source: NodeSource;
  name: QualifiedName;
  /** Undefined when the rows' relation is unknown. */
  relation: Relation | undefined;
  columns: OutputColumn[];
  embeds: Embed[];
  conditions: Condition[];
  order: OrderPlan[];
  offset: number;
  limit: number | undefined;
  /** For the root: embeds that the request refers to by their relation's name although they have an alias. */
  legacyNames?: { name: string; alias: string }[];
}

export interface Embed {
  /** The name of the lateral subquery in the statement, unquoted. */
  alias: string;
  /** Key in the output. */
  output: string;
  relationship: Relationship;
  toOne: boolean;
  join: JoinType;
  spread: boolean;
  /** For a spread: the columns that it adds to the parent; undefined when unknown. */
  lifted: readonly LiftedColumn[] | undefined;
  /** Whether it is joined, but not in the output. */
  hidden: boolean;
  node: ReadNode;
}

export type Condition =
  | Filter
  | { kind: "all" | "any"; negated: boolean; members: Condition[] }
  /** A filter on the embed having a row (`present`) or none. */
  | { kind: "embed"; embed: Embed; present: boolean };

export interface OrderPlan {
  field: Field;
  embed?: Embed;
  direction?: "asc" | "desc";
  nulls?: "first" | "last";
}

export interface ReadPlan {
  kind: "read";
  root: ReadNode;
}

export interface BodyColumns {
  columns: readonly Column[];
  text: string | Utf8Text;
  shape: "object" | "array";
  /** Whether missing keys get the column's default. */
  defaults: boolean;
}

interface WriteFields {
  kind: "write";
  table: Relation;
  /** Reads the representation from the affected rows. */
  root: ReadNode;
  /** Columns to return from the write; "*" for all, empty for none. */
  returning: readonly string[];
  /** Primary key columns for the Location header; empty when not requested. */
  location: readonly string[];
}

export type WritePlan = WriteFields &
  (
    | { action: "insert"; body: BodyColumns; conflict?: { columns: readonly string[]; update: boolean } }
    | {
        action: "put";
        body: BodyColumns;
        conflict: { columns: readonly string[]; update: true };
        key: Condition[];
      }
    | { action: "update"; body: BodyColumns; conditions: Condition[] }
    | { action: "delete"; conditions: Condition[] }
  );

export type CallArguments =
  | { kind: "none" }
  /** One text for each given parameter; several for a variadic one. */
  | { kind: "texts"; values: { name: string; type: string; variadic: boolean; values: string[] }[] }
  /** Named parameters from a JSON body. */
  | { kind: "json"; text: string | Utf8Text; shape: "object" | "array"; parameters: Routine["parameters"] }
  /** The whole body for a single unnamed parameter. */
  | { kind: "unnamed"; type: string; value: string | Buffer | Utf8Text };

export interface CallPlan {
  kind: "call";
  routine: Routine;
  args: CallArguments;
  root: ReadNode;
}

export type Plan = ReadPlan | WritePlan | CallPlan;
