/**
 * Owns finding out why a part has its verdict: the values that it compares, the rows that it looks for with a count
 * for each condition, what a function asks, and other tables' policies that hide what it looks for.
 */
import { quoteName } from "../postgres/quoting.ts";
import { ExplainError, messageOf, type RunAs, type Session } from "./database/explanation-transaction.ts";
import { type Bound, readBody, typedValue } from "./database/function-bodies.ts";
import { leavesOf, splitExpression } from "./expression/expression.ts";
import { branchesOf, peeled } from "./expression/peel.ts";
import { operandsOf } from "./expression/references.ts";
import {
  callOf,
  commaSeparated,
  type Query,
  type Question,
  questionOf,
  readQuery,
  readUnion,
} from "./expression/subquery.ts";
import { flipsFor, type Verdict } from "./expression/verdict.ts";
import { type Judgement, judgeRows } from "./judge.ts";
import { type Collect, type HiddenRows, Looks, type Sought } from "./look.ts";
import type { Reason, Tree, Value } from "./reason-tree.ts";
import { absentFrom } from "./request-values.ts";
import { bind, dependsOnRow, evaluateIn, isConstant, type Scope, shownText, Values } from "./scope.ts";
import { insideOf, type Scan } from "./trace.ts";

/** So deep does an explanation go into functions and other tables. */
const DEEPEST = 6;
/** So many rows of a function's result are named. */
const MOST_NAMED = 5;

const BUILT_IN = /^(pg_catalog\.)?[^.]+$/;

interface Asked {
  text: string;
  wanted: boolean;
  verdict: Verdict;
}

export class Reasons {
  readonly #session: Session;
  readonly #values: Values;
  readonly #looks: Looks;

  /** @param collect is given the rows that subqueries and functions have looked at, a few of each. */
  constructor(session: Session, collect?: Collect) {
    this.#session = session;
    this.#values = new Values(session);
    this.#looks = new Looks(session, this.#values, collect);
  }

  /** The reasons of one row of a judgement's group, by default the first. */
  async ofGroup(as: RunAs, judgement: Judgement, at = 0, depth = 0, sample?: string): Promise<Reason[]> {
    const group = judgement.groups[at];
    if (!group) return [];
    const reasons: Reason[] = [];
    for (const { leaf: part, wanted } of group.reason) {
      const judged = group.parts.find((one) => one.part === part);
      const scope: Scope = { as, row: { table: judgement.table, text: sample ?? group.sample } };
      const verdict = judged?.verdict ?? null;
      const reason = await this.#of(scope, { text: part.text, wanted, verdict }, depth);
      reasons.push({ ...reason, policy: part.policy, error: judged?.error });
    }
    return reasons;
  }

  /** The values that the parts of a group's reason and of its alternatives compare, by the parts' texts; of its first row. */
  async compared(as: RunAs, judgement: Judgement, at: number): Promise<Map<string, Value[]>> {
    const group = judgement.groups[at];
    if (!group || group.visible || group.alternatives.length === 0) return new Map();
    const parts = [group.reason, ...group.alternatives].flat().map(({ leaf }) => leaf.text);
    const asked = new Map(
      [...new Set(parts)]
        .filter((text) => questionOf(text)?.kind !== "rows")
        .map((text) => [text, operandsOf(text).filter((one) => one !== text && !isConstant(one))]),
    );
    const scope: Scope = { as, row: { table: judgement.table, text: group.sample } };
    const values = await this.#values.each(scope, [...new Set([...asked.values()].flat())]);
    return new Map([...asked].map(([text, own]) => [text, own.flatMap((one) => values.get(one) ?? [])]));
  }

  async #of(scope: Scope, asked: Asked, depth: number): Promise<Reason> {
    const reason: Reason = { ...asked, text: shownText(scope, asked.text), values: [] };
    try {
      Object.assign(reason, await this.#found(scope, asked.text, asked.wanted, depth));
    } catch (error) {
      reason.note = messageOf(error);
    }
    return reason;
  }

