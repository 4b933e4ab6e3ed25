/**
 * Owns how a column changes so that it keeps its values. pg-delta casts explicitly for another type, which cuts a value
 * that is too long instead of refusing it; it takes away and sets defaults twice, at times before their type is there; it
 * drops and adds a column for another collation or expression; and it numbers rows from 1 where rows have numbers already.
 */
import type { FactBase, Plan } from "@supabase/pg-delta";
import type pg from "pg";
import { quote, quoteLiteral, quoteName } from "../postgres/quoting.ts";

type Delta = Pick<typeof import("@supabase/pg-delta"), "FactBase" | "encodeId">;
type Action = Plan["actions"][number];

/** The objects, with the collation that a column of `other` does not have as a part of its type, which can be altered. */
export function withCollations({ FactBase }: Delta, base: FactBase, other: FactBase): FactBase {
  const facts = base.facts().map((fact) => {
    const { id, payload } = fact;
    const { collation, type } = payload;
    const counterpart = id.kind === "column" ? other.get(id)?.payload : undefined;
    if (!counterpart || counterpart.collation === collation) return fact;
    const full = collation === null ? type : `${type} COLLATE ${collation}`;
    return { ...fact, payload: { ...payload, type: full, collation: null } };
  });
  const made = new FactBase(facts, [...base.edges], base.source, base.referenceOnly);
  made.diagnostics.push(...base.diagnostics);
  return made;
}

/** The pairs of built-in types, "from>to", for which an assignment needs no written cast. */
export async function readAssignments(client: pg.Pool): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ pair: string }>(
    `select pg_catalog.format_type(castsource, null) || '>' || pg_catalog.format_type(casttarget, null) as pair
     from pg_catalog.pg_cast where castcontext <> 'e' and castsource < 16384 and casttarget < 16384`,
  );
  return new Set(rows.map(({ pair }) => pair));
}

const COLUMN =
  /^(ALTER TABLE (?:"(?:[^"]|"")+"\.?)+ ALTER COLUMN "(?:[^"]|"")+") (TYPE|DROP DEFAULT|SET DEFAULT)/;

/** The beginning of the statements that alter a column. */
function targetOf({ schema, table, name }: { schema: string; table: string; name: string }): string {
  return `ALTER TABLE ${quoteName({ schema, name: table })} ALTER COLUMN ${quote(name)}`;
}

/**
 * The actions of a plan as they keep values. @param assignments as `readAssignments` has them
 * @returns also whether a value may be rounded: Postgres refuses a value that is too long or out of range.
 */
export function withKeptValues(
  delta: Delta,
  actions: readonly Action[],
  earlier: FactBase,
  { assignments, majorVersion }: { assignments: ReadonlySet<string>; majorVersion: number },
): { actions: Action[]; loses: boolean } {
  const kept = withNextNumbers(withKeptColumns(delta, actions, earlier, majorVersion));
  const { actions: plain, loses } = plainTypeChanges(kept, earlier, assignments);
  return { actions: withTriggersAside(delta, plain, earlier), loses };
}

/** A column that gets another type, and where its statements stand in the plan; -1 for none. */
interface Retyped {
  from: string;
  hadDefault: boolean;
  type: number;
  drop: number;
  set: number;
}

/** The actions, with one cast and one default for each column that gets another type. */
function plainTypeChanges(
  actions: readonly Action[],
  earlier: FactBase,
  assignments: ReadonlySet<string>,
): { actions: Action[]; loses: boolean } {
  const parsed = actions.map(({ sql }) => COLUMN.exec(sql) ?? []);
  const retyped = readRetyped(parsed, earlier);
  const result: Action[] = [];
  let loses = false;
  let commits = false;
  for (const [at, action] of actions.entries()) {
    const [, target = "", change] = parsed[at] ?? [];
    const one = retyped.get(target);
    commits ||= action.newSegmentBefore;
    const isKept = !one || (change === "SET DEFAULT" ? one.set === at && at > one.type : at === one.drop);
    if (one && change === "TYPE") {
      const to = action.sql
        .slice(target.length + " TYPE ".length)
        .replace(/ USING "(?:[^"]|"")+"::[\s\S]+$/, "");
      loses ||= rounds(one.from, to);
      const sql = assigns(one.from, to, assignments)
        ? `${target} TYPE ${to}`
        : [one.from, to].every(isOwnType)
          ? action.sql.replace(/(?<= USING "(?:[^"]|"")+")::(?!text\b)/, "::text::")
          : action.sql;
      result.push({ ...action, sql, newSegmentBefore: commits });
      const early = one.set < at ? actions[one.set] : undefined;
      if (early) result.push({ ...early, newSegmentBefore: false });
    } else if (isKept) result.push({ ...action, newSegmentBefore: commits });
    else continue;
    commits = false;
  }
  return { actions: result, loses };
}

