/**
 * Owns the connections that assistants' SQL runs on: a login that may read every table but for secrets (reader-rights.ts)
 * and has no right to write, in a transaction that cannot write either and never commits. docs/threat-model.md says what
 * each of the two holds back.
 */
import type pg from "pg";
import { isDatabaseError } from "../../src/catalog/errors.ts";
import { type Session, Sessions } from "../../src/catalog/session.ts";
import type { Database } from "../../src/postgres/database.ts";
import { watchDefiners } from "./definers.ts";
import { type Rights, renewRights, WITHHELD } from "./reader-rights.ts";
import { SqlRefused } from "./sql-refused.ts";

/** A model can use less. */
const MOST_BYTES = 1024 * 1024;
const STATEMENT_SECONDS = 30;
/** Ends what does not obey the statement's own timeout, such as sending rows to a slow client. */
const SESSION_MS = 40_000;
/** The search path of role postgres. */
const PROJECT_PATH = '"$user", public, extensions';
/** A tool's own statements find the catalogue only. */
const OWN_PATH = "pg_catalog, pg_temp";
/** The functions of this extension write over connections of their own, which no transaction of ours holds back. */
const DIALS_OUT = "dblink";

export class ReadOnly {
  readonly #database: Database;
  readonly #ofTools: Sessions;
  readonly #ofAssistants: Sessions;

  constructor(database: Database) {
    this.#database = database;
    const connection = (): pg.ClientConfig => ({
      ...database.connection("homebase_reader"),
      options: `-c default_transaction_read_only=on -c statement_timeout=${STATEMENT_SECONDS}s`,
    });
    this.#ofTools = new Sessions(database, connection);
    this.#ofAssistants = new Sessions(database, connection, MOST_BYTES);
  }

  /** Calls `work` with a connection for the statements of a tool. */
  async tool<T>(signal: AbortSignal, work: (session: Session) => Promise<T>): Promise<T> {
    await renewRights(this.#database);
    return sealed(this.#ofTools, signal, OWN_PATH, work);
  }

  /**
   * The rows of one statement of an assistant's.
   * @throws SqlRefused, MetaError for a result that is too large or takes too long, Postgres's own errors
   */
  async rows(query: string, signal: AbortSignal): Promise<Record<string, unknown>[]> {
    refuseOpen(await renewRights(this.#database));
    const found = await sealed(this.#ofAssistants, signal, PROJECT_PATH, ({ client }) => run(client, query));
    const after = await renewRights(this.#database);
    refuseOpen(after);
    if (after.narrowed) throw new SqlRefused("A view was changed meanwhile. Run the statement again.");
    return found;
  }

  async close(): Promise<void> {
    await Promise.all([this.#ofTools.close(), this.#ofAssistants.close()]);
  }
}

async function run(client: pg.ClientBase, query: string): Promise<Record<string, unknown>[]> {
  const { rowCount } = await client.query("select from pg_catalog.pg_extension where extname = $1", [
    DIALS_OUT,
  ]);
  if (rowCount !== 0) {
    throw new SqlRefused(
      `This database has the extension ${DIALS_OUT}, whose functions write over connections of their own, so SQL of assistants does not run here.`,
    );
  }
  const refuseDefiners = await watchDefiners(client);
  await client.query("savepoint before");
  try {
    // The extended protocol takes a single statement, so none can end this transaction and go on in another.
    const { rows } = await client.query({ text: query, queryMode: "extended" } as pg.QueryConfig);
    await refuseDefiners();
    return rows;
  } catch (error) {
    if (!isDatabaseError(error)) throw error;
    // The message of such a function may quote what it has read.
    await client.query("rollback to before").catch(() => undefined);
    await refuseDefiners(error);
    throw withheldBy(error) ?? error;
  }
}

function refuseOpen({ open }: Rights): void {
  if (open.length === 0) return;
  throw new SqlRefused(
    `SQL of assistants does not run while a grant opens ${open.slice(0, 3).join(", ")} to everybody or to a role of this login: these read what signs people in.`,
  );
}

/** Where only some columns of a table are readable, Postgres's message alone would mislead. */
function withheldBy({ code, message }: pg.DatabaseError): SqlRefused | undefined {
  const [, name] = /^permission denied for table (\w+)$/.exec(message) ?? [];
  const table = Object.keys(WITHHELD).find((one) => one.endsWith(`.${name}`));
  if (code !== "42501" || table === undefined) return undefined;
  return new SqlRefused(
    `${message}: ${WITHHELD[table]?.join(", ")} of ${table} are withheld from assistants. Name the other columns instead of *.`,
  );
}

/** The connection ends with its transaction open, so that it is rolled back and its session's locks are released. */
function sealed<T>(
  sessions: Sessions,
  signal: AbortSignal,
  path: string,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  return sessions.use({ signal, timeout: SESSION_MS, applicationName: "mcp" }, async (session) => {
    await session.rows("begin isolation level repeatable read, read only");
    // After its first query Postgres makes no transaction "read write" any more.
    await session.rows("select pg_catalog.set_config('search_path', $1, true)", [path]);
    return work(session);
  });
}
