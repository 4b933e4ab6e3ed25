/**
 * Owns the whole statement of a request: source, count, page, body. It returns one row of five columns, and
 * more for writes (see `ANSWER`).
 */
import type { Utf8Text } from "../../postgres/pipeline/wire.ts";
import { arrayLiteral, quote, quoteName } from "../../postgres/quoting.ts";
import type { BodyColumns, CallPlan, Condition, Plan, ReadNode, ReadPlan, WritePlan } from "../plan/plan.ts";
import type { Representation } from "../request/media-type.ts";
import type { Column, MediaHandler } from "../schema/schema-cache.ts";
import {
  BODY,
  CALL,
  COUNTED,
  EXCLUDED,
  freeName,
  PAGE,
  PAYLOAD,
  ROWS,
  SCALAR,
  SOURCE,
} from "./free-names.ts";
import { writeCondition, writeCount, writeRead } from "./select-sql.ts";
import { SqlWriter } from "./writer.ts";

export interface StatementOptions {
  representation: Representation;
  /** No body: HEAD, or a write without representation. */
  bare: boolean;
  count: "exact" | "planned" | "estimated" | undefined;
  maxRows: number | undefined;
}

/** Column positions in the statement's one row. Every value is text or null. */
export const ANSWER = {
  total: 0,
  rows: 1,
  body: 2,
  headers: 3,
  status: 4,
  inserted: 5,
  location: 6,
} as const;

export interface WrittenStatement {
  text: string;
  values: (string | Buffer | Utf8Text)[];
  /** The query to EXPLAIN for planned and estimated counts. */
  explain?: { text: string; values: (string | Buffer | Utf8Text)[] };
}

const COUNT = "pg_catalog.count(*)";

const SETTINGS =
  "nullif(pg_catalog.current_setting('response.headers', true), ''), nullif(pg_catalog.current_setting('response.status', true), '')";

export function writeStatement(plan: Plan, options: StatementOptions): WrittenStatement {
  switch (plan.kind) {
    case "read":
      return writeReadStatement(plan, options);
    case "write":
      return writeWriteStatement(plan, options);
    case "call":
      return writeCallStatement(plan, options);
  }
}

function writeReadStatement({ root }: ReadPlan, options: StatementOptions): WrittenStatement {
  const writer = new SqlWriter();
  const { count, maxRows } = options;
  const ctes: string[] = [];
  let total = "null";
  // Without range and row limit the page has all rows.
  const wholePage = root.limit === undefined && root.offset === 0;
  if (count === "exact" && wholePage) total = COUNT;
  else if (count === "exact" || count === "estimated") {
    const limit = count === "estimated" && maxRows !== undefined ? ` limit ${writer.limit(maxRows + 1)}` : "";
    ctes.push(`${COUNTED} as (${writeCount(writer, root)}${limit})`);
    total = `(select pg_catalog.count(*) from ${COUNTED})`;
  }
  const page = writeRead(writer, root);
  const text = assemble(ctes, page, total, "", options);
  if (count !== "planned" && count !== "estimated") return { text, values: writer.values };
  const counting = new SqlWriter();
  const explained = `explain (format json) ${writeCount(counting, root)}`;
  return { text, values: writer.values, explain: { text: explained, values: counting.values } };
}

/**
 * `select total, rows, body, headers, status[, more] from (page) rows`; formats that read the page twice get
 * it as a CTE.
 */
function assemble(
  ctes: string[],
  page: string,
  total: string,
  more: string,
  { representation, bare }: StatementOptions,
  result: ResultShape = { one: false, scalar: false },
): string {
  const shape = representation.kind === "plan" ? representation.of : representation;
  const list = [...ctes];
  let from = `(${page}) ${ROWS}`;
  if (shape.kind === "csv" && !bare) {
    list.push(`${PAGE} as (${page})`);
    from = `(select * from ${PAGE}) ${ROWS}`;
  }
  const head = list.length > 0 ? `with ${list.join(", ")} ` : "";
  // As in PostgREST, a single result counts as one row even if a filter drops it. Without a body its value is not
  // needed, so that Postgres need not compute it.
  const rows = result.one && !bare ? "1" : COUNT;
  return `${head}select ${total}, ${rows}, ${bare ? "null" : bodyOf(shape, result)}, ${SETTINGS}${more} from ${from}`;
}

