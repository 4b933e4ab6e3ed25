/**
 * Owns the process with the Backends of a test that loads CommonJS: `remote.ts` starts it, and calls it by messages. It
 * ends when that process has ended.
 */
import { createBackend, schemaDifferences, startTestCluster } from "./public.ts";
import {
  CLUSTER_VARIABLE,
  FIELDS,
  type RemoteAnswer,
  type RemoteCall,
  type RemoteFields,
  type RemoteState,
} from "./remote-protocol.ts";
import type { LoggedEntry, SentMail, TestBackend, TestBackendOptions, TestRun } from "./types.ts";

const backends = new Map<number, TestBackend>();
let run: TestRun | undefined;
let count = 0;

const say = (answer: RemoteAnswer) => {
  if (process.connected) process.send?.(answer);
};

/** Tells of each element that joins a list. */
function follow<Item>(list: Item[], tell: (item: Item) => void): void {
  list.push = (...items) => {
    for (const item of items) tell(item);
    return Array.prototype.push.apply(list, items);
  };
}

function stateOf(number: number, backend: TestBackend): RemoteState {
  const fields = Object.fromEntries(FIELDS.map((name) => [name, backend[name]])) as RemoteFields;
  return { number, fields, databaseUrl: backend.databaseUrl };
}

const functions: Record<string, (...args: never[]) => Promise<unknown>> = {
  createBackend: async (options?: TestBackendOptions) => {
    const backend = await createBackend(options);
    const number = count++;
    backends.set(number, backend);
    follow<SentMail>(backend.mails, (mail) => say({ backend: number, mail }));
    follow<LoggedEntry>(backend.logs, (logged) => say({ backend: number, logged }));
    return stateOf(number, backend);
  },
  schemaDifferences,
  startTestCluster: async (projectFolder?: string) => {
    run = await startTestCluster(projectFolder);
    return process.env[CLUSTER_VARIABLE];
  },
  stopTestCluster: async () => run?.stop(),
};

const methods: Record<string, (backend: TestBackend, number: number, ...args: never[]) => unknown> = {
  sql: ({ sql }, _, text: string, values?: unknown[]) => sql(text, values),
  why: ({ why }, _, options?: { row?: string }) => why(options),
  explain: ({ explain }, _, options?: { row?: string }) => explain(options),
  token: ({ token }, _, claims?: Record<string, unknown>) => token(claims),
  sign: ({ issuer }, _, name: string, claims?: Record<string, unknown>) => issuer(name).sign(claims),
  advance: ({ clock }, _, milliseconds: number) => clock.advance(milliseconds),
  resetClock: ({ clock }) => clock.reset(),
  reset: async (backend, number) => {
    await backend.reset();
    return stateOf(number, backend);
  },
  snapshot: ({ snapshot }) => snapshot(),
  restore: async (backend, number, name: string) => {
    await backend.restore(name);
    return stateOf(number, backend);
  },
  drop: (backend, number) => {
    backends.delete(number);
    return backend.drop();
  },
};

async function answer({ backend: number, method, args }: RemoteCall): Promise<unknown> {
  if (number === undefined) return functions[method]?.(...(args as never[]));
  const backend = backends.get(number);
  if (!backend) throw new Error("This Backend was dropped.");
  return methods[method]?.(backend, number, ...(args as never[]));
}

process.on("message", (message: RemoteCall) => {
  const { call } = message;
  answer(message).then(
    (result) => say({ call, result }),
    (error: Error & { code?: unknown }) =>
      say({ call, failure: { message: error.message, stack: error.stack, code: error.code } }),
  );
});
