/**
 * Owns the way to a Postgres that somebody else runs: from the address in the environment to a pool
 * (PostgreSQL documentation, "Connection Strings").
 */
import pg from "pg";
import { PipelinePool } from "../../postgres/pipeline/pool.ts";
import { SettingError } from "../settings.ts";
import type { StandaloneConfig } from "./environment.ts";

/**
 * Reads a URI or keywords and values; what is not said comes from the `PG…` environment.
 * @throws SettingError
 */
export function connectionOf(uri: string): pg.ClientConfig {
  if (!/^postgres(?:ql)?:\/\//.test(uri)) return fromKeywords(uri);
  if (/^postgres(?:ql)?:\/\/$/.test(uri)) return {};
  try {
    // pg reads the address; a client that never connects shows what it read.
    const { host, port, user, database, password, ssl } = new pg.Client({ connectionString: uri });
    return {
      host,
      port,
      ...(user === undefined ? {} : { user }),
      ...(database === undefined ? {} : { database }),
      ...(typeof password === "string" ? { password } : {}),
      ...(ssl ? { ssl } : {}),
    };
  } catch {
    throw new SettingError("PGRST_DB_URI is not an address of a database.");
  }
}

/** What changes nothing here. */
const IGNORED = new Set(["connect_timeout", "fallback_application_name", "target_session_attrs"]);
const WITHOUT_TLS = new Set(["disable", "allow", "prefer"]);

type Key = "host" | "port" | "user" | "database" | "password" | "application_name" | "options";

const KEYWORDS: Record<string, Key> = {
  application_name: "application_name",
  options: "options",
  host: "host",
  hostaddr: "host",
  port: "port",
  user: "user",
  dbname: "database",
  password: "password",
};

function fromKeywords(text: string): pg.ClientConfig {
  const config: Record<string, string | number | boolean | { rejectUnauthorized: boolean }> = {};
  const pattern = /\s*(\w+)\s*=\s*(?:'((?:[^'\\]|\\.)*)'|(\S*))\s*/gy;
  let read = 0;
  for (const [whole, name = "", quoted, plain = ""] of text.matchAll(pattern)) {
    read += whole.length;
    const value = quoted?.replace(/\\(.)/g, "$1") ?? plain;
    if (IGNORED.has(name)) continue;
    if (name === "sslmode") {
      if (!WITHOUT_TLS.has(value)) config.ssl = value.startsWith("verify") || { rejectUnauthorized: false };
      continue;
    }
    const key = KEYWORDS[name];
    if (key === undefined) throw new SettingError(`PGRST_DB_URI has ${name}=, which is not built here.`);
    config[key] = key === "port" ? Number(value) : value;
  }
  if (read !== text.length) throw new SettingError("PGRST_DB_URI is not an address of a database.");
  return config;
}

/** The connections that the service needs. */
export function openPool(config: StandaloneConfig, connection: pg.ClientConfig): PipelinePool {
  const address = { application_name: "homebase rest", ...connection };
  return new PipelinePool(address, {
    max: config.poolSize,
    idleMs: config.poolIdleMs,
    lifetimeMs: config.poolLifetimeSeconds * 1_000,
  });
}
