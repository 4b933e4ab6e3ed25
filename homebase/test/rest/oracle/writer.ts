/**
 * Owns the naive writer: what a request must answer, as plain SQL. It joins nothing: each embed is a subquery of its own,
 * each row that is written a statement of its own.
 */

import {
  type Condition,
  type Embed,
  type Filter,
  type Item,
  keyOf,
  type Node,
  type Write,
} from "./request.ts";

const text = (value: string) => `'${value.replaceAll("'", "''")}'`;
const name = (value: string) => `"${value.replaceAll('"', '""')}"`;

const SYMBOLS: Record<string, string> = {
  eq: "=",
  neq: "<>",
  gt: ">",
  gte: ">=",
  lt: "<",
  lte: "<=",
  like: "like",
  ilike: "ilike",
  match: "~",
  imatch: "~*",
  cs: "@>",
  cd: "<@",
  ov: "&&",
  sl: "<<",
  sr: ">>",
  nxr: "&<",
  nxl: "&>",
  adj: "-|-",
  isdistinct: "is distinct from",
};

function column(alias: string, { column: own = "", path }: Pick<Item, "column" | "path">): string {
  const base = `${alias}.${name(own)}`;
  if (!path) return base;
  const at = (key: string) => (/^\d+$/.test(key) ? key : text(key));
  return `(${base}${path.keys.map((key, i) => (i === path.keys.length - 1 && path.text ? "->>" : "->") + at(key)).join("")})`;
}

function conditionOf(alias: string, one: Condition): string {
  const left = column(alias, one);
  const symbol = SYMBOLS[one.operator] ?? "";
  const pattern = (value: string) => text(symbol.includes("like") ? value.replaceAll("*", "%") : value);
  const test = () => {
    if (one.operator === "is") return `${left} is ${(one.values[0] ?? "").replace("_", " ")}`;
    if (one.operator === "in") return `${left} in (${one.values.map(text).join(", ")})`;
    if (one.quantifier) {
      const word = one.quantifier === "any" ? " or " : " and ";
      return `(${one.values.map((value) => `${left} ${symbol} ${pattern(value)}`).join(word)})`;
    }
    return `${left} ${symbol} ${pattern(one.values[0] ?? "")}`;
  };
  return one.not ? `not (${test()})` : test();
}

function filterOf(alias: string, filter: Filter, node: Node, depth: number): string {
  if ("embed" in filter) {
    const embed = node.embeds.find((one) => one.alias === filter.embed);
    return embed ? `${filter.exists ? "" : "not "}${exists(alias, embed, depth)}` : "true";
  }
  if (!("join" in filter)) return conditionOf(alias, filter);
  const all = filter.of.map((one) => `(${filterOf(alias, one, node, depth)})`).join(` ${filter.join} `);
  return filter.not ? `not (${all})` : `(${all})`;
}

const child = (depth: number) => `c${depth + 1}`;

/** FROM and WHERE of an embed's rows. */
function linked(parent: string, { relation, node }: Embed, depth: number): string {
  const alias = child(depth);
  const from = relation.from ? relation.from(parent) : node.from;
  return `from ${from} ${alias} where ${[relation.link(parent, alias), ...conditions(alias, node, depth + 1)].join(" and ")}`;
}

function exists(parent: string, embed: Embed, depth: number): string {
  // Of its page: an embed whose page is empty is null.
  return `exists (select 1 ${linked(parent, embed, depth)}${ordering(child(depth), embed.node, depth + 1)})`;
}

function conditions(alias: string, node: Node, depth: number): string[] {
  return [
    ...node.filters.map((filter) => `(${filterOf(alias, filter, node, depth)})`),
    ...node.embeds.filter(({ inner }) => inner).map((embed) => exists(alias, embed, depth)),
  ];
}

function itemOf(alias: string, item: Item): string {
  const folded = item.aggregate
    ? `${item.aggregate}(${item.column ? column(alias, item) : "*"})`
    : column(alias, item);
  return `${item.cast ? `(${folded})::${item.cast}` : folded} as ${name(item.alias ?? keyOf(item))}`;
}

