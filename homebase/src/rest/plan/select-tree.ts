/**
 * Owns the tree of a select, with filters, order, limit and offset attached to the relation that each names.
 * The schema is not known here (docs/compat/rest.md 5).
 */
import { restErrors } from "../errors.ts";
import type { EmbedPath, Parameters } from "../grammar/parameters.ts";
import type { LogicTree, OrderTerm, RelationItem, SelectItem } from "../grammar/syntax.ts";

/** The root, or an embedded relation. */
export interface Target {
  /** Undefined for the root. */
  item: RelationItem | undefined;
  /** Columns in the order of the select. */
  columns: Exclude<SelectItem, RelationItem>[];
  relations: (Target & { item: RelationItem })[];
  filters: LogicTree[];
  order: OrderTerm[];
  limit: number | undefined;
  offset: number;
  /** Whether the request refers to it by its relation's name although it has an alias. */
  legacy: boolean;
}

/** Filters and limits of a write's root apply to the write; limits have no meaning there. */
export type RootUse = "read" | "write";

/**
 * @param legacyNames whether relations with an alias may also be referred to by their name.
 * @throws RestError PGRST108.
 */
export function targetTree(parameters: Parameters, use: RootUse, legacyNames: boolean): Target {
  const root = target(undefined, parameters.select);
  const attach = (path: EmbedPath, change: (one: Target) => void) => change(find(root, path, legacyNames));
  // PostgREST attaches the last one first, and moves a relation that something was attached to before its
  // siblings. The key order of the result follows from that.
  for (const { path, filter } of parameters.filters.toReversed()) {
    if (use === "read" || path.length > 0) attach(path, (one) => one.filters.push(filter));
  }
  for (const { path, terms } of parameters.orders.toReversed()) {
    attach(path, (one) => {
      one.order = terms;
    });
  }
  if (use === "read") {
    for (const { path, limit } of parameters.limits.toReversed()) {
      attach(path, (one) => {
        one.limit = limit;
      });
    }
    for (const { path, offset } of parameters.offsets.toReversed()) {
      attach(path, (one) => {
        one.offset = offset;
      });
    }
  }
  for (const { path, group } of parameters.groups.toReversed()) {
    if (use === "read" || path.length > 0) attach(path, (one) => one.filters.push(group));
  }
  return root;
}

function target(item: undefined, select: readonly SelectItem[]): Target;
function target(item: RelationItem, select: readonly SelectItem[]): Target & { item: RelationItem };
function target(item: RelationItem | undefined, select: readonly SelectItem[]): Target {
  const result: Target = {
    item,
    columns: [],
    relations: [],
    filters: [],
    order: [],
    limit: undefined,
    offset: 0,
    legacy: false,
  };
  for (const one of select) {
    if (one.kind === "relation") result.relations.push(target(one, one.select));
    else result.columns.push(one);
  }
  return result;
}

/** The name of an embed in the output, and in the rest of the request. */
export function outputOf({ alias, name }: RelationItem): string {
  return alias ?? name;
}

function find(root: Target, path: EmbedPath, legacyNames: boolean): Target {
  let node = root;
  for (const word of path) {
    const { relations } = node;
    const named = ({ item }: { item: RelationItem }) => item.name === word;
    const at = relations.findIndex((one) => outputOf(one.item) === word || (legacyNames && named(one)));
    const found = relations[at];
    if (!found) {
      const aliased = relations.find(named)?.item.alias;
      throw aliased === undefined ? restErrors.notEmbedded(word) : restErrors.aliasedTarget(word, aliased);
    }
    if (outputOf(found.item) !== word) found.legacy = true;
    if (at > 0) relations.unshift(...relations.splice(at, 1));
    node = found;
  }
  return node;
}
