/** Owns `homebase rest`: the REST service alone, in front of any Postgres. */
import { setTimeout } from "node:timers/promises";
import { type Command, parseWords } from "../../src/cli/kit/options.ts";
import { restartOnErrors } from "../../src/cli/kit/restarts.ts";
import { CommandError, paint } from "../../src/cli/kit/terminal.ts";
import type { Log } from "../../src/core/log.ts";
import type { PipelinePool } from "../../src/postgres/pipeline/pool.ts";
import { dumpSchema } from "../../src/rest/admin/schema-dump.ts";
import { readSnapshot } from "../../src/rest/schema/source.ts";
import { connectionOf, openPool } from "./connection.ts";
import { dumpConfig } from "./dump.ts";
import { readConfiguration, type StandaloneConfig } from "./environment.ts";
import { createLogLines } from "./log-lines.ts";
import { serveRest } from "./server.ts";

export const rest: Command = {
  help: `Usage: homebase rest [FILE] [--dump-config | --dump-schema | --ready | --example | --version]

Serves a Postgres (14 or later) over HTTP with PostgREST's interface, until Ctrl+C. Tables are at /table,
functions at /rpc/function, the OpenAPI description at /. It needs no API key and no other part of Homebase.

  FILE           a configuration file of PostgREST; variables override it, settings in the database override both
  --dump-config  print every setting with its effective value, and exit
  --dump-schema  print the schema cache as JSON, and exit
  --ready        ask the admin port of a running service whether it is ready; exits with 0 if it is
  --example      print a configuration file with every setting's default, and exit
  --version      print the version of PostgREST that is emulated, and exit

Variables (PostgREST's; the settings that PostgREST reads from the database work too):
  PGRST_DB_URI                postgresql://user:password@host:port/database, or @file
  PGRST_DB_SCHEMAS            schemas to expose, the first one is the default (public)
  PGRST_DB_ANON_ROLE          role of requests without a token; if unset, they are rejected
  PGRST_JWT_SECRET            text of at least 32 characters, a JWK, a JWK set, or @file
  PGRST_JWT_SECRET_IS_BASE64  true: the secret is base64
  PGRST_JWT_AUD, PGRST_JWT_ROLE_CLAIM_KEY ($.role)
  PGRST_DB_MAX_ROWS, PGRST_DB_EXTRA_SEARCH_PATH (public), PGRST_DB_TX_END (commit)
  PGRST_DB_PRE_REQUEST, PGRST_DB_PRE_CONFIG, PGRST_DB_ROOT_SPEC
  PGRST_DB_AGGREGATES_ENABLED, PGRST_DB_PLAN_ENABLED, PGRST_SERVER_TIMING_ENABLED (false)
  PGRST_OPENAPI_MODE          follow-privileges, ignore-privileges or disabled
  PGRST_APP_SETTINGS_NAME     app.settings.name in every transaction
  PGRST_SERVER_HOST (!4), PGRST_SERVER_PORT (3000), PGRST_SERVER_UNIX_SOCKET
  PGRST_ADMIN_SERVER_PORT     /live, /ready, /schema_cache and /metrics
  PGRST_DB_POOL (10), PGRST_LOG_LEVEL (error), PGRST_LOG_QUERY (false)

NOTIFY pgrst and SIGUSR1 reload the schema cache, NOTIFY pgrst, 'reload config' and SIGUSR2 the settings.
SIGTERM and Ctrl+C let requests in flight finish, for at most PGRST_SERVER_SHUTDOWN_TIMEOUT seconds if that is
set.

Examples:
  PGRST_DB_URI=postgresql://app:secret@127.0.0.1:5432/app PGRST_DB_ANON_ROLE=anon homebase rest
  homebase rest postgrest.conf --dump-config`,
  run,
};

const RESTART_PATIENCE_MS = 500;

