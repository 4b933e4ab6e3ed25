/**
 * Owns queries of logs: the part of ClickHouse's SQL that the Supabase CLI, its MCP server, the dashboard and their
 * users' queries of one table need, as a statement of Postgres. Everything else is refused in words.
 */
import pg from "pg";
import { quote } from "../../../src/postgres/quoting.ts";
import { FUNCTIONS, WrongArguments } from "./clickhouse-functions.ts";
import { is, LogQueryRefused, type Node, parseNodes, split } from "./tokens.ts";

/** As the dashboard's limit. */
const MAX_ROWS = 1000;
/** Names that stand for expressions of other names would double a query with each. */
const MAX_REPLACED = 1000;
const COLUMNS = ["id", "timestamp", "source", "event_message", "severity_text", "log_attributes"];
/** Words of expressions, the same in Postgres. */
const WORDS = new Set(
  "and or not in like ilike between is null case when then else end asc desc true false distinct nulls first last".split(
    " ",
  ),
);
const CLAUSES = ["select", "from", "where", "group by", "having", "order by", "limit", "offset"] as const;
type Clause = (typeof CLAUSES)[number];
/** Clauses of ClickHouse that are not translated. */
const REFUSED = new Set("join prewhere settings format sample window qualify fill final using".split(" "));

interface Scope {
  /** Names of tables: `logs`, and those of `with`. */
  tables: Set<string>;
  /** Names of columns that the query makes. */
  made: Set<string>;
  /** The number of names that may still be replaced by their expressions. */
  readonly budget: { left: number };
  /** The expressions of this select by their names. */
  aliases: ReadonlyMap<string, Node[]>;
}

/** A statement whose first parameter is the rows, a JSON array. @throws LogQueryRefused */
export function postgresQuery(sql: string): string {
  const nodes = parseNodes(sql);
  while (is(nodes.at(-1), ";")) nodes.pop();
  const scope: Scope = {
    tables: new Set(["logs"]),
    made: madeNames(nodes),
    budget: { left: MAX_REPLACED },
    aliases: new Map(),
  };
  return `with logs as (
  select r.id, r."timestamp" at time zone 'utc' as "timestamp", r.source, r.event_message, r.severity_text, r.log_attributes
  from jsonb_to_recordset($1::jsonb) as r(id text, "timestamp" timestamptz, source text, event_message text,
    severity_text text, log_attributes jsonb))
select * from (${statement(nodes, scope)}) as result limit ${MAX_ROWS}`;
}

/** Every name behind an `as`, in any depth. */
function madeNames(nodes: readonly Node[], names = new Set<string>()): Set<string> {
  for (const [index, node] of nodes.entries()) {
    if (node.kind === "group") madeNames(node.nodes, names);
    else if (node.kind === "word" && is(nodes[index - 1], "as")) names.add(node.text);
  }
  return names;
}

function statement(given: readonly Node[], outer: Scope): string {
  let nodes = [...given];
  const scope: Scope = { ...outer, tables: new Set(outer.tables), aliases: new Map() };
  const tables: string[] = [];
  if (is(nodes[0], "with")) {
    do {
      const [, name, as, group, ...rest] = nodes;
      if (name?.kind !== "word" || !is(as, "as") || group?.kind !== "group")
        throw new LogQueryRefused("WITH is understood as: with name as (select ...).");
      tables.push(`${quote(name.text)} as (${statement(group.nodes, scope)})`);
      scope.tables.add(name.text);
      nodes = rest;
    } while (is(nodes[0], ","));
  }
  const parts: Node[][] = [];
  for (const part of split(nodes, "union")) {
    if (parts.length > 0 && !is(part[0], "all"))
      throw new LogQueryRefused("UNION is understood as UNION ALL.");
    parts.push(parts.length > 0 ? part.slice(1) : part);
  }
  const selects = parts.map((part) => {
    const [only, ...more] = part;
    return only?.kind === "group" && only.bracket === "(" && more.length === 0
      ? `(${statement(only.nodes, scope)})`
      : select(part, scope);
  });
  return `${tables.length > 0 ? `with ${tables.join(", ")} ` : ""}${selects.join(" union all ")}`;
}