/** The actions, with triggers that name a column taken away while it gets another type, which Postgres demands. */
function withTriggersAside({ encodeId }: Delta, actions: readonly Action[], earlier: FactBase): Action[] {
  const retyped = new Map<string | undefined, Action>();
  for (const action of actions) {
    const [, target, change] = COLUMN.exec(action.sql) ?? [];
    if (change === "TYPE") retyped.set(target, action);
  }
  const destroyed = new Set(actions.flatMap(({ destroys }) => destroys.map(encodeId)));
  const aside = new Map<string, { drop: string; make: string }>();
  const around = new Set<Action>();
  for (const { from, to } of earlier.edges) {
    if (from.kind !== "trigger" || to.kind !== "column" || destroyed.has(encodeId(from))) continue;
    const action = retyped.get(targetOf(to));
    if (!action) continue;
    around.add(action);
    const drop = `DROP TRIGGER ${quote(from.name)} ON ${quoteName({ schema: to.schema, name: to.table })}`;
    aside.set(encodeId(from), { drop, make: String(earlier.get(from)?.payload.def) });
  }
  const [first, last] = [actions.find((one) => around.has(one)), actions.findLast((one) => around.has(one))];
  return actions.map((action) => {
    const before = action === first ? [...aside.values()].map(({ drop }) => drop) : [];
    const after = action === last ? [...aside.values()].map(({ make }) => make) : [];
    return { ...action, sql: [...before, action.sql, ...after].join(";\n\n") };
  });
}

/** The columns that a plan gives another type, by the beginning of their statements. */
function readRetyped(parsed: readonly (readonly (string | undefined)[])[], earlier: FactBase) {
  const retyped = new Map<string, Retyped>();
  for (const [at, [, target, change]] of parsed.entries())
    if (target && change === "TYPE")
      retyped.set(target, { from: "", hadDefault: false, type: at, drop: -1, set: -1 });
  for (const { id, payload } of earlier.facts()) {
    if (id.kind !== "column" && id.kind !== "default") continue;
    const one = retyped.get(targetOf(id));
    if (one && id.kind === "column") one.from = String(payload.type);
    else if (one) one.hadDefault = true;
  }
  for (const [at, [, target = "", change]] of parsed.entries()) {
    const one = retyped.get(target);
    if (one && change === "DROP DEFAULT" && one.hadDefault && one.drop === -1) one.drop = at;
    if (one && change === "SET DEFAULT") one.set = at;
  }
  return retyped;
}

/** The statements that drop and add a column: its table, its name, and how its value is computed. */
const DROPPED = /^(ALTER TABLE \S.*) DROP COLUMN ("(?:[^"]|"")+")$/;
const ADDED =
  /^(ALTER TABLE \S.*) ADD COLUMN ("(?:[^"]|"")+") .+?(?: GENERATED ALWAYS AS (\([\s\S]+\)) STORED)?$/;

/**
 * The actions, where a computed column stays that pg-delta drops and adds. It is dropped still where a function is that it
 * calls, and before Postgres 17, which gives no column another expression.
 */
function withKeptColumns(
  { encodeId }: Delta,
  actions: readonly Action[],
  earlier: FactBase,
  majorVersion: number,
): Action[] {
  const destroyed = new Set(actions.flatMap(({ destroys }) => destroys.map(encodeId)));
  const calling = new Set(
    earlier.edges.filter(({ to }) => destroyed.has(encodeId(to))).map(({ from }) => encodeId(from)),
  );
  const computed = new Map<string, string>();
  for (const { id, payload } of earlier.facts()) {
    if (id.kind !== "column" || payload.generatedExpr === null || calling.has(encodeId(id))) continue;
    const table = quoteName({ schema: id.schema, name: id.table });
    computed.set(`ALTER TABLE ${table} ${quote(id.name)}`, String(payload.type));
  }
  const dropped = new Map<string, number>();
  for (const [at, { sql }] of actions.entries()) {
    const [, table, column] = DROPPED.exec(sql) ?? [];
    if (table && column && computed.has(`${table} ${column}`)) dropped.set(`${table} ${column}`, at);
  }
  const left = new Set<number>();
  const kept = actions.map((action): Action => {
    const [, table, column, expression] = ADDED.exec(action.sql) ?? [];
    const at = dropped.get(`${table} ${column}`);
    const isSame = action.sql.startsWith(
      `${table} ADD COLUMN ${column} ${computed.get(`${table} ${column}`)}`,
    );
    if (at === undefined || !isSame || (expression && majorVersion < 17)) return action;
    left.add(at);
    const change = expression ? `SET EXPRESSION AS ${expression}` : "DROP EXPRESSION";
    return { ...action, verb: "alter", sql: `${table} ALTER COLUMN ${column} ${change}` };
  });
  return kept.filter((_, at) => !left.has(at));
}

