/** Owns the counts of a test run: read from each database before it is dropped, kept in files until they are reported. */
import { randomUUID } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { isAbsolute, join } from "node:path";
import type { Config } from "../../config/config.ts";
import type { ClusterClient } from "../../postgres/cluster/cluster-client.ts";
import { claimStateFolder, refuseUntrusted, stateFolderOf } from "../../postgres/cluster/state-folder.ts";
import { ensureTemplate, ensureVariant, templateName } from "../../postgres/cluster/template-databases.ts";
import { COUNTERS, FORM, instrument, type Manifest } from "./instrument.ts";

/** Calls by counter. */
export type Counts = Record<string, number>;

/** A database of a test. */
export interface CountedDatabase {
  database: string;
  /** The test file that it was made for, where it is known. */
  file?: string;
  /** That file's whole path, or a name for what takes the place of the same in an earlier run. */
  source?: string;
  /** Absent when nobody read them. */
  counts?: Counts;
  /** Set when the test has asked for policies as they are. */
  plain?: true;
}

/** What a run has left for the project's migrations of today. */
export interface Run {
  manifest: Manifest;
  databases: CountedDatabase[];
}

/** Tells this run of a test file from its earlier ones: test runners load this module once for each. */
const RUN = randomUUID();
/** A line of a file of counts. */
type Line = CountedDatabase & { run?: string; at?: number };

const SETTLED_MS = 2_000;
const POLL_MS = 5;

/** Whether tests count: `HOMEBASE_COVERAGE=1`. */
export function countsCoverage(): boolean {
  return process.env.HOMEBASE_COVERAGE === "1";
}

/** The project's template with counters; built if it is missing. */
export async function ensureCountedTemplate(cluster: ClusterClient, config: Config): Promise<string> {
  const name = countedName(config);
  const settings = { track_functions: "pl" };
  await ensureVariant(cluster, await ensureTemplate(cluster, config), name, instrument, settings);
  return name;
}

function countedName(config: Config): string {
  return `${templateName(config)}_${FORM}`;
}

/** The folder of what runs with today's migrations and seed have left. */
export function coverageFolder(config: Config): string {
  return join(stateFolderOf(config.projectFolder), "coverage", countedName(config));
}

/** Makes the folder if it is missing. */
export function claimCoverageFolder(config: Config): void {
  claimStateFolder(config.projectFolder);
  mkdirSync(coverageFolder(config), { recursive: true });
}

function fileOf(config: Config): string {
  return join(coverageFolder(config), `${process.pid}.jsonl`);
}

/** Notes that a database counts, so that a worker that is killed is missed; or that it has policies as they are. */
export function beginCounting(config: Config, begun: CountedDatabase): void {
  claimCoverageFolder(config);
  const line: Line = { ...begun, run: RUN, at: Date.now() };
  appendFileSync(fileOf(config), `${JSON.stringify(line)}\n`);
}

/** Forgets what earlier runs have counted. @throws UntrustedFolder */
export function forgetRuns(config: Config): void {
  refuseUntrusted(config.projectFolder);
  rmSync(join(stateFolderOf(config.projectFolder), "coverage"), { recursive: true, force: true });
}

/**
 * Keeps the counts of a database that is about to be dropped, or those since `earlier` under another name. Its sessions
 * must have been closed.
 * @returns all counts of the database.
 */
export async function keepCounts(
  cluster: ClusterClient,
  config: Config,
  database: string,
  { name = database, earlier = {} }: { name?: string; earlier?: Counts } = {},
): Promise<Counts> {
  await cluster.release(database);
  const counts = await cluster.admin(async (client) => {
    // A session hands its counts over when it ends, a few milliseconds after its client has gone.
    const deadline = performance.now() + SETTLED_MS;
    const others = `select count(*)::int as count from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`;
    while ((await client.query<{ count: number }>(others)).rows[0]?.count && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    const found = await client.query<{ name: string; calls: number }>(
      `select proname as name, pg_stat_get_function_calls(oid)::float8 as calls from pg_proc
       where pronamespace = '${COUNTERS}'::regnamespace and pg_stat_get_function_calls(oid) > 0`,
    );
    return Object.fromEntries(found.rows.map(({ name, calls }) => [name, calls]));
  }, database);
  // The project's tests may have put a view of their own in its place.
  const stored = await cluster.asProject(
    (client) => client.query<{ manifest: Manifest }>(`select manifest from ${COUNTERS}.manifest`),
    database,
  );
  await cluster.release(database);
  const since = Object.entries(counts).map(([counter, calls]) => [counter, calls - (earlier[counter] ?? 0)]);
  const kept: CountedDatabase = {
    database: name,
    counts: Object.fromEntries(since.filter(([, calls]) => calls !== 0)),
  };
  appendFileSync(fileOf(config), `${JSON.stringify(kept)}\n`);
  const file = join(coverageFolder(config), "manifest.json");
  if (!existsSync(file)) writeFileSync(file, JSON.stringify(stored.rows[0]?.manifest));
  return counts;
}

/**
 * The counts of each test file's last run since the last `--forget`, without files that are gone; undefined when none had
 * the migrations of today.
 * @throws UntrustedFolder
 */
export function readRun(config: Config): Run | undefined {
  refuseUntrusted(config.projectFolder);
  const folder = coverageFolder(config);
  const manifest = join(folder, "manifest.json");
  if (!existsSync(manifest)) return undefined;
  const databases = new Map<string, Line>();
  for (const file of readdirSync(folder).filter((name) => /^\d+\.jsonl$/.test(name))) {
    // The text after the last line break is a line that a killed worker has not finished.
    for (const line of readFileSync(join(folder, file), "utf8").split("\n").slice(0, -1)) {
      const one = JSON.parse(line) as Line;
      databases.set(one.database, { ...databases.get(one.database), ...one });
    }
  }
  return {
    manifest: JSON.parse(readFileSync(manifest, "utf8")) as Manifest,
    databases: ofLastRuns([...databases.values()]),
  };
}

function ofLastRuns(databases: readonly Line[]): CountedDatabase[] {
  const last = new Map<string, Line>();
  for (const one of databases) {
    const { source, at = 0 } = one;
    if (source !== undefined && at >= (last.get(source)?.at ?? 0)) last.set(source, one);
  }
  return databases.filter(
    ({ source, run }) =>
      source === undefined || (last.get(source)?.run === run && (!isAbsolute(source) || existsSync(source))),
  );
}
