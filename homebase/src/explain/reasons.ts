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
import { callOf, type Query, type Question, questionOf, readQuery } from "./expression/subquery.ts";
import { flipsFor, type Verdict } from "./expression/verdict.ts";
import { type Judgement, judgeRows, rowsAs } from "./judge.ts";

/** A look for rows stops counting here. */
export const MOST_COUNTED = 1_000;
/** So deep does an explanation go into functions and other tables. */
const DEEPEST = 6;
/** So many of the rows that another table's policy hides are judged. */
const MOST_HIDDEN = 3;

/** A text and its value as text; null for SQL's null. */
export interface Value {
  text: string;
  value: string | null;
}

/** The rows that a condition looks for. */
export interface Looked {
  /** The tables that it looks in, as they are written. */
  from: string;
  tables: QualifiedName[];
  /** The conditions that tie the rows to the row that is judged, with that row's values. */
  link: { text: string; value?: string | null }[];
  /** The rows that meet the link, up to `MOST_COUNTED`. */
  linked: number;
  /** The other conditions, each with the count of linked rows that meet it. */
  conditions: { text: string; count: number; values: Value[] }[];
  /** The rows that meet everything. */
  found: number;
  /** Those of them that the policies of the tables let the asker see; absent when row security hides none. */
  seen?: number;
}

/** Why one part, or one condition inside a function, has its verdict. */
export interface Reason {
  text: string;
  verdict: Verdict;
  wanted: boolean;
  /** Set for a part of a policy. */
  policy?: string;
  error?: string;
  values: Value[];
  looked?: Looked;
  /** The function that was gone into, and what in it decides. */
  inside?: { call: string; runsAs: string; reasons: Reason[] };
  /** The rows that were looked for, and that other tables' policies hide. */
  hidden?: Tree[];
  /** What could not be found out. */
  note?: string;
}

/** One row's judgement and the reasons of its verdict. */
export interface Tree {
  judgement: Judgement;
  reasons: Reason[];
}

/** Where a condition is judged. */
interface Scope {
  as: RunAs;
  /** The row that unqualified columns belong to. */
  row?: { table: QualifiedName; text: string };
  /** The function whose parameters the text may name. */
  bound?: Bound;
}

interface Asked {
  text: string;
  wanted: boolean;
  verdict: Verdict;
}

