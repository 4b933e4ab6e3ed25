/** Owns the way from the bench to the process under test. */
import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { Database, type DatabaseAddress } from "../src/postgres/database.ts";

/** A Backend in another process. */
export interface Target {
  url: string;
  publishableKey: string;
  secretKey: string;
  /** The process under test. */
  pid: number;
  database: Database;
  sql<Row extends Record<string, unknown> = Record<string, unknown>>(
    text: string,
    values?: unknown[],
  ): Promise<Row[]>;
  /** Whether it keeps the record of requests. */
  keepRequests(kept: boolean): Promise<void>;
  stop(): Promise<void>;
}

interface Hello {
  url: string;
  publishableKey: string;
  secretKey: string;
  address: DatabaseAddress;
}

/** Starts a Backend for a project in a process of its own. @param bare whether it is without the migrations. */
export async function startTarget(projectFolder: string, { bare = true } = {}): Promise<Target> {
  const child: ChildProcess = fork(join(import.meta.dirname, "server.ts"), [projectFolder, String(bare)], {
    execArgv: ["--disable-warning=ExperimentalWarning"],
  });
  const hello = await new Promise<Hello>((resolve, reject) => {
    child.once("message", (message) => resolve(message as Hello));
    child.once("exit", (code) => reject(new Error(`The process under test ended with code ${code}.`)));
  });
  const database = new Database(hello.address);
  return {
    url: hello.url,
    publishableKey: hello.publishableKey,
    secretKey: hello.secretKey,
    pid: child.pid ?? 0,
    database,
    sql: async <Row extends Record<string, unknown>>(text: string, values: unknown[] = []) =>
      (await database.query<Row>("postgres", text, values)).rows,
    keepRequests: async (kept) => {
      const done = new Promise<void>((resolve) => child.once("message", () => resolve()));
      child.send(kept);
      await done;
    },
    stop: async () => {
      await database.close();
      child.removeAllListeners("exit");
      const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
      child.disconnect();
      await ended;
    },
  };
}
