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

const KEYWORDS: Record<string, "host" | "port" | "user" | "database" | "password"> = {
  host: "host",
  hostaddr: "host",
  port: "port",
  user: "user",
  dbname: "database",
  password: "password",
};

function fromKeywords(text: string): pg.ClientConfig {
  const config: Record<string, string | number> = {};
  const pattern = /\s*(\w+)\s*=\s*(?:'((?:[^'\\]|\\.)*)'|(\S*))\s*/gy;
  let read = 0;
  for (const [whole, name = "", quoted, plain = ""] of text.matchAll(pattern)) {
    read += whole.length;
    const key = KEYWORDS[name];
    const value = quoted?.replace(/\\(.)/g, "$1") ?? plain;
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
