/**
 * Owns writing a read tree as SQL: one select, a lateral subquery for each embedded relation. Embeds are jsonb; the
 * top level is json, which keeps its text and order.
 */
import { quote, quoteName } from "../../postgres/quoting.ts";
import { junctionAlias } from "../plan/alias.ts";
import type { Condition, Embed, OrderPlan, OutputColumn, ReadNode } from "../plan/plan.ts";
import { isGrouped } from "../plan/read-tree.ts";
import type { Column } from "../schema/schema-cache.ts";
import { writeField, writeFilter } from "./condition.ts";
import { freeName, EMBEDDED as ROWS, SOURCE } from "./free-names.ts";
import type { SqlWriter } from "./writer.ts";

/** The rows of a tree's root, in order, within limit and offset. */
export function writeRead(writer: SqlWriter, node: ReadNode): string {
  return writeNode(writer, node, undefined);
}

/** The root's filtered rows, without order and limit: for counting. */
export function writeCount(writer: SqlWriter, node: ReadNode): string {
  return `select 1 from ${origin(node)}${writeWhere(writer, node, [], "exists")}`;
}

interface WrittenColumn {
  sql: string;
  aggregated: boolean;
}

/**
 * @param parent the embed of this node and its parent node.
 * @param within whether the result becomes a part of a jsonb value. That one conversion gives PostgREST's bytes; those
 * of its parts would be made for nothing.
 */
function writeNode(writer: SqlWriter, node: ReadNode, parent: Parent | undefined, within = false): string {
  const grouped = isGrouped(node);
  // Only jsonb can be grouped by.
  const cast = within && !grouped ? "" : "::jsonb";
  const columns: WrittenColumn[] = [];
  for (const column of node.columns) columns.push(...writeColumn(writer, node, column, grouped));
  const arrays = parent !== undefined && isToManySpread(parent.embed);
  if (arrays) columns.push(...orderColumns(writer, node, parent.embed));
  for (const embed of node.embeds) columns.push(...writeEmbedColumns(embed, cast));
  // An embed without output still shows whether it has a row; ordering by it needs its columns.
  if (columns.length === 0 && parent)
    columns.push({ sql: parent.embed.toOne ? `${quote(node.alias)}.*` : "1", aggregated: false });
  const joins = node.embeds.map((embed) => writeJoin(writer, node, embed, cast));
  const { from, conditions } = parent ? joined(node, parent) : { from: origin(node), conditions: [] };
  const where = writeWhere(writer, node, conditions, "joined");
  const group = grouped
    ? columns.flatMap(({ aggregated }, at) => (aggregated ? [] : [at + 1])).join(", ")
    : "";
  const select = columns.map(({ sql }) => sql).join(", ");
  const order = arrays ? "" : writeOrder(writer, node);
  const grouping = group ? ` group by ${group}` : "";
  return `select ${select} from ${from}${joins.join("")}${where}${grouping}${order}${writeLimit(writer, node)}`;
}

function isToManySpread({ spread, toOne }: Embed): boolean {
  return spread && !toOne;
}

/**
 * The arrays of a to-many spread are ordered as they are aggregated: by columns besides the selected ones.
 */
function orderColumns(writer: SqlWriter, node: ReadNode, embed: Embed): WrittenColumn[] {
  return node.order.map((term, at) => ({
    sql: `${writeOrderField(writer, node, term)} as ${quote(orderName(embed, at))}`,
    aggregated: false,
  }));
}

function orderName(embed: Embed, at: number): string {
  return freeName(`order_${at}`, liftedNames(embed));
}

/** The column of a to-many embed's join: its rows, or for a spread whether it has any. */
function present(embed: Embed): string {
  return `${quote(embed.alias)}.${presentName(embed)}`;
}

function presentName(embed: Embed): string {
  return quote(freeName("v", liftedNames(embed)));
}

/** Names of the request and of columns, which share a scope with those of the join. */
function liftedNames({ lifted }: Embed): string[] {
  return (lifted ?? []).map(({ name }) => name);
}

function origin(node: ReadNode): string {
  return `${node.source.kind === "source" ? SOURCE : quoteName(node.name)} ${quote(node.alias)}`;
}