function select(nodes: readonly Node[], outer: Scope): string {
  const clauses = clausesOf(nodes);
  const list = clauses.get("select") ?? [];
  const distinct = is(list[0], "distinct");
  const items = split(distinct ? list.slice(1) : list, ",").map(named);
  const scope: Scope = {
    ...outer,
    aliases: new Map(items.flatMap(({ name, nodes: of }) => (name === undefined ? [] : [[name, of]]))),
  };
  const columns = items.map(({ name, nodes: of }) => {
    const own = without(scope, name);
    const [only, ...more] = of;
    if (is(only, "*") && more.length === 0) return "*";
    return `${expression(of, own)}${name === undefined ? "" : ` as ${quote(name)}`}`;
  });
  const each = (clause: Clause) =>
    split(clauses.get(clause) ?? [], ",")
      .map((part) => expression(part, scope))
      .join(", ");
  const whole = (clause: "limit" | "offset") => {
    const [only, ...more] = clauses.get(clause) ?? [];
    if (only?.kind !== "number" || !/^\d{1,9}$/.test(only.text) || more.length > 0)
      throw new LogQueryRefused(`${clause.toUpperCase()} takes a number.`);
    return only.text;
  };
  return [
    `select ${distinct ? "distinct " : ""}${columns.join(", ")}`,
    clauses.has("from") &&
      `from ${split(clauses.get("from") ?? [], ",")
        .map((one) => table(one, scope))
        .join(", ")}`,
    clauses.has("where") && `where ${expression(clauses.get("where") ?? [], scope)}`,
    clauses.has("group by") && `group by ${each("group by")}`,
    clauses.has("having") && `having ${expression(clauses.get("having") ?? [], scope)}`,
    clauses.has("order by") && `order by ${each("order by")}`,
    clauses.has("limit") && `limit ${whole("limit")}`,
    clauses.has("offset") && `offset ${whole("offset")}`,
  ]
    .filter((part) => part !== false)
    .join(" ");
}

function clausesOf(nodes: readonly Node[]): Map<Clause, Node[]> {
  if (!is(nodes[0], "select")) throw new LogQueryRefused("Only SELECT is understood here: logs are read.");
  const clauses = new Map<Clause, Node[]>();
  let open: Node[] = [];
  let last = -1;
  for (let at = 0; at < nodes.length; at += 1) {
    const node = nodes[at] as Node;
    const found = CLAUSES.findIndex((clause) => {
      const [first = "", second] = clause.split(" ");
      return is(node, first) && (second === undefined || is(nodes[at + 1], second));
    });
    const clause = CLAUSES[found];
    if (clause === undefined) {
      open.push(node);
      continue;
    }
    if (found <= last)
      throw new LogQueryRefused(`${clause.toUpperCase()} stands in a place that is not understood.`);
    last = found;
    open = [];
    clauses.set(clause, open);
    if (clause.includes(" ")) at += 1;
  }
  return clauses;
}

/** An item of a list, without its name. */
function named(item: Node[]): { name?: string; nodes: Node[] } {
  const name = item.at(-1);
  if (name?.kind === "word" && is(item.at(-2), "as")) return { name: name.text, nodes: item.slice(0, -2) };
  return { nodes: item };
}

function table(part: Node[], scope: Scope): string {
  const { name, nodes } = named(part);
  const [of, alias, ...more] = nodes;
  const label =
    name ?? (alias?.kind === "word" && !REFUSED.has(alias.text.toLowerCase()) ? alias.text : undefined);
  const as = label === undefined ? "" : ` as ${quote(label)}`;
  if (label !== undefined) scope.tables.add(label);
  if (more.length === 0 && (alias === undefined || label !== undefined)) {
    if (of?.kind === "group" && of.bracket === "(")
      return `(${statement(of.nodes, scope)})${as || " as part"}`;
    if (of?.kind === "word" && scope.tables.has(of.text)) return `${quote(of.text)}${as}`;
    if (of?.kind === "word")
      throw new LogQueryRefused(
        `There is no table ${of.text}: every log is in the table logs, filtered by source = '${of.text}'.`,
      );
  }
  throw new LogQueryRefused(
    "FROM takes the table logs, a subquery or a name of WITH; joins are not understood.",
  );
}

function expression(nodes: readonly Node[], scope: Scope): string {
  if (nodes.length === 0) throw new LogQueryRefused("An expression is missing.");
  const parts: string[] = [];
  for (let at = 0; at < nodes.length; at += 1) {
    const node = nodes[at] as Node;
    const next = nodes[at + 1];
    if (node.kind === "number") parts.push(node.text);
    else if (node.kind === "string") parts.push(pg.escapeLiteral(node.text));
    else if (node.kind === "symbol") parts.push(symbol(node.text));
    else if (node.kind === "group") parts.push(bracketed(node, nodes[at - 1], scope));
    else if (is(node, "log_attributes") && next?.kind === "group" && next.bracket === "[") {
      const [key, ...more] = next.nodes;
      if (key?.kind !== "string" || more.length > 0)
        throw new LogQueryRefused("A key of log_attributes is a text: log_attributes['request.path'].");
      parts.push(`coalesce(log_attributes ->> ${pg.escapeLiteral(key.text)}, '')`);
      at += 1;
    } else if (is(node, "interval")) {
      parts.push(interval(next, nodes[at + 2]));
      at += next?.kind === "string" && !UNIT.test(wordOf(nodes[at + 2])) ? 1 : 2;
    } else if (next?.kind === "group" && next.bracket === "(" && !WORDS.has(node.text.toLowerCase())) {
      const second = nodes[at + 2];
      const parametric = second?.kind === "group" && second.bracket === "(" ? second : undefined;
      parts.push(call(node.text, next.nodes, parametric?.nodes, scope));
      at += parametric ? 2 : 1;
    } else if (is(next, ".")) {
      const column = nodes[at + 2];
      if (column?.kind !== "word" || !scope.tables.has(node.text))
        throw new LogQueryRefused(
          `${node.text}. is not understood: a field is read as log_attributes['key'].`,
        );
      parts.push(`${quote(node.text)}.${quote(column.text)}`);
      at += 2;
    } else parts.push(word(node.text, node.quoted === true, scope));
  }
  return parts.join(" ");
}