/** What a result consists of. */
interface ResultShape {
  /** Whether it is a single value, not a list. */
  one: boolean;
  /** Whether its rows are values of a function, in the column `SCALAR`. */
  scalar: boolean;
}

function bodyOf(shape: Representation, { one, scalar }: ResultShape): string {
  const value = scalar ? `${ROWS}.${SCALAR}` : `${ROWS}.*`;
  switch (shape.kind) {
    case "csv": {
      const line = `(${ROWS}.*)::text`;
      return (
        "coalesce((select pg_catalog.string_agg(k, ',') from (select pg_catalog.json_object_keys(pg_catalog.row_to_json(p.*)) as k " +
        `from (select * from ${PAGE} limit 1) p) h), '') || E'\n' || ` +
        `coalesce(pg_catalog.string_agg(pg_catalog.substring(${line}, 2, pg_catalog.length(${line}) - 2), E'\n'), '')`
      );
    }
    case "geojson":
      return (
        "pg_catalog.json_build_object('type', 'FeatureCollection', 'features', " +
        `coalesce(pg_catalog.json_agg(ST_AsGeoJSON(${ROWS}.*)::json), '[]'))::text`
      );
    case "custom":
      return customBody(shape.handler, value);
    default: {
      const list = `pg_catalog.json_agg(${value})`;
      const single = one || shape.kind === "object";
      const given = single ? `${list}->0` : list;
      const sent = shape.kind !== "plan" && shape.strip ? `pg_catalog.json_strip_nulls(${given})` : given;
      return `coalesce(${sent}, '${single ? "null" : "[]"}')::text`;
    }
  }
}

/** @param rows the input of the handler's aggregate, or a function's value. */
function customBody({ aggregate, rowType, binary }: MediaHandler, rows: string): string {
  const value = aggregate
    ? `${aggregate}(${rowType ? `(${rows})::${rowType}` : rows})`
    : `(pg_catalog.array_agg(${rows}))[1]`;
  // Independent of bytea_output: bytes are sent as hexadecimal digits. Other types use their output function:
  // a cast to text would keep the encoding named in an XML declaration.
  return binary ? `pg_catalog.encode(${value}::bytea, 'hex')` : value;
}

/** The body as rows: FROM items. */
function bodyRows(writer: SqlWriter, body: BodyColumns): string {
  const value = writer.value(body.text);
  const record = body.columns.map(recordColumn).join(", ");
  const values = body.columns.map(readColumn).join(", ");
  if (body.columns.length === 0) {
    const rows =
      body.shape === "object" ? "select 1" : `select 1 from pg_catalog.json_array_elements(${PAYLOAD}.j)`;
    return `(select ${value}::json as j) ${PAYLOAD}, lateral (${rows}) ${BODY}`;
  }
  const defaults = body.defaults
    ? body.columns.flatMap(({ name, defaultExpression }) =>
        defaultExpression === undefined ? [] : [`${writer.value(name)}::text, ${defaultExpression}`],
      )
    : [];
  // With defaults the body is read as jsonb, even when no default applies.
  if (!body.defaults) {
    const unpack = body.shape === "object" ? "pg_catalog.json_to_record" : "pg_catalog.json_to_recordset";
    return (
      `(select ${value}::json as j) ${PAYLOAD}, ` +
      `lateral (select ${values} from ${unpack}(${PAYLOAD}.j) as _(${record})) ${BODY}`
    );
  }
  const filled = `pg_catalog.jsonb_build_object(${defaults.join(", ")})`;
  if (body.shape === "object") {
    return (
      `(select ${filled} || ${value}::jsonb as j) ${PAYLOAD}, ` +
      `lateral (select ${values} from pg_catalog.jsonb_to_record(${PAYLOAD}.j) as _(${record})) ${BODY}`
    );
  }
  return (
    `(select pg_catalog.jsonb_agg(${filled} || item) as j from pg_catalog.jsonb_array_elements(${value}::jsonb) item) ${PAYLOAD}, ` +
    `lateral (select ${values} from pg_catalog.jsonb_to_recordset(${PAYLOAD}.j) as _(${record})) ${BODY}`
  );
}

