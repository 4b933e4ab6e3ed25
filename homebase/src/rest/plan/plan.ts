/**
 * Owns the shape of a plan: a request resolved against the schema cache, ready to be written as SQL.
 */
import type { Utf8Text } from "../../postgres/pipeline/wire.ts";
import type { Aggregate, Field, Filter, JoinType } from "../grammar/syntax.ts";
import type { Column, QualifiedName, Relation, Relationship, Routine } from "../schema/schema.ts";

export type OutputColumn =
  /** Every column of the node's relation. */
  | { kind: "all" }
  | { kind: "field"; field: Field; cast?: string; aggregate?: Aggregate; aggregateCast?: string; as?: string }
  | { kind: "count"; cast?: string; as: string }
  /** The whole row, so that the node that it is spread into can count rows. */
  | { kind: "row"; as: string };

/** A column of a spread relation's rows, which becomes one of its parent's. */
export interface LiftedColumn {
  name: string;
  /** Computed by the parent, because the spread has no rows of its own. */
  aggregate?: Aggregate;
  cast?: string;
}

/** Where a node's rows come from. */
export type NodeSource =
  | { kind: "relation" }
  /** The statement's own source: affected rows, or a function's result. */
  | { kind: "source" };

export interface ReadNode {
  /** The name of its rows in the statement, not quoted. */
  alias: string;
  source: NodeSource;
  name: QualifiedName;
  /** Undefined when the rows are of no known relation. */
  relation: Relation | undefined;
  columns: OutputColumn[];
  embeds: Embed[];
  conditions: Condition[];
  order: OrderPlan[];
  offset: number;
  limit: number | undefined;
  /** At the root: embeds that the request calls by their relation's name although they have an alias. */
  legacyNames?: { name: string; alias: string }[];
}

export interface Embed {
  /** The name of the lateral subquery in the statement, not quoted. */
  alias: string;
  /** Key in the output. */
  output: string;
  relationship: Relationship;
  toOne: boolean;
  join: JoinType;
  spread: boolean;
  /** Of a spread: what it adds to the parent; undefined when its columns are not known. */
  lifted: readonly LiftedColumn[] | undefined;
  /** Joined, but without output. */
  hidden: boolean;
  node: ReadNode;
}

export type Condition =
  | Filter
  | { kind: "all" | "any"; negated: boolean; members: Condition[] }
  /** Whether the embed has (`present`) or has not a row. */
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
  /** Missing keys take the column's default. */
  defaults: boolean;
}

interface WriteFields {
  kind: "write";
  table: Relation;
  /** Reads the representation from the affected rows. */
  root: ReadNode;
  /** Columns to return from the write; "*" stands for all. Empty: none are needed. */
  returning: readonly string[];
  /** Primary key columns for the Location header; empty when it is not wanted. */
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
  /** One text for each parameter given; several for a variadic one. */
  | { kind: "texts"; values: { name: string; type: string; variadic: boolean; values: string[] }[] }
  /** Named parameters taken out of a JSON body. */
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