async function run(args: string[]): Promise<void> {
  const { file, dump, ready } = optionsOf(args);
  const config = readConfiguration(process.env, file);
  if (ready) {
    process.exitCode = await checkReady(config);
    return;
  }
  for (const warning of config.warnings) process.stderr.write(`${paint("yellow", "Warning:")} ${warning}\n`);
  const lines = createLogLines(config);
  const { log } = lines;
  if (dump !== undefined) {
    process.stdout.write(await dumped(config, dump, log));
    return;
  }
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  const refused = (error: unknown): never => {
    throw (error as NodeJS.ErrnoException).syscall === "listen"
      ? new CommandError((error as Error).message)
      : error;
  };
  const open = () =>
    serveRest(
      config,
      lines,
      () => readConfiguration(process.env, file),
      () => process.exit(1),
    );
  let standalone = await open().catch(refused);
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    let asked = 0;
    process.on(signal, () => {
      lines.tell(`Received termination unix signal ${signal}`);
      asked += 1;
      // Requests in flight may take long; a second signal stops without waiting for them.
      if (asked > 1) process.exit(1);
      stop();
    });
  }
  process.on("SIGUSR1", () => void standalone.reload().catch(() => {}));
  process.on("SIGUSR2", () => void standalone.reloadSettings().catch(() => {}));
  const listening = standalone.listen().then(() => {
    restartOnErrors(log, async () => {
      // A service that does not close in an unknown state is abandoned.
      await Promise.race([standalone.close(0), setTimeout(RESTART_PATIENCE_MS)]);
      standalone = await open();
      await standalone.listen();
    });
  });
  await Promise.race([stopped, listening.then(() => stopped)]).catch(refused);
  await standalone.close();
  process.exit(0);
}

/**
 * Queries the admin server of a running service (PostgREST documentation, "CLI"). @returns the exit status.
 */
async function checkReady({ adminHost, hostText, adminPort }: StandaloneConfig): Promise<number> {
  const fail = (reason: string) => {
    process.stderr.write(`ERROR: ${reason}\n`);
    return 1;
  };
  const host = adminHost ?? hostText;
  if (adminPort === undefined)
    return fail("Admin server is not running. Please check admin-server-port config.");
  if (/^[*!][46]?$/.test(host)) {
    return fail(
      `The \`--ready\` flag cannot be used when server-host is configured as "${host}". ` +
        'Please update your server-host config to "localhost".',
    );
  }
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${adminPort}/ready`;
  try {
    const { ok } = await fetch(url);
    if (!ok) return fail(url);
  } catch {
    return fail(`connection refused to ${url}`);
  }
  process.stdout.write(`OK: ${url}\n`);
  return 0;
}

type Dump = "config" | "schema" | "example" | "version";

function optionsOf(args: string[]): { file: string | undefined; dump: Dump | undefined; ready: boolean } {
  const options = {
    "dump-config": { type: "boolean" },
    "dump-schema": { type: "boolean" },
    ready: { type: "boolean" },
    example: { type: "boolean", short: "e" },
    version: { type: "boolean", short: "v" },
    help: { type: "boolean", short: "h" },
  } as const;
  const { values, positionals } = parseWords(args, options, true);
  if (positionals.length > 1) {
    throw new CommandError(`One file at most, not ${positionals.join(", ")}.\nTry --help.`, 2);
  }
  const asked: Record<Dump, boolean | undefined> = {
    config: values["dump-config"],
    schema: values["dump-schema"],
    example: values.example,
    version: values.version,
  };
  const dump = (Object.keys(asked) as Dump[]).find((one) => asked[one]);
  return { file: positionals[0], dump, ready: values.ready === true };
}

/** @throws CommandError when a required database is unreachable. */
async function dumped(config: StandaloneConfig, dump: Dump, log: Log): Promise<string> {
  if (dump === "version") return "PostgREST 16.5 (Homebase)\n";
  if (dump === "example") {
    const defaults = readConfiguration({});
    return dumpConfig(defaults, defaults.settings);
  }
  if (dump === "config" && !config.databaseSettings) return dumpConfig(config, config.settings);
  const { settings, databaseSettings } = config;
  let pool: PipelinePool | undefined;
  try {
    pool = openPool(config, connectionOf(config.databaseUri), log);
    const { settings: effective, cache } = await readSnapshot({ settings, databaseSettings, pool, log });
    return dump === "config" ? dumpConfig(config, effective) : `${dumpSchema(cache)}\n`;
  } catch (error) {
    // Settings can be shown without the database, the schema cannot.
    if (dump === "config") {
      log.error(`Failed to query database settings for the config parameters. ${(error as Error).message}`);
      return dumpConfig(config, settings);
    }
    throw new CommandError((error as Error).message);
  } finally {
    await pool?.close();
  }
}
