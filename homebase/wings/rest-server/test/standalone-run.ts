/** Owns running `homebase rest` as a child process in tests, stopped after each test. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { Cluster } from "../../../src/postgres/cluster/cluster.ts";
import { COMMAND } from "../../../test/command.ts";

export interface Run {
  child: ChildProcess;
  url: string;
  adminUrl: string | undefined;
  /** What it has written to standard output and standard error. */
  out: () => string;
  errors: () => string;
}

/** A process, with what it has printed so far. */
export interface Spawned {
  child: ChildProcess;
  text: { out: string; errors: string };
}

/** The address of the API, or of the admin server, in a run's log; a path stays a path. */
export function addressIn(errors: string, server: "API" | "Admin" = "API"): string | undefined {
  const found = new RegExp(`: ${server} server listening on (\\S+)$`, "m").exec(errors)?.[1];
  return found === undefined || found.startsWith("/") ? found : `http://${found}`;
}

export interface StandaloneRuns {
  readonly cluster: Cluster;
  /** Removed after each test. */
  folders: string[];
  /** Starts the service and waits until it listens. */
  start(variables?: Record<string, string>, args?: string[]): Promise<Run>;
  /** Starts it without waiting. */
  spawn(variables?: Record<string, string>, args?: string[], input?: Buffer): Spawned;
  /** Runs it until it exits. */
  ended(
    variables?: Record<string, string>,
    args?: string[],
  ): Promise<{ code: number | null; out: string; errors: string }>;
}

/**
 * A bare temporary cluster for a test file, with a login role `gate` (password `gate`), which `schema`
 * creates, and runs of the service with it.
 * @param startServer starts another server on that port, with the schema, and returns what stops it.
 */
export function standaloneRuns(
  databasePort: number,
  schema: string,
  startServer?: () => Promise<() => Promise<void>>,
): StandaloneRuns {
  let cluster: Cluster | undefined;
  let stopServer: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    if (startServer) {
      stopServer = await startServer();
      return;
    }
    cluster = await Cluster.start({ projectFolder: process.cwd(), port: databasePort, durable: false });
    await cluster.admin((client) => client.query(schema));
  });
  afterAll(() => (stopServer ? stopServer() : cluster?.stop()));

  const running: ChildProcess[] = [];
  const folders: string[] = [];
  afterEach(async () => {
    for (const child of running.splice(0)) {
      if (child.exitCode !== null) continue;
      child.kill("SIGTERM");
      await once(child, "exit");
    }
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });

  const spawnRest = (variables: Record<string, string>, args: string[], input?: Buffer): Spawned => {
    const child = spawn(process.execPath, [COMMAND, "rest", ...args], {
      env: {
        PATH: process.env.PATH ?? "",
        PGRST_DB_URI: `postgresql://gate:gate@127.0.0.1:${databasePort}/homebase`,
        PGRST_DB_SCHEMAS: "api",
        PGRST_SERVER_HOST: "127.0.0.1",
        PGRST_SERVER_PORT: "0",
        ...variables,
      },
      stdio: [input ? "pipe" : "ignore", "pipe", "pipe"],
    });
    child.stdin?.end(input);
    running.push(child);
    const text = { out: "", errors: "" };
    child.stdout?.on("data", (chunk: Buffer) => {
      text.out += chunk.toString();
    });
    child.stderr?.on("data", (chunk: Buffer) => {
      text.errors += chunk.toString();
    });
    return { child, text };
  };

  return {
    get cluster() {
      if (!cluster) throw new Error("The cluster is not started yet.");
      return cluster;
    },
    folders,
    async start(variables = {}, args = []) {
      const { child, text } = spawnRest(variables, args);
      await expect
        .poll(() => addressIn(text.errors), { timeout: 15_000, message: text.errors })
        .toBeDefined();
      return {
        child,
        url: addressIn(text.errors) ?? "",
        adminUrl: addressIn(text.errors, "Admin"),
        out: () => text.out,
        errors: () => text.errors,
      };
    },
    spawn: (variables = {}, args = [], input) => spawnRest(variables, args, input),
    async ended(variables = {}, args = []) {
      const { child, text } = spawnRest(variables, args);
      const [code] = (await once(child, "close")) as [number | null];
      return { code, ...text };
    },
  };
}

export const get = async (url: string, headers: Record<string, string> = {}) => {
  const response = await fetch(url, { headers });
  return { status: response.status, headers: response.headers, json: (await response.json()) as unknown };
};