/** A domain with a JSON representation gets the JSON unchanged. */
function recordColumn({ name, type, representation }: Column): string {
  return `${quote(name)} ${representation?.readJson === undefined ? type : "json"}`;
}

function readColumn({ name, representation }: Column): string {
  const read = representation?.readJson;
  return read === undefined ? quote(name) : `${read}(_.${quote(name)}) as ${quote(name)}`;
}

const INSERTED = "homebase.inserted";
const COUNTER = `coalesce(nullif(pg_catalog.current_setting('${INSERTED}', true), '')::int, 0)`;

function writeWriteStatement(plan: WritePlan, options: StatementOptions): WrittenStatement {
  const writer = new SqlWriter();
  const source = `${SOURCE} as (${writeSource(writer, plan)})`;
  const counted = plan.action === "insert" || plan.action === "put";
  const inserted =
    counted && plan.conflict ? `, nullif(pg_catalog.current_setting('${INSERTED}', true), '')` : ", null";
  const key = plan.location.map((name) => `${quote(name)}::text`).join(", ");
  const location = key ? `, (select pg_catalog.json_build_array(${key}) from ${SOURCE} limit 1)` : ", null";
  const page = options.bare ? `select 1 from ${SOURCE}` : writeRead(writer, plan.root);
  const total = options.count === "exact" || options.count === "estimated" ? COUNT : "null";
  return { text: assemble([source], page, total, `${inserted}${location}`, options), values: writer.values };
}

/** A write alone. @param returning whether it returns each row that it made or changed, as a composite value. */
export function writeReturningRows(
  plan: WritePlan,
  returning = true,
): Pick<WrittenStatement, "text" | "values"> {
  const writer = new SqlWriter();
  const alias = quote(plan.table.name);
  const change = writeChange(writer, plan, `${quoteName(plan.table)} as ${alias}`, plan.table.name);
  return { text: returning ? `${change} returning (${alias}.*)::text` : change, values: writer.values };
}

function writeSource(writer: SqlWriter, plan: WritePlan): string {
  // Errors mention the table's own name where no other relation of the statement has it.
  const alias = freeName(plan.table.name, [BODY, PAYLOAD, EXCLUDED]);
  const names = plan.returning.map((name) => `${quote(alias)}.${name === "*" ? "*" : quote(name)}`);
  const returned = names.length === 0 ? "1" : names.join(", ");
  const table = `${quoteName(plan.table)} as ${quote(alias)}`;
  // Nothing to set: Postgres has no such update, and a view may be selected from that cannot be updated.
  if (plan.action === "update" && plan.body.columns.length === 0) {
    return `select ${returned} from ${table} where false`;
  }
  return `${writeChange(writer, plan, table, alias)} returning ${returned}`;
}

function writeChange(writer: SqlWriter, plan: WritePlan, table: string, alias: string): string {
  const source = { kind: "relation" } as const;
  const target = { alias, relation: plan.table, source };
  const where = (conditions: string[]) =>
    conditions.length === 0 ? "" : ` where ${conditions.join(" and ")}`;
  switch (plan.action) {
    case "delete": {
      const conditions = plan.conditions.map((one) => writeCondition(writer, target, one));
      return `delete from ${table}${where(conditions)}`;
    }
    case "update": {
      const rows = bodyRows(writer, plan.body);
      const conditions = plan.conditions.map((one) => writeCondition(writer, target, one));
      const sets = plan.body.columns.map(({ name }) => `${quote(name)} = ${BODY}.${quote(name)}`).join(", ");
      return `update ${table} set ${sets} from ${rows}${where(conditions)}`;
    }
    case "insert":
    case "put": {
      const rows = bodyRows(writer, plan.body);
      const names = plan.body.columns.map(({ name }) => quote(name)).join(", ");
      const values = plan.body.columns.map(({ name }) => `${BODY}.${quote(name)}`).join(", ");
      const conditions: string[] = [];
      if (plan.action === "put") {
        const body = { alias: BODY, relation: plan.table, source };
        for (const one of plan.key) conditions.push(writeCondition(writer, body, one));
      }
      const { conflict } = plan;
      const counts = conflict?.update === true;
      if (counts)
        conditions.push(`pg_catalog.set_config('${INSERTED}', (${COUNTER} + 1)::text, true) <> '0'`);
      const insert = `insert into ${table}${names ? `(${names})` : ""} select ${values} from ${rows}${where(conditions)}`;
      if (!conflict) return insert;
      const on = ` on conflict (${conflict.columns.map(quote).join(", ")})`;
      if (!conflict.update || names === "") return `${insert}${on} do nothing`;
      const sets = plan.body.columns
        .map(({ name }) => `${quote(name)} = ${EXCLUDED}.${quote(name)}`)
        .join(", ");
      const lowered = `pg_catalog.set_config('${INSERTED}', (${COUNTER} - 1)::text, true) <> '-1'`;
      return `${insert}${on} do update set ${sets} where ${lowered}`;
    }
  }
}

