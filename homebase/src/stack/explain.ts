/** The exports of `homebase-stack/explain`: the decisions of policies as data. docs/explain.md has the shape. */
import type pg from "pg";
import { loadConfig } from "../config/config.ts";
import { dataOf, explain as explainAsked, judgeKeys, partsOfPolicies, percentOf } from "../explain/index.ts";
import {
  type Asker,
  type ExplanationData,
  type KeyValue,
  type KeyVerdicts,
  type PartText,
  type TableName,
  VERSION,
} from "../explain/verdicts.ts";
import { askedBy } from "../tools/asked.ts";
import { projectCoverage } from "../tools/decided-by-tests.ts";

export type {
  Asker,
  Because,
  ExplainedTable,
  ExplanationData,
  JudgedRows,
  KeyValue,
  KeyVerdict,
  KeyVerdicts,
  PartText,
  Sentence,
  SentenceKind,
  TableName,
  ValueText,
  VerdictGroup,
} from "../explain/verdicts.ts";

/**
 * A connected client of `pg`, without a transaction, of the tables' owner or a role with BYPASSRLS, such as `postgres`.
 * Each question runs in a transaction that is rolled back.
 */
export interface Connection {
  query: (...given: never[]) => unknown;
  on: (...given: never[]) => unknown;
}

export interface JudgeOptions extends ApiOptions {
  /** The command whose policies are asked; select by default. */
  command?: "select" | "update" | "delete";
}

interface ApiOptions {
  /** `[api]` of config.toml, for the search path; Supabase's defaults without. */
  schemas?: readonly string[];
  extraSearchPath?: readonly string[];
}

/** The parts of all policies, or of one table's. */
export interface Parts {
  version: typeof VERSION;
  /** By their ids, e.g. `public.notes/own notes/using/2.1`. */
  parts: Record<string, PartText>;
}

/** The decisions of tests. */
export interface CoverageRead {
  version: typeof VERSION;
  /** Of the verdicts that there can be. */
  percent: number;
  parts: {
    id: string;
    text: string;
    /** How often, by the caller's role; without one in functions. */
    decisions: { role?: string; true: number; false: number; unknown: number }[];
    /** Verdicts that no test has decided. */
    missing: string[];
  }[];
}

/** @throws Error with a readable message */
export async function parts(db: Connection, table?: string): Promise<Parts> {
  return {
    version: VERSION,
    parts: await partsOfPolicies(clientOf(db), table === undefined ? undefined : nameOf(table)),
  };
}

/**
 * Says which rows of a table a caller gets, by their keys, 1,000 at most: one verdict for each key, in the order of the keys.
 * @param table with its schema, or one of `public`. @param keys of a composite key arrays, in the order of its columns.
 * @throws Error with a readable message for a table without a primary key, and for what is no key of it.
 */
export function judge(
  db: Connection,
  caller: Asker,
  table: string,
  keys: readonly (KeyValue | readonly KeyValue[])[],
  { command = "select", schemas = ["public"], extraSearchPath = ["public", "extensions"] }: JudgeOptions = {},
): Promise<KeyVerdicts> {
  return judgeKeys(clientOf(db), caller, nameOf(table), keys, { command, api: { schemas, extraSearchPath } });
}

/** A request to REST or Storage, or an event or channel by the method `EVENT` or `JOIN`, with the caller's rights. */
export interface ExplainRequest {
  method: string;
  /** With the query, e.g. `/rest/v1/notes?select=id`. */
  path: string;
  /** The email or the id of a user of auth.users. Of `as`, `role` and `claims` one is given; anon otherwise. */
  as?: string;
  role?: string;
  claims?: Record<string, unknown>;
  /** A write's, as JSON. */
  body?: string;
  /** By lower-case names. */
  headers?: Record<string, string>;
}

export interface ExplainOptions extends ApiOptions {
  /** The primary key of the row in question; several values with commas between them. */
  row?: string;
  /** Whether a write is run, and undone. */
  replay?: boolean;
}

/**
 * Explains a request: why rows are missing or refused. What a function runs inside is read by auto_explain, which the
 * login of `db` then needs; `homebase explain --json` and `backend.explain()` bring their own.
 * @throws Error with a readable message for what cannot be explained
 */
export async function explain(
  db: Connection,
  request: ExplainRequest,
  { schemas = ["public"], extraSearchPath = ["public", "extensions"], ...options }: ExplainOptions = {},
): Promise<ExplanationData> {
  const client = clientOf(db);
  const asked = await askedBy(client, request);
  return dataOf(await explainAsked(client, asked, { api: { schemas, extraSearchPath }, ...options }));
}

/** What the tests of a project have decided about its policies (HOMEBASE_COVERAGE=1). */
export const coverage = {
  /** @param projectFolder where to search for `supabase/`; the working directory by default. @throws Error where none has counted */
  read(projectFolder?: string): CoverageRead {
    const found = projectCoverage(loadConfig({ named: projectFolder }));
    return {
      version: VERSION,
      percent: Number(percentOf(found)),
      parts: found.parts.map(({ id, text, decisions, missing }) => ({
        id,
        text,
        decisions,
        missing: missing.map((one) => String(one)),
      })),
    };
  },
};

function clientOf(db: Connection): pg.ClientBase {
  return db as unknown as pg.ClientBase;
}

function nameOf(table: string): TableName {
  const [schema = "public", name] = table.includes(".") ? table.split(/\.(.*)/s) : ["public", table];
  return { schema, name: name ?? table };
}
