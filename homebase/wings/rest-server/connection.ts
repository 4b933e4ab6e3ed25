/**
 * Owns parsing a database's connection string: a URI, or keywords and values (PostgreSQL documentation,
 * "Connection Strings" and "Parameter Key Words").
 */
import { readFileSync } from "node:fs";
import type pg from "pg";
import type { Log } from "../../src/core/log.ts";
import { validPercentDecoded } from "../../src/core/percent.ts";
import { PipelinePool } from "../../src/postgres/pipeline/pool.ts";
import { SettingError } from "../../src/rest/postgrest-settings.ts";
import type { StandaloneConfig } from "./environment.ts";
import { type DatabaseAddress, hostChooser, sessionAttributes } from "./hosts.ts";

const URI = /^postgres(?:ql)?:\/\/(?:([^:@/?]*)(?::([^@/?]*))?@)?([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/;
/** A host, or an IPv6 address in brackets, and its port. */
const PLACE = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/;

/** Parses a URI or keywords and values; defaults come from the `PG…` environment. @throws SettingError */
export function connectionOf(text: string): DatabaseAddress {
  return /^postgres(?:ql)?:\/\//.test(text) ? fromUri(text) : fromPairs(keywords(text));
}

function fromUri(text: string): DatabaseAddress {
  const parts = URI.exec(text);
  if (!parts) throw unreadable();
  const [, user, password, places = "", dbname, query] = parts;
  const pairs: [string, string][] = [];
  const add = (name: string, value: string | undefined) => {
    if (value !== undefined && value !== "") pairs.push([name, decoded(value)]);
  };
  add("user", user);
  add("password", password);
  const hosts: string[] = [];
  const ports: string[] = [];
  for (const place of places.split(",")) {
    const found = PLACE.exec(place);
    if (!found) throw unreadable();
    const [, host = "", port = ""] = found;
    hosts.push(host.replace(/^\[|\]$/g, ""));
    ports.push(port);
  }
  add("host", hosts.join(",").replace(/^,+$/, ""));
  add("port", ports.join(",").replace(/^,+$/, ""));
  add("dbname", dbname);
  for (const pair of query ? query.split("&") : []) {
    const equals = pair.indexOf("=");
    if (equals < 0) throw unreadable();
    pairs.push([decoded(pair.slice(0, equals)), decoded(pair.slice(equals + 1))]);
  }
  return fromPairs(pairs);
}

function unreadable(): SettingError {
  return new SettingError("PGRST_DB_URI is not an address of a database.");
}

function decoded(text: string): string {
  const value = validPercentDecoded(text);
  if (value === undefined) throw unreadable();
  return value;
}

function keywords(text: string): [string, string][] {
  const pairs: [string, string][] = [];
  let read = 0;
  for (const [whole, name = "", quoted, plain = ""] of text.matchAll(
    /\s*(\w+)\s*=\s*(?:'((?:[^'\\]|\\.)*)'|(\S*))\s*/gy,
  )) {
    read += whole.length;
    pairs.push([name, quoted?.replace(/\\(.)/g, "$1") ?? plain]);
  }
  if (read !== text.length) throw unreadable();
  return pairs;
}

/** The option of pg that corresponds directly to a parameter. */
const PLAIN: Record<string, "user" | "database" | "password" | "application_name" | "options"> = {
  user: "user",
  dbname: "database",
  password: "password",
  application_name: "application_name",
  options: "options",
};
// Parameters without effect: pg has no such option, or does this by itself.
const IGNORED = new Set([
  "channel_binding",
  "client_encoding",
  "gssencmode",
  "keepalives_count",
  "keepalives_interval",
  "krbsrvname",
  "tcp_user_timeout",
]);
const WITHOUT_TLS = new Set(["disable", "allow", "prefer"]);

/** The application name when the connection string has none. */
const FALLBACK_NAME = "homebase rest";

function fromPairs(pairs: readonly (readonly [string, string])[]): DatabaseAddress {
  const config: pg.ClientConfig = { fallback_application_name: FALLBACK_NAME };
  const given = new Map(pairs);
  for (const [name, value] of given) {
    const plain = PLAIN[name];
    if (plain) config[plain] = value;
    else if (name === "fallback_application_name") config.fallback_application_name = value;
    else if (name === "connect_timeout") config.connectionTimeoutMillis = Number(value) * 1_000;
    else if (name === "keepalives") config.keepAlive = value !== "0";
    else if (name === "keepalives_idle") config.keepAliveInitialDelayMillis = Number(value) * 1_000;
    else if (!IGNORED.has(name) && !READ_TOGETHER.has(name)) {
      throw new SettingError(`PGRST_DB_URI has ${name}=, which is not built here.`);
    }
  }
  // The listener's connection has a name of its own, so the variable is read here.
  const name = config.application_name ?? process.env.PGAPPNAME;
  if (name) config.application_name = name;
  const ssl = tlsOf(given);
  if (ssl !== undefined) config.ssl = ssl;
  const names = split(given.get("hostaddr") ?? given.get("host"));
  const ports = split(given.get("port"));
  const hosts = Array.from({ length: Math.max(names.length, 1) }, (_, at) => {
    const port = ports.length > 1 ? ports[at] : ports[0];
    return { ...(names[at] ? { host: names[at] } : {}), ...(port ? { port: Number(port) } : {}) };
  });
  Object.assign(config, hosts[0]);
  const wanted = given.get("target_session_attrs") ?? "any";
  const session = sessionAttributes(wanted);
  if (!session)
    throw new SettingError(`PGRST_DB_URI has target_session_attrs=${wanted}, which does not exist.`);
  return { config, hosts, session };
}

const READ_TOGETHER = new Set([
  "host",
  "hostaddr",
  "port",
  "ssl",
  "sslmode",
  "sslrootcert",
  "sslcert",
  "sslkey",
  "target_session_attrs",
]);

function split(text: string | undefined): string[] {
  return text === undefined || text === "" ? [] : text.split(",");
}

/** Certificates are verified only on request, as libpq does. */
function tlsOf(given: ReadonlyMap<string, string>): pg.ClientConfig["ssl"] {
  const mode = given.get("sslmode") ?? (given.get("ssl") === "true" ? "require" : undefined);
  if (mode === undefined || WITHOUT_TLS.has(mode)) return mode === undefined ? undefined : false;
  const file = (name: string, option: string) => {
    const path = given.get(name);
    if (path === undefined) return {};
    try {
      return { [option]: readFileSync(path, "utf8") };
    } catch (error) {
      throw new SettingError(
        `PGRST_DB_URI: ${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`,
      );
    }
  };
  return {
    rejectUnauthorized: mode.startsWith("verify"),
    // verify-ca trusts the authority for any host name.
    ...(mode === "verify-ca" ? { checkServerIdentity: () => undefined } : {}),
    ...file("sslrootcert", "ca"),
    ...file("sslcert", "cert"),
    ...file("sslkey", "key"),
  };
}

/** The connections of the service. */
export function openPool(config: StandaloneConfig, address: DatabaseAddress, log: Log): PipelinePool {
  return new PipelinePool(hostChooser(address, address.session), {
    max: config.poolSize,
    idleMs: config.poolIdleSeconds * 1_000,
    lifetimeMs: config.poolLifetimeSeconds * 1_000,
    log,
  });
}