function writeColumn(
  writer: SqlWriter,
  node: ReadNode,
  column: OutputColumn,
  grouped: boolean,
): WrittenColumn[] {
  switch (column.kind) {
    case "all": {
      // GROUP BY refers to positions, so every column needs one.
      const { relation } = node;
      const alias = quote(node.alias);
      // Domains with a representation must also be listed.
      if (!relation || !(grouped || relation.represented)) return [{ sql: `${alias}.*`, aggregated: false }];
      return [...relation.columns.values()].map((one) => ({
        sql: shown(one, `${alias}.${quote(one.name)}`, quote(one.name)),
        aggregated: false,
      }));
    }
    case "count":
      return [
        { sql: `${casted("pg_catalog.count(*)", column.cast)} as ${quote(column.as)}`, aggregated: true },
      ];
    case "row":
      return [{ sql: `row(${quote(node.alias)}.*) as ${quote(column.as)}`, aggregated: false }];
    case "field": {
      const { field } = column;
      const value = writeField(writer, node.alias, node.relation, field);
      const known = field.path.length === 0 ? node.relation?.columns.get(field.name) : undefined;
      if (known?.representation?.show !== undefined && !column.aggregate) {
        const as = quote(column.as ?? field.name);
        return [{ sql: shown(known, value, as, column.cast), aggregated: false }];
      }
      let sql = casted(value, column.cast);
      if (column.aggregate) sql = casted(`${column.aggregate}(${sql})`, column.aggregateCast);
      const name = column.as === undefined ? "" : ` as ${quote(column.as)}`;
      return [{ sql: sql + name, aggregated: column.aggregate !== undefined }];
    }
  }
}

/** A column, formatted by its domain's representation. */
function shown({ representation }: Column, value: string, as: string, cast?: string): string {
  const show = representation?.show;
  return show === undefined ? value : `${casted(`${show}(${value})`, cast)} as ${as}`;
}

/** The grammar restricts casts to letters, digits, `_`, `$` and blanks. */
function casted(sql: string, cast: string | undefined): string {
  return cast === undefined ? sql : `cast(${sql} as ${cast})`;
}

function writeEmbedColumns(embed: Embed, cast: string): WrittenColumn[] {
  const { hidden, spread, toOne, output, lifted } = embed;
  const alias = quote(embed.alias);
  if (hidden) return [];
  if (!spread) {
    const value = toOne ? `pg_catalog.row_to_json(${alias}.*)${cast}` : `coalesce(${present(embed)}, '[]')`;
    return [{ sql: `${value} as ${quote(output)}`, aggregated: false }];
  }
  if (!lifted) return [{ sql: `${alias}.*`, aggregated: false }];
  return lifted.map(({ name, aggregate, cast }) => {
    const column = `${alias}.${quote(name)}`;
    const value = aggregate ? casted(`${aggregate}(${column})`, cast) : column;
    const whole = toOne ? value : `coalesce(${value}, '[]')`;
    return { sql: `${whole} as ${quote(name)}`, aggregated: aggregate !== undefined };
  });
}

function writeJoin(writer: SqlWriter, node: ReadNode, embed: Embed, cast: string): string {
  // The row of a spread is a part of its parent's, its array a value of its own.
  const within = cast === "" || !embed.spread || !embed.toOne;
  const inner = writeNode(writer, embed.node, { embed, from: node }, within);
  const alias = quote(embed.alias);
  const kind = embed.join === "inner" ? "inner" : "left";
  if (embed.toOne) return ` ${kind} join lateral (${inner}) ${alias} on true`;
  const arrays = embed.spread ? embed.lifted : undefined;
  const order = embed.node.order.map(
    (term, at) => `${ROWS}.${quote(orderName(embed, at))}${placement(term)}`,
  );
  const ordered = order.length > 0 ? ` order by ${order.join(", ")}` : "";
  const lifted = (arrays ?? [])
    .map(({ name }) => `pg_catalog.json_agg(${ROWS}.${quote(name)}${ordered})::jsonb as ${quote(name)}, `)
    .join("");
  const whole = arrays
    ? "(case when pg_catalog.count(*) > 0 then '1' end)::jsonb"
    : `pg_catalog.json_agg(${ROWS}.*)${cast}`;
  const on = embed.join === "inner" ? `${present(embed)} is not null` : "true";
  return ` ${kind} join lateral (select ${lifted}${whole} as ${presentName(embed)} from (${inner}) ${ROWS}) ${alias} on ${on}`;
}

/** An embed and its parent node. */
interface Parent {
  embed: Embed;
  from: Pick<ReadNode, "alias" | "relation" | "source">;
}

