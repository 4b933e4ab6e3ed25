/** Owns what a kind of request, to a table, a function or an upload, gives to its test. */
import type pg from "pg";
import { quoteName } from "../../postgres/quoting.ts";
import type { QualifiedName } from "../../rest/schema/schema-cache.ts";
import type { ApiSettings } from "../asked-tables.ts";
import type { WithTrace } from "../database/explanation-transaction.ts";
import { keyFromText } from "../database/written-rows.ts";
import type { Explanation } from "../explanation.ts";
import type { Collect } from "../look.ts";
import type { Explained } from "../why.ts";
import type { MadeTest } from "./made.ts";

/** What a kind of request adds to its test. */
export interface TestSubject {
  explanation: Explanation;
  asserted: Omit<MadeTest, "comments" | "statements" | "role" | "claims" | "address" | "searchPath">;
  /** The rows that it is about. */
  needs: { table: QualifiedName; columns: readonly string[]; values: readonly string[] }[];
}

export interface SubjectOptions {
  api: ApiSettings;
  row: string | undefined;
  collect: Collect;
  withTrace?: WithTrace;
}

/** The rows of tables that were judged: the first of each group. */
export async function judgedNeeds(
  db: pg.ClientBase,
  judged: readonly { table: QualifiedName; explained?: Explained | undefined }[],
): Promise<TestSubject["needs"]> {
  const needs: TestSubject["needs"] = [];
  for (const { table, explained } of judged) {
    const columns = (await tableOf(db, table))?.key ?? [];
    const keys = explained?.judgement.groups.flatMap((group) => group.keys) ?? [];
    if (columns.length > 0)
      needs.push(...keys.map((text) => ({ table, columns, values: keyFromText(text, columns.length) })));
  }
  return needs;
}

/** Undefined for what is no table. */
export async function tableOf(
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
