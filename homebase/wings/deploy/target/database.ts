/**
 * Owns the connection to a hosted project's database: with a login role that the Management API creates for a
 * few minutes, or with a password; directly, or through the pooler when the direct address is unreachable
 * (docs/compat/platform.md 5.3).
 */
import { createConnection } from "node:net";
import pg from "pg";
import { isRecord } from "../../../src/core/record.ts";
import { UserError } from "../../../src/core/user-error.ts";
import { SUPABASE_ROOTS } from "./certificates.ts";
import type { Management } from "./management.ts";

export interface DatabaseOptions {
  /**
   * `postgresql://host:port/name`; with user and password, or without them for a login role. On this machine
   * `?sslmode=require` uses TLS; elsewhere it always is used, and verified.
   */
  url?: string | undefined;
  /** Password of role postgres, instead of a login role. */
  password?: string | undefined;
  /** The domain of hosted databases. */
  projectHost: string;
}

/** Connection settings, and whether to `set role postgres`. */
export type TargetConnection = pg.ClientConfig;

/** The database is unreachable; the message lists the attempts. */
export class DatabaseUnreachable extends UserError {}

const PROBE_MS = 5_000;
const CONNECT_MS = 30_000;
/** A pooler's host gets the password, so the API's word for it is not enough. */
const POOLER_HOST = /^([a-z\d-]+\.)+supabase\.com?$/;
const LOCAL = new Set(["127.0.0.1", "localhost", "::1"]);

/** Finds a way to connect. @throws DatabaseUnreachable, ManagementError */
export async function findDatabase(
  management: Management,
  options: DatabaseOptions,
): Promise<TargetConnection> {
  const login = await loginOf(management, options);
  if (options.url !== undefined) {
    const given = new URL(options.url);
    const required = given.searchParams.get("sslmode") === "require";
    return connection({
      ssl: LOCAL.has(given.hostname) && required ? { rejectUnauthorized: false } : undefined,
      host: given.hostname,
      port: Number(given.port || 5432),
      database: given.pathname.slice(1) || "postgres",
      ...(given.username
        ? { user: decodeURIComponent(given.username), password: decodeURIComponent(given.password) }
        : login),
    });
  }
  const direct = { host: `db.${management.ref}.${options.projectHost}`, port: 5432 };
  if (await reachable(direct)) return connection({ ...direct, database: "postgres", ...login });
  const poolers = await management.list("/config/database/pooler");
  const primary = poolers.find((one) => one.database_type === "PRIMARY") ?? poolers[0];
  if (!isRecord(primary) || typeof primary.db_host !== "string") {
    throw new DatabaseUnreachable(
      `The database is not reachable on ${direct.host}:${direct.port}, and the project has no pooler.`,
    );
  }
  if (!POOLER_HOST.test(primary.db_host)) {
    throw new DatabaseUnreachable(
      `The database is not reachable on ${direct.host}:${direct.port}, and ${primary.db_host}, which the Management API names as its pooler, is not a host of Supabase.`,
    );
  }
  // The pooler has session mode, which settings and locks need, on 5432 only.
  const pooled = { host: primary.db_host, port: 5432 };
  if (!(await reachable(pooled))) {
    throw new DatabaseUnreachable(
      `The database is reachable neither on ${direct.host}:${direct.port} nor on ${pooled.host}:${pooled.port}. Is your network allowed (network restrictions, IPv6)?`,
    );
  }
  return connection({
    ...pooled,
    database: "postgres",
    user: `${login.user}.${management.ref}`,
    password: login.password,
  });
}

/** A client that acts as role postgres. */
export async function connect(config: TargetConnection): Promise<pg.Client> {
  const client = new pg.Client(config);
  client.on("error", () => {});
  await client.connect();
  // Objects created by a login role must belong to postgres.
  await client.query("set session role postgres");
  return client;
}

async function loginOf(
  management: Management,
  { url, password }: DatabaseOptions,
): Promise<{ user: string; password: string }> {
  if (url !== undefined && new URL(url).username !== "") return { user: "", password: "" };
  if (password !== undefined) return { user: "postgres", password };
  const role = await management.object("POST", "/cli/login-role", { read_only: false });
  if (typeof role.role !== "string" || typeof role.password !== "string") {
    throw new DatabaseUnreachable("The Management API answered without a login role for the database.");
  }
  return { user: role.role, password: role.password };
}

function connection(config: pg.ClientConfig): TargetConnection {
  // A database on this machine is a stand-in: nobody listens in between, and its certificate is its own.
  const usual = LOCAL.has(String(config.host)) ? false : { ca: SUPABASE_ROOTS, rejectUnauthorized: true };
  return {
    ...config,
    ssl: config.ssl ?? usual,
    application_name: "homebase deploy",
    connectionTimeoutMillis: CONNECT_MS,
  };
}

function reachable({ host, port }: { host: string; port: number }): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host, port, timeout: PROBE_MS });
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once("connect", () => end(true));
    socket.once("timeout", () => end(false));
    socket.once("error", () => end(false));
  });
}
