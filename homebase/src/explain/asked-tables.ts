/**
 * Owns what a request of REST asks of which tables: its own parser and planner say it, and the conditions are written
 * by its own writer.
 */
import type { ServiceRequest } from "../http/exchange.ts";
import type { RecordedError } from "../http/records.ts";
import { Utf8Text } from "../postgres/pipeline/wire.ts";
import { arrayLiteral, quote, quoteName } from "../postgres/quoting.ts";
import { RestError } from "../rest/errors.ts";
import { type Lens, LOGIN, NOTHING_SENT, preludeAs, readPrepared, readSettings } from "../rest/execute/as.ts";
import { type Prelude, preludeOf } from "../rest/execute/transaction-settings.ts";
import type { Condition, Embed, Plan, ReadNode } from "../rest/plan/plan.ts";
import { planRequest } from "../rest/plan/planned-request.ts";
import { RestSettings } from "../rest/postgrest-settings.ts";
import { parseRequest } from "../rest/request/parsed-request.ts";
import { buildSchemaCache } from "../rest/schema/build.ts";
import { type Catalog, catalogQuery, connectingAs } from "../rest/schema/catalog-query.ts";
import type { QualifiedName, SchemaCache } from "../rest/schema/schema-cache.ts";
import { writeCondition } from "../rest/sql/select-sql.ts";
import { writeStatement } from "../rest/sql/statement.ts";
import { SqlWriter } from "../rest/sql/writer.ts";
import { ExplainError, type Session } from "./database/explanation-transaction.ts";
import type { Where } from "./judge.ts";

/** A request, as the record of requests or the command line gives it. */
export interface Asked {
  method: string;
  /** With the query, e.g. `/rest/v1/plans?select=id`. */
  path: string;
  role: string;
  claims: Record<string, unknown>;
  /** A session that the claims name and that is not there: it is, for as long as it is explained. */
  session?: { id: string; user: string };
  /** Sentences about the claims. */
  notes?: string[];
  /** As the setting is written; that of REST by default. */
  searchPath?: string;
  /** The status of its response, if it ran. */
  status?: number;
  /** The rows of its response, if it ran. */
  rows?: number;
  /** SQLSTATE or REST's own code, if it was refused, and what it was told. */
  code?: string;
  error?: RecordedError;
  /** How long it took, if it ran. */
  milliseconds?: number;
  /** The statement that REST ran for it. */
  statement?: { text: string; values: readonly (string | null)[] };
  /** A write's body, as it was sent. */
  body?: string;
  /** By lower-case names. Those that decide what it means, e.g. profile and preferences, and those that policies read. */
  headers?: Record<string, string>;
}

/** The settings of REST that decide what a request means. */
export type ApiSettings = Partial<Pick<RestSettings, "schemas" | "extraSearchPath" | "maxRows">>;

/** A request, resolved against the database. */
export interface Resolved {
  plan: Plan;
  /** REST's settings and pre-request, before the statement. */
  prelude: Prelude;
  /** The statement that it runs, or ran. */
  statement: { text: string; values: (string | Buffer | null)[] };
  /** Whether a write returns the rows. */
  returns: boolean;
}

const PREFIX = "/rest/v1";
/** What decides how REST reads a request. */
export interface Running {
  settings: RestSettings;
  cache: SchemaCache;
}

/** As REST would read them. */
export async function readRunning(session: Session, api: ApiSettings): Promise<Running> {
  const given: RestSettings = { ...new RestSettings(), ...api };
  const { server, settings } = await readSettings((text) => session.rows(text), given);
  const [row] = await session.rows<Record<string, unknown>>(connectingAs(catalogQuery(server), LOGIN), [
    arrayLiteral(settings.schemas),
    arrayLiteral(settings.extraSearchPath),
  ]);
  const catalog = Object.values(row ?? {})[0];
  const cache = buildSchemaCache(
    (typeof catalog === "string" ? JSON.parse(catalog) : catalog) as Catalog,
    settings.hoistedSettings,
  );
  return { settings, cache };
}

