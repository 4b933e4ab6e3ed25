/** Owns the pgTAP test that a request becomes: its people, the rows that decide, and what the caller gets. */
import type pg from "pg";
import { quote, quoteLiteral, quoteName } from "../../postgres/quoting.ts";
import type { QualifiedName } from "../../rest/schema/schema.ts";
import { ExplainError } from "../database/session.ts";
import { explain } from "../explain.ts";
import type { TableExplanation } from "../explanation.ts";
import type { ApiSettings, Asked } from "../request.ts";
import type { Looked, Reason } from "../tree.ts";
import type { Explained } from "../why.ts";
import { Sample } from "./rows.ts";

export interface RequestTest {
  sql: string;
  /** What the test asserts, in a sentence. */
  title: string;
}

interface Expected {
  title: string;
  /** The assertion, which runs as the caller. */
  assertion: string;
}

/**
 * The test of a request to a table. Without a key it is about the first hidden row, or else the first visible one.
 * @param options `keep`: columns whose values stay, as schema.table.column.
 * @param db a connection without a transaction, of a login that row security does not restrict.
 * @throws ExplainError for requests that are not explained, and for those without a row to test.
 */
export async function testOf(
  db: pg.ClientBase,
  asked: Asked,
  { api = {}, row, keep = [] }: { api?: ApiSettings; row?: string; keep?: readonly string[] } = {},
): Promise<RequestTest> {
  if (/^\/(storage\/v1|rest\/v1\/rpc)\//.test(asked.path))
    throw new ExplainError("A test is made for requests to tables only.");
  const rowKey = row ?? sampleKey((await explain(db, asked, { api })).tables[0]);
  const looked: { table: QualifiedName; rows: readonly string[] }[] = [];
  const { tables, sentences } = await explain(db, asked, {
    api,
    ...(rowKey === undefined ? {} : { row: rowKey }),
    collect: (table, rows) => looked.push({ table, rows }),
  });
  const [own] = tables;
  if (!own || own.view) throw new ExplainError("A test is made for requests to tables only.");
  const key = await keyOf(db, own.table);
  if (rowKey === undefined && own.write?.command !== "insert" && granted(own)) {
    throw new ExplainError("The request reaches no row, so there is nothing to test: name one with --row.");
  }
  const sample = new Sample(db, textsOf(tables), keep);
  const values = rowKey === undefined ? [] : key.length === 1 ? [rowKey] : rowKey.split(",");
  if (rowKey !== undefined) await sample.add(own.table, key, values);
  for (const one of looked) await sample.addTexts(one.table, one.rows);
  const user = typeof asked.claims.sub === "string" ? asked.claims.sub : undefined;
  if (user !== undefined) await sample.add({ schema: "auth", name: "users" }, ["id"], [user]);
  const where = (alias = "") =>
    key
      .map((column, at) => `${alias}${quote(column)} = ${quoteLiteral(values[at] ?? "").trimStart()}`)
      .join(" and ");
  const { title, assertion } = own.write
    ? writeExpected(own, asked, where)
    : readExpected(own, asked, values.length === 0 ? "" : where(), values);
  const settings = {
    "request.jwt.claims": JSON.stringify(sample.claims(asked.claims)),
    search_path: asked.searchPath ?? "public, extensions",
  };
  const sql = [
    ...[`Made from ${asked.method} ${asked.path.split("?")[0]} as ${asked.role}:`, ...sentences].map(
      // A name may have line breaks, and what follows one would be SQL, or a command of psql.
      (line) => `-- ${oneLine(line)}`,
    ),
    "begin;",
    "select plan(1);",
    "",
    ...(await sample.statements()),
    "",
    ...Object.entries(settings).map(
      ([name, value]) => `select set_config('${name}', ${quoteLiteral(value).trimStart()}, true);`,
    ),
    `set local role ${quote(asked.role)};`,
    `select ${assertion};`,
    "",
    "select * from finish();",
    "rollback;",
    "",
  ].join("\n");
  return { sql, title };
}

function granted({ access, write }: TableExplanation): boolean {
  const { schema, granted: allowed } = write?.access ?? access;
  return schema && allowed;
}

/** The key of the first row that is hidden or refused, or else of the first visible one. */
function sampleKey(table: TableExplanation | undefined): string | undefined {
  const groups = (table?.write?.before ?? table?.explained)?.judgement.groups ?? [];
  return (groups.find(({ visible }) => !visible) ?? groups[0])?.keys[0];
}

const oneLine = (text: string) => text.replace(/\s+/g, " ");

function readExpected(own: TableExplanation, asked: Asked, where: string, values: string[]): Expected {
  const name = `${own.table.schema}.${own.table.name}`;
  const query = `select 1 from ${quoteName(own.table)}${where === "" ? "" : ` where ${where}`}`;
  if (!granted(own)) return refused(query, `${asked.role} may not read ${name}`);
  const group = own.explained?.judgement.groups.find(({ keys }) => keys.includes(values.join(",")));
  const seen = (group ?? own.explained?.judgement.groups[0])?.visible ?? false;
  const title = `${asked.role} ${seen ? "sees" : "does not see"} row ${values.join(", ")} of ${name}`;
  return {
    title,
    assertion: `${seen ? "isnt_empty" : "is_empty"}(${dollars(query)}, ${quoteLiteral(title).trimStart()})`,
  };
}

function writeExpected(own: TableExplanation, asked: Asked, where: (alias?: string) => string): Expected {
  const { write } = own;
  if (!write) throw new ExplainError("The request writes nothing.");
  if (write.conflict)
    throw new ExplainError("No test is made of an upsert: make one of the INSERT, or of the UPDATE.");
  const name = `${own.table.schema}.${own.table.name}`;
  const statement = writeStatement(own.table, write.command, asked.body, where);
  const who = `${asked.role}'s ${write.command} of ${name}`;
  if (!granted(own)) return refused(statement, `${who} is refused`);
  if (!(every(write.seen) && every(write.before))) {
    const title = `${who} reaches no row`;
    return {
      title,
      assertion: `is_empty(${dollars(`${statement} returning 1`)}, ${quoteLiteral(title).trimStart()})`,
    };
  }
  if (!every(write.after)) return refused(statement, `${who} is refused`);
  const title = `${who} is allowed`;
  return { title, assertion: `lives_ok(${dollars(statement)}, ${quoteLiteral(title).trimStart()})` };
}

/** Whether a rule lets all rows through; one that does not apply does. */
function every(explained: Explained | undefined): boolean {
  return explained?.judgement.groups.every(({ visible }) => visible) ?? true;
}

function refused(statement: string, title: string): Expected {
  return {
    title,
    assertion: `throws_ok(${dollars(statement)}, '42501', null, ${quoteLiteral(title).trimStart()})`,
  };
}

function writeStatement(
  table: QualifiedName,
  command: "insert" | "update" | "delete",
  body: string | undefined,
  where: (alias?: string) => string,
): string {
  const name = quoteName(table);
  if (command === "delete") return `delete from ${name} where ${where()}`;
  const rows = [JSON.parse(body ?? "{}") as unknown].flat() as Record<string, unknown>[];
  const columns = Object.keys(rows[0] ?? {}).map(quote);
  const value = `jsonb_populate_record(null::${name}, ${quoteLiteral(JSON.stringify(rows[0] ?? {})).trimStart()})`;
  if (command === "update") {
    const list = columns.map((column) => `${column} = given.${column}`).join(", ");
    return `update ${name} as changed set ${list} from ${value} as given where ${where("changed.")}`;
  }
  const all = `jsonb_populate_recordset(null::${name}, ${quoteLiteral(JSON.stringify(rows)).trimStart()})`;
  return columns.length === 0
    ? `insert into ${name} default values`
    : `insert into ${name} (${columns.join(", ")}) select ${columns.join(", ")} from ${all}`;
}

/** A text between dollar signs that it does not have in it. */
function dollars(text: string): string {
  let tag = "$$";
  for (let at = 1; text.includes(tag); at++) tag = `$test${at}$`;
  return `${tag}${text}${tag}`;
}

async function keyOf(db: pg.ClientBase, { schema, name }: QualifiedName): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `select a.attname as name from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
     where i.indrelid = to_regclass($1) and i.indisprimary order by array_position(i.indkey, a.attnum)`,
    [quoteName({ schema, name })],
  );
  return rows.map((row) => row.name);
}

/** The texts that decide: conditions of policies, and of the functions and tables that they lead to. */
function textsOf(tables: readonly TableExplanation[]): string[] {
  const texts: string[] = [];
  const ofLooked = ({ from, link, conditions }: Looked) =>
    texts.push(from, ...link.map(({ text }) => text), ...conditions.map(({ text }) => text));
  const ofReason = (reason: Reason): void => {
    texts.push(reason.text);
    if (reason.looked) ofLooked(reason.looked);
    for (const inner of reason.inside?.reasons ?? []) ofReason(inner);
    for (const tree of reason.hidden ?? [])
      ofExplained({ judgement: tree.judgement, groups: [tree.reasons] });
  };
  const ofExplained = ({ judgement, groups }: Explained): void => {
    for (const { parts } of judgement.groups) texts.push(...parts.map(({ part }) => part.text));
    for (const reasons of groups) for (const reason of reasons) ofReason(reason);
  };
  for (const { explained, write } of tables) {
    for (const one of [explained, write?.seen, write?.before, write?.after, write?.returned]) {
      if (one) ofExplained(one);
    }
  }
  return texts;
}
