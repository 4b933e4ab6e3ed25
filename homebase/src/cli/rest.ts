/** Owns `homebase rest`: the REST service alone, in front of any Postgres. */
import { parseArgs } from "node:util";
import { SettingError } from "../rest/settings.ts";
import { readEnvironment, type StandaloneConfig } from "../rest/standalone/environment.ts";
import { serveRest } from "../rest/standalone/server.ts";
import { createLog, type LogLevel } from "../service/log.ts";
import type { Command } from "./options.ts";
import { CommandError, paint } from "./terminal.ts";

export const rest: Command = {
  summary: "serve any Postgres as PostgREST does, configured by PGRST_* variables",
  help: `Usage: homebase rest

Serves a Postgres (14 or later) over HTTP with PostgREST's interface, until Ctrl+C. Tables are at /table,
functions at /rpc/function, the OpenAPI description at /. Needs no API key and nothing else of Homebase.

Variables (those of PostgREST; all of its settings that the database can give, too):
  PGRST_DB_URI                postgresql://user:password@host:port/database, or @file
  PGRST_DB_SCHEMAS            schemas to expose, the first one is the default (public)
  PGRST_DB_ANON_ROLE          role of requests without a token; none: they are refused
  PGRST_JWT_SECRET            text of at least 32 characters, a JWK, a JWK set, or @file
  PGRST_JWT_SECRET_IS_BASE64  true: the secret is base64
  PGRST_JWT_AUD, PGRST_JWT_ROLE_CLAIM_KEY ($.role)
  PGRST_DB_MAX_ROWS, PGRST_DB_EXTRA_SEARCH_PATH (public), PGRST_DB_TX_END (commit)
  PGRST_DB_PRE_REQUEST, PGRST_DB_PRE_CONFIG, PGRST_DB_ROOT_SPEC
  PGRST_DB_AGGREGATES_ENABLED, PGRST_DB_PLAN_ENABLED, PGRST_SERVER_TIMING_ENABLED (false)
  PGRST_OPENAPI_MODE          follow-privileges, ignore-privileges or disabled
  PGRST_APP_SETTINGS_NAME     app.settings.name in every transaction
  PGRST_SERVER_HOST (!4), PGRST_SERVER_PORT (3000), PGRST_SERVER_UNIX_SOCKET
  PGRST_ADMIN_SERVER_PORT     /live and /ready
  PGRST_DB_POOL (10), PGRST_LOG_LEVEL (error)

NOTIFY pgrst or SIGUSR1 reads the schema anew, SIGUSR2 the settings of the database.`,
  run,
};

/** Our levels that each of PostgREST's thresholds lets through. */
const SHOWN: Record<StandaloneConfig["logLevel"], readonly LogLevel[]> = {
  crit: [],
  error: ["error"],
  warn: ["error", "warn"],
  info: ["error", "warn", "info"],
  debug: ["error", "warn", "info", "debug"],
};

async function run(args: string[]): Promise<void> {
  try {
    parseArgs({ args, options: {}, allowPositionals: false });
  } catch (error) {
    throw new CommandError(
      `${(error as Error).message}\nSettings come from PGRST_* variables. Try --help.`,
      2,
    );
  }
  const config = readOrExplain();
  for (const warning of config.warnings) process.stderr.write(`${paint("yellow", "Warning:")} ${warning}\n`);
  const log = createLog("rest", ({ time, level, message, fields }) => {
    if (!SHOWN[config.logLevel].includes(level)) return;
    process.stderr.write(`${time} ${level} ${message}${fields ? ` ${JSON.stringify(fields)}` : ""}\n`);
  });
  const { promise: told, resolve: stop } = Promise.withResolvers<void>();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, stop);
  const standalone = await serveRest(config, log).catch((error: unknown) => {
    const refused = error instanceof SettingError || (error as NodeJS.ErrnoException).syscall === "listen";
    throw refused ? new CommandError((error as Error).message) : error;
  });
  const reload = () => {
    standalone.reload().catch(() => {});
  };
  process.on("SIGUSR1", reload);
  process.on("SIGUSR2", reload);
  process.stdout.write(`Listening on ${standalone.address}\n`);
  if (standalone.adminAddress !== undefined) process.stdout.write(`Admin on ${standalone.adminAddress}\n`);
  await told;
  await standalone.close();
  process.exit(0);
}

function readOrExplain(): StandaloneConfig {
  try {
    return readEnvironment(process.env);
  } catch (error) {
    if (error instanceof SettingError) throw new CommandError(error.message);
    throw error;
  }
}