/** @throws ExplainError for what REST refuses before it asks the database, and for other services. */
export async function resolve(asked: Asked, { settings, cache }: Running): Promise<Resolved> {
  const url = asked.path.startsWith("/") ? asked.path : `/${asked.path}`;
  const at = url.indexOf("?");
  const path = at < 0 ? url : url.slice(0, at);
  if (/^\/(auth|realtime|functions|graphql)\/v1/.test(path)) {
    throw new ExplainError(
      `Requests to REST (${PREFIX}/…) and Storage (/storage/v1/…) are explained, and ${path} is neither.`,
    );
  }
  if (/^(POST|PATCH|PUT)$/i.test(asked.method) && asked.body === undefined) {
    throw new ExplainError(`A ${asked.method} is explained by its values: give its body (--body).`);
  }
  const http: ServiceRequest = {
    ...NOTHING_SENT,
    method: asked.method.toUpperCase(),
    path: path.startsWith(`${PREFIX}/`) ? path.slice(PREFIX.length) : path,
    query: at < 0 ? "" : url.slice(at + 1),
    headers: {
      ...asked.headers,
      ...(asked.body === undefined ? {} : { "content-type": "application/json" }),
    },
  };
  try {
    const request = await parseRequest(http, settings, async () => Buffer.from(asked.body ?? ""));
    const plan = planRequest(request, cache, settings);
    const caller = { role: asked.role, claims: JSON.stringify(asked.claims), anonymous: false };
    const routine = plan.kind === "call" ? plan.routine : undefined;
    const prelude = preludeOf(
      { ...http, headers: asked.headers ?? {} },
      request,
      { settings, cache },
      caller,
      routine,
    );
    const returns = plan.kind !== "write" || request.preferences.return === "representation";
    return {
      plan,
      prelude,
      statement: asked.statement
        ? { ...asked.statement, values: [...asked.statement.values] }
        : statementOf(plan, returns, settings),
      returns,
    };
  } catch (error) {
    if (!(error instanceof RestError)) throw error;
    throw new ExplainError(
      `REST refuses this request before it asks the database: ${error.message} (${error.code}, status ${error.status}).${error.hint ? ` ${error.hint}` : ""}`,
    );
  }
}

/** REST's prelude of a GET of the caller, without a look at the tables. @throws ExplainError */
export async function preludeFor(session: Session, asker: Lens, api: ApiSettings): Promise<Prelude> {
  return preludeAs(
    await readPrepared((text) => session.rows(text), { ...new RestSettings(), ...api }),
    asker,
  );
}

/** The statement of a request for JSON. */
export function statementOf(
  plan: Plan,
  returns: boolean,
  { maxRows }: { maxRows?: number | undefined },
): Resolved["statement"] {
  const representation = { kind: "json", contentType: "application/json", strip: false } as const;
  const { text, values } = writeStatement(plan, {
    representation,
    bare: !returns,
    count: undefined,
    maxRows,
  });
  return { text, values: plainValues(values) };
}

/** The values of a statement of REST's writer, as pg takes them. */
export function plainValues(values: readonly (string | Buffer | Utf8Text)[]): (string | Buffer)[] {
  return values.map((one) => (one instanceof Utf8Text ? one.bytes.toString() : one));
}

/** A table of a request, with the condition for the rows that the request means. */
export interface Asking {
  /** The names of the embeds that lead to it; empty for the request's own table. */
  embeds: string[];
  table: QualifiedName;
  node: ReadNode;
  where: Where;
  /** The columns that the request names; empty for all of them or none. */
  columns: string[];
  inner: boolean;
}

/** The tables of a read: its own, and those that it embeds by keys, each with the rows that belong to it. */
export function askedTables(root: ReadNode, key?: KeyFilter): Asking[] {
  const found: Asking[] = [];
  const visit = (node: ReadNode, embeds: string[], chain: Link[], inner: boolean) => {
    const writer = new SqlWriter();
    const text = conditionsText(writer, node, chain, key);
    const where = { alias: node.alias, text, values: writer.values };
    // REST's own table has its columns as well.
    const { schema, name } = node.name;
    found.push({ embeds, table: { schema, name }, node, where, columns: columnsOf(node), inner });
    for (const embed of node.embeds) {
      if (embed.relationship.kind !== "key") continue;
      visit(
        embed.node,
        [...embeds, embed.output],
        [{ parent: node, embed }, ...chain],
        embed.join === "inner",
      );
    }
  };
  visit(root, [], [], false);
  return found;
}

interface Link {
  parent: ReadNode;
  embed: Embed;
}

/** The row of the request's own table that the question is about. */
export interface KeyFilter {
  columns: readonly string[];
  values: readonly string[];
}

function conditionsText(writer: SqlWriter, node: ReadNode, chain: readonly Link[], key?: KeyFilter): string {
  // The row that is asked about is judged whether or not it meets the filters, which are told one by one.
  const own =
    chain.length === 0 && key
      ? []
      : node.conditions.map((one) => writeCondition(writer, node, one, "exists"));
  if (chain.length === 0 && key) own.push(keyText(writer, node.alias, key));
  const [link, ...rest] = chain;
  if (link) own.push(linkText(writer, node, link, rest, key));
  return own.map((one) => `(${one})`).join(" and ");
}

export function keyText(writer: SqlWriter, alias: string, { columns, values }: KeyFilter): string {
  return columns
    .map((name, at) => `${quote(alias)}.${quote(name)} = ${writer.value(values[at] ?? "")}`)
    .join(" and ");
}

