/**
 * Owns finding out why a part has its verdict: the values that it compares, the rows that it looks for with a count
 * for each condition, what a function asks, and other tables' policies that hide what it looks for.
 */
import { quoteName } from "../postgres/quoting.ts";
import type { QualifiedName } from "../rest/schema/schema.ts";
import { type Bound, bindParameters, readBody, typedValue } from "./database/functions.ts";
import { ExplainError, messageOf, type RunAs, type Session } from "./database/session.ts";
import { conjuncts, leavesOf, splitExpression, writeExpression } from "./expression/expression.ts";
import { mentions, operandsOf, type TableReference, tablesOf } from "./expression/references.ts";
import {
  callOf,
  type Query,
  type Question,
  questionOf,
  readQuery,
  readUnion,
} from "./expression/subquery.ts";
import { flipsFor, type Verdict } from "./expression/verdict.ts";
import { type Judgement, judgeRows, rowsAs } from "./judge.ts";
import { type Looked, MOST_COUNTED, type Reason, type Tree, type Value } from "./tree.ts";

/** So deep does an explanation go into functions and other tables. */
const DEEPEST = 6;
/** So many of the rows that another table's policy hides are judged. */
const MOST_HIDDEN = 3;
/** So many rows of each table are collected. */
const MOST_COLLECTED = 10;

/** Where a condition is judged. */
interface Scope {
  as: RunAs;
  /** The row that unqualified columns belong to. */
  row?: { table: QualifiedName; text: string };
  /** The function whose parameters the text may name. */
  bound?: Bound;
}

/** The value that a subquery should return: as it is written, as SQL without a scope, and as text. */
interface Sought {
  text: string;
  sql: string;
  value: string | null;
}

interface Asked {
  text: string;
  wanted: boolean;
  verdict: Verdict;
}

/** Takes the rows that an explanation has looked at, as composite values. */
export type Collect = (table: QualifiedName, rows: readonly string[]) => void;

export class Reasons {
  readonly #session: Session;
  readonly #collect: Collect | undefined;

  /** @param collect is given the rows that subqueries and functions have looked at, a few of each. */
  constructor(session: Session, collect?: Collect) {
    this.#session = session;
    this.#collect = collect;
  }

  /** The reasons of the first row of a judgement's group. */
  async ofGroup(as: RunAs, judgement: Judgement, at = 0, depth = 0): Promise<Reason[]> {
    const group = judgement.groups[at];
    if (!group) return [];
    const reasons: Reason[] = [];
    for (const { leaf: part, wanted } of group.reason) {
      const judged = group.parts.find((one) => one.part === part);
      const scope: Scope = { as, row: { table: judgement.table, text: group.sample } };
      const verdict = judged?.verdict ?? null;
      const reason = await this.#of(scope, { text: part.text, wanted, verdict }, depth);
      reasons.push({
        ...reason,
        policy: part.policy,
        ...(judged?.error === undefined ? {} : { error: judged.error }),
      });
    }
    return reasons;
  }

  async #of(scope: Scope, asked: Asked, depth: number): Promise<Reason> {
    const reason: Reason = { ...asked, values: [] };
    try {
      const question = depth < DEEPEST ? questionOf(asked.text) : undefined;
      if (question?.kind === "rows")
        Object.assign(reason, await this.#rows(scope, question, asked.wanted, depth));
      else if (question?.kind === "call")
        Object.assign(reason, await this.#call(scope, question, asked.wanted, depth));
      else reason.values = await this.#values(scope, operandsOf(asked.text));
    } catch (error) {
      reason.note = messageOf(error);
    }
    return reason;
  }

  /** The values of expressions that can be judged in the scope alone; the others are left out. */
  async #values(scope: Scope, texts: readonly string[]): Promise<Value[]> {
    const values: Value[] = [];
    for (const text of texts) {
      if (isConstant(text)) continue;
      const value = await this.#value(scope, `(${text})::pg_catalog.text`).catch(() => undefined);
      if (value !== undefined) values.push({ text, value });
    }
    return values;
  }