function writeCallStatement({ routine, args, root }: CallPlan, options: StatementOptions): WrittenStatement {
  const writer = new SqlWriter();
  const { from, call } = writeCall(writer, quoteName(routine), args);
  const composite = routine.result.kind === "composite";
  const result = composite
    ? `${CALL}.*${computedFields(root)} from ${from}${from ? "lateral " : ""}${call} ${CALL}`
    : `${CALL}.${SCALAR} from (select ${call} as ${SCALAR}${from ? ` from ${from.slice(0, -2)}` : ""}) ${CALL}`;
  const ctes = [`${SOURCE} as (select ${result})`];
  const one = !routine.returnsSet;
  let total = "null";
  if (options.count === "exact" || options.count === "estimated") {
    // Without range and row limit the page has all rows, so they are counted in the same scan.
    const wholePage = root.limit === undefined && root.offset === 0;
    if (wholePage) total = one ? "1" : COUNT;
    else {
      ctes.push(`${COUNTED} as (${writeCount(writer, root)})`);
      total = `(select pg_catalog.count(*) from ${COUNTED})`;
    }
  }
  const page = writeRead(writer, root);
  const shape = { one, scalar: !composite };
  return { text: assemble(ctes, page, total, "", options, shape), values: writer.values };
}

/** Functions of the row need rows of the relation's type, which a CTE's rows are not. */
function computedFields({ relation, columns, conditions, order }: ReadNode): string {
  if (!relation) return "";
  const names = new Set<string>();
  for (const column of columns) if (column.kind === "field") names.add(column.field.name);
  for (const condition of conditions) collectFields(condition, names);
  for (const { field, embed } of order) if (!embed) names.add(field.name);
  const computed = [...names].filter((name) => !relation.columns.has(name) && name !== "count");
  return computed.map((name) => `, ${CALL}.${quote(name)}`).join("");
}

function collectFields(condition: Condition, into: Set<string>): void {
  if (condition.kind === "filter") into.add(condition.field.name);
  else if (condition.kind !== "embed") for (const one of condition.members) collectFields(one, into);
}

/** The call, preceded by the FROM items of its arguments (ending in ", "). */
function writeCall(writer: SqlWriter, name: string, args: CallPlan["args"]): { from: string; call: string } {
  switch (args.kind) {
    case "none":
      return { from: "", call: `${name}()` };
    case "unnamed":
      return { from: "", call: `${name}(${writer.value(args.value)}::${args.type})` };
    case "texts": {
      const list = args.values.map((one) => {
        const value = one.variadic ? arrayLiteral(one.values) : (one.values[0] ?? "");
        return `${one.variadic ? "variadic " : ""}${quote(one.name)} := ${writer.value(value)}::${one.type}`;
      });
      return { from: "", call: `${name}(${list.join(", ")})` };
    }
    case "json": {
      const record = args.parameters.map((one) => `${quote(one.name)} ${one.type}`).join(", ");
      const unpack = args.shape === "object" ? "pg_catalog.json_to_record" : "pg_catalog.json_to_recordset";
      const first = args.shape === "array" ? " limit 1" : "";
      const body = `(select * from ${unpack}(${writer.value(args.text)}::json) as _(${record})${first}) a`;
      const list = args.parameters.map(
        (one) => `${one.variadic ? "variadic " : ""}${quote(one.name)} := a.${quote(one.name)}`,
      );
      return { from: `${body}, `, call: `${name}(${list.join(", ")})` };
    }
  }
}
