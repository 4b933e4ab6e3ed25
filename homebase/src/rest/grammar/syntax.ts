/**
 * Owns the types of a parsed query string: select items, filters, logic trees, order terms. Names are not
 * resolved here (PostgREST documentation, "Tables and Views").
 */

/** One arrow of a JSON path; an `index` key is an array position. */
export interface JsonStep {
  arrow: "->" | "->>";
  key: string;
  index: boolean;
}

/** A column, or a path into its JSON. */
export interface Field {
  name: string;
  path: JsonStep[];
}

export const AGGREGATES = ["avg", "count", "max", "min", "sum"] as const;
export type Aggregate = (typeof AGGREGATES)[number];

export type JoinType = "inner" | "left";

export interface FieldItem {
  kind: "field";
  /** Undefined for `count()`. */
  field?: Field;
  alias?: string;
  /** Applied to the field, before an aggregate. */
  cast?: string;
  aggregate?: Aggregate;
  aggregateCast?: string;
}

export interface RelationItem {
  kind: "relation";
  name: string;
  alias?: string;
  hint?: string;
  join?: JoinType;
  /** Its columns are lifted into the parent. */
  spread: boolean;
  select: SelectItem[];
}

export type SelectItem = { kind: "star" } | FieldItem | RelationItem;

export type Quantifier = "any" | "all";

export const QUANTIFIABLE = ["eq", "gte", "gt", "lte", "lt", "like", "ilike", "match", "imatch"] as const;
export const PLAIN = ["neq", "cs", "cd", "ov", "sl", "sr", "nxr", "nxl", "adj"] as const;
export const TEXT_SEARCH = ["fts", "plfts", "phfts", "wfts"] as const;
export const IS_VALUES = ["null", "not_null", "true", "false", "unknown"] as const;

export type QuantifiableOperator = (typeof QUANTIFIABLE)[number];
export type PlainOperator = (typeof PLAIN)[number];
export type TextSearchOperator = (typeof TEXT_SEARCH)[number];
export type IsValue = (typeof IS_VALUES)[number];

export type Operation =
  | { kind: "compare"; operator: QuantifiableOperator; quantifier?: Quantifier; value: string }
  | { kind: "plain"; operator: PlainOperator; value: string }
  | { kind: "in"; values: string[] }
  | { kind: "is"; value: IsValue }
  | { kind: "distinct"; value: string }
  | { kind: "search"; operator: TextSearchOperator; language?: string; value: string };

export interface Filter {
  kind: "filter";
  field: Field;
  negated: boolean;
  operation: Operation;
}

export interface LogicGroup {
  kind: "group";
  operator: "and" | "or";
  negated: boolean;
  members: LogicTree[];
}

export type LogicTree = Filter | LogicGroup;

export interface OrderTerm {
  field: Field;
  /** Order by a column of this embedded to-one relation. */
  relation?: string;
  direction?: "asc" | "desc";
  nulls?: "first" | "last";
}