export class Reasons {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
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
      `select array[${expression}] from ${this.#outer(scope)}`,
      scope.as,
      rowOf(scope),
    );
    return row?.[0];
  }

  #outer({ row }: Scope): string {
    return row ? rowsAs(row.table) : "(select 1) as homebase_outer";
  }

  /** A value with its type, as SQL that needs no scope. */
  async #literal(scope: Scope, expression: string): Promise<{ sql: string; value: string | null }> {
    const text = `select array[(${expression})::pg_catalog.text, pg_catalog.pg_typeof(${expression})::pg_catalog.oid::pg_catalog.text] from ${this.#outer(scope)}`;
    const [[value = null, oid = null] = []] = await this.#session.evaluate(text, scope.as, rowOf(scope));
    const [type] = await this.#session.rows<{ name: string }>(
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
  ): Promise<Partial<Reason>> {
    const literal = value === undefined ? undefined : await this.#literal(scope, value);
    const source = callOf(query.from === undefined ? query.output : withoutAlias(query.from));
    // SELECT f(), and SELECT x FROM f() x
    if (source?.kind === "call" && query.where === undefined && literal && value !== undefined) {
      return this.#set(scope, source, { text: value, ...literal }, wanted, depth);
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
    value: { text: string; sql: string; value: string | null },
    wanted: boolean,
    depth: number,
  ): Promise<Partial<Reason>> {
    const { body, inner } = await this.#enter(scope, call);
    const query = readQuery(body);
    if (query?.from === undefined) throw new ExplainError(`${call.name} is no query that can be gone into`);
    const found = await this.#look(inner, { ...query, from: query.from }, value, wanted, depth + 1);
    const text = `${value.text} in ${call.name}`;
    return {
      inside: {
        call: call.name,
        runsAs: inner.as.role,
        reasons: [{ text, verdict: !wanted, wanted, values: [], ...found }],
      },
    };
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
      const { body, inner, bound } = await this.#enter(scope, call);
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
      const expression = splitExpression(bindParameters(query?.output ?? body, bound, true));
      const verdicts = new Map<string, Verdict>();
      for (const { text } of leavesOf(expression)) {
        const value = await this.#value(inner, `((${text})::pg_catalog.bool)::pg_catalog.text`);
        verdicts.set(text, value === undefined || value === null ? null : value === "true");
      }
      const verdict = (text: string) => verdicts.get(text) ?? null;
      const reasons: Reason[] = [];
      const flips = flipsFor(expression, wanted ? "true" : "not true", ({ text }) => verdict(text));
      for (const { leaf, wanted } of flips ?? []) {
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
  ): Promise<{ body: string; inner: Scope; bound: Bound }> {
    const body = await readBody(this.#session, name, args.length);
    const parameters: Bound["parameters"] = [];
    for (const [at, parameter] of body.parameters.entries()) {
      const argument = args[at];
      if (argument === undefined || /=>/.test(argument)) {
        throw new ExplainError(`${name} is called with defaults, so only its value is shown`);
      }
      const { value } = await this.#literal(scope, argument);
      parameters.push({ name: parameter.name, value: typedValue(value, parameter.type) });
    }
    const bound = { name: body.name, parameters };
    const as = body.definer ? { caller: scope.as.caller, role: body.owner } : scope.as;
    return { body: body.text, inner: { as, bound }, bound };
  }

  /** Counts the rows that a query looks for by each of its conditions, and again with row security bypassed. */
  async #look(
    scope: Scope,
    query: Query & { from: string },
    value: { text: string; sql: string; value: string | null } | undefined,
    wanted: boolean,
    depth: number,
  ): Promise<Partial<Reason>> {
    const { bound } = scope;
    const tables = tablesOf(query.from);
    const bind = (text: string) => (bound ? bindParameters(text, bound, false) : text);
    const all = query.where === undefined ? [] : conjuncts(splitExpression(query.where));
    const texts = all.map((one) => (one.kind === "leaf" ? one.text : writeExpression(one)));
    const { row } = scope;
    const isLink = (text: string) => (row ? mentions(text, row.table.name) : bind(text) !== text);
    const links = texts.filter(isLink);
    const conditions = texts.filter((text) => !isLink(text));
    const linkSql = links.map((text) => `(${bind(text)})`);
    if (value) linkSql.push(`((${bind(query.output)}) = ${value.sql})`);
    const shape = { from: bind(query.from), link: linkSql, conditions: conditions.map(bind) };
    const open = await this.#count(scope, { ...scope.as, bypass: true }, shape);
    const own = await this.#count(scope, scope.as, shape).catch(() => undefined);
    const looked: Looked = {
      from: query.from,
      tables: tables.map(({ table }) => table),
      link: [
        ...(value ? [{ text: `${query.output} = ${value.text}`, value: value.value }] : []),
        ...links.map((text) => ({ text })),
      ],
      linked: open.linked,
      conditions: [],
      found: open.found,
      ...(own === undefined || own.found === open.found ? {} : { seen: own.found }),
    };
    for (const [at, text] of conditions.entries()) {
      const values = await this.#values(scope, operandsOf(bind(text)));
      looked.conditions.push({ text, count: open.each[at] ?? 0, values });
    }
    for (const link of looked.link.slice(value ? 1 : 0)) {
      const [first] = await this.#values(scope, operandsOf(bind(link.text)));
      if (first) link.value = first.value;
    }
    const hides = wanted && open.found > 0 && own?.found === 0;
    return { looked, ...(hides ? { hidden: await this.#hiddenRows(scope, tables, shape, depth) } : {}) };
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
    const where = [...link, ...conditions.map((text) => `(${text})`)].join(" and ") || "true";
    const trees: Tree[] = [];
    for (const { table, alias } of tables) {
      const rows = await this.#session.evaluate(
        `select array[z.r] from ${this.#outer(scope)} cross join lateral (
           select (${alias}.*)::${quoteName(table)}::pg_catalog.text as r from ${from} where ${where} limit ${MOST_HIDDEN}) as z`,
        { ...scope.as, bypass: true },
        rowOf(scope),
      );
      const texts = rows.flatMap(([row]) => (row === undefined || row === null ? [] : [row]));
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
