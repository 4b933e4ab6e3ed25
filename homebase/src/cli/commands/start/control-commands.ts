/** Owns what a running stack does for other commands, which ask it by its control socket. */
import { existsSync } from "node:fs";
import type { Config } from "../../../config/config.ts";
import { recordOf } from "../../../core/record.ts";
import type { DeveloperStack } from "../../../developer/developer-stack.ts";
import type { StackWing } from "../../../developer/stack-wing.ts";
import type { DiffRequest } from "../../../diff/project-diff.ts";
import { explainLogin } from "../../../postgres/explain-login.ts";
import { installedExtensions } from "../../../postgres/extensions/installed.ts";
import type { RealtimeFigures, RealtimeService } from "../../../realtime/service.ts";
import type { PreparedBuckets } from "../../../storage/buckets/config-buckets.ts";
import type { StorageService } from "../../../storage/service.ts";
import type { ControlCommands } from "../../kit/control.ts";
import { commandError, resetFailure } from "../../kit/errors.ts";
import { stateFolder } from "../../kit/state.ts";
import { statusVariables } from "../../kit/status-variables.ts";
import { CommandError } from "../../kit/terminal.ts";

interface StackParts {
  /** The token of this start's MCP endpoint. */
  token: string;
  /** Reads config.toml as it is now. */
  readConfig: () => Config;
  stop: () => void;
  wings: readonly StackWing[];
}

/** The commands by name. Only the message of an error reaches the other side. */
export function controlCommands(
  stack: DeveloperStack,
  { token, readConfig, stop, wings }: StackParts,
): ControlCommands {
  const { config, backend } = stack;
  const variables = () => statusVariables(config, backend.keys, backend.url, token);
  return {
    status: async () => ({
      pid: process.pid,
      variables: variables(),
      notApplied: stack.unapplied && {
        ...stack.unapplied.problem(),
        description: stack.unapplied.describe(),
        unprotected: await stack.unprotected().catch(() => []),
      },
      stateFolder: existsSync(stateFolder(config)),
      realtime: await realtimeFigures(stack),
      extensions: await installedExtensions(backend.database).catch(() => undefined),
    }),
    migrate: async () => {
      const { failed, ...done } = await stack.migrate({ all: true });
      return { ...done, failed: failed?.describe() };
    },
    diff: (request) =>
      stack.diff(diffRequest(request)).catch((error: unknown) => {
        throw commandError(error);
      }),
    reset: (request) => {
      const { seed, lastMigration } = recordOf(request);
      const last = typeof lastMigration === "string" ? lastMigration : undefined;
      return stack.reset({ seed: seed !== false, lastMigration: last }).catch((error: unknown) => {
        throw new CommandError(resetFailure(error));
      });
    },
    buckets: () => stack.alone(async () => prepareBuckets(stack, readConfig())),
    requests: async (filter) => backend.requests.list(recordOf(filter)),
    request: async (id) => backend.requests.get(String(id)),
    requestWithValues: async (id) => backend.requests.withValues(String(id)),
    happenings: async (filter) => backend.happenings.list(recordOf(filter)),
    explainLogin: () => explainLogin(backend.database),
    mcp: async () => ({ url: variables().MCP_URL, token }),
    stop: async () => setImmediate(stop),
    ...Object.fromEntries(
      wings
        .flatMap(({ control = {} }) => Object.entries(control))
        .map(([name, load]) => [name, async (argument: unknown) => (await load())(stack, argument)]),
    ),
    ...Object.assign({}, ...stack.beside.map(({ commands = {} }) => commands)),
  };
}

function diffRequest(given: unknown): DiffRequest {
  const { name, apply, schemas, renames, noRename, ask } = recordOf(given);
  return {
    name: typeof name === "string" ? name : undefined,
    apply: apply === true,
    schemas: Array.isArray(schemas) ? schemas.map(String) : undefined,
    renames: Array.isArray(renames) ? renames.map(String) : undefined,
    noRename: noRename === true,
    ask: ask === true,
  };
}

/** Undefined while realtime is disabled, or its database is being replaced. */
async function realtimeFigures({ backend }: DeveloperStack): Promise<RealtimeFigures | undefined> {
  const service = backend.service("realtime") as Partial<RealtimeService> | undefined;
  return service?.figures?.().catch(() => undefined);
}

/** @throws CommandError when storage does not run */
function prepareBuckets({ backend }: DeveloperStack, config: Config): Promise<PreparedBuckets> {
  const service = backend.service("storage") as Partial<StorageService> | undefined;
  if (service?.prepareBuckets) return service.prepareBuckets(config);
  throw new CommandError(
    "The running stack has no storage: it is off in the configuration, or was left out.",
  );
}
