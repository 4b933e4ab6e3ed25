/**
 * Owns the way to a running Postgres from any process: administration as the superuser, and the handles
 * of its databases. Who starts and stops the server is the Cluster's business.
 */
import pg from "pg";
import { Database } from "../database.ts";

/** Where a Postgres listens. Plain data, so that it can be handed to another process. */
export interface ClusterAddress {
  /** Folder of the Unix socket. */
  socketFolder: string;
  /** Also the number in the socket's name when there is no TCP port. */
  port: number;
  /** Whether what is written must survive a loss of power. */
  durable: boolean;
}

const SUPERUSER = "supabase_admin";
/** The database that administration connects to; the developer's own is called `postgres`. */
export const MAINTENANCE = "homebase";

/** The address of a running Postgres. */
export class ClusterClient {
  readonly address: ClusterAddress;
  readonly #databases = new Map<string, Database>();

  constructor(address: ClusterAddress) {
    this.address = address;
  }

  /** The handle of a database; the same one for the same name. */
  database(name: string): Database {
    let database = this.#databases.get(name);
    if (!database) {
      database = new Database({ host: this.address.socketFolder, port: this.address.port, name });
      this.#databases.set(name, database);
    }
    return database;
  }

  /** Closes a database's connections and forgets its handle. */
  async release(name: string): Promise<void> {
    const database = this.#databases.get(name);
    this.#databases.delete(name);
    await database?.close();
  }

  /** Closes every handle. */
  async releaseAll(): Promise<void> {
    await Promise.all([...this.#databases.keys()].map((name) => this.release(name)));
  }

  /** Runs SQL as the superuser in `database`, on a connection that is closed afterwards. */
  async admin<T>(work: (client: pg.Client) => Promise<T>, database: string = MAINTENANCE): Promise<T> {
    const { socketFolder, port } = this.address;
    const client = new pg.Client({ host: socketFolder, port, user: SUPERUSER, database });
    // Without a listener a connection that Postgres ends would end this process.
    client.on("error", () => {});
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }
}
