/** Owns running pgTAP files: each in a database of its own, or one after the other in a given one. */
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import pg from "pg";
import type { Config } from "../../config/config.ts";
import { beginCounting, type Counts, keepCounts } from "../../explain/index.ts";
import type { ClusterClient } from "../../postgres/cluster/cluster-client.ts";
import { cloneDatabase, dropDatabase } from "../../postgres/cluster/copies.ts";
import { statementToSend } from "../../postgres/extensions/file-statements.ts";
import {
  type FileStatement,
  firstWord,
  positionOf,
  splitStatements,
} from "../../postgres/statements/split.ts";
import { type Target, withClient } from "../command-connection.ts";
import { commitsChanges, type TapFile } from "./pgtap-files.ts";
import { PsqlVariables } from "./psql.ts";
import { type Assertion, parseTap } from "./tap-reader.ts";

/** The result of one file. */
export interface FileOutcome {
  path: string;
  passed: boolean;
  planned: number | undefined;
  assertions: Assertion[];
  /** The error that ended the file, with its line; or the mismatch with the plan. */
  error?: string;
  milliseconds: number;
}

/** Its own counts, of what no file did, take the place of those of an earlier run. */
const SHARED = "the database that pgTAP files share";

const PGTAP = "create extension if not exists pgtap with schema extensions";

/**
 * Runs files in clones of a template, several at once. Files that leave traces run alone, in order, in the
 * database that the later ones are cloned from.
 * @param template name of a database with the project's migrations and seed; it stays as it is.
 * @param counted the project and its own template, when `template` counts what policies decide.
 */
export async function runInClones(
  cluster: ClusterClient,
  template: string,
  files: readonly TapFile[],
  report: (outcome: FileOutcome) => void = () => {},
  counted?: { config: Config; plain: string },
): Promise<FileOutcome[]> {
  const shared = `test_${process.pid}_shared`;
  await cloneDatabase(cluster, template, shared);
  if (counted) beginCounting(counted.config, { database: shared, source: SHARED });
  const beginFile = (database: string, file: string, plain: { plain?: true } = {}) => {
    if (!counted) return;
    const source = resolve(counted.config.projectFolder, file);
    beginCounting(counted.config, { database, file, source, ...plain });
  };
  /** What the files that leave traces have counted so far, one after the other. */
  let earlier: Counts = {};
  let plain: string | undefined;
  /** What a file that reads the policies begins with: the same files have left traces there. */
  const sharedPlain = async (from: string) => {
    if (plain) return plain;
    plain = `${shared}_plain`;
    await cloneDatabase(cluster, from, plain);
    await prepareForTap(
      cluster,
      plain,
      files.filter(({ sql }) => commitsChanges(sql)),
    );
    return plain;
  };
  const outcomes = new Map<TapFile, FileOutcome>();
  const done = (file: TapFile, outcome: FileOutcome) => {
    outcomes.set(file, outcome);
    report(outcome);
  };
  let count = 0;
  const inClone = async (file: TapFile) => {
    const name = `test_${process.pid}_${count++}`;
    beginFile(name, file.path, file.plain ? { plain: true } : {});
    await cloneDatabase(cluster, counted && file.plain ? await sharedPlain(counted.plain) : shared, name);
    try {
      done(file, await runFileIn(cluster, name, file));
    } finally {
      if (counted && !file.plain) await keepCounts(cluster, counted.config, name);
      await dropDatabase(cluster, name);
    }
  };
  try {
    await prepareForTap(cluster, shared, []);
    let waiting: TapFile[] = [];
    const flush = async () => {
      const queue = waiting;
      waiting = [];
      const worker = async () => {
        for (let file = queue.shift(); file; file = queue.shift()) await inClone(file);
      };
      await Promise.all(Array.from({ length: Math.min(availableParallelism(), queue.length) }, worker));
    };
    for (const file of files) {
      if (!commitsChanges(file.sql)) waiting.push(file);
      else {
        await flush();
        const name = `${shared}_${count++}`;
        beginFile(name, file.path);
        done(file, await runFileIn(cluster, shared, file));
        if (counted) earlier = await keepCounts(cluster, counted.config, shared, { name, earlier });
      }
    }
    await flush();
  } finally {
    if (counted) await keepCounts(cluster, counted.config, shared, { earlier });
    for (const name of [shared, ...(plain ? [plain] : [])]) await dropDatabase(cluster, name);
  }
  return files.flatMap((file) => outcomes.get(file) ?? []);
}

