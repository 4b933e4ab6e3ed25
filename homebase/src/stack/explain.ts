/** The exports of `homebase-stack/explain`: what policies decide, as data. docs/explain.md has the shape. */
import type pg from "pg";
import { loadConfig } from "../config/config.ts";
import { judgeKeys, partsOfPolicies, percentOf } from "../explain/index.ts";
import {
  type Asker,
  type KeyValue,
  type KeyVerdicts,
  type PartText,
  type TableName,
  VERSION,
} from "../explain/verdicts.ts";
import { projectCoverage } from "../tools/untested.ts";

export type {
  Asker,
  KeyValue,
  KeyVerdict,
  KeyVerdicts,
  PartText,
  TableName,
  VerdictGroup,
} from "../explain/verdicts.ts";

/**
 * A connected client of `pg`, without a transaction, of the tables' owner or a role with BYPASSRLS, such as `postgres`.
 * What is asked runs in a transaction that is rolled back.
 */
export interface Connection {
  query: (...given: never[]) => unknown;
  on: (...given: never[]) => unknown;
}

export interface JudgeOptions {
  /** The command whose policies are asked; select by default. */
  command?: "select" | "update" | "delete";
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

/** What tests have decided. */
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
