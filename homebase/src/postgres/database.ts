/** Owns the connections to one database: pools by login role, batches, and notifications. */
import pg from "pg";
import { type Log, silentLog } from "../core/log.ts";
import { type Login, withLogin } from "./connected.ts";
import { loginPassword, PUBLIC_LOGINS, PUBLIC_PASSWORD } from "./guarded-logins.ts";
import { Notifications } from "./notifications.ts";
import { refuseForeignDatabase } from "./origin.ts";
import { PipelinePool } from "./pipeline/pool.ts";
import { ScramClient } from "./scram-client.ts";
import { transact } from "./transaction.ts";

/** Roles that a service can log in as. */
export type LoginRole =
  | "authenticator"
  | "homebase_explain"
  | "homebase_reader"
  | "homebase_replication"
  | "postgres"
  | "supabase_admin"
  | "supabase_auth_admin"
  | "supabase_read_only_user"
  | "supabase_storage_admin";

export interface DatabaseAddress {
  /** A host name, or the folder of a Unix socket. */
  host: string;
  port: number;
  name: string;
  password?: string;
  /** The cluster's secret, for the stack's own logins (guarded-logins.ts). */
  secret?: string;
}

/**
 * Settings of the superuser's sessions, which a project's settings of the database do not replace. The search path has
 * only schemas in which a project cannot create objects, because its operator or function would run with all rights
 * (https://wiki.postgresql.org/wiki/CVE-2018-1058); pg_temp, which is searched first unless it is named, comes last.
 */
export const SUPERUSER_OPTIONS =
  "-c search_path=pg_catalog,pg_temp -c standard_conforming_strings=on -c event_triggers=off -c session_replication_role=origin -c default_transaction_read_only=off -c role=none " +
  "-c local_preload_libraries= -c statement_timeout=2min -c transaction_timeout=0 -c lock_timeout=0 -c idle_session_timeout=0 -c idle_in_transaction_session_timeout=0";
const DEFAULT_MAX = 10;
const DEFAULT_IDLE_MS = 30_000;

/** The connections to a database were closed: its server stops, or another database replaces it. */
export class DatabaseClosed extends Error {
  constructor(name: string) {
    super(`The database ${name} is closed.`);
  }
}

type Connected = NonNullable<Parameters<pg.Pool["connect"]>[0]>;

/** pg's pool, which tries a refused login again after it was restored. */
class LoginPool extends pg.Pool {
  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.PoolClient> | undefined {
    const connecting = withLogin(this.options as Login, () => super.connect());
    if (!callback) return connecting;
    connecting.then(
      (client) => callback(undefined, client, client.release),
      (error: Error) => callback(error, undefined, () => {}),
    );
    return undefined;
  }
}

/** A database and the connections to it. */
export class Database {
  readonly address: DatabaseAddress;
  /** Receives errors that no caller waits for, of connections made from now on. */
  log: Log = silentLog;
  readonly #pools = new Map<string, pg.Pool>();
  readonly #pipelines = new Map<string, PipelinePool>();
  #notifications: Notifications | undefined;
  #closed = false;

  constructor(address: DatabaseAddress) {
    this.address = address;
  }

  get name(): string {
    return this.address.name;
  }

  /** The address for programs that connect by themselves, as role postgres: always TCP. */
  get url(): string {
    return `postgresql://postgres:${PUBLIC_PASSWORD}@127.0.0.1:${this.address.port}/${this.name}`;
  }

  /** Settings for a separate connection (LISTEN, replication) that logs in as `role`. */
  connection(role: LoginRole): Login {
    const { host, port, name, secret, password = loginPassword(secret, role) } = this.address;
    const options = role === "supabase_admin" ? { options: SUPERUSER_OPTIONS } : {};
    const restore = () => this.#restore(role);
    return {
      host,
      port,
      database: name,
      user: role,
      password,
      ...options,
      ...(secret !== undefined && PUBLIC_LOGINS.includes(role) ? { restore } : {}),
    };
  }

  /**
   * Gives a role of Supabase's its public password back. A role has one, and a project may change it: the stack's next
   * session would be locked out.
   */
  async #restore(role: LoginRole): Promise<void> {
    // Several sessions may be refused at once.
    await this.query(
      "supabase_admin",
      `select from pg_authid where rolname = '${role}' for update;
       alter role ${role} with login password '${PUBLIC_PASSWORD}' valid until 'infinity'`,
    );
    this.log.warn(
      `Role ${role} did not log in with its password, which the stack and DB_URL use: somebody has changed it, its time or its login. They were set back.`,
    );
  }

  /**
   * The pool of a login role; cached. Connections pipeline: queries issued without awaiting
   * the previous one share round trips.
   */
  pool(role: LoginRole): pg.Pool {
    let pool = this.#pools.get(role);
    if (!pool) {
      if (this.#closed) throw new DatabaseClosed(this.name);
      pool = new LoginPool({
        ...this.connection(role),
        Client: ScramClient,
        pipeline: true,
        max: DEFAULT_MAX,
        idleTimeoutMillis: DEFAULT_IDLE_MS,
        // An idle connection does not keep the process alive.
        allowExitOnIdle: true,
        application_name: "homebase",
        ...(role === "supabase_admin" ? { onConnect: refuseForeignDatabase } : {}),
      } as pg.PoolConfig);
      // The pool replaces an idle connection closed by Postgres; without a listener the process would crash.
      pool.on("error", () => {});
      // The same for a connection in use: its holder learns of the error from its queries.
      pool.on("connect", (client) => client.on("error", () => {}));
      this.#pools.set(role, pool);
    }
    return pool;
  }

  /** A login role's connections for whole transactions in batches; cached. */
  pipeline(role: LoginRole): PipelinePool {
    let pool = this.#pipelines.get(role);
    if (!pool) {
      if (this.#closed) throw new DatabaseClosed(this.name);
      const address = { ...this.connection(role), application_name: "homebase" };
      pool = new PipelinePool(address, { max: DEFAULT_MAX, idleMs: DEFAULT_IDLE_MS, log: this.log });
      this.#pipelines.set(role, pool);
    }
    return pool;
  }

  /** Subscribes to NOTIFY; the first listener opens the connection. */
  get notifications(): Notifications {
    this.#notifications ??= new Notifications(this.connection("authenticator"), this.log);
    return this.#notifications;
  }

  /** Runs one statement as `role`, in a transaction of its own. */
  async query<Row extends pg.QueryResultRow = pg.QueryResultRow>(
    role: LoginRole,
    text: string,
    values: unknown[] = [],
  ): Promise<pg.QueryResult<Row>> {
    return this.pool(role).query<Row>(text, values);
  }

  /**
   * Runs `work` between BEGIN and COMMIT on one connection; rolls back when it throws. For transactions whose
   * statements depend on each other; otherwise use `transactStatements`.
   */
  transaction<T>(role: LoginRole, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    return transact(this.pool(role), ({ client }) => work(client));
  }

  /** Closes every connection after its running queries. The handle cannot be used afterwards. */
  async close(): Promise<void> {
    this.#closed = true;
    const pools = [...this.#pools.values()];
    const pipelines = [...this.#pipelines.values()];
    this.#pools.clear();
    this.#pipelines.clear();
    await Promise.all([
      ...pools.map((pool) => pool.end()),
      ...pipelines.map((pool) => pool.close()),
      this.#notifications?.close(),
    ]);
  }
}