function ordering(alias: string, node: Node, depth: number): string {
  const { order, limit, offset } = node;
  const keys = order.map(({ column: own, descending, nulls, of }) => {
    const embed = of === undefined ? undefined : node.embeds.find((one) => one.alias === of);
    const value = embed
      ? `(select ${child(depth)}.${name(own)} ${linked(alias, embed, depth)})`
      : `${alias}.${name(own)}`;
    return `${value}${descending ? " desc" : ""}${nulls ? ` nulls ${nulls}` : ""}`;
  });
  return `${keys.length > 0 ? ` order by ${keys.join(", ")}` : ""}${limit === undefined ? "" : ` limit ${limit}`}${offset ? ` offset ${offset}` : ""}`;
}

function embedOf(alias: string, embed: Embed, depth: number): string[] {
  const { relation, node } = embed;
  const below = child(depth);
  if (embed.spread) {
    return node.items.map((item) => {
      const key = item.alias ?? keyOf(item);
      const rows = `select ${itemOf(below, item)} ${linked(alias, embed, depth)}${ordering(below, node, depth + 1)}`;
      const value = relation.many
        ? `coalesce((select json_agg(x.${name(key)}) from (${rows}) x), '[]')`
        : `(${rows.replace(/ order by .*$/, "")})`;
      return `${value} as ${name(key)}`;
    });
  }
  const rows = `select ${outputs(below, node, depth + 1)} ${linked(alias, embed, depth)}${tail(below, node, depth + 1)}`;
  const value = relation.many
    ? `coalesce((select json_agg(x) from (${rows}) x), '[]')`
    : `(select row_to_json(x) from (${rows}) x)`;
  return [`${value} as ${name(embed.alias ?? relation.name)}`];
}

function outputs(alias: string, node: Node, depth: number): string {
  return [
    ...node.items.map((item) => itemOf(alias, item)),
    ...node.embeds.flatMap((embed) => embedOf(alias, embed, depth)),
  ].join(", ");
}

/** GROUP BY of what is not folded, or the order. */
function tail(alias: string, node: Node, depth: number): string {
  if (!node.items.some(({ aggregate }) => aggregate)) return ordering(alias, node, depth);
  const groups = node.items.flatMap(({ aggregate }, at) => (aggregate ? [] : [at + 1]));
  return groups.length > 0 ? ` group by ${groups.join(", ")}` : "";
}

/** The answer of a read, as one JSON array; with `keys`, of the rows with these. */
export function readOf(node: Node, keys?: readonly string[]): string {
  const where = [...conditions("t", node, 0), ...(keys ? [`t.id in (${[...keys, "null"].join(", ")})`] : [])];
  return `select coalesce(json_agg(x), '[]') as body from (select ${outputs("t", node, 0)} from ${node.from} t
    where ${["true", ...where].join(" and ")}${tail("t", node, 0)}) x`;
}

/** How many rows there are without its page. */
export function countOf(node: Node): string {
  const { limit: _limit, offset: _offset, ...whole } = node;
  return `select count(*)::int as count from (select ${outputs("t", whole, 0)} from ${node.from} t
    where ${["true", ...conditions("t", node, 0)].join(" and ")}${tail("t", whole, 0)}) x`;
}

/** The statements of a write, one for each row; each gives back the keys of its rows. */
export function writesOf(table: string, node: Node, write: Write): string[] {
  const where = ["true", ...conditions("t", node, 0)].join(" and ");
  if (write.method === "DELETE") return [`delete from public.${table} t where ${where} returning t.id`];
  const value = (row: Record<string, unknown>, key: string) =>
    `(json_populate_record(null::public.${table}, ${text(JSON.stringify(row))})).${name(key)}`;
  if (write.method === "PATCH") {
    const [row = {}] = write.rows;
    const keys = Object.keys(row);
    if (keys.length === 0) return [];
    return [
      `update public.${table} t set ${keys.map((key) => `${name(key)} = ${value(row, key)}`).join(", ")} where ${where} returning t.id`,
    ];
  }
  return write.rows.map((row) => {
    const keys = write.columns ?? Object.keys(row);
    const values = keys.map((key) => (key in row || write.missing === "null" ? value(row, key) : "default"));
    const set = keys.map((key) => `${name(key)} = excluded.${name(key)}`).join(", ");
    const conflict =
      write.resolution === undefined
        ? ""
        : ` on conflict (id) do ${write.resolution === "merge-duplicates" ? `update set ${set}` : "nothing"}`;
    return `insert into public.${table} (${keys.map(name).join(", ")}) values (${values.join(", ")})${conflict} returning id`;
  });
}
