/**
 * Owns planning a read: the tree of a select, resolved against the schema cache (docs/compat/rest.md 4 to 6).
 */
import { restErrors } from "../errors.ts";
import type { FieldItem, LogicTree, OrderTerm } from "../grammar/syntax.ts";
import type { RestSettings } from "../postgrest-settings.ts";
import type { RestRequest } from "../request/parsed-request.ts";
import {
  nameKey,
  type QualifiedName,
  type Relation,
  type Relationship,
  type SchemaCache,
} from "../schema/schema-cache.ts";
import { embedAlias, nodeAlias, rootAlias } from "./alias.ts";
import { outputName } from "./output.ts";
import type {
  Condition,
  Embed,
  LiftedColumn,
  NodeSource,
  OrderPlan,
  OutputColumn,
  ReadNode,
} from "./plan.ts";
import { chooseRelationship } from "./relationship.ts";
import { outputOf, type RootUse, type Target, targetTree } from "./select-tree.ts";

export interface ReadRoot {
  source: NodeSource;
  name: QualifiedName;
  relation: Relation | undefined;
}

interface Building {
  cache: SchemaCache;
  schema: string;
  counter: number;
  legacyNames: { name: string; alias: string }[];
}

/** @throws RestError PGRST108, 118, 123, 127, 200, 201. */
export function planReadTree(
  request: RestRequest,
  cache: SchemaCache,
  settings: RestSettings,
  root: ReadRoot,
  use: RootUse,
): ReadNode {
  const target = targetTree(request.parameters, use, settings.legacyTargetNames);
  const building: Building = { cache, schema: request.schema, counter: 0, legacyNames: [] };
  const { node } = buildNode(building, target, root, { alias: rootAlias(root), depth: 0, lifted: false });
  attachOrders(node, target);
  checkAggregates(node, settings.aggregates);
  if (building.legacyNames.length > 0) node.legacyNames = building.legacyNames;
  if (use === "read") {
    node.offset = request.range.offset;
    node.limit = request.range.limit;
    capRows(node, settings.maxRows);
  }
  return node;
}

function capRows(node: ReadNode, maxRows: number | undefined): void {
  if (maxRows === undefined) return;
  node.limit = node.limit === undefined ? maxRows : Math.min(node.limit, maxRows);
  for (const embed of node.embeds) capRows(embed.node, maxRows);
}

interface Place {
  alias: string;
  depth: number;
  /** Whether the rows are merged into the parent's, as those of a to-one spread. */
  lifted: boolean;
}

function buildNode(
  building: Building,
  target: Target,
  root: ReadRoot,
  { alias, depth, lifted }: Place,
): { node: ReadNode; outward: LiftedColumn[] | undefined } {
  const node: ReadNode = {
    alias,
    ...root,
    columns: [],
    embeds: [],
    conditions: [],
    order: [],
    offset: target.offset,
    limit: target.limit,
  };
  let outward: LiftedColumn[] | undefined = [];
  for (const item of target.columns) {
    if (item.kind === "star") {
      node.columns.push({ kind: "all" });
      const names = root.relation ? [...root.relation.columns.keys()] : undefined;
      outward = names && outward?.concat(names.map((name) => ({ name })));
    } else {
      const as = outputName(item);
      outward?.push(liftedField(item, as ?? item.field?.name ?? ""));
      node.columns.push(lifted && item.aggregate ? withoutAggregate(item, as ?? "") : planField(item, as));
    }
  }
  for (const relation of target.relations) {
    const embed = buildEmbed(building, node, relation, { depth: depth + 1, lifted });
    node.embeds.push(embed.embed);
    outward = embed.outward && outward?.concat(embed.outward);
  }
  node.conditions = target.filters.map((filter) => planCondition(node, filter));
  return { node, outward };
}

function liftedField({ aggregate, aggregateCast }: FieldItem, name: string): LiftedColumn {
  if (aggregate === undefined) return { name };
  return { name, aggregate, cast: aggregateCast };
}

function planField(item: FieldItem, as: string | undefined): OutputColumn {
  if (!item.field) {
    return { kind: "count", as: as ?? "count", ...(item.aggregateCast ? { cast: item.aggregateCast } : {}) };
  }
  return {
    kind: "field",
    field: item.field,
    cast: item.cast,
    aggregate: item.aggregate,
    aggregateCast: item.aggregateCast,
    as,
  };
}

/** The argument of an aggregate that the node above the spread computes. */
function withoutAggregate({ field, cast }: FieldItem, as: string): OutputColumn {
  if (!field) return { kind: "row", as };
  return { kind: "field", field, as, cast };
}