/** Keys as filters of a request. @param values the rows' values of each column. */
export function keyConditions(columns: readonly string[], values: readonly string[][]): Condition[] {
  return columns.map((name, at) => ({
    kind: "filter",
    field: { name, path: [] },
    negated: false,
    operation: { kind: "in", values: values[at] ?? [] },
  }));
}

/** The rows that belong to rows of the parent which the request means. */
function linkText(
  writer: SqlWriter,
  node: ReadNode,
  { parent, embed }: Link,
  rest: readonly Link[],
  key?: KeyFilter,
): string {
  const { relationship } = embed;
  if (relationship.kind !== "key") throw new ExplainError("A computed relationship has no keys.");
  const equal = (left: string, right: string, [one, other]: readonly [string, string]) =>
    `${quote(left)}.${quote(one)} = ${quote(right)}.${quote(other)}`;
  const { junction } = relationship;
  const between = `${node.alias}_between`;
  const from = `${quoteName(parent.name)} ${quote(parent.alias)}`;
  const joins = junction
    ? [
        ...junction.toOrigin.map((pair) => equal(parent.alias, between, pair)),
        ...junction.toTarget.map((pair) => equal(between, node.alias, pair)),
      ]
    : relationship.columns.map((pair) => equal(parent.alias, node.alias, pair));
  const above = conditionsText(writer, parent, rest, key);
  const where = [...joins, ...(above === "" ? [] : [above])].join(" and ");
  return `exists (select 1 from ${from}${junction ? `, ${quoteName(junction.table)} ${quote(between)}` : ""} where ${where})`;
}

/** The columns that need a grant, besides those of `*`. */
function columnsOf(node: ReadNode): string[] {
  if (node.columns.some(({ kind }) => kind === "all")) return [...(node.relation?.columns.keys() ?? [])];
  const named = node.columns.flatMap((one) => (one.kind === "field" ? [one.field.name] : []));
  const filtered = node.conditions.flatMap(columnsOfCondition);
  const ordered = node.order.flatMap(({ field, embed }) => (embed ? [] : [field.name]));
  return [...new Set([...named, ...filtered, ...ordered])].filter((one) => node.relation?.columns.has(one));
}

/** The columns that a filter reads. */
export function columnsOfCondition(condition: Condition): string[] {
  if (condition.kind === "filter") return [condition.field.name];
  return condition.kind === "embed" ? [] : condition.members.flatMap(columnsOfCondition);
}

/** A filter of the request and whether a row meets it. */
export interface FilterVerdict {
  text: string;
  met: boolean | null;
}

/** Each filter of the request for one row, with the login's rights. */
export async function filterVerdicts(
  session: Session,
  asking: Asking,
  caller: Parameters<Session["read"]>[2],
): Promise<FilterVerdict[]> {
  const { node, where } = asking;
  const writer = new SqlWriter();
  writer.values.push(...(where.values as string[]));
  const texts = node.conditions.map((one) => writeCondition(writer, node, one, "exists"));
  const met = await metBy(session, caller, node.name, { ...where, values: writer.values }, texts);
  return node.conditions.map((condition, at) => ({ text: describe(condition), met: met[at] ?? null }));
}

/** Which conditions the one row of `where` meets, with the login's rights. */
export async function metBy(
  session: Session,
  caller: Parameters<Session["read"]>[2],
  name: QualifiedName,
  where: Where,
  conditions: readonly string[],
): Promise<(boolean | null)[]> {
  if (conditions.length === 0) return [];
  const columns = conditions.map((one) => `(${one})::pg_catalog.text`);
  const text = `select array[${columns.join(", ")}] as met from ${quoteName(name)} as ${quote(where.alias)} where ${where.text}`;
  const [row] = await session.read<{ met: (string | null)[] }>(text, where.values, caller, name);
  return (row?.met ?? []).map((one) => (one === null ? null : one === "true"));
}

/** A filter in the words of the request. */
export function describe(condition: Condition): string {
  if (condition.kind === "embed")
    return `${condition.embed.output}=${condition.present ? "not." : ""}is.null`;
  if (condition.kind !== "filter") {
    const members = condition.members.map(describe).join(", ");
    return `${condition.negated ? "not." : ""}${condition.kind === "all" ? "and" : "or"}(${members})`;
  }
  const { field, negated, operation } = condition;
  const value =
    "value" in operation ? operation.value : "values" in operation ? `(${operation.values.join(",")})` : "";
  const operator = "operator" in operation ? operation.operator : operation.kind;
  return `${field.name}${field.path.map(({ arrow, key }) => arrow + key).join("")}=${negated ? "not." : ""}${operator}.${value}`;
}