/** Readies a database for files: pgTAP, and the files that leave traces. It has no sessions afterwards. */
export async function prepareForTap(
  cluster: ClusterClient,
  database: string,
  files: readonly TapFile[],
): Promise<void> {
  await withClient(inCluster(cluster, database), (client) => client.query(PGTAP));
  for (const file of files) await runFileIn(cluster, database, file);
}

/** Runs a file in a database that is ready for it. */
export function runFileIn(cluster: ClusterClient, database: string, file: TapFile): Promise<FileOutcome> {
  return runFile(inCluster(cluster, database), file);
}

function inCluster(cluster: ClusterClient, name: string): Target {
  return { connection: cluster.database(name).connection("postgres"), label: name };
}

/** Runs files in a database, one after the other. pgTAP is taken away again where it was not there before. */
export async function runInPlace(
  target: Target,
  files: readonly TapFile[],
  report: (outcome: FileOutcome) => void = () => {},
): Promise<FileOutcome[]> {
  return withClient(target, async (client) => {
    const { rows } = await client.query("select 1 from pg_extension where extname = 'pgtap'");
    if (rows.length === 0) await client.query("create schema if not exists extensions");
    await client.query(PGTAP);
    try {
      const outcomes: FileOutcome[] = [];
      for (const file of files) {
        const outcome = await runFile(target, file);
        report(outcome);
        outcomes.push(outcome);
      }
      return outcomes;
    } finally {
      if (rows.length === 0) await client.query("drop extension if exists pgtap");
    }
  });
}

async function runFile(target: Target, { path, sql }: TapFile): Promise<FileOutcome> {
  const started = performance.now();
  const lines: string[] = [];
  let error: string | undefined;
  const variables = new PsqlVariables();
  await withClient(target, async (client) => {
    // A hosted project's login finds pgTAP there as well.
    await client.query("set search_path to public, extensions");
    for (const statement of splitStatements(sql)) {
      let verbatim = true;
      try {
        const { sql: text, gset, gexec, quit } = variables.read(commandOf(statement));
        if (quit) return;
        if (text === undefined) continue;
        verbatim = text === statement.text;
        // Without parameters a statement may be anything, and values come as text.
        const result = await client.query<unknown[]>({
          text: statementToSend(text),
          rowMode: "array",
          types: TEXT,
        });
        if (gset !== undefined) {
          const names = result.fields.map(({ name }) => name);
          variables.keep(gset, names, result.rows);
          continue;
        }
        const rows = [result].flat().flatMap((one) => one.rows);
        if (gexec) {
          for (const made of rows.flat().filter((value) => value !== null))
            await client.query(statementToSend(String(made)));
        } else if (variables.shown) for (const [first] of rows) lines.push(String(first ?? ""));
      } catch (thrown) {
        const { line } = positionOf(sql, statement.offset + ((verbatim && positionIn(thrown)) || 0));
        error = `${path}:${line}: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
        return;
      }
    }
  });
  const { planned, assertions } = parseTap(lines);
  error ??= faultOf(path, planned, assertions);
  return {
    path,
    passed: error === undefined && assertions.every(({ passed }) => passed),
    planned,
    assertions,
    error,
    milliseconds: Math.round(performance.now() - started),
  };
}

/** A statement's text; of a command of psql without the comments before it. */
function commandOf(statement: FileStatement): string {
  const words = statement.text.slice(firstWord(statement) - statement.offset);
  return words.startsWith("\\") ? words : statement.text;
}

const TEXT: pg.CustomTypesConfig = { getTypeParser: () => (value: string | Buffer) => value };

/** Where in a statement an error is, from 0. */
function positionIn(error: unknown): number | undefined {
  const at = error instanceof pg.DatabaseError ? Number(error.position) : Number.NaN;
  return Number.isInteger(at) ? at - 1 : undefined;
}

function faultOf(
  path: string,
  planned: number | undefined,
  { length }: readonly Assertion[],
): string | undefined {
  if (planned === undefined)
    return length === 0 ? `${path} made no test.` : `${path} announced no plan: is finish() missing?`;
  if (planned !== length) return `${path} announced ${planned} tests and ran ${length}.`;
  return undefined;
}