  async #found(scope: Scope, text: string, wanted: boolean, depth: number): Promise<Partial<Reason>> {
    if (depth < DEEPEST) {
      const inner = peeled(text);
      if (inner) {
        const turned = wanted !== inner.negated;
        if (leavesOf(splitExpression(inner.text)).length > 1)
          return { within: { reasons: await this.#condition(scope, inner.text, turned, depth) } };
        const found = await this.#found(scope, inner.text, turned, depth);
        // Told is the condition inside, where it is turned as well.
        return { text: shownText(scope, inner.text), ...found, wanted: turned };
      }
      const present = presentCall(text);
      if (present) {
        const found = await this.#call(scope, present.call, wanted !== present.negated, depth, PRESENT);
        if (found.inside || found.ran)
          return { ...found, text: shownText(scope, present.text), wanted: wanted !== present.negated };
      }
      const branches = branchesOf(text);
      if (branches) return this.#branch(scope, branches, wanted, depth);
      const question = questionOf(text);
      if (question?.kind === "rows") return this.#rows(scope, question, wanted, depth);
      if (question?.kind === "call") return this.#call(scope, question, wanted, depth);
    }
    return { values: await this.#compared(scope, operandsOf(text), depth) };
  }

  /** The values of a comparison; of a query that has none, what it looks for. */
  async #compared(scope: Scope, operands: readonly string[], depth: number): Promise<Value[]> {
    const values = await this.#values.of(scope, operands);
    for (const operand of depth < DEEPEST ? operands : []) {
      const query = readQuery(operand);
      const value = values.find(({ text }) => text === shownText(scope, operand));
      if (query?.from === undefined || value?.value !== null) continue;
      const sought = await this.#look(scope, { ...query, from: query.from }, [], true, depth);
      if (sought.hidden || sought.looked?.found === 0) value.sought = sought;
    }
    return values;
  }

  /** The reasons of a condition that is no part of a policy: of the fewest leaves that have to be different. */
  async #condition(scope: Scope, text: string, wanted: boolean, depth: number): Promise<Reason[]> {
    const expression = splitExpression(text);
    const verdicts = await this.#values.verdicts(scope, expression);
    const verdict = (leaf: string) => verdicts.get(leaf) ?? null;
    const reasons: Reason[] = [];
    const [flips = []] = flipsFor(expression, wanted ? "true" : "not true", (leaf) => verdict(leaf.text));
    for (const { leaf, wanted } of flips) {
      reasons.push(
        await this.#of(scope, { text: leaf.text, wanted, verdict: verdict(leaf.text) }, depth + 1),
      );
    }
    return reasons;
  }

