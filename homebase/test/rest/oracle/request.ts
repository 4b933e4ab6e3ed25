/** Owns the tree of a request, which is sent as an address and written as plain SQL (writer.ts). */
import type { Kind, Relation } from "./fixture.ts";

export interface Item {
  column?: string;
  /** Keys of a JSON path; the last arrow gives text or JSON. */
  path?: { keys: string[]; text: boolean };
  aggregate?: "count" | "sum" | "avg" | "min" | "max";
  cast?: string;
  alias?: string;
}
export interface Condition {
  column: string;
  kind: Kind;
  path?: Item["path"];
  not: boolean;
  operator: string;
  quantifier?: "any" | "all";
  values: string[];
}
export type Filter =
  | Condition
  | { join: "and" | "or"; not: boolean; of: Filter[] }
  | { embed: string; exists: boolean };
export interface Order {
  column: string;
  descending: boolean;
  nulls?: "first" | "last";
  /** The key of a to-one embed that the column is of. */
  of?: string;
}
export interface Embed {
  relation: Relation;
  as: string;
  alias?: string;
  inner: boolean;
  spread: boolean;
  node: Node;
}
export interface Node {
  table: string;
  /** In FROM: the table, or a call. */
  from: string;
  items: Item[];
  embeds: Embed[];
  filters: Filter[];
  order: Order[];
  limit?: number;
  offset?: number;
}
export interface Write {
  method: "POST" | "PATCH" | "DELETE";
  rows: Record<string, unknown>[];
  columns?: string[];
  missing: "default" | "null";
  resolution?: "merge-duplicates" | "ignore-duplicates";
}
export interface Request {
  path: string;
  node: Node;
  role: "anon" | "service_role";
  count: boolean;
  write?: Write;
  /** Arguments that a call sends as its body. */
  args?: Record<string, unknown>;
  /** What a function gives that gives no rows: one row, one value, or values. */
  shape?: "row" | "value" | "values";
}

/** Whether its rows are folded by aggregates. */
export function isFolded({ items }: Node): boolean {
  return items.some(({ aggregate }) => aggregate !== undefined);
}

/** The key of an item without an alias. */
export function keyOf({ column, path, aggregate }: Item): string {
  if (aggregate) return aggregate;
  const last = path?.keys.findLast((key) => !/^\d+$/.test(key));
  return (path && last) ?? column ?? "";
}

const quoted = (text: string) => `"${text.replace(/["\\]/g, "\\$&")}"`;

function printCondition({ not, operator, quantifier, values }: Condition, inside: boolean): string {
  const head = not ? "not." : "";
  if (operator === "is") return `${head}is.${values[0]}`;
  if (operator === "in") return `${head}in.(${values.map(quoted).join(",")})`;
  if (quantifier)
    return `${head}${operator}(${quantifier}).{${values.map(quoted).join(",")}}`.replace(/\{.*$/s, (list) =>
      inside ? quoted(list) : list,
    );
  const [value = ""] = values;
  return `${head}${operator}.${inside ? quoted(value) : value}`;
}

const field = ({ column = "", path }: Pick<Item, "column" | "path">) =>
  path
    ? column +
      path.keys
        .map((key, at) => (at === path.keys.length - 1 && path.text ? `->>${key}` : `->${key}`))
        .join("")
    : column;

function printFilter(filter: Filter): string {
  if ("embed" in filter) throw new Error("An embed is tested at the top.");
  if ("join" in filter)
    return `${filter.not ? "not." : ""}${filter.join}(${filter.of.map(printFilter).join(",")})`;
  return `${field(filter)}.${printCondition(filter, true)}`;
}

function printSelect(node: Node): string {
  const items = node.items.map(({ alias, aggregate, cast, ...one }) => {
    const head = alias ? `${alias}:` : "";
    const folded = aggregate ? `${one.column ? `${one.column}.` : ""}${aggregate}()` : field(one);
    return `${head}${folded}${cast ? `::${cast}` : ""}`;
  });
  const embeds = node.embeds.map(
    ({ spread, alias, as, inner, node: child }) =>
      `${spread ? "..." : alias ? `${alias}:` : ""}${as}${inner ? "!inner" : ""}(${printSelect(child)})`,
  );
  return [...items, ...embeds].join(",");
}

function parameters(node: Node, prefix: string): [string, string][] {
  const list: [string, string][] = [];
  for (const filter of node.filters) {
    if ("embed" in filter) list.push([prefix + filter.embed, filter.exists ? "not.is.null" : "is.null"]);
    else if ("join" in filter)
      list.push([
        `${prefix}${filter.not ? "not." : ""}${filter.join}`,
        `(${filter.of.map(printFilter).join(",")})`,
      ]);
    else list.push([prefix + field(filter), printCondition(filter, false)]);
  }
  if (node.order.length > 0)
    list.push([
      `${prefix}order`,
      node.order
        .map(
          ({ column, descending, nulls, of }) =>
            `${of ? `${of}(${column})` : column}${descending ? ".desc" : ""}${nulls ? `.nulls${nulls}` : ""}`,
        )
        .join(","),
    ]);
  if (node.limit !== undefined) list.push([`${prefix}limit`, String(node.limit)]);
  if (node.offset !== undefined) list.push([`${prefix}offset`, String(node.offset)]);
  for (const embed of node.embeds)
    list.push(...parameters(embed.node, `${prefix}${embed.alias ?? embed.as.replace(/!.*/, "")}.`));
  return list;
}

/** The address below `/rest/v1`. */
export function addressOf({ path, node, write, shape }: Request): string {
  const columns = shape === "value" || shape === "values" ? [] : [["select", printSelect(node)]];
  const list = [...columns, ...parameters(node, "")] as [string, string][];
  if (write?.columns) list.push(["columns", write.columns.join(",")]);
  const query = list
    .map(([name, text]) => `${encodeURIComponent(name)}=${encodeURIComponent(text)}`)
    .join("&");
  return query ? `${path}${path.includes("?") ? "&" : "?"}${query}` : path;
}
