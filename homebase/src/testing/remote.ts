/**
 * Owns `homebase-stack/testing` for `require`, as Jest loads it: the stack is ECMAScript modules only, so Backends are in
 * a process of their own (`remote-process.ts`). The same functions and fields; mails and log lines arrive a moment after
 * the response, and the clock has moved when the promise of `advance` is resolved.
 */
import childProcess, { type ChildProcess } from "node:child_process";
import { join } from "node:path";
import { CLUSTER_VARIABLE, type RemoteAnswer, type RemoteState } from "./remote-protocol.ts";
import type { SchemaDifferences } from "./schema-drift.ts";
import type { LoggedEntry, SentMail, TestBackend, TestBackendOptions, TestClock, TestRun } from "./types.ts";

type Settle = { resolve: (value: never) => void; reject: (error: Error) => void };

/** The other process, and what is expected of it. */
class Connection {
  readonly #child: ChildProcess;
  readonly #calls = new Map<number, Settle>();
  readonly #backends = new Map<number, { mails: SentMail[]; logs: LoggedEntry[] }>();
  #count = 0;

  constructor() {
    this.#child = childProcess.fork(join(import.meta.dirname, "testing-process.js"), [], {
      serialization: "advanced",
      execArgv: [],
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    this.#child.on("message", (message) => this.#receive(message as RemoteAnswer));
    this.#child.on("exit", () => {
      for (const { reject } of this.#calls.values())
        reject(new Error("The process with the Backends ended."));
      this.#calls.clear();
    });
    this.#child.unref();
    this.#child.channel?.unref();
  }

  /** Keeps this process alive until the answer. */
  call<Result>(method: string, args: unknown[], backend?: number): Promise<Result> {
    const call = this.#count++;
    return new Promise<Result>((resolve, reject) => {
      if (!this.#child.connected) return reject(new Error("The process with the Backends ended."));
      this.#calls.set(call, { resolve, reject });
      this.#child.channel?.ref();
      this.#child.send({ call, method, args, ...(backend === undefined ? {} : { backend }) });
    });
  }

  follow(backend: number, lists: { mails: SentMail[]; logs: LoggedEntry[] }): void {
    this.#backends.set(backend, lists);
  }

  #receive(message: RemoteAnswer): void {
    if ("backend" in message) {
      const lists = this.#backends.get(message.backend);
      if ("mail" in message) lists?.mails.push(message.mail);
      else lists?.logs.push(message.logged);
      return;
    }
    const { call, result, failure } = message;
    const settle = this.#calls.get(call);
    this.#calls.delete(call);
    if (this.#calls.size === 0) this.#child.channel?.unref();
    if (failure) settle?.reject(Object.assign(new Error(failure.message), failure));
    else settle?.resolve(result as never);
  }
}

// Jest gives each test file modules and globals of its own; Node's modules are the same for all files of a process.
const shared = childProcess as unknown as { homebaseTesting?: Connection };

function connection(): Connection {
  shared.homebaseTesting ??= new Connection();
  return shared.homebaseTesting;
}

export async function createBackend(options?: TestBackendOptions): Promise<TestBackend> {
  const state = await connection().call<RemoteState>("createBackend", [options]);
  const ask = <Result>(method: string, ...args: unknown[]) =>
    connection().call<Result>(method, args, state.number);
  let { databaseUrl } = state;
  let offset = 0;
  const mails: SentMail[] = [];
  const logs: LoggedEntry[] = [];
  connection().follow(state.number, { mails, logs });
  const clock: TestClock = {
    now: () => Date.now() + offset,
    advance: (milliseconds) => {
      offset += milliseconds;
      return ask<void>("advance", milliseconds);
    },
    reset: () => {
      offset = 0;
      return ask<void>("resetClock");
    },
  };
  /** What this side has noted of a snapshot. */
  const noted = new Map<string, { mails: SentMail[]; offset: number }>();
  const drop = () => ask<void>("drop");
  return {
    ...state.fields,
    get databaseUrl() {
      return databaseUrl;
    },
    clock,
    mails,
    logs,
    why: (given) => ask("why", given),
    explain: (given) => ask("explain", given),
    token: (claims) => ask("token", claims),
    issuer: (name) => ({ sign: (claims) => ask("sign", name, claims) }),
    sql: (text, values) => ask("sql", text, values),
    reset: async () => {
      ({ databaseUrl } = await ask<RemoteState>("reset"));
      mails.length = 0;
      offset = 0;
    },
    snapshot: async () => {
      const name = await ask<string>("snapshot");
      noted.set(name, { mails: [...mails], offset });
      return name;
    },
    restore: async (name) => {
      ({ databaseUrl } = await ask<RemoteState>("restore", name));
      const { mails: before = [], offset: ahead = 0 } = noted.get(name) ?? {};
      mails.splice(0, mails.length, ...before);
      offset = ahead;
    },
    drop,
    [Symbol.asyncDispose]: drop,
  };
}

export function schemaDifferences(projectFolder?: string): Promise<SchemaDifferences> {
  return connection().call("schemaDifferences", [projectFolder]);
}

/** Starts the Postgres of a test run and publishes it to this process's children, e.g. in Jest's globalSetup. */
export async function startTestCluster(projectFolder: string = process.cwd()): Promise<TestRun> {
  process.env[CLUSTER_VARIABLE] = await connection().call<string>("startTestCluster", [projectFolder]);
  return {
    stop: async () => {
      delete process.env[CLUSTER_VARIABLE];
      await connection().call("stopTestCluster", []);
    },
  };
}