function buildEmbed(
  building: Building,
  parent: ReadNode,
  target: Target & { item: NonNullable<Target["item"]> },
  { depth, lifted }: Omit<Place, "alias">,
): { embed: Embed; outward: LiftedColumn[] | undefined } {
  const { item } = target;
  if (target.legacy) building.legacyNames.push({ name: item.name, alias: outputOf(item) });
  const relationship = chooseRelationship(building.cache, parent.name, item, building.schema);
  const toOne = isToOne(relationship);
  const name = relationship.target;
  const count = building.counter++;
  const alias = embedAlias(parent.name, outputOf(item), depth, count);
  const relation = building.cache.relations.get(nameKey(name));
  const root: ReadRoot = { source: { kind: "relation" }, name, relation };
  const { node, outward } = buildNode(building, target, root, {
    alias: nodeAlias(name, { parent: parent.alias, depth, count, manyToMany: isManyToMany(relationship) }),
    depth,
    lifted: item.spread && toOne,
  });
  const embed: Embed = {
    alias,
    output: outputOf(item),
    relationship,
    toOne,
    join: item.join ?? "left",
    spread: item.spread,
    lifted: item.spread ? liftedHere(outward, toOne && !lifted) : undefined,
    hidden: node.columns.length === 0 && node.embeds.every((one) => one.hidden),
    node,
  };
  if (!item.spread) return { embed, outward: embed.hidden ? [] : [{ name: embed.output }] };
  return { embed, outward: liftedHere(outward, toOne) };
}

/** Moves aggregates up through to-one spreads, to the nearest node with rows of its own. */
function liftedHere(columns: LiftedColumn[] | undefined, computed: boolean): LiftedColumn[] | undefined {
  return computed ? columns : columns?.map(({ name }) => ({ name }));
}

function isManyToMany(relationship: Relationship): boolean {
  return relationship.kind === "key" && relationship.junction !== undefined;
}

function isToOne(relationship: Relationship): boolean {
  if (relationship.kind === "computed") return relationship.toOne;
  return relationship.cardinality === "many-to-one" || relationship.cardinality === "one-to-one";
}

/** Resolves null filters on embeds; all other filters apply to columns. */
export function planCondition(node: ReadNode, tree: LogicTree): Condition {
  if (tree.kind === "group") {
    return {
      kind: tree.operator === "and" ? "all" : "any",
      negated: tree.negated,
      members: tree.members.map((member) => planCondition(node, member)),
    };
  }
  const { field, operation } = tree;
  if (field.path.length === 0 && operation.kind === "is" && operation.value === "null") {
    const embed = node.embeds.find((one) => one.output === field.name);
    if (embed) return { kind: "embed", embed, present: tree.negated };
  }
  return tree;
}

/** Runs after all relations are resolved: errors in resolving precede errors in ordering. */
function attachOrders(node: ReadNode, target: Target): void {
  node.order = target.order.map((term) => planOrder(node, term));
  for (const [at, embed] of node.embeds.entries()) {
    const relation = target.relations[at];
    if (relation) attachOrders(embed.node, relation);
  }
}

function planOrder(node: ReadNode, term: OrderTerm): OrderPlan {
  const { relation, ...rest } = term;
  if (relation === undefined) return rest;
  const embed = node.embeds.find((one) => one.output === relation);
  if (!embed) throw restErrors.notEmbedded(relation);
  if (!embed.toOne) throw restErrors.relatedOrder(node.name.name, relation);
  return { ...rest, embed };
}

function checkAggregates(root: ReadNode, allowed: boolean): void {
  if (!allowed && anyAggregate(root)) throw restErrors.aggregates();
  checkSpreads(root);
}

function anyAggregate(node: ReadNode): boolean {
  return isGrouped(node) || node.embeds.some((embed) => anyAggregate(embed.node));
}

/** Whether the node computes aggregates, its own or those of spreads. */
export function isGrouped({ columns, embeds }: ReadNode): boolean {
  return (
    columns.some((one) => one.kind === "count" || (one.kind === "field" && one.aggregate !== undefined)) ||
    embeds.some((embed) => embed.lifted?.some((one) => one.aggregate !== undefined))
  );
}

function checkSpreads({ embeds }: ReadNode): void {
  for (const { node, spread, toOne } of embeds) {
    if (spread && !toOne && isGrouped(node)) throw restErrors.spreadAggregate();
    checkSpreads(node);
  }
}