  /** The branch that a CASE takes. */
  async #branch(
    scope: Scope,
    branches: NonNullable<ReturnType<typeof branchesOf>>,
    wanted: boolean,
    depth: number,
  ): Promise<Partial<Reason>> {
    for (const { when, result } of branches) {
      const taken =
        when === undefined ||
        (await this.#values.one(scope, `((${when})::pg_catalog.bool)::pg_catalog.text`)) === "true";
      if (!taken) continue;
      const branch = when === undefined ? "ELSE" : `WHEN ${shownText(scope, when)}`;
      return { within: { branch, reasons: await this.#condition(scope, result, wanted, depth) } };
    }
    return { note: "no branch of its CASE applies, and it has no ELSE" };
  }

  /** Rows that a subquery looks for. */
  async #rows(
    scope: Scope,
    { query, values }: Extract<Question, { kind: "rows" }>,
    wanted: boolean,
    depth: number,
    given?: Sought,
  ): Promise<Partial<Reason>> {
    const { from, output } = query;
    const source = callOf(from === undefined ? output : withoutAlias(from));
    const [value] = values;
    // SELECT f(), and SELECT x FROM f() x
    if (source?.kind === "call" && query.where === undefined && value !== undefined && values.length === 1) {
      const literal = given ?? (await this.#values.literal(scope, value));
      return this.#set(scope, source, query, { text: value, ...literal }, wanted, depth);
    }
    if (from === undefined) return { values: await this.#values.of(scope, [...values, output]) };
    if (given) return this.#look(scope, { ...query, from }, [given], wanted, depth);
    const outputs = values.length > 1 ? commaSeparated(output) : [output];
    const sought: Sought[] = [];
    let { where } = query;
    for (const [at, text] of values.entries()) {
      const own = outputs[at] ?? output;
      // A value that does not depend on the row, such as the caller's id, is a condition and ties nothing to the row.
      if (await this.#values.isFree(scope, text)) {
        const equal = `(${own} = ${text})`;
        where = where === undefined ? equal : `(${where} AND ${equal})`;
      } else sought.push({ output: own, text, ...(await this.#values.literal(scope, text)) });
    }
    return this.#look(scope, { ...query, from, where }, sought, wanted, depth);
  }

  /** Counts the rows that are looked for, and goes on at the policies that hide them. */
  async #look(
    scope: Scope,
    query: Query & { from: string },
    sought: readonly Sought[],
    wanted: boolean,
    depth: number,
  ): Promise<Partial<Reason>> {
    const { looked, hidden } = await this.#looks.look(scope, query, sought, wanted);
    return { looked, hidden: hidden.length > 0 ? await this.#judged(scope, hidden, depth) : undefined };
  }

  /** Judges the rows that are there and that the asker does not see: the policy of their table hides them. */
  async #judged(scope: Scope, hidden: HiddenRows, depth: number): Promise<Tree[]> {
    const trees: Tree[] = [];
    for (const { table, rows } of hidden) {
      const judgement = await judgeRows(this.#session, scope.as, table, { rows });
      if (judgement.groups.every(({ visible }) => visible)) continue;
      const at = judgement.groups.findIndex(({ visible }) => !visible);
      trees.push({ judgement, reasons: await this.ofGroup(scope.as, judgement, at, depth + 1) });
    }
    return trees;
  }

  /** A function that returns a set: goes on in its query, with the value that it should return. */
  async #set(
    scope: Scope,
    call: Extract<Question, { kind: "call" }>,
    { output, from }: Query,
    value: Sought,
    wanted: boolean,
    depth: number,
  ): Promise<Partial<Reason>> {
    let entered: { body: string; inner: Scope };
    try {
      entered = await this.#enter(scope, call);
    } catch (error) {
      if (!(error instanceof ExplainError)) throw error;
      const values = [
        ...(await this.#values.of(scope, [value.text])),
        await this.#listed(scope, output, from),
      ];
      // Postgres's own functions are known by their values.
      return BUILT_IN.test(call.name) ? { values } : { values, note: messageOf(error) };
    }
    const { body, inner } = entered;
    const queries = readUnion(body);
    if (!queries) throw new ExplainError(`${call.name} is no query that can be gone into`);
    const reasons: Reason[] = [];
    for (const query of queries) {
      const question: Question = { kind: "rows", query, values: [value.sql] };
      const found = await this.#rows(inner, question, wanted, depth + 1, value);
      reasons.push({ text: `${value.text} in ${call.name}`, verdict: !wanted, wanted, values: [], ...found });
    }
    return { inside: { call: call.name, runsAs: inner.as.role, any: queries.length > 1, reasons } };
  }

  /** What a set of rows has, where its function cannot be gone into. */
  async #listed(scope: Scope, output: string, from: string | undefined): Promise<Value> {
    const source = from === undefined ? "" : ` from ${bind(scope, from)}`;
    const rest = `cross join lateral (
      select (${bind(scope, output)})::pg_catalog.text as v${source} limit ${MOST_NAMED + 1}) as z`;
    const rows = await evaluateIn(this.#session, scope, "array[z.v]", rest);
    const found = rows.map(([one]) => one ?? "null");
    const list = found.slice(0, MOST_NAMED).join(", ") + (found.length > MOST_NAMED ? ", …" : "");
    const because = found.length === 0 ? absentFrom(output, scope.as) : undefined;
    return {
      text: shownText(scope, from === undefined ? output : withoutAlias(from)),
      value: found.length === 0 ? null : list,
      set: true,
      because,
    };
  }

  /** A function that returns a boolean: goes on in its expression or query. */
  async #call(
    scope: Scope,
    call: Extract<Question, { kind: "call" }>,
    wanted: boolean,
    depth: number,
    asked = (output: string) => output,
  ): Promise<Partial<Reason>> {
    const values = await this.#values.of(scope, call.args);
    try {
      const { body, inner } = await this.#enter(scope, call);
      const query = readQuery(body);
      const output = query && asked(query.output);
      const inside = (reasons: Reason[]) => ({
        values,
        inside: { call: call.name, runsAs: inner.as.role, reasons },
      });
      if (query?.from === undefined)
        return inside(await this.#condition(inner, output ?? asked(body), wanted, depth));
      // The first row's value decides: it is one more condition.
      const where = query.where === undefined ? output : `(${query.where}) AND (${output})`;
      const looked = await this.#look(inner, { ...query, from: query.from, where }, [], wanted, depth + 1);
      return inside([
        { text: shownText(inner, output ?? ""), verdict: !wanted, wanted, values: [], ...looked },
      ]);
    } catch (error) {
      const because = await this.#values.absent(scope, `${call.name}()`);
      const ran = await this.#ranInside(scope, call);
      if (ran.length > 0) return { values, ran, note: because };
      return { values, note: `${messageOf(error)}${because === undefined ? "" : `; ${because}`}` };
    }
  }

  /** Calls a function alone, under the trace, and again without row security: the statements that it ran. */
  async #ranInside(
    scope: Scope,
    call: Extract<Question, { kind: "call" }>,
  ): Promise<NonNullable<Reason["ran"]>> {
    const { trace, options } = this.#session;
    if (!trace) return [];
    const args: string[] = [];
    for (const one of call.args) {
      const name = /^(?:"(?:[^"]|"")+"|[\w$]+) => /.exec(one)?.[0] ?? "";
      args.push(name + (await this.#values.literal(scope, one.slice(name.length))).sql);
    }
    const text = `select ${call.name}(${args.join(", ")})`;
    const run = (bypass: boolean) =>
      this.#session.once(JSON.stringify([text, scope.as, bypass]), () =>
        trace((session) => session.ran({ text, values: [] }, { ...scope.as, bypass }), options),
      );
    const inside = async (bypass: boolean) => insideOf((await run(bypass)).notices);
    const [own, bare] = [await inside(false), await inside(true)];
    return bare.flatMap(({ text: one, scans }) => {
      // Without row security the function may come to statements that it does not come to with it.
      const twin = own.find(({ text }) => text === one);
      if (!twin || scans.length === 0) return [];
      const taken = scans.map(({ table, rows }, at) => {
        const of = (other: Scan) => quoteName(other.table) === quoteName(table);
        const nth = scans.slice(0, at).filter(of).length;
        // A scan that can find nothing is not in the plan.
        return { table, rows: twin.scans.filter(of)[nth]?.rows ?? 0, withoutRowSecurity: rows };
      });
      return [{ text: one, found: taken }];
    });
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
      const positional = args[at];
      const given =
        named?.slice(named.indexOf(" => ") + 4) ??
        (positional === undefined || / => /.test(positional) ? undefined : positional);
      const argument = given ?? parameter.default;
      if (argument === null) throw new ExplainError(`${name} is called in a form that is not read`);
      const { value } = await this.#values.literal(scope, argument);
      const ofRow =
        given !== undefined &&
        (scope.row ? !(await this.#values.isFree(scope, given)) : dependsOnRow(scope, given));
      const number = /^(smallint|integer|bigint|numeric|real|double precision|boolean)$/.test(parameter.type);
      const shown = value === null ? "NULL" : number ? value : `'${value.replaceAll("'", "''")}'`;
      parameters.push({ name: parameter.name, value: typedValue(value, parameter.type), shown, ofRow });
    }
    const bound = { name: body.name, parameters };
    const as = body.definer ? { ...scope.as, role: body.owner } : scope.as;
    return { body: body.text, inner: { as, bound } };
  }
}

/** A value that is there is asked as one that is true. */
const PRESENT = (output: string) => `${/^[\w$."]+$/.test(output) ? output : `(${output})`} IS NOT NULL`;

/** `f(x) IS NOT NULL` and `f(x) IS NULL`; undefined for other texts. */
function presentCall(text: string) {
  const is = / IS (NOT )?NULL$/.exec(text);
  const value = text.slice(0, is?.index ?? 0);
  const call = callOf(value);
  return call?.kind === "call" && !BUILT_IN.test(call.name)
    ? { call, text: value, negated: is?.[1] === undefined }
    : undefined;
}

function withoutAlias(from: string): string {
  return from.slice(0, from.lastIndexOf(")") + 1).replace(/\) \S+\(.*\)$/, ")");
}
