/**
 * Owns REST's own transaction for a caller outside of a request: the same settings, role and pre-request, for questions
 * about what a caller gets (the console), and for explanations, which run under the same prelude.
 */
import { Readable } from "node:stream";
import type pg from "pg";
import type { ServiceRequest } from "../../http/exchange.ts";
import type { Database } from "../../postgres/database.ts";
import { wireText } from "../header-text.ts";
import { type RestSettings, withDatabaseSettings } from "../postgrest-settings.ts";
import { parseRequest } from "../request/parsed-request.ts";
import { buildRoles } from "../schema/build.ts";
import { type CatalogRole, CONFIG_QUERY, connectingAs, rolesQuery } from "../schema/catalog-query.ts";
import type { QualifiedName, SchemaCache } from "../schema/schema-cache.ts";
import { type Prelude, preludeOf, preludeText } from "./transaction-settings.ts";

/** A caller, as a token names it. */
export interface Lens {
  role: string;
  claims: Record<string, unknown>;
  /** The request's headers that policies read, by lower-case names. */
  headers?: Record<string, string> | undefined;
}

/** What a prelude depends on besides the caller: of the running service, or of `readPrepared`. */
export interface Prepared {
  settings: RestSettings;
  cache: Pick<SchemaCache, "roles">;
}

export interface AsOptions {
  /** The table that is asked about: policies read the request's path, and an exposed schema comes first in the search path. */
  table?: QualifiedName;
  /** Whether the transaction may write; it is then committed, unless `work` throws. */
  writes?: boolean;
}

/** The role that REST connects with. */
export const LOGIN = "authenticator";

/** A request without anything in it. */
export const NOTHING_SENT: ServiceRequest = {
  id: "",
  method: "GET",
  path: "/",
  query: "",
  headers: {},
  rawHeaders: [],
  authorization: undefined,
  remoteAddress: "",
  body: Readable.from([]),
  signal: new AbortController().signal,
};

/**
 * Calls `work` in the transaction that REST would open for a GET of the caller, by REST's login.
 * @throws what `work` throws, and Postgres's error of the pre-request and of a role that REST may not take.
 */
export async function as<T>(
  database: Database,
  prepared: Prepared,
  who: Lens,
  work: (client: pg.ClientBase) => Promise<T>,
  options: AsOptions = {},
): Promise<T> {
  const client = await database.pool(LOGIN).connect();
  let broken = true;
  try {
    const result = await asOn(client, prepared, who, work, options);
    broken = false;
    return result;
  } catch (error) {
    // It was rolled back: a connection that is in no transaction serves the next request.
    broken = client.getTransactionStatus() !== "I";
    throw error;
  } finally {
    client.release(broken);
  }
}

/**
 * As `as`, on a connection of REST's login that the caller has opened for it: statements of a person leave settings behind,
 * which no request may meet.
 */
export async function asOn<T>(
  client: pg.ClientBase,
  prepared: Prepared,
  who: Lens,
  work: (client: pg.ClientBase) => Promise<T>,
  { table, writes = false }: AsOptions = {},
): Promise<T> {
  const prelude = await preludeAs(prepared, who, table);
  const isolation = prepared.cache.roles.get(who.role)?.isolation ?? "read committed";
  await client.query(`begin isolation level ${isolation} ${writes ? "read write" : "read only"}`);
  try {
    await client.query(preludeText(prelude, who.role));
    const result = await work(client);
    await client.query("commit");
    return result;
  } catch (error) {
    await client.query("rollback");
    throw error;
  }
}

/** REST's prelude of a GET of the caller. */
export async function preludeAs(
  { settings, cache }: Prepared,
  { role, claims, headers = {} }: Lens,
  table?: QualifiedName,
): Promise<Prelude> {
  const profile =
    table && settings.schemas.includes(table.schema)
      ? { "accept-profile": wireText(table.schema) }
      : undefined;
  const http: ServiceRequest = {
    ...NOTHING_SENT,
    path: table ? `/${encodeURIComponent(table.name)}` : "/",
    headers: { ...headers, ...profile },
  };
  const request = await parseRequest(http, settings, async () => Buffer.from(""));
  const caller = { role, claims: JSON.stringify(claims), anonymous: false };
  return preludeOf({ ...http, headers }, request, { settings, cache }, caller);
}

type Rows = <Row extends pg.QueryResultRow>(text: string) => Promise<Row[]>;

/** The server's version, and REST's settings with those of the database, read by a login that may be another. */
export async function readSettings(rows: Rows, given: RestSettings) {
  const [server = "", ...entries] = (
    await rows<{ entry: string }>(`select entry from (${connectingAs(CONFIG_QUERY, LOGIN)}) as c(entry, oid)`)
  ).map(({ entry }) => entry);
  return {
    server: Number.parseInt(server, 10),
    settings: withDatabaseSettings(given, entries, () => {}),
  };
}

/** What REST would have read. */
export async function readPrepared(rows: Rows, given: RestSettings): Promise<Prepared> {
  const { server, settings } = await readSettings(rows, given);
  const [row] = await rows<{ roles: string }>(
    `select r.roles from (${connectingAs(rolesQuery(server), LOGIN)}) as r(roles)`,
  );
  return { settings, cache: { roles: buildRoles(JSON.parse(row?.roles ?? "[]") as CatalogRole[]) } };
}
