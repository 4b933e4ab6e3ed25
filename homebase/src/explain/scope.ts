/** Owns where a condition is judged, and the values that its texts have there. */

import type { QualifiedName } from "../rest/schema/schema-cache.ts";
import { codeOf, type RunAs, type Session } from "./database/explanation-transaction.ts";
import { type Bound, bindParameters, sourceOf, typedValue } from "./database/function-bodies.ts";
import { type Expression, leavesOf } from "./expression/expression.ts";
import { callOf } from "./expression/subquery.ts";
import type { Verdict } from "./expression/verdict.ts";
import { rowsAs } from "./judge.ts";
import type { Value } from "./reason-tree.ts";
import { absentFrom } from "./request-values.ts";

/** Where a condition is judged. */
export interface Scope {
  as: RunAs;
  /** The row that unqualified columns belong to. */
  row?: { table: QualifiedName; text: string };
  /** The function whose parameters the text may name. */
  bound?: Bound;
}

/** The text with the values of a function's parameters, as SQL. */
export function bind({ bound }: Scope, text: string): string {
  return bound ? bindParameters(text, bound, ({ value }) => `(${value})`) : text;
}

/** The text as a person reads it: with the values of parameters. */
export function shownText({ bound }: Scope, text: string): string {
  return bound ? bindParameters(text, bound, ({ shown }) => shown) : text;
}

/** Whether a text depends on the row that is judged by an argument of the function. */
export function dependsOnRow({ bound }: Scope, text: string): boolean {
  let depends = false;
  if (bound)
    bindParameters(text, bound, ({ ofRow }) => {
      depends ||= ofRow;
      return "";
    });
  return depends;
}

/** Rows of text in a scope. @param columns an array. @param rest what follows the scope's own row in FROM. */
export function evaluateIn(
  session: Session,
  scope: Scope,
  columns: string,
  rest = "",
  as = scope.as,
): Promise<(string | null)[][]> {
  const { row } = scope;
  const from = row ? rowsAs(row.table) : "(select 1) as homebase_outer";
  const given = row ? `{"${row.text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"}` : "";
  return session.evaluate(`select ${columns} from ${from} ${rest}`, as, given);
}

/** The values of texts in a scope. */
export class Values {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /** @throws Postgres's error for a text that has no value in the scope. */
  async one(scope: Scope, expression: string): Promise<string | null | undefined> {
    const [row] = await evaluateIn(this.#session, scope, `array[${bind(scope, expression)}]`);
    return row?.[0];
  }

  /** Those that can be judged in the scope alone; the others, and constants, are left out. */
  async of(scope: Scope, texts: readonly string[]): Promise<Value[]> {
    const found = await this.each(
      scope,
      texts.filter((text) => !isConstant(bind(scope, text))),
    );
    return [...found.values()];
  }

  /** By their texts, as `of`, with constants. */
  async each(scope: Scope, texts: readonly string[]): Promise<Map<string, Value>> {
    const found = await this.#each(
      scope,
      texts.map((text) => `(${text})::pg_catalog.text`),
    );
    const values = new Map<string, Value>();
    for (const [at, text] of texts.entries()) {
      const value = found[at];
      if (value === undefined) continue;
      const because = value === null ? await this.absent(scope, text) : undefined;
      values.set(text, { text: shownText(scope, text), value, because });
    }
    return values;
  }

  /** Why an expression, or the function that it calls, has no value; undefined where that is not known. */
  async absent({ as }: Scope, text: string): Promise<string | undefined> {
    const call = callOf(text);
    const source = call?.kind === "call" ? await sourceOf(this.#session, call.name) : undefined;
    return absentFrom(text, as) ?? (source === undefined ? undefined : absentFrom(source, as));
  }

  /** All in one statement, or each alone where one of them has no value. */
  async #each(scope: Scope, expressions: readonly string[]): Promise<(string | null | undefined)[]> {
    if (expressions.length === 0) return [];
    try {
      const bound = expressions.map((one) => bind(scope, one));
      const [row = []] = await evaluateIn(this.#session, scope, `array[${bound.join(", ")}]`);
      return row;
    } catch (error) {
      if (expressions.length === 1 || codeOf(error) === undefined) return [];
      const found: (string | null | undefined)[] = [];
      for (const one of expressions) found.push((await this.#each(scope, [one]))[0]);
      return found;
    }
  }

  /** The verdicts of the leaves of a condition, by their texts; an error is unknown. */
  async verdicts(scope: Scope, expression: Expression): Promise<Map<string, Verdict>> {
    const texts = leavesOf(expression).map(({ text }) => text);
    const found = await this.#each(
      scope,
      texts.map((text) => `((${text})::pg_catalog.bool)::pg_catalog.text`),
    );
    return new Map(
      texts.map((text, at) => {
        const value = found[at] ?? null;
        return [text, value === null ? null : value === "true"];
      }),
    );
  }

  /** Whether a value is known without the row. */
  async isFree({ as, bound }: Scope, text: string): Promise<boolean> {
    if (isConstant(text)) return true;
    const free: Scope = bound ? { as, bound } : { as };
    return this.one(free, `(${text})::pg_catalog.text`).then(
      () => true,
      () => false,
    );
  }

  /** A value with its type, as SQL that needs no scope. */
  async literal(scope: Scope, expression: string): Promise<{ sql: string; value: string | null }> {
    const bound = bind(scope, expression);
    const columns = `array[(${bound})::pg_catalog.text, pg_catalog.pg_typeof(${bound})::pg_catalog.oid::pg_catalog.text]`;
    const [[value = null, oid = null] = []] = await evaluateIn(this.#session, scope, columns);
    const [type] = await this.#session.known<{ name: string }>(
      "select pg_catalog.format_type($1::text::oid, null) as name",
      [oid],
    );
    return { sql: typedValue(value, type?.name ?? "text"), value };
  }
}

/** A literal needs no value beside it. */
export function isConstant(text: string): boolean {
  const bare = text.replace(/'(?:[^']|'')*'/g, "0").replace(/::[\w."]+( varying| precision)?(\[\])?/g, "");
  return /^[([]*(?:-?[\d.]+|true|false|NULL|ARRAY|[()[\], ])+$/i.test(bare.trim());
}
