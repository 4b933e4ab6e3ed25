/**
 * Owns planning what is read: the tree of embedded relations with filters, order and limits attached to
 * the nodes they name (compat: select, embedding, filters).
 */
import { restErrors } from "../errors.ts";
import type { EmbedPath } from "../grammar/parameters.ts";
import type { FieldItem, LogicTree, OrderTerm, RelationItem, SelectItem } from "../grammar/syntax.ts";
import type { RestSettings } from "../options.ts";
import type { RestRequest } from "../request/request.ts";
import {
  nameKey,
  type QualifiedName,
  type Relation,
  type Relationship,
  type SchemaCache,
} from "../schema/schema.ts";
import { nodeAlias } from "../sql/alias.ts";
import { outputName } from "./output.ts";
import type { Condition, Embed, NodeSource, OrderPlan, OutputColumn, ReadNode } from "./plan.ts";
import { chooseRelationship } from "./relationship.ts";

export interface ReadRoot {
  source: NodeSource;
  name: QualifiedName;
  relation: Relation | undefined;
}

/** Filters and limits of the root go to the write itself, not to its representation. */
export type RootUse = "read" | "write";

interface Building {
  cache: SchemaCache;
  settings: RestSettings;
  schema: string;
  counter: number;
}

/** @throws RestError PGRST108, 118, 123, 127, 200, 201. */
export function planReadTree(
  request: RestRequest,
  cache: SchemaCache,
  settings: RestSettings,
  root: ReadRoot,
  use: RootUse,
): ReadNode {
  const { parameters } = request;
  const building: Building = { cache, settings, schema: request.schema, counter: 0 };
  const node = buildNode(building, parameters.select, root, false).node;
  const find = (path: EmbedPath) => findNode(node, path, settings.legacyTargetNames);
  for (const { path, limit } of parameters.limits) if (path.length > 0) find(path).limit = limit;
  for (const { path, offset } of parameters.offsets) {
    if (path.length > 0) find(path).offset = offset;
  }
  for (const { path, terms } of parameters.orders) {
    const target = find(path);
    target.order = terms.map((term) => planOrder(target, term));
  }
  for (const { path, filter } of parameters.filters) {
    if (use === "write" && path.length === 0) continue;
    const target = find(path);
    target.conditions.push(planCondition(target, filter));
  }
  for (const { path, group } of parameters.groups) {
    if (use === "write" && path.length === 0) continue;
    const target = find(path);
    target.conditions.push(planCondition(target, group));
  }
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

/** An aggregate inside a to-one spread: computed by the nearest node above that has rows of its own. */
interface Hoisted {
  item: FieldItem;
  /** The column of the spread's output to aggregate; undefined for `count()`. */
  column: string | undefined;
}

function buildNode(
  building: Building,
  select: readonly SelectItem[],
  root: ReadRoot,
  toOneSpread: boolean,
): { node: ReadNode; hoisted: Hoisted[] } {
  const node: ReadNode = {
    alias: nodeAlias(root, building.counter++),
    ...root,
    columns: [],
    embeds: [],
    conditions: [],
    order: [],
    offset: 0,
    limit: undefined,
  };
  const hoisted: Hoisted[] = [];
  for (const item of select) {
    if (item.kind === "star") node.columns.push({ kind: "all" });
    else if (item.kind === "field") {
      if (item.aggregate && !building.settings.aggregates) throw restErrors.aggregates();
      if (item.aggregate && toOneSpread) hoisted.push(hoistField(building, node, item));
      else node.columns.push(planField(item));
    }
  }
  for (const item of select) {
    if (item.kind === "relation") buildEmbed(building, node, item, toOneSpread, hoisted);
  }
  return { node, hoisted };
}

function planField(item: FieldItem): OutputColumn {
  const as = outputName(item);
  if (!item.field) {
    return { kind: "count", as: as ?? "count", ...(item.aggregateCast ? { cast: item.aggregateCast } : {}) };
  }
  return {
    kind: "field",
    field: item.field,
    ...(item.cast === undefined ? {} : { cast: item.cast }),
    ...(item.aggregate === undefined ? {} : { aggregate: item.aggregate }),
    ...(item.aggregateCast === undefined ? {} : { aggregateCast: item.aggregateCast }),
    ...(as === undefined ? {} : { as }),
  };
}

function hoistField(building: Building, node: ReadNode, item: FieldItem): Hoisted {
  if (!item.field) return { item, column: undefined };
  const column = `homebase_lifted_${building.counter++}`;
  node.columns.push({
    kind: "field",
    field: item.field,
    as: column,
    ...(item.cast === undefined ? {} : { cast: item.cast }),
  });
  return { item, column };
}

function buildEmbed(
  building: Building,
  parent: ReadNode,
  item: RelationItem,
  parentToOneSpread: boolean,
  hoistedOfParent: Hoisted[],
): void {
  const relationship = chooseRelationship(building.cache, parent.name, item, building.schema);
  const toOne = isToOne(relationship);
  const target = relationship.target;
  const root: ReadRoot = {
    source: { kind: "relation" },
    name: target,
    relation: building.cache.relations.get(nameKey(target)),
  };
  const alias = `e${building.counter++}`;
  if (item.spread && !toOne && item.select.some((one) => one.kind === "field" && one.aggregate)) {
    if (!building.settings.aggregates) throw restErrors.aggregates();
    throw restErrors.spreadAggregate();
  }
  const { node, hoisted } = buildNode(building, item.select, root, item.spread && toOne);
  const embed: Embed = {
    alias,
    output: item.alias ?? item.name,
    relationName: item.name,
    relationship,
    toOne,
    join: item.join ?? "left",
    spread: item.spread,
    hidden: node.columns.length === 0 && node.embeds.every((one) => one.hidden) && hoisted.length === 0,
    node,
  };
  parent.embeds.push(embed);
  for (const one of hoisted) {
    const as = outputName(one.item) ?? one.item.aggregate ?? "count";
    if (one.column === undefined) {
      if (parentToOneSpread) hoistedOfParent.push(one);
      else parent.columns.push(planField({ ...one.item, alias: as }));
    } else if (parentToOneSpread) {
      parent.columns.push({ kind: "lifted", embed: alias, column: one.column, as: one.column });
      hoistedOfParent.push(one);
    } else {
      parent.columns.push({
        kind: "lifted",
        embed: alias,
        column: one.column,
        as,
        ...(one.item.aggregate === undefined ? {} : { aggregate: one.item.aggregate }),
        ...(one.item.aggregateCast === undefined ? {} : { cast: one.item.aggregateCast }),
      });
    }
  }
}

function isToOne(relationship: Relationship): boolean {
  if (relationship.kind === "computed") return relationship.toOne;
  return relationship.cardinality === "many-to-one" || relationship.cardinality === "one-to-one";
}

/** The node that a path of aliases, or by an older rule of relation names, leads to. */
function findNode(root: ReadNode, path: EmbedPath, legacy: boolean): ReadNode {
  let node = root;
  for (const word of path) {
    let embed = node.embeds.find((one) => one.output === word);
    if (!embed) {
      embed = node.embeds.find((one) => one.relationName === word);
      if (!embed) throw restErrors.notEmbedded(word);
      if (!legacy) throw restErrors.aliasedTarget(word, embed.output);
      root.legacyNames ??= [];
      root.legacyNames.push({ name: word, alias: embed.output });
    }
    node = embed.node;
  }
  return node;
}

/** Resolves null filters on embeds; everything else stays a filter on a column. */
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

function planOrder(node: ReadNode, term: OrderTerm): OrderPlan {
  const { relation, ...rest } = term;
  if (relation === undefined) return rest;
  const embed = node.embeds.find((one) => one.output === relation);
  if (!embed) throw restErrors.notEmbedded(relation);
  if (!embed.toOne) throw restErrors.relatedOrder(node.name.name, relation);
  return { ...rest, embed };
}
