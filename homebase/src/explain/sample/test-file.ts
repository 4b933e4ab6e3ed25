/** Owns the test that a request becomes: its people, the rows that decide, and what the caller gets. */
import type pg from "pg";
import type { QualifiedName } from "../../rest/schema/schema-cache.ts";
import type { ApiSettings, Asked } from "../asked-tables.ts";
import { ExplainError, type WithTrace } from "../database/explanation-transaction.ts";
import { keyFromText } from "../database/written-rows.ts";
import { explain } from "../explain-request.ts";
import { judgedRows, sentenceTexts, type TableExplanation } from "../explanation.ts";
import { reasonsWithin } from "../reason-tree.ts";
import { calledOf } from "./called-test.ts";
import { expectedOf } from "./expected.ts";
import type { MadeTest } from "./made.ts";
import { Sample } from "./needed-rows.ts";
import { tapTest } from "./pgtap.ts";
import { judgedNeeds, type SubjectOptions, type TestSubject } from "./subject.ts";
import { vitestTest } from "./supabase-js-test.ts";
import { uploadedOf } from "./uploaded-test.ts";

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
  /** For what runs inside functions. */
  withTrace?: WithTrace;
}

/**
 * The test of a request to a table, a view or a function, or of an upload. Without a key it is about the first hidden
 * row, or else the first visible one.
 * @param db a connection without a transaction, of a login that row security does not restrict.
 * @throws ExplainError for requests that are not explained, and for those without a row to test.
 */
export async function testOf(
  db: pg.ClientBase,
  asked: Asked,
  { api = {}, row, keep = [], kind = "pgtap", withTrace }: TestOptions = {},
): Promise<RequestTest> {
  const looked: { table: QualifiedName; rows: readonly string[] }[] = [];
  const options = {
    api,
    row,
    withTrace,
    collect: (table: QualifiedName, rows: readonly string[]) => void looked.push({ table, rows }),
  };
  const { explanation, asserted, needs } = await subjectOf(asked)(db, asked, options);
  const sample = new Sample(db, textsOf(explanation.tables), keep);
  for (const { table, columns, values } of needs) await sample.add(table, columns, values);
  for (const { table, rows } of looked) await sample.addTexts(table, rows);
  const user = typeof asked.claims.sub === "string" ? asked.claims.sub : undefined;
  if (user !== undefined) await sample.add({ schema: "auth", name: "users" }, ["id"], [user]);
  const made: MadeTest = {
    ...asserted,
    // A name may have line breaks, and what follows one would be code.
    comments: [
      `Made from ${asked.method} ${asked.path.split("?")[0]} as ${asked.role}:`,
      ...sentenceTexts({ sentences: explanation.sentences }),
    ].map(oneLine),
    statements: await sample.statements(user),
    address: user === undefined ? undefined : sample.addressOf(user),
    role: asked.role,
    claims: sample.claims(asked.claims),
    searchPath: asked.searchPath ?? "public, extensions",
  };
  return { title: made.title, text: kind === "vitest" ? vitestTest(made) : tapTest(made) };
}

function subjectOf({ path }: Asked): typeof rowOf {
  if (path.startsWith("/rest/v1/rpc/")) return calledOf;
  return path.startsWith("/storage/v1/") ? uploadedOf : rowOf;
}

/** One row of a table or view. */
async function rowOf(
  db: pg.ClientBase,
  asked: Asked,
  { api, row, collect }: SubjectOptions,
): Promise<TestSubject> {
  const first = row === undefined ? (await explain(db, asked, { api })).tables[0] : undefined;
  const rowKey = row ?? sampleKey(first);
  const explanation = await explain(db, asked, { api, row: rowKey, collect });
  const [own] = explanation.tables;
  if (!own || (own.view && own.write)) throw new ExplainError("No test is made of a write through a view.");
  const { key = [] } = own;
  if (rowKey === undefined && own.command !== "insert" && own.access.granted) {
    throw new ExplainError("The request reaches no row, so there is nothing to test: name one with --row.");
  }
  const values = rowKey === undefined ? [] : keyFromText(rowKey, key.length);
  const { missingColumns } = own.access;
  return {
    explanation,
    asserted: {
      ...expectedOf(own, asked, values),
      there: own.view !== undefined,
      table: own.table,
      command: own.command,
      key: { columns: values.length > 0 ? key : [], values },
      columns: missingColumns.length > 0 && !own.write ? missingColumns : key,
      rows: own.write ? ([JSON.parse(asked.body ?? "{}")].flat() as Record<string, unknown>[]) : [],
    },
    needs: own.view
      ? judgedNeeds(own.view.tables)
      : rowKey === undefined
        ? []
        : [{ table: own.table, columns: key, values }],
  };
}

/** The key of the first row that is hidden or refused, or else of the first visible one. */
function sampleKey(own: TableExplanation | undefined): string | undefined {
  const groups =
    (own?.write?.before ?? own?.explained ?? own?.view?.tables[0]?.explained)?.judgement.groups ?? [];
  return (groups.find(({ visible }) => !visible) ?? groups[0])?.keys[0];
}

const oneLine = (text: string) => text.replace(/\s+/g, " ");

/** The texts that decide: conditions of policies, and of the functions and tables that they lead to. */
function textsOf(tables: readonly TableExplanation[]): string[] {
  const explained = tables.flatMap(judgedRows).map((one) => one.explained);
  const reasons = explained.flatMap(({ groups }) => groups.flat()).flatMap(reasonsWithin);
  const hiding = reasons.flatMap(({ hidden = [] }) => hidden);
  return [
    ...[...explained, ...hiding]
      .flatMap(({ judgement }) => judgement.groups)
      .flatMap(({ parts }) => parts.map(({ part }) => part.text)),
    ...reasons.flatMap(({ text, looked }) => [
      text,
      ...(looked ? [looked.from, ...looked.link.map(({ text }) => text)] : []),
      ...(looked?.conditions ?? []).map(({ text }) => text),
    ]),
  ];
}
