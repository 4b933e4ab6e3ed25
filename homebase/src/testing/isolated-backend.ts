/**
 * Owns isolated Backends for tests: each has a database cloned from the project's template, a storage folder,
 * an inbox, a clock and a URL of its own. Created and dropped in tens of milliseconds.
 */
import { cp, mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { Backend } from "../backend/backend.ts";
import { preloadServices } from "../backend/services.ts";
import type { BackendWing } from "../backend/wing.ts";
import { type Config, loadConfig } from "../config/config.ts";
import { withMailCodes } from "../config/mail-codes.ts";
import { MovableClock } from "../core/clock.ts";
import { Happenings } from "../core/happenings.ts";
import { createLog, type LogEntry } from "../core/log.ts";
import { endWithOwnWork } from "../core/process-life.ts";
import { isRecord } from "../core/record.ts";
import { beginCounting, countsCoverage, dataOf, keepCounts } from "../explain/index.ts";
import type { ReadRecord, RecordFilter } from "../http/records.ts";
import type { HttpLimits } from "../http/server-limits.ts";
import { cloneDatabase, dropDatabase } from "../postgres/cluster/copies.ts";
import type { Database } from "../postgres/database.ts";
import type { OutgoingMail } from "../service-context.ts";
import { atEnd, held } from "./ending.ts";
import { KeptStates, removeFolder } from "./kept-states.ts";
import { preparedData } from "./prepared.ts";
import { testCluster, testTemplate } from "./shared-cluster.ts";
import type { TestBackend as PublicBackend, TestBackendOptions as PublicOptions } from "./types.ts";
import { explainLast, why } from "./why-it-failed.ts";

/** The package's options, and those of this repository's tests. */
export interface TestBackendOptions extends Omit<PublicOptions, "config"> {
  /** Changes to its configuration, deeply merged. */
  config?: DeepPartial<Config>;
  /** Overrides limits of the HTTP server. */
  limits?: Partial<HttpLimits>;
  /** What it has besides the core. */
  wings?: readonly BackendWing[] | undefined;
}

/** The package's Backend, with the parts that this repository's tests reach into. */
export interface TestBackend extends PublicBackend {
  config: Config;
  database: Database;
  clock: MovableClock;
  mails: OutgoingMail[];
  /** The last 100 requests, oldest first. */
  requests(filter?: RecordFilter): ReadRecord[];
  logs: LogEntry[];
  backend: Backend;
}

export type DeepPartial<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { [Key in keyof T]?: DeepPartial<T[Key]> }
    : T;

/** A test asks about its own last requests; a suite has hundreds of Backends. */
const RECORDED = 100;
const TOKEN_SECONDS = 3_600;
let count = 0;

/** Creates an isolated Backend. Several may run concurrently, in one process or many. */
export function createBackend(options: TestBackendOptions = {}): Promise<TestBackend> {
  endWithOwnWork();
  return held(() => create(options));
}

async function create(options: TestBackendOptions): Promise<TestBackend> {
  const base = loadConfig({ named: options.projectFolder });
  const project: Config = options.bare
    ? { ...base, projectFolder: "/nonexistent", supabaseFolder: "/nonexistent/supabase" }
    : base;
  const merged = merge({ ...project, supabaseFolder: base.supabaseFolder }, { ...options.config });
  const config = {
    ...withMailCodes(merged as unknown as Config, options.mailCodes ?? {}),
    ...(options.modelStandIn ? { modelStandIn: true } : {}),
  };
  const [cluster] = await Promise.all([testCluster(base.projectFolder), preloadServices()]);
  const asked = countsCoverage() && !options.bare;
  const counted = asked && options.coverage !== false;
  const template = await testTemplate(cluster, project, counted);
  const newName = () => `test_${process.pid}_${Date.now().toString(36)}_${count++}`;
  let databaseName = newName();
  const folder = await mkdtemp(join(tmpdir(), "homebase-test-"));
  const storageFolder = join(folder, "storage");
  /** Makes a new database, and the files that belong to it. @returns whether the services must prepare them. */
  const begin = async (name: string): Promise<{ unprepared: boolean }> => {
    if (asked) beginCounting(base, { database: name, ...callersFile(), ...(counted ? {} : { plain: true }) });
    const prepared = await preparedData(cluster, template, config);
    await Promise.all([
      cloneDatabase(cluster, prepared?.database ?? template, name),
      prepared
        ? cp(prepared.files, storageFolder, { recursive: true })
        : mkdir(storageFolder, { recursive: true }),
    ]);
    return { unprepared: prepared === undefined };
  };
  const { unprepared } = await begin(databaseName);
  const logs: LogEntry[] = [];
  const happenings = new Happenings();
  const mails: OutgoingMail[] = [];
  const clock = new MovableClock();
  const backend = await Backend.open({
    cluster,
    databaseName,
    config,
    storageFolder,
    sendMail: async (mail) => {
      mails.push(mail);
      return undefined;
    },
    clock,
    log: createLog("backend", (entry) => {
      logs.push(entry);
      happenings.logged(entry);
    }),
    happenings,
    port: 0,
    limits: options.limits,
    wings: options.wings ?? [],
    recorded: RECORDED,
  });
  if (unprepared) await backend.prepare();
  const dropCounted = async (name: string) => {
    if (counted) await keepCounts(cluster, base, name);
    await dropDatabase(cluster, name);
  };
  const reset = async () => {
    const replaced = databaseName;
    let prepare = false;
    await backend.replaceDatabase(async () => {
      const next = newName();
      await removeFolder(storageFolder);
      prepare = (await begin(next)).unprepared;
      databaseName = next;
      return next;
    });
    await Promise.all([prepare ? backend.prepare() : undefined, dropCounted(replaced)]);
    mails.length = 0;
    clock.reset();
  };
  const kept = new KeptStates({ cluster, folder, storageFolder, mails, clock });
  const snapshot = async () => {
    const name = newName();
    await backend.replaceDatabase(async () => {
      await kept.keep(databaseName, name);
      return databaseName;
    });
    return name;
  };
  const restore = async (name: string) => {
    const replaced = databaseName;
    await backend.replaceDatabase(async () => {
      const next = newName();
      if (asked)
        beginCounting(base, { database: next, ...callersFile(), ...(counted ? {} : { plain: true }) });
      await kept.bringBack(name, next);
      databaseName = next;
      return next;
    });
    await dropCounted(replaced);
  };
  const drop = () => held(dropNow);
  const dropNow = async () => {
    stay();
    await backend.close();
    await dropCounted(databaseName);
    await kept.drop();
    await removeFolder(folder);
  };
  const stay = atEnd(dropNow);
  return {
    url: backend.url,
    publishableKey: backend.keys.publishableKey,
    secretKey: backend.keys.secretKey,
    anonKey: backend.keys.anonKey,
    serviceRoleKey: backend.keys.serviceRoleKey,
    get databaseUrl() {
      return backend.database.url;
    },
    config,
    get database() {
      return backend.database;
    },
    clock,
    storageFolder,
    mails,
    requests: (filter) =>
      backend.requests.list(filter).records.flatMap(({ id }) => backend.requests.withValues(id) ?? []),
    why: (options) => held(() => why(backend, config, options)),
    explain: (options) => held(async () => dataOf(await explainLast(backend, config, options))),
    logs,
    backend,
    token: (claims = {}) => {
      const iat = Math.floor(clock.now() / 1000);
      const exp = iat + TOKEN_SECONDS;
      return backend.keys.sign({ aud: "authenticated", role: "authenticated", ...claims, iat, exp });
    },
    issuer: (name) => ({ sign: async (claims = {}) => otherIssuer(backend, name).sign(claims) }),
    sql: async <Row extends Record<string, unknown>>(text: string, values: unknown[] = []) =>
      (await held(() => backend.database.query<Row>("postgres", text, values))).rows,
    reset: () => held(reset),
    snapshot: () => held(snapshot),
    restore: (name) => held(() => restore(name)),
    drop,
    [Symbol.asyncDispose]: drop,
  };
}

function otherIssuer({ keys: { other } }: Backend, name: string) {
  if (other?.name === name) return other;
  throw new Error(
    `The configuration enables ${other ? `auth.third_party.${other.name}` : "no other issuer"}, not ${name}.`,
  );
}

/** The test file that made a Backend, as far as it can be known: in Vitest by its worker, elsewhere by the call stack. */
function callersFile(): { file?: string; source?: string } {
  const worker = (globalThis as { __vitest_worker__?: { filepath?: string } }).__vitest_worker__;
  const frames = new Error().stack?.match(/[^\s(]+\.(?:test|spec)\.[cm]?[jt]sx?/g) ?? [];
  const found = worker?.filepath ?? frames.at(-1)?.replace(/^file:\/\//, "");
  return found === undefined ? {} : { file: relative(process.cwd(), found), source: resolve(found) };
}

type Tree = Record<string, unknown>;

/** `base` merged with `change`; arrays are replaced, not joined. */
function merge(base: Tree, change: Tree): Tree {
  const result: Tree = { ...base };
  for (const [key, value] of Object.entries(change)) {
    const present = result[key];
    result[key] = isRecord(value) && isRecord(present) ? merge(present, value) : value;
  }
  return result;
}
