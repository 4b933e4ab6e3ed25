/** Owns what exists in the stack now: channels, functions, jobs, and how it is. */
import { readdir, stat, statfs } from "node:fs/promises";
import { join, relative } from "node:path";
import type { DeveloperStart } from "../../../../src/developer/stack-wing.ts";
import { findFunction, functionFile, listFunctions } from "../../../../src/functions/project-functions.ts";
import type { FunctionsService } from "../../../../src/functions/service.ts";
import { stateFolderOf } from "../../../../src/postgres/cluster/state-folder.ts";
import { serverFolder, serverUser } from "../../../../src/postgres/cluster/system-user.ts";
import type { RealtimeService } from "../../../../src/realtime/service.ts";
import type { Health, Live, StackFunction } from "../api.ts";
import { CallRefused } from "../call-refused.ts";
import { inDatabase } from "../owner-connections.ts";

const FIGURES = `select
  (select pg_catalog.count(*)::int from pg_catalog.pg_stat_activity where backend_type = 'client backend') as connections,
  pg_catalog.current_setting('max_connections')::int as "mostConnections",
  pg_catalog.pg_database_size(pg_catalog.current_database())::float8 as database,
  (select coalesce(pg_catalog.sum((metadata->>'size')::float8), 0) from storage.objects) as files`;
/** Bytes. */
const BLOCK = 512;
const JOBS = `select jobid::text as id, coalesce(jobname, 'job ' || jobid) as name, schedule, active
  from cron.job order by jobid`;

export async function healthOf(start: DeveloperStart): Promise<Health> {
  const { rows } = await inDatabase(start, (client) =>
    client.query<Pick<Health, "connections" | "mostConnections" | "database" | "files">>(FIGURES),
  );
  const [figures] = rows;
  if (!figures) throw new Error("A query without a table has one row.");
  const { projectFolder } = start.backend.config;
  // Where Postgres runs as another user, it has its data elsewhere.
  const folders = new Set([stateFolderOf(projectFolder), serverFolder(projectFolder, serverUser())]);
  const sizes = await Promise.all([...folders].map(sizeOf));
  const { bavail, bsize } = await statfs(projectFolder);
  const realtime = await realtimeOf(start)?.figures?.();
  return {
    at: Date.now(),
    memory: process.memoryUsage.rss(),
    ...figures,
    folder: sizes.reduce((sum, size) => sum + size, 0),
    sockets: realtime?.sockets ?? 0,
    channels: realtime?.channels ?? 0,
    free: bavail * bsize,
  };
}

/** Bytes that a folder takes of its disk. */
async function sizeOf(folder: string): Promise<number> {
  // Postgres removes files and folders meanwhile.
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = found
    .filter((one) => one.isFile())
    .map((one) =>
      stat(join(one.parentPath, one.name)).then(
        ({ blocks }) => blocks * BLOCK,
        () => 0,
      ),
    );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

export function functionsOf({ backend }: DeveloperStart): StackFunction[] {
  const { config, requests } = backend;
  const service = backend.service("functions") as Partial<FunctionsService> | undefined;
  const running = new Set(service?.running?.());
  const { records } = requests.list({ service: "functions" });
  const names = new Set([...listFunctions(config), ...Object.keys(config.functions)]);
  return [...names].sort().map((name) => {
    const found = findFunction(config, name);
    const last = records.findLast(({ path, method }) => path.split("/")[3] === name && method !== "OPTIONS");
    return {
      name,
      state:
        !found || !config.edge_runtime.enabled ? "disabled" : running.has(name) ? "running" : "not running",
      verifyJwt: found?.verifyJwt ?? config.functions[name]?.verify_jwt ?? true,
      file: relative(config.projectFolder, found?.entry ?? functionFile(config, name)),
      last: last && { id: last.id, at: Date.parse(last.at), status: last.status, ms: last.milliseconds },
    };
  });
}

export async function liveOf(start: DeveloperStart): Promise<Live> {
  const due = start.backend.jobs?.due();
  const jobs = await inDatabase(start, async (client) => {
    const { rows } = await client.query("select to_regclass('cron.job') is not null as installed");
    if (!rows[0]?.installed) return [];
    return (await client.query<Live["jobs"][number]>(JOBS)).rows;
  });
  return {
    channels: realtimeOf(start)?.rooms?.() ?? [],
    functions: functionsOf(start),
    jobs: jobs.map((job) => ({ ...job, due: due?.get(job.id) })),
  };
}

/** @throws CallRefused */
export function runJob({ backend }: DeveloperStart, id: string): Record<string, never> {
  if (backend.jobs?.runNow(id)) return {};
  throw new CallRefused(409, "This job runs already, is not active, or is no longer there.");
}

/** Without its members where Realtime is disabled. */
function realtimeOf({ backend }: DeveloperStart): Partial<RealtimeService> | undefined {
  return backend.service("realtime") as Partial<RealtimeService> | undefined;
}
