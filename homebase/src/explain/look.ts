/**
 * Owns counting the rows that a condition looks for: those that belong to the judged row, by each further condition,
 * as the asker and with row security bypassed.
 */
import { quoteName } from "../postgres/quoting.ts";
import type { QualifiedName } from "../rest/schema/schema-cache.ts";
import { readAccess, readTable } from "./database/before-policies.ts";
import type { RunAs, Session } from "./database/explanation-transaction.ts";
import { conjuncts, leavesOf, splitExpression, writeExpression } from "./expression/expression.ts";
import { mentions, operandsOf, type TableReference, tablesIn, tablesOf } from "./expression/references.ts";
import type { Query } from "./expression/subquery.ts";
import { type Looked, MOST_COUNTED, type Value } from "./reason-tree.ts";
import { bind, dependsOnRow, evaluateIn, isConstant, type Scope, shownText, type Values } from "./scope.ts";

/** So many of the rows that another table's policy hides are judged. */
const MOST_HIDDEN = 3;
/** So many rows of each table are collected. */
const MOST_COLLECTED = 10;

/** Takes the rows that an explanation has looked at, as composite values. */
export type Collect = (table: QualifiedName, rows: readonly string[]) => void;

/** The value that a subquery should return: as it is written, as SQL without a scope, and as text. */
export interface Sought {
  /** The output of the query that should equal it; the whole by default. */
  output?: string;
  text: string;
  sql: string;
  value: string | null;
}

/** The parts of a look for rows, as SQL in its scope. */
interface Shape {
  with: string;
  from: string;
  link: string[];
  conditions: string[];
}

/** Rows that are there and that the asker does not see, by table. */
export type HiddenRows = { table: QualifiedName; rows: string[] }[];

export class Looks {
  readonly #session: Session;
  readonly #values: Values;
  readonly #collect: Collect | undefined;

  constructor(session: Session, values: Values, collect: Collect | undefined) {
    this.#session = session;
    this.#values = values;
    this.#collect = collect;
  }