  async #value(scope: Scope, expression: string): Promise<string | null | undefined> {
    const [row] = await this.#session.evaluate(
      `select array[${bind(scope, expression)}] from ${this.#outer(scope)}`,
      scope.as,
      rowOf(scope),
    );
    return row?.[0];
  }

  /** Whether a value is known without the row. */
  async #isFree({ as, bound }: Scope, text: string): Promise<boolean> {
    const free: Scope = bound ? { as, bound } : { as };
    return this.#value(free, `(${text})::pg_catalog.text`).then(
      () => true,
      () => false,
    );
  }

  #outer({ row }: Scope): string {
    return row ? rowsAs(row.table) : "(select 1) as homebase_outer";
  }

  /** A value with its type, as SQL that needs no scope. */
  async #literal(scope: Scope, expression: string): Promise<{ sql: string; value: string | null }> {
    const bound = bind(scope, expression);
    const text = `select array[(${bound})::pg_catalog.text, pg_catalog.pg_typeof(${bound})::pg_catalog.oid::pg_catalog.text] from ${this.#outer(scope)}`;
    const [[value = null, oid = null] = []] = await this.#session.evaluate(text, scope.as, rowOf(scope));
    const [type] = await this.#session.known<{ name: string }>(
      "select pg_catalog.format_type($1::text::oid, null) as name",
      [oid],
    );
    return { sql: typedValue(value, type?.name ?? "text"), value };
  }

  /** Rows that a subquery looks for. */
  async #rows(
    scope: Scope,
    { query, value }: Extract<Question, { kind: "rows" }>,
    wanted: boolean,
    depth: number,
    given?: Sought,
  ): Promise<Partial<Reason>> {
    const literal = given ?? (value === undefined ? undefined : await this.#literal(scope, value));
    const source = callOf(query.from === undefined ? query.output : withoutAlias(query.from));
    // SELECT f(), and SELECT x FROM f() x
    if (source?.kind === "call" && query.where === undefined && literal && value !== undefined) {
      return this.#set(scope, source, { text: value, ...literal }, wanted, depth);
    }
    // A value that does not depend on the row, such as the caller's id, is a condition and ties nothing to the row.
    if (value !== undefined && !given && query.from !== undefined && (await this.#isFree(scope, value))) {
      const equal = `(${query.output} = ${value})`;
      const where = query.where === undefined ? equal : `(${query.where} AND ${equal})`;
      return this.#look(scope, { ...query, from: query.from, where }, undefined, wanted, depth);
    }
    if (query.from === undefined) {
      return { values: await this.#values(scope, [...(value === undefined ? [] : [value]), query.output]) };
    }
    const link = literal && value !== undefined ? { text: value, ...literal } : undefined;
    return this.#look(scope, { ...query, from: query.from }, link, wanted, depth);
  }

  /** A function that returns a set: goes on in its query, with the value that it should return. */
  async #set(
    scope: Scope,
    call: Extract<Question, { kind: "call" }>,
    value: Sought,
    wanted: boolean,
    depth: number,
  ): Promise<Partial<Reason>> {
    const { body, inner } = await this.#enter(scope, call);
    const queries = readUnion(body);
    if (!queries) throw new ExplainError(`${call.name} is no query that can be gone into`);
    const reasons: Reason[] = [];
    for (const query of queries) {
      const question: Question = { kind: "rows", query, value: value.sql };
      const found = await this.#rows(inner, question, wanted, depth + 1, value);
      reasons.push({ text: `${value.text} in ${call.name}`, verdict: !wanted, wanted, values: [], ...found });
    }
    return { inside: { call: call.name, runsAs: inner.as.role, any: queries.length > 1, reasons } };
  }

  /** A function that returns a boolean: goes on in its expression or query. */
  async #call(
    scope: Scope,
    call: Extract<Question, { kind: "call" }>,
    wanted: boolean,
    depth: number,
  ): Promise<Partial<Reason>> {
    const values = await this.#values(scope, call.args);
    try {
      const { body, inner } = await this.#enter(scope, call);
      const query = readQuery(body);
      const inside = (reasons: Reason[]) => ({
        values,
        inside: { call: call.name, runsAs: inner.as.role, reasons },
      });
      if (query?.from !== undefined) {
        // The first row's value decides: it is one more condition.
        const where = query.where === undefined ? query.output : `(${query.where}) AND (${query.output})`;
        const looked = await this.#look(
          inner,
          { ...query, from: query.from, where },
          undefined,
          wanted,
          depth + 1,
        );
        return inside([{ text: query.output, verdict: !wanted, wanted, values: [], ...looked }]);
      }
      const expression = splitExpression(query?.output ?? body);
      const verdicts = new Map<string, Verdict>();
      for (const { text } of leavesOf(expression)) {
        const value = await this.#value(inner, `((${text})::pg_catalog.bool)::pg_catalog.text`);
        verdicts.set(text, value === undefined || value === null ? null : value === "true");
      }
      const verdict = (text: string) => verdicts.get(text) ?? null;
      const reasons: Reason[] = [];
      const [flips = []] = flipsFor(expression, wanted ? "true" : "not true", ({ text }) => verdict(text));
      for (const { leaf, wanted } of flips) {
        reasons.push(
          await this.#of(inner, { text: leaf.text, wanted, verdict: verdict(leaf.text) }, depth + 1),
        );
      }
      return inside(reasons);
    } catch (error) {
      return { values, note: messageOf(error) };
    }
  }

  /** A function's statement, and the scope in which it runs. */
  async #enter(
    scope: Scope,
    { name, args }: Extract<Question, { kind: "call" }>,
  ): Promise<{ body: string; inner: Scope }> {
    const body = await readBody(this.#session, name, args.length);
    const parameters: Bound["parameters"] = [];
    for (const [at, parameter] of body.parameters.entries()) {
      // Postgres prints an argument that is given by name as `name => value`.
      const named = args.find(
        (one) => /^("(?:[^"]|"")+"|[\w$]+) => /.exec(one)?.[1]?.replaceAll('"', "") === parameter.name,
      );
      const argument = named?.slice(named.indexOf(" => ") + 4) ?? args[at];
      if (argument === undefined || (named === undefined && / => /.test(argument))) {
        throw new ExplainError(`${name} is called with defaults, so only its value is shown`);
      }
      const { value } = await this.#literal(scope, argument);
      parameters.push({ name: parameter.name, value: typedValue(value, parameter.type) });
    }
    const bound = { name: body.name, parameters };
    const as = body.definer ? { caller: scope.as.caller, role: body.owner } : scope.as;
    return { body: body.text, inner: { as, bound } };
  }

  /** Counts the rows that a query looks for by each of its conditions, and again with row security bypassed. */
  async #look(
    scope: Scope,
    query: Query & { from: string },
    value: Sought | undefined,
    wanted: boolean,
    depth: number,
  ): Promise<Partial<Reason>> {
    const tables = tablesOf(query.from);
    const all = query.where === undefined ? [] : conjuncts(splitExpression(query.where));
    const texts = all.map((one) => (one.kind === "leaf" ? one.text : writeExpression(one)));
    const { row } = scope;
    const isLink = (text: string) => (row ? mentions(text, row.table.name) : bind(scope, text) !== text);
    const links = texts.filter(isLink);
    const conditions = texts.filter((text) => !isLink(text));
    const linkSql = links.map((text) => `(${bind(scope, text)})`);
    if (value) linkSql.push(`((${bind(scope, query.output)}) = ${value.sql})`);
    const shape = {
      from: bind(scope, query.from),
      link: linkSql,
      conditions: conditions.map((text) => bind(scope, text)),
    };
    const open = await this.#count(scope, { ...scope.as, bypass: true }, shape);
    const own = await this.#count(scope, scope.as, shape).catch(() => undefined);
    const looked: Looked = {
      from: query.from,
      tables: tables.map(({ table }) => table),
      link: [
        ...(value ? [{ text: `${query.output} = ${value.text}`, value: value.value }] : []),
        ...links.map((text) => (scope.row ? { text } : { text, argument: true })),
      ],
      linked: open.linked,
      conditions: [],
      found: open.found,
      ...(own === undefined || own.found === open.found ? {} : { seen: own.found }),
    };
    for (const [at, text] of conditions.entries()) {
      const values = await this.#values(scope, operandsOf(bind(scope, text)));
      looked.conditions.push({ text, count: open.each[at] ?? 0, values });
    }
    for (const link of looked.link.slice(value ? 1 : 0)) {
      const [first] = await this.#values(scope, operandsOf(bind(scope, link.text)));
      if (first) link.value = first.value;
    }
    if (this.#collect) {
      // Where no row meets everything, those that are linked show what was there.
      const met = open.found > 0 ? { ...shape, link: [...shape.link, ...shape.conditions] } : shape;
      for (const one of tables) this.#collect(one.table, await this.#rowsOf(scope, one, met, MOST_COLLECTED));
    }
    const hides = wanted && open.found > 0 && own?.found === 0;
    return { looked, ...(hides ? { hidden: await this.#hiddenRows(scope, tables, shape, depth) } : {}) };
  }

  /** The first rows of a table in a look for rows, whoever asks, as composite values. */
  async #rowsOf(
    scope: Scope,
    { table, alias }: TableReference,
    { from, link }: Pick<Shape, "from" | "link">,
    most: number,
  ): Promise<string[]> {
    const where = link.map((text) => `(${text})`).join(" and ") || "true";
    const rows = await this.#session.evaluate(
      `select array[z.r] from ${this.#outer(scope)} cross join lateral (
         select (${alias}.*)::${quoteName(table)}::pg_catalog.text as r from ${from} where ${where} limit ${most}) as z`,
      { ...scope.as, bypass: true },
      rowOf(scope),
    );
    return rows.flatMap(([row]) => (row === undefined || row === null ? [] : [row]));
  }

  async #count(scope: Scope, as: RunAs, { from, link, conditions }: Shape) {
    const names = conditions.map((_, at) => `homebase_k${at}`);
    const columns = conditions.map((text, at) => `(${text}) as ${names[at]}`);
    const counts = [
      "pg_catalog.count(*)",
      ...names.map((name) => `pg_catalog.count(*) filter (where z.${name})`),
      names.length === 0
        ? "pg_catalog.count(*)"
        : `pg_catalog.count(*) filter (where ${names.map((name) => `z.${name}`).join(" and ")})`,
    ];
    const [row = []] = await this.#session.evaluate(
      `select array[${counts.map((count) => `(${count})::pg_catalog.text`).join(", ")}]
       from ${this.#outer(scope)} cross join lateral (
         select ${columns.length > 0 ? columns.join(", ") : "1"} from ${from}
         where ${link.length > 0 ? link.join(" and ") : "true"} limit ${MOST_COUNTED}) as z`,
      as,
      rowOf(scope),
    );
    const [linked = 0, ...rest] = row.map(Number);
    return { linked, each: rest.slice(0, -1), found: rest.at(-1) ?? 0 };
  }

  /** Judges the rows that are there and that the asker does not see: the policy of their table hides them. */
  async #hiddenRows(
    scope: Scope,
    tables: readonly TableReference[],
    { from, link, conditions }: Shape,
    depth: number,
  ): Promise<Tree[]> {
    const trees: Tree[] = [];
    for (const one of tables) {
      const { table } = one;
      const texts = await this.#rowsOf(scope, one, { from, link: [...link, ...conditions] }, MOST_HIDDEN);
      const judgement = await judgeRows(this.#session, scope.as, table, { rows: texts });
      if (judgement.groups.every(({ visible }) => visible)) continue;
      const at = judgement.groups.findIndex(({ visible }) => !visible);
      trees.push({ judgement, reasons: await this.ofGroup(scope.as, judgement, at, depth + 1) });
    }
    return trees;
  }
}

/** The parts of a look for rows, as SQL in its scope. */
interface Shape {
  from: string;
  link: string[];
  conditions: string[];
}

/** The text with a function's parameters replaced. In a query over tables Postgres qualifies them. */
function bind({ bound }: Scope, text: string): string {
  if (!bound) return text;
  const tables = /\bselect\b/i.test(text) && /\bfrom\b/i.test(text);
  return bindParameters(text, bound, !tables);
}

function rowOf({ row }: Scope): string {
  return row ? `{"${row.text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"}` : "";
}

function withoutAlias(from: string): string {
  return from.slice(0, from.lastIndexOf(")") + 1).replace(/\) \S+\(.*\)$/, ")");
}

/** A literal needs no value beside it. */
function isConstant(text: string): boolean {
  return /^\(*('(?:[^']|'')*'|-?[\d.]+|true|false|NULL)\)*(::[\w." ]+)?$/.test(text.trim());
}
