/**
 * Owns starting a stand-in for a hosted project with its Management API, in this process: for `homebase hosted` and for
 * rehearsals of a deploy.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BackendWing } from "../../src/backend/wing.ts";
import { type Log, silentLog } from "../../src/core/log.ts";
import { withFreePort } from "../../src/developer/ports.ts";
import { Cluster } from "../../src/postgres/cluster/cluster.ts";
import type { ClusterClient } from "../../src/postgres/cluster/cluster-client.ts";
import { ClusterError } from "../../src/postgres/cluster/server-process.ts";
import type { SendMail } from "../../src/service-context.ts";
import { dropLoginRoles } from "./login-role.ts";
import { ProjectLogs } from "./logs/store.ts";
import { ManagementApi } from "./management.ts";
import { HostedProject } from "./stand-in.ts";
import { SupabaseCliAccess } from "./supabase-cli.ts";

export interface StartOptions {
  /**
   * A running Postgres to create the project's database in; by default one is started for this project alone.
   */
  cluster?: ClusterClient;
  /** The project whose folder the Postgres binaries are looked up from, if one is started. */
  projectFolder?: string;
  /** Ports; 0 or undefined lets the system choose. */
  ports?: { api?: number; management?: number; database?: number };
  ref?: string;
  legacyKeys?: boolean;
  sendMail?: SendMail;
  log?: Log;
  /** What its services have besides the core. */
  wings: readonly BackendWing[];
}

/** A running stand-in. */
export interface Hosted {
  project: HostedProject;
  management: ManagementApi;
  /** The requests that use what the versions of hosted projects do not have, one sentence each. */
  laterRequests(): string[];
  /** For database clients: without user and password. */
  databaseUrl: string;
  /** The environment in which the Supabase CLI reaches the project by its reference. */
  supabaseEnvironment: Readonly<Record<string, string>>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

let count = 0;

/** Starts a new project; `close` removes everything. */
export async function startHosted(options: StartOptions): Promise<Hosted> {
  const { ports = {}, ref, legacyKeys, sendMail, log, wings } = options;
  const logs = new ProjectLogs();
  const own = options.cluster ? undefined : await ownCluster(options, logs);
  const cluster = options.cluster ?? own;
  if (!cluster) throw new Error("There is no Postgres.");
  const folder = await mkdtemp(join(tmpdir(), "homebase-hosted-"));
  const databaseName = own ? "postgres" : `hosted_${process.pid}_${Date.now().toString(36)}_${count++}`;
  const undo = async () => {
    await own?.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const project = await HostedProject.open({
      cluster,
      databaseName,
      folder,
      logs,
      ref,
      port: ports.api,
      databasePort: ports.database,
      legacyKeys,
      sendMail,
      log,
      wings,
    });
    const management = await ManagementApi.open(project, {
      port: ports.management,
      log: log?.named("management"),
    });
    const access = await SupabaseCliAccess.open(management, folder, log ?? silentLog);
    const close = async () => {
      await access.close();
      await management.close();
      await management.branches.close();
      await project.close();
      await dropLoginRoles(project);
      await undo();
    };
    const { host, port, name } = project.databaseAddress;
    return {
      project,
      management,
      laterRequests: () => laterRequests(project),
      databaseUrl: `postgresql://${host}:${port}/${name}`,
      supabaseEnvironment: access.environment,
      close,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await undo();
    throw error;
  }
}

function laterRequests({ backend }: HostedProject): string[] {
  const records = ["rest", "auth"].flatMap((service) => backend.requests.list({ service }).records);
  const lines = records.flatMap(({ method, path, later = [] }) =>
    later.map((sentence) => `${method} ${path}: ${sentence}`),
  );
  return [...new Set(lines)];
}

/** A Postgres for one project, on any free port: clients reach it by the project's database address. */
function ownCluster(
  { projectFolder = process.cwd(), log = silentLog }: StartOptions,
  logs: ProjectLogs,
): Promise<Cluster> {
  return withFreePort(
    (port) =>
      Cluster.start({
        projectFolder,
        port,
        durable: false,
        log: logs.recording(log).named("postgres"),
        // With the codes of errors.
        settings: { log_error_verbosity: "verbose" },
      }),
    (error) => error instanceof ClusterError && error.port !== undefined,
  );
}
