/**
 * Owns access to a running Postgres from any process: administration as the superuser, and the handles of its
 * databases. The Cluster starts and stops the server.
 */
import pg from "pg";
import { Database, SUPERUSER_OPTIONS } from "../database.ts";
import { SUPERUSER, socketPassword } from "../guarded-logins.ts";
import { refuseForeignDatabase } from "../origin.ts";

/** The address of a Postgres server. Plain data, so that it can be passed to another process. */
export interface ClusterAddress {
  /** Folder of the Unix socket. */
  socketFolder: string;
  /** Also the number in the socket's name when there is no TCP port. */
  port: number;
  /** Whether writes must survive a power failure. */
  durable: boolean;
  /** What the passwords of the stack's own logins follow from (guarded-logins.ts). */
  secret: string;
}

/** The database for administrative connections; the developer's own is called `postgres`. */
export const MAINTENANCE = "homebase";

/** A client of a running Postgres. */
export class ClusterClient {
  readonly address: ClusterAddress;
  readonly #databases = new Map<string, Database>();

  constructor(address: ClusterAddress) {
    this.address = address;
  }

  /** The handle of a database; cached by name. */
  database(name: string): Database {
    let database = this.#databases.get(name);
    if (!database) {
      const { socketFolder: host, port, secret } = this.address;
      database = new Database({ host, port, name, secret });
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
    await Promise.all([...this.#databases.keys()].map((name) => this.release(name)));
  }

  /**
   * Runs SQL as the superuser in `database`, on a connection that is closed afterwards.
   * @param options.unmade when the database is about to become one of the stack's. @throws ForeignDatabase otherwise.
   */
  async admin<T>(
    work: (client: pg.Client) => Promise<T>,
    database: string = MAINTENANCE,
    { unmade = database === MAINTENANCE }: { unmade?: boolean } = {},
  ): Promise<T> {
    const { socketFolder, port, secret } = this.address;
    const connection = {
      host: socketFolder,
      port,
      user: SUPERUSER,
      password: socketPassword(secret, SUPERUSER),
      database,
      options: SUPERUSER_OPTIONS,
    };
    return connected(connection, async (client) => {
      if (!unmade) await refuseForeignDatabase(client);
      return work(client);
    });
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

async function connected<T>(
  connection: pg.ClientConfig,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client(connection);
  // Without a listener, a connection closed by Postgres would crash this process.
  client.on("error", () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