  /** @param sought the values that the query's outputs should equal. @param wanted whether a row should be found. */
  async look(
    scope: Scope,
    query: Query & { from: string },
    sought: readonly Sought[],
    wanted: boolean,
  ): Promise<{ looked: Looked; hidden: HiddenRows }> {
    const tables = tablesOf(query.from);
    const named = query.with ?? "";
    const everywhere = tablesIn(`${named} FROM ${query.from}`);
    const { own, links, conditions } = await this.#sorted(scope, query, tables);
    const linkSql = links.map((text) => `(${bind(scope, text)})`);
    for (const { output = query.output, sql } of sought) linkSql.push(`((${bind(scope, output)}) = ${sql})`);
    const shape: Shape = {
      with: bind(scope, named),
      from: bind(scope, query.from),
      link: linkSql,
      conditions: conditions.map(({ text }) => bind(scope, text)),
    };
    const restricted = await this.#restricted(scope.as, everywhere);
    const values = await this.#operands(scope, tables, [...conditions.map(({ text }) => text), ...links]);
    const user = scope.as.claims.sub;
    // A condition that names a row weighs most, then one that the asker's own rows meet.
    const weights = conditions.map(({ text, shown }) => {
      const [known] = values(text);
      return known === undefined ? 1 : known.value === user ? 2 : / = /.test(shown) ? 4 : 1;
    });
    const open = await this.#count(scope, { ...scope.as, bypass: restricted }, shape, weights);
    const seen = restricted ? await this.#count(scope, scope.as, shape).catch(() => undefined) : undefined;
    const met = own.every(({ verdict }) => verdict === true);
    const looked: Looked = {
      from: query.from,
      named: named !== "",
      tables: everywhere.map(({ table }) => table),
      link: [
        ...sought.map(({ output = query.output, text, value }) => ({ text: `${output} = ${text}`, value })),
        ...links.map((text) => (scope.row ? { text } : { text: shownText(scope, text), argument: true })),
      ],
      linked: open.linked,
      own,
      conditions: [],
      found: met ? open.found : 0,
      seen: seen?.found === open.found || !met ? undefined : seen?.found,
    };
    for (const [at, { text, shown }] of conditions.entries())
      looked.conditions.push({ text: shown, count: open.each[at] ?? 0, values: values(text) });
    const each = looked.conditions;
    if (wanted && open.linked === 0 && named === "" && tables.length > 1) {
      const linked = [...sought.map(({ output = query.output }) => output), ...links];
      looked.alone = await this.#alone(scope, { ...scope.as, bypass: restricted }, tables, linked, shape);
    }
    if (wanted && open.found === 0 && each.length > 1 && each.every(({ count }) => count > 0))
      looked.closest = open.closest;
    for (const [at, text] of links.entries()) {
      const link = looked.link[at + sought.length];
      // Of the link's two sides the one that the row or the argument gives has a value here.
      const [first] = values(text, true);
      if (first && link) link.value = first.value;
    }
    if (this.#collect) {
      // Where no row meets everything, those that are linked show what was there.
      const which = open.found > 0 ? { ...shape, link: [...shape.link, ...shape.conditions] } : shape;
      for (const one of tables)
        this.#collect(one.table, await this.#rowsOf(scope, one, which, MOST_COLLECTED));
    }
    const hidden: HiddenRows = [];
    if (wanted && met && open.found > 0 && seen?.found === 0) {
      const all = { ...shape, link: [...shape.link, ...shape.conditions] };
      for (const one of tables)
        hidden.push({ table: one.table, rows: await this.#rowsOf(scope, one, all, MOST_HIDDEN) });
    }
    return { looked, hidden };
  }

  /** The rows of the table that the link is about, without the others; undefined where it is about several. */
  async #alone(
    scope: Scope,
    as: RunAs,
    tables: readonly TableReference[],
    linked: readonly string[],
    shape: Shape,
  ): Promise<Looked["alone"]> {
    const about = (text: string) => tables.filter(({ alias }) => mentions(text, alias.replaceAll('"', "")));
    const [one, ...more] = [...new Set(linked.flatMap(about))];
    if (!one || more.length > 0) return undefined;
    const own = shape.conditions.flatMap((text, at) =>
      about(text).every((other) => other === one) ? [at] : [],
    );
    const counted = await this.#count(scope, as, {
      with: "",
      from: `${quoteName(one.table)} ${one.alias}`,
      link: shape.link,
      conditions: own.map((at) => shape.conditions[at] ?? ""),
    });
    const unmet = own.filter((_, at) => counted.each[at] === 0);
    return { name: one.table.name, linked: counted.linked, found: counted.found, unmet };
  }

  /** The values that operands of conditions have in the scope alone, asked in one statement. */
  async #operands(scope: Scope, tables: readonly TableReference[], texts: readonly string[]) {
    const free = (text: string) =>
      leavesOf(splitExpression(text))
        .flatMap((leaf) => operandsOf(leaf.text))
        .filter((one, at, all) => all.indexOf(one) === at)
        .filter((one) => !tables.some(({ alias }) => mentions(one, alias.replaceAll('"', ""))));
    const asked = [...new Set(texts.flatMap(free))];
    const found = await this.#values.each(scope, asked);
    return (text: string, constants = false): Value[] =>
      free(text).flatMap((one) => {
        const value = found.get(one);
        return value && (constants || !isConstant(bind(scope, one))) ? [value] : [];
      });
  }

  /** Each condition by what it is about: the judged row alone, the tie of the rows to it, or the rows alone. */
  async #sorted(scope: Scope, { where }: Query, tables: readonly TableReference[]) {
    const own: NonNullable<Looked["own"]> = [];
    const links: string[] = [];
    const conditions: { text: string; shown: string }[] = [];
    for (const one of where === undefined ? [] : conjuncts(splitExpression(where))) {
      const text = one.kind === "leaf" ? one.text : writeExpression(one);
      const ofRow = scope.row ? mentions(text, scope.row.table.name) : dependsOnRow(scope, text);
      const ofTables = tables.some(({ alias }) => mentions(text, alias.replaceAll('"', "")));
      if (ofRow && !ofTables && tables.length > 0) {
        const verdict = await this.#values.one(scope, `((${text})::pg_catalog.bool)::pg_catalog.text`).then(
          (value) => (value === null || value === undefined ? null : value === "true"),
          () => undefined,
        );
        if (verdict !== undefined) {
          const values = await this.#values.of(scope, operandsOf(text));
          own.push({ text: shownText(scope, text), verdict, values });
          continue;
        }
      }
      if (ofRow) links.push(text);
      else {
        const shown = await this.#shown(scope, text);
        if (shown !== undefined) conditions.push({ text, shown });
      }
    }
    return { own, links, conditions };
  }

  /**
   * A condition with the values of a function's parameters, and without alternatives that these rule out; undefined
   * where they make it true for every row.
   */
  async #shown(scope: Scope, text: string): Promise<string | undefined> {
    const shown = shownText(scope, text);
    const condition = splitExpression(text);
    if (shown === text || condition.kind !== "or") return shown;
    const left: string[] = [];
    for (const member of condition.members) {
      const written = writeExpression(member);
      const verdict =
        leavesOf(member).every((leaf) => shownText(scope, leaf.text) !== leaf.text) &&
        (await this.#values.one(scope, `(${written})::pg_catalog.text`).then(
          (value) => value ?? null,
          () => false,
        ));
      if (verdict === "true") return undefined;
      if (verdict === false) left.push(shownText(scope, written));
    }
    return left.length === 0 ? "false" : left.length === 1 ? left[0] : left.join(" OR ");
  }

  /** Whether row security may hide rows of the tables from the asker. */
  async #restricted({ role }: RunAs, tables: readonly TableReference[]): Promise<boolean> {
    const [who] = await this.#session.known<{ bypasses: boolean }>(
      "select rolsuper or rolbypassrls as bypasses from pg_catalog.pg_roles where rolname = $1",
      [role],
    );
    if (who?.bypasses) return false;
    if (tables.length === 0) return true;
    for (const { table: name } of tables) {
      const table = await readTable(this.#session, name);
      // A view may read other tables as the asker.
      if (table.kind !== "table") return true;
      if ((await readAccess(this.#session, role, table, "select")).rowSecurity === "on") return true;
    }
    return false;
  }

  /** The first rows of a table in a look for rows, whoever asks, as composite values. */
  async #rowsOf(
    scope: Scope,
    { table, alias }: TableReference,
    { with: named, from, link }: Shape,
    most: number,
  ): Promise<string[]> {
    const where = link.map((text) => `(${text})`).join(" and ") || "true";
    const rest = `cross join lateral (
      ${named} select (${alias}.*)::${quoteName(table)}::pg_catalog.text as r from ${from} where ${where} limit ${most}) as z`;
    const rows = await evaluateIn(this.#session, scope, "array[z.r]", rest, { ...scope.as, bypass: true });
    return rows.flatMap(([row]) => (row === undefined || row === null ? [] : [row]));
  }

  /** The rows by what they meet, and which conditions the row meets that meets most of them, by their weights. */
  async #count(
    scope: Scope,
    as: RunAs,
    { with: named, from, link, conditions }: Shape,
    weights: readonly number[] = [],
  ) {
    const names = conditions.map((_, at) => `homebase_k${at}`);
    const columns = conditions.map((text, at) => `(${text}) as ${names[at]}`);
    const met = names.map((name) => `coalesce(z.${name}, false)::pg_catalog.int4`);
    const counts = [
      "pg_catalog.count(*)",
      ...names.map((name) => `pg_catalog.count(*) filter (where z.${name})`),
      names.length === 0
        ? "pg_catalog.count(*)"
        : `pg_catalog.count(*) filter (where ${names.map((name) => `z.${name}`).join(" and ")})`,
      weights.length === 0
        ? "null"
        : `(pg_catalog.array_agg(pg_catalog.concat_ws(',', ${met.join(", ")}) order by ${met.map((one, at) => `${one} * ${weights[at]}`).join(" + ")} desc))[1]`,
    ];
    const all = `array[${counts.map((count) => `(${count})::pg_catalog.text`).join(", ")}]`;
    const rows = `cross join lateral (
      ${named} select ${columns.length > 0 ? columns.join(", ") : "1"} from ${from}
      where ${link.length > 0 ? link.join(" and ") : "true"} limit ${MOST_COUNTED}) as z`;
    const [row = []] = await evaluateIn(this.#session, scope, all, rows, as);
    const closest = row
      .at(-1)
      ?.split(",")
      .map((one) => one === "1");
    const [linked = 0, ...rest] = row.slice(0, -1).map(Number);
    return { linked, each: rest.slice(0, -1), found: rest.at(-1) ?? 0, closest };
  }
}