/** The statements that number the rows of a column: an identity, or a default that asks a sequence. */
const NUMBERED =
  /^ALTER TABLE (\S.*) ALTER COLUMN ("(?:[^"]|"")+") (?:ADD GENERATED \S.* AS IDENTITY|SET DEFAULT nextval\(('(?:[^']|'')+')::regclass\)$)/;

/**
 * The actions, where a column that is numbered from now on goes on after its highest number, and takes no null before it
 * becomes an identity.
 */
function withNextNumbers(actions: readonly Action[]): Action[] {
  const made = new Map<string, string>();
  const required = new Map<string, Action>();
  for (const action of actions) {
    const [, sequence] = /^CREATE SEQUENCE (\S.*?) (?:AS|INCREMENT) /.exec(action.sql) ?? [];
    if (sequence) made.set(sequence.replaceAll('"', ""), action.sql);
    const [, column] = /^(ALTER TABLE \S.*) SET NOT NULL$/.exec(action.sql) ?? [];
    if (column) required.set(column, action);
  }
  const early = new Set<Action | undefined>();
  const numbered = actions.map((action) => {
    const [, table, column = "", sequence] = NUMBERED.exec(action.sql) ?? [];
    const options = sequence ? made.get(sequence.slice(1, -1).replaceAll('"', "")) : action.sql;
    if (!table || options === undefined) return action;
    const needed = sequence ? undefined : required.get(`ALTER TABLE ${table} ALTER COLUMN ${column}`);
    early.add(needed);
    const statements = [...(needed ? [needed.sql] : []), action.sql];
    if (!/INCREMENT BY -/.test(options)) {
      const start = /START WITH (\d+)/.exec(options)?.[1] ?? "1";
      const name = quoteLiteral(column.slice(1, -1).replaceAll('""', '"'));
      const which = sequence
        ? `${sequence}::regclass`
        : `pg_catalog.pg_get_serial_sequence(${quoteLiteral(table)}, ${name})`;
      statements.push(
        `SELECT pg_catalog.setval(${which}, greatest(max(${column}) + 1, ${start}), false) FROM ${table}`,
      );
    }
    return { ...action, sql: statements.join(";\n\n") };
  });
  return numbered.filter((_, at) => !early.has(actions[at]));
}

/** A type without its collation and its limits: `numeric` of `numeric(9,2)`. */
const baseOf = (type: string) => type.replace(/ COLLATE [\s\S]+$/, "").replace(/\(\d+(?:,\d+)?\)/, "");
const TEXTS = ["text", "character varying"];
/** Whether a type is the project's or an extension's: Postgres names these with their schema, and casts none to another. */
const isOwnType = (type: string) => baseOf(type).includes(".");

/** Whether a value of the one type becomes one of the other without an explicit cast. Every type is assigned to text. */
function assigns(from: string, to: string, assignments: ReadonlySet<string>): boolean {
  const [source, target] = [baseOf(from), baseOf(to)];
  return source === target || TEXTS.includes(target) || assignments.has(`${source}>${target}`);
}

const WHOLE = ["smallint", "integer", "bigint"];
const TIMES = ["timestamp without time zone", "timestamp with time zone", ...TEXTS];
/** The types that are less exact than others, with those others. */
const LESS_EXACT: readonly (readonly [string[], string[]])[] = [
  [WHOLE, ["numeric", "real", "double precision"]],
  [["real"], ["numeric", "double precision", "integer", "bigint"]],
  [["double precision"], ["numeric", "bigint"]],
  [["date", "time without time zone", "time with time zone"], TIMES],
];

function rounds(from: string, to: string): boolean {
  const [source, target] = [baseOf(from), baseOf(to)];
  if (LESS_EXACT.some(([less, more]) => less.includes(target) && more.includes(source))) return true;
  // The last number of a limit: digits after the point. A type without one has as many as a value needs, or six of a second.
  const digits = (type: string) =>
    Number(/\(\d+,(\d+)\)|\((\d+)\)/.exec(type)?.slice(1).find(Boolean) ?? Infinity);
  const isRounded = target === "numeric" || /^(?:time|interval)/.test(target);
  return isRounded && digits(to) < (source === target ? digits(from) : Infinity) && source !== "integer";
}
