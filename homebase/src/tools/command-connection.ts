/** Owns connections to the database that a command works on: the running stack's, or one that an address names. */
import type pg from "pg";
import { UserError } from "../core/user-error.ts";
import { connected } from "../postgres/connected.ts";

/** A database by its address. */
export interface Target {
  connection: pg.ClientConfig;
  /** For people: without the password. */
  label: string;
}

/** The address makes no sense. */
export class BadAddress extends UserError {
  override readonly exitCode = 2;
}

const LOCAL = new Set(["127.0.0.1", "localhost", "[::1]"]);

/**
 * The target of a `postgres://` address. `sslmode` is read as libpq does; without it, a database on another machine
 * is reached by TLS whose certificate is not checked (libpq's `require`).
 * @throws BadAddress
 */
export function targetOf(address: string): Target {
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    throw new BadAddress(
      `The address is not a URL. Its form is postgresql://user:password@host:5432/postgres`,
    );
  }
  if (!/^postgres(ql)?:$/.test(url.protocol)) {
    throw new BadAddress(`The address begins with ${url.protocol}, and should with postgresql:`);
  }
  const mode = url.searchParams.get("sslmode") ?? (LOCAL.has(url.hostname) ? "disable" : "require");
  const folder = url.searchParams.get("host");
  const host = folder ?? url.hostname.replace(/^\[|\]$/g, "");
  const name = decodeURIComponent(url.pathname.slice(1)) || "postgres";
  return {
    connection: {
      host,
      port: Number(url.searchParams.get("port") ?? (url.port || 5432)),
      database: name,
      user: decodeURIComponent(url.username) || "postgres",
      password: decodeURIComponent(url.password) || process.env.PGPASSWORD || "",
      ssl:
        mode === "disable" || folder?.startsWith("/")
          ? false
          : { rejectUnauthorized: mode.startsWith("verify") },
      application_name: "homebase",
    },
    label: `${host}:${url.port || 5432}/${name}`,
  };
}

/**
 * Calls `work` with a connection, which is closed afterwards. Statements of the tools find the catalogue only, whatever
 * the database's or the role's own search path is: it may be somebody else's (CVE-2018-1058).
 */
export function withClient<T>(target: Target, work: (client: pg.Client) => Promise<T>): Promise<T> {
  return connected(target.connection, async (client) => {
    await client.query("set search_path = pg_catalog, pg_temp");
    return work(client);
  });
}
