/**
 * Owns planning writes: insert, upsert, update, delete, and PUT (docs/compat/rest.md 2, "PUT", 8 and 9).
 */
import { restErrors } from "../errors.ts";
import type { LogicTree } from "../grammar/syntax.ts";
import type { RestSettings } from "../postgrest-settings.ts";
import type { RestRequest } from "../request/parsed-request.ts";
import type { Payload } from "../request/payload.ts";
import type { Column, Relation, SchemaCache } from "../schema/schema-cache.ts";
import type { BodyColumns, Condition, Embed, ReadNode, WritePlan } from "./plan.ts";
import { planReadTree } from "./read-tree.ts";

/** @throws RestError PGRST105, 114, 204 and those of reading. */
export function planWrite(
  request: RestRequest,
  cache: SchemaCache,
  settings: RestSettings,
  table: Relation,
): WritePlan {
  const source = { kind: "source" } as const;
  const root = planReadTree(request, cache, settings, { source, name: table, relation: table }, "write");
  const wanted = request.preferences.return;
  const location = wanted === "headers-only" && request.action === "insert" ? table.primaryKey : [];
  const returning =
    wanted === undefined || wanted === "minimal" ? [] : returnedColumns(root, table, location);
  const common = { kind: "write", table, root, returning, location } as const;
  switch (request.action) {
    case "insert": {
      const body = bodyColumns(request, table);
      const conflict = conflictTarget(request, table);
      return { ...common, action: "insert", body, conflict };
    }
    case "put": {
      const key = putKey(request, table);
      const body = bodyColumns(request, table);
      return { ...common, action: "put", body, conflict: { columns: table.primaryKey, update: true }, key };
    }
    case "update":
      return {
        ...common,
        action: "update",
        body: bodyColumns(request, table),
        conditions: rootConditions(request),
      };
    default:
      return { ...common, action: "delete", conditions: rootConditions(request) };
  }
}

/** Filters of a write's own table. */
function rootConditions(request: RestRequest): Condition[] {
  const filters = request.parameters.filters.filter((one) => one.path.length === 0).map((one) => one.filter);
  const groups = request.parameters.groups
    .filter((one) => one.path.length === 0)
    .map((one) => toCondition(one.group));
  return [...filters, ...groups];
}

function toCondition(tree: LogicTree): Condition {
  if (tree.kind === "filter") return tree;
  const kind = tree.operator === "and" ? "all" : "any";
  return { kind, negated: tree.negated, members: tree.members.map(toCondition) };
}

function bodyColumns(request: RestRequest, table: Relation): BodyColumns {
  const payload = request.payload as Extract<Payload, { kind: "json" }>;
  const put = request.action === "put";
  // `columns` applies to JSON only: CSV and forms are already parsed and bring their own keys.
  const names = payload.keys ?? request.parameters.columns ?? [];
  const columns = [...new Set(names)].map((name): Column => {
    const column = table.columns.get(name);
    if (!column) throw restErrors.noColumn(name, table.name);
    return column;
  });
  return {
    columns,
    text: payload.text,
    shape: payload.shape,
    defaults: !put && request.preferences.missing === "default",
  };
}

function conflictTarget(
  request: RestRequest,
  table: Relation,
): { columns: readonly string[]; update: boolean } | undefined {
  const { resolution } = request.preferences;
  if (resolution === undefined) return undefined;
  const columns = request.parameters.onConflict ?? table.primaryKey;
  return columns.length === 0 ? undefined : { columns, update: resolution === "merge-duplicates" };
}

/** Requires filters on exactly the primary key. */
function putKey(request: RestRequest, table: Relation): Condition[] {
  const { filters, groups, limits, offsets } = request.parameters;
  if (limits.some((one) => one.path.length === 0) || offsets.some((one) => one.path.length === 0)) {
    throw restErrors.putRange();
  }
  const own = filters.filter((one) => one.path.length === 0).map((one) => one.filter);
  const names = new Set(own.map((one) => one.field.name));
  const exact =
    groups.every((one) => one.path.length > 0) &&
    table.primaryKey.length > 0 &&
    names.size === table.primaryKey.length &&
    table.primaryKey.every((column) => names.has(column)) &&
    own.every(
      ({ field, negated, operation }) =>
        field.path.length === 0 &&
        !negated &&
        operation.kind === "compare" &&
        operation.operator === "eq" &&
        operation.quantifier === undefined,
    );
  if (!exact) throw restErrors.putFilters();
  return own;
}

/**
 * Returns only what the response needs: the caller may lack SELECT on other columns. `headers-only` needs the same, so that
 * it refuses what a representation would.
 */
function returnedColumns(root: ReadNode, table: Relation, location: readonly string[]): string[] {
  const names = new Set<string>(location);
  for (const column of root.columns) {
    if (column.kind === "all") names.add("*");
    else if (column.kind === "field") names.add(column.field.name);
  }
  for (const embed of root.embeds) for (const name of joinColumns(embed)) names.add(name);
  for (const { field, embed } of root.order) if (!embed) names.add(field.name);
  if (!names.has("*")) return [...names];
  // Besides "*" only computed fields are listed: the columns are already included.
  return ["*", ...[...names].filter((name) => name !== "*" && !table.columns.has(name))];
}

function joinColumns({ relationship }: Embed): string[] {
  if (relationship.kind === "computed") return ["*"];
  const pairs = relationship.junction?.toOrigin ?? relationship.columns;
  return pairs.map(([origin]) => origin);
}
