/** Owns the test that a request becomes: its people, the rows that decide, and what the caller gets. */
import type pg from "pg";
import { quoteName } from "../../postgres/quoting.ts";
import type { QualifiedName } from "../../rest/schema/schema.ts";
import { ExplainError } from "../database/session.ts";
import { explain } from "../explain.ts";
import type { TableExplanation } from "../explanation.ts";
import type { ApiSettings, Asked } from "../request.ts";
import type { Looked, Reason } from "../tree.ts";
import type { Explained } from "../why.ts";
import type { MadeTest } from "./made.ts";
import { tapTest } from "./pgtap.ts";
import { Sample } from "./rows.ts";
import { vitestTest } from "./vitest.ts";

export interface RequestTest {
  text: string;
  /** What the test asserts, in a sentence. */
  title: string;
}

/** pgTAP, or Vitest with supabase-js on a Backend of `homebase-stack/testing`. */
export type TestKind = "pgtap" | "vitest";

interface TestOptions {
  api?: ApiSettings;
  row?: string;
  /** Columns whose values stay, as schema.table.column. */
  keep?: readonly string[];
  kind?: TestKind;
}

/**
 * The test of a request to a table. Without a key it is about the first hidden row, or else the first visible one.
 * @param db a connection without a transaction, of a login that row security does not restrict.
 * @throws ExplainError for requests that are not explained, and for those without a row to test.
 */
export async function testOf(
  db: pg.ClientBase,
  asked: Asked,
  { api = {}, row, keep = [], kind = "pgtap" }: TestOptions = {},
): Promise<RequestTest> {
  if (/^\/(storage\/v1|rest\/v1\/rpc)\//.test(asked.path))
    throw new ExplainError("A test is made for requests to tables only.");
  const rowKey = row ?? sampleKey((await explain(db, asked, { api })).tables[0]);
  const looked: { table: QualifiedName; rows: readonly string[] }[] = [];
  const { tables, sentences } = await explain(db, asked, {
    api,
    row: rowKey,
    collect: (table, rows) => looked.push({ table, rows }),
  });
  const [own] = tables;
  const table = own && (await tableOf(db, own.table));
  if (!own || !table || own.view) throw new ExplainError("A test is made for requests to tables only.");
  if (rowKey === undefined && own.write?.command !== "insert" && granted(own)) {
    throw new ExplainError("The request reaches no row, so there is nothing to test: name one with --row.");
  }
  const sample = new Sample(db, textsOf(tables), keep);
  const values = rowKey === undefined ? [] : table.key.length === 1 ? [rowKey] : rowKey.split(",");
  if (rowKey !== undefined) await sample.add(own.table, table.key, values);
  for (const one of looked) if (await tableOf(db, one.table)) await sample.addTexts(one.table, one.rows);
  const user = typeof asked.claims.sub === "string" ? asked.claims.sub : undefined;
  if (user !== undefined) await sample.add({ schema: "auth", name: "users" }, ["id"], [user]);
  const { missingColumns } = (own.write ?? own).access;
  const made: MadeTest = {
    ...expectedOf(own, asked, values),
    // A name may have line breaks, and what follows one would be code.
    comments: [
      `Made from ${asked.method} ${asked.path.split("?")[0]} as ${asked.role}:`,
      ...sentences.map(({ text }) => text),
    ].map(oneLine),
    statements: await sample.statements(user),
    address: user === undefined ? undefined : sample.addressOf(user),
    role: asked.role,
    claims: sample.claims(asked.claims),
    searchPath: asked.searchPath ?? "public, extensions",
    table: own.table,
    command: own.write?.command ?? "select",
    key: { columns: values.length > 0 ? table.key : [], values },
    columns: missingColumns.length > 0 && !own.write ? missingColumns : table.key,
    rows: own.write ? ([JSON.parse(asked.body ?? "{}")].flat() as Record<string, unknown>[]) : [],
  };
  return { title: made.title, text: kind === "vitest" ? vitestTest(made) : tapTest(made) };
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

/** What the caller gets, and a sentence about it. */
function expectedOf(
  own: TableExplanation,
  { role }: Asked,
  values: string[],
): Pick<MadeTest, "title" | "outcome" | "message"> {
  const name = `${own.table.schema}.${own.table.name}`;
  const { write } = own;
  if (!write) {
    if (!granted(own)) {
      return {
        title: `${role} may not read ${name}`,
        outcome: "refused",
        message: notGranted(own.access, own.table),
      };
    }
    const group = own.explained?.judgement.groups.find(({ keys }) => keys.includes(values.join(",")));
    const seen = (group ?? own.explained?.judgement.groups[0])?.visible ?? false;
    return {
      title: `${role} ${seen ? "sees" : "does not see"} row ${values.join(", ")} of ${name}`,
      outcome: seen ? "seen" : "empty",
    };
  }
  if (write.conflict)
    throw new ExplainError("No test is made of an upsert: make one of the INSERT, or of the UPDATE.");
  const who = `${role}'s ${write.command} of ${name}`;
  const access = granted(own) ? write.reading : write.access;
  if (access) {
    return { title: `${who} is refused`, outcome: "refused", message: notGranted(access, own.table) };
  }
  if (!(every(write.seen) && every(write.before)))
    return { title: `${who} reaches no row`, outcome: "empty" };
  const refusing = [write.after, ...(write.command === "update" ? [write.returned] : [])].find(
    (one) => !every(one),
  );
  if (!refusing) return { title: `${who} is allowed`, outcome: "allowed" };
  return { title: `${who} is refused`, outcome: "refused", message: refusedBy(refusing, own.table.name) };
}

/** Postgres's message where a right on the table or its schema is missing. */
function notGranted({ schema: usage }: { schema: boolean }, { schema, name }: QualifiedName): string {
  return usage ? `permission denied for table ${name}` : `permission denied for schema ${schema}`;
}

/** Postgres's message, which names a restrictive policy where it is what refuses; undefined where that is not known. */
function refusedBy({ judgement }: Explained, table: string): string | undefined {
  const reason = judgement.groups.find(({ visible }) => !visible)?.reason ?? [];
  const names = new Set(reason.map(({ leaf }) => leaf.policy));
  const refusing = judgement.policies.filter(({ name }) => names.has(name));
  // Without one that allows, Postgres does not go on to those that restrict.
  const allowed = judgement.policies.some(({ permissive }) => permissive);
  if (reason.length === 0 && allowed) return undefined;
  const [first] = refusing;
  const named = allowed && first && refusing.every(({ permissive }) => !permissive) ? ` "${first.name}"` : "";
  return `new row violates row-level security policy${named} for table "${table}"`;
}

/** Whether a rule lets all rows through; one that does not apply does. */
function every(explained: Explained | undefined): boolean {
  return explained?.judgement.groups.every(({ visible }) => visible) ?? true;
}

/** Undefined for what is no table. */
async function tableOf(
  db: pg.ClientBase,
  { schema, name }: QualifiedName,
): Promise<{ key: string[] } | undefined> {
  const { rows } = await db.query<{ key: string[] }>(
    `select array(select a.attname::text from pg_index i
         join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
       where i.indrelid = c.oid and i.indisprimary order by array_position(i.indkey, a.attnum)) as key
     from pg_class c where c.oid = to_regclass($1) and c.relkind in ('r', 'p')`,
    [quoteName({ schema, name })],
  );
  return rows[0];
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