function word(text: string, quoted: boolean, scope: Scope): string {
  const small = text.toLowerCase();
  if (!quoted && WORDS.has(small)) return small;
  const alias = scope.aliases.get(text);
  // ClickHouse prefers the name of a result to that of a column.
  scope.budget.left -= alias ? 1 : 0;
  if (scope.budget.left < 0) throw new LogQueryRefused("The query is too large.");
  if (alias) return `(${expression(alias, without(scope, text))})`;
  if (COLUMNS.includes(text) || scope.made.has(text)) return quote(text);
  if (REFUSED.has(small)) throw new LogQueryRefused(`${text.toUpperCase()} is not understood here.`);
  throw new LogQueryRefused(
    `There is no column ${text}. The columns are ${COLUMNS.join(", ")}; a field is read as log_attributes['key'].`,
  );
}

function bracketed(group: Node & { kind: "group" }, before: Node | undefined, scope: Scope): string {
  if (group.bracket === "[") throw new LogQueryRefused("Arrays are not understood here.");
  if (is(group.nodes[0], "select") || is(group.nodes[0], "with")) return `(${statement(group.nodes, scope)})`;
  if (is(before, "in"))
    return `(${split(group.nodes, ",")
      .map((one) => expression(one, scope))
      .join(", ")})`;
  const [only, ...more] = group.nodes;
  if (
    only?.kind === "number" &&
    more.length === 0 &&
    ["and", "or", "not", "where"].some((one) => is(before, one))
  )
    return `(${only.text} <> 0)`;
  return `(${expression(group.nodes, scope)})`;
}

function call(
  name: string,
  given: readonly Node[],
  parametric: readonly Node[] | undefined,
  scope: Scope,
): string {
  const argumentsOf = (nodes: readonly Node[]) =>
    nodes.length === 0
      ? []
      : split(nodes, ",").map((one) => (is(one[0], "*") && one.length === 1 ? "*" : expression(one, scope)));
  const small = name.toLowerCase();
  if (small === "quantile" && parametric) {
    const [share] = given;
    if (share?.kind === "number" && given.length === 1 && Number(share.text) <= 1)
      return `percentile_cont(${share.text}) within group (order by ${argumentsOf(parametric).join(", ")})`;
  }
  const translated = FUNCTIONS.get(small);
  if (!translated || parametric)
    throw new LogQueryRefused(`The function ${name} is not available in this stand-in's logs.`);
  const [only, ...more] = given;
  const condition = small === "countif" && only?.kind === "number" && more.length === 0;
  try {
    return translated(condition ? [`${only.text} <> 0`] : argumentsOf(given));
  } catch (error) {
    if (error instanceof WrongArguments) throw new LogQueryRefused(`${name} takes other arguments.`);
    throw error;
  }
}

const UNIT = /^(second|minute|hour|day|week)s?$/i;

function interval(amount: Node | undefined, unit: Node | undefined): string {
  const unitText = wordOf(unit);
  if (amount?.kind === "number" && UNIT.test(unitText))
    return `interval '${amount.text} ${unitText.toLowerCase()}'`;
  if (amount?.kind === "string" && /^\d{1,6} *(second|minute|hour|day|week)s?$/i.test(amount.text))
    return `interval ${pg.escapeLiteral(amount.text)}`;
  if (amount?.kind === "string" && /^\d{1,6}$/.test(amount.text) && UNIT.test(unitText))
    return `interval '${amount.text} ${unitText.toLowerCase()}'`;
  throw new LogQueryRefused("INTERVAL is understood as: interval 5 minute.");
}

function wordOf(node: Node | undefined): string {
  return node?.kind === "word" ? node.text : "";
}

function symbol(text: string): string {
  if (text === "==") return "=";
  // Division of integers has a fraction in ClickHouse.
  if (text === "/") return "::float8 /";
  if ([".", ",", ";", "["].includes(text))
    throw new LogQueryRefused(`"${text}" stands in a place that is not understood.`);
  return text;
}

function without(scope: Scope, name: string | undefined): Scope {
  if (name === undefined || !scope.aliases.has(name)) return scope;
  return { ...scope, aliases: new Map([...scope.aliases].filter(([one]) => one !== name)) };
}