/** A row of the node's relation. Rows of the source may have additional, computed columns. */
function rowOf({ alias: name, relation, source }: Parent["from"]): string {
  const alias = quote(name);
  // The bare alias would refer to a column with that name, if one exists.
  if (source.kind === "relation" || !relation) return `(${alias}.*)`;
  return `row(${[...relation.columns.keys()].map((name) => `${alias}.${quote(name)}`).join(", ")})`;
}

/** FROM and join conditions of an embedded node. */
function joined(node: ReadNode, { embed, from: parent }: Parent): { from: string; conditions: string[] } {
  const { relationship } = embed;
  const { alias } = parent;
  if (relationship.kind === "computed") {
    return {
      from: `${quoteName(relationship.fn)}(${rowOf(parent)}::${quoteName(relationship.origin)}) ${quote(node.alias)}`,
      conditions: [],
    };
  }
  const { junction } = relationship;
  if (!junction) {
    return {
      from: origin(node),
      conditions: relationship.columns.map((pair) => equal(alias, node.alias, pair)),
    };
  }
  const between = junctionAlias(junction.table, [alias, node.alias], embed.alias);
  return {
    from: `${origin(node)}, ${quoteName(junction.table)} ${quote(between)}`,
    conditions: [
      ...junction.toOrigin.map((pair) => equal(alias, between, pair)),
      ...junction.toTarget.map((pair) => equal(between, node.alias, pair)),
    ],
  };
}

function equal(left: string, right: string, [a, b]: readonly [string, string]): string {
  return `${quote(left)}.${quote(a)} = ${quote(right)}.${quote(b)}`;
}

/** Whether embeds can be tested by the alias of their join, or need EXISTS. */
type EmbedAccess = "joined" | "exists";

function writeWhere(
  writer: SqlWriter,
  node: ReadNode,
  conditions: readonly string[],
  access: EmbedAccess,
): string {
  const all = [...conditions];
  for (const condition of node.conditions) all.push(writeCondition(writer, node, condition, access));
  if (access === "exists") {
    for (const embed of node.embeds) if (embed.join === "inner") all.push(writeExists(writer, node, embed));
  }
  return all.length === 0 ? "" : ` where ${all.join(" and ")}`;
}

export function writeCondition(
  writer: SqlWriter,
  node: Parent["from"],
  condition: Condition,
  access: EmbedAccess = "joined",
): string {
  switch (condition.kind) {
    case "filter":
      return writeFilter(writer, node.alias, node.relation, condition);
    case "all":
    case "any": {
      const members = condition.members.map((member) => writeCondition(writer, node, member, access));
      const sql = `(${members.join(condition.kind === "all" ? " and " : " or ")})`;
      return condition.negated ? `not ${sql}` : sql;
    }
    case "embed": {
      const { embed } = condition;
      if (access === "exists") return `${condition.present ? "" : "not "}${writeExists(writer, node, embed)}`;
      if (!embed.toOne) return `${present(embed)} is ${condition.present ? "not " : ""}null`;
      // "e is null" would also be true for a row of nulls.
      return `${quote(embed.alias)}.* is ${condition.present ? "" : "not "}distinct from null`;
    }
  }
}

function writeExists(writer: SqlWriter, parent: Parent["from"], embed: Embed): string {
  const { node } = embed;
  const { from, conditions } = joined(node, { embed, from: parent });
  // As in PostgREST, a limit inside the embed does not change the count.
  return `exists (select 1 from ${from}${writeWhere(writer, node, conditions, "exists")})`;
}

function writeOrder(writer: SqlWriter, node: ReadNode): string {
  if (node.order.length === 0) return "";
  return ` order by ${node.order.map((term) => writeOrderTerm(writer, node, term)).join(", ")}`;
}

function writeOrderTerm(writer: SqlWriter, node: ReadNode, term: OrderPlan): string {
  return writeOrderField(writer, node, term) + placement(term);
}

function writeOrderField(writer: SqlWriter, node: ReadNode, { embed, field }: OrderPlan): string {
  return embed
    ? writeField(writer, embed.alias, embed.node.relation, field)
    : writeField(writer, node.alias, node.relation, field);
}

function placement({ direction, nulls }: OrderPlan): string {
  return `${direction ? ` ${direction}` : ""}${nulls ? ` nulls ${nulls}` : ""}`;
}

function writeLimit(writer: SqlWriter, node: ReadNode): string {
  const limit = node.limit === undefined ? "" : ` limit ${writer.limit(node.limit)}`;
  return node.offset === 0 ? limit : `${limit} offset ${writer.number(node.offset)}`;
}
