/**
 * Owns access to a running Postgres from any process: administration as the superuser, and the handles of its
 * databases. The Cluster starts and stops the server.
 */
import pg from "pg";
import { connected } from "../connected.ts";
import { Database, SUPERUSER_OPTIONS } from "../database.ts";
import { loginPassword, SUPERUSER } from "../guarded-logins.ts";
import { refuseForeignDatabase } from "../origin.ts";
import { ScramClient } from "../scram-client.ts";

/** The address of a Postgres server. Plain data, so that it can be passed to another process. */
export interface ClusterAddress {
  /** Folder of the Unix socket, and of other files of a run. */
  socketFolder: string;
  /** Whether the stack's own sessions come by TCP, because there is no socket (platform.ts). */
  tcp?: boolean;
  /** Also the number in the socket's name when there is no TCP port. */
  port: number;
  /** Whether writes must survive a power failure. */
  durable: boolean;
  /** What the passwords of the stack's own logins follow from (guarded-logins.ts). */
  secret: string;
}

/** The database for administrative connections; the developer's own is called `postgres`. */
export const MAINTENANCE = "homebase";

/** A start asks the maintenance database twenty times, and a new session costs 25 ms. */
const KEPT_MS = 1000;

/** A client of a running Postgres. */
export class ClusterClient {
  readonly address: ClusterAddress;
  readonly #databases = new Map<string, Database>();
  /** Sessions in the maintenance database, kept for a moment. */
  #kept: pg.Pool | undefined;

  constructor(address: ClusterAddress) {
    this.address = address;
  }

  get #host(): string {
    return this.address.tcp ? "127.0.0.1" : this.address.socketFolder;
  }

  /** The handle of a database; cached by name. */
  database(name: string): Database {
    let database = this.#databases.get(name);
    if (!database) {
      const { port, secret } = this.address;
      database = new Database({ host: this.#host, port, name, secret });
      this.#databases.set(name, database);
    }
    return database;
  }

  /** Closes a database's connections and drops its handle. */
  async release(name: string): Promise<void> {
    const database = this.#databases.get(name);
    this.#databases.delete(name);
    await database?.close();
  }

  /** Closes every handle. */
  async releaseAll(): Promise<void> {
    const kept = this.#kept;
    this.#kept = undefined;
    await Promise.all([kept?.end(), ...[...this.#databases.keys()].map((name) => this.release(name))]);
  }

  /**
   * Runs SQL as the superuser in `database`, on a connection that is closed afterwards. In the maintenance database,
   * where no code of a project runs, the next call may get the same one, as if it were new.
   * @param options.unmade when the database is about to become one of the stack's. @throws ForeignDatabase otherwise.
   */
  async admin<T>(
    work: (client: pg.ClientBase) => Promise<T>,
    database: string = MAINTENANCE,
    { unmade = database === MAINTENANCE }: { unmade?: boolean } = {},
  ): Promise<T> {
    const { port, secret } = this.address;
    const connection = {
      host: this.#host,
      port,
      user: SUPERUSER,
      password: loginPassword(secret, SUPERUSER),
      database,
      options: SUPERUSER_OPTIONS,
    };
    if (database === MAINTENANCE) return this.#maintain(connection, work);
    return connected(connection, async (client) => {
      if (!unmade) await refuseForeignDatabase(client);
      return work(client);
    });
  }

  async #maintain<T>(connection: pg.ClientConfig, work: (client: pg.ClientBase) => Promise<T>): Promise<T> {
    this.#kept ??= keptSessions(connection);
    const client = await asNew(this.#kept);
    let whole = false;
    try {
      const result = await work(client);
      whole = true;
      return result;
    } finally {
      // Work that has failed may have left a transaction open.
      client.release(!whole);
    }
  }

  /**
   * Runs SQL with the project's own rights, as role postgres, on a connection that is closed afterwards. Statements that
   * hold the project's expressions need it: Postgres runs a project's code where it only parses them (a literal of a type
   * with a domain inside calls the domain's check).
   */
  asProject<T>(work: (client: pg.Client) => Promise<T>, database: string): Promise<T> {
    const connection = this.database(database).connection("postgres");
    return connected({ ...connection, options: "-c search_path=pg_catalog,pg_temp" }, work);
  }
}

function keptSessions(connection: pg.ClientConfig): pg.Pool {
  // One piece of work may need another session, and must not wait for its own.
  const max = Number.MAX_SAFE_INTEGER;
  const pool = new pg.Pool({
    ...connection,
    Client: ScramClient,
    max,
    idleTimeoutMillis: KEPT_MS,
    allowExitOnIdle: true,
  });
  // Without listeners a connection that the server ends would end this process.
  pool.on("error", () => {});
  return pool.on("connect", (client) => client.on("error", () => {}));
}

/** A session without what an earlier use has set. Those that Postgres has closed meanwhile are dropped. */
async function asNew(pool: pg.Pool): Promise<pg.PoolClient> {
  for (;;) {
    const kept = pool.idleCount > 0;
    const client = await pool.connect();
    if (!kept) return client;
    try {
      await client.query("discard all");
      return client;
    } catch {
      client.release(true);
    }
  }
}
