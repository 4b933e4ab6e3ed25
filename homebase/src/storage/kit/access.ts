/**
 * Owns the transactions of storage: as the caller where row security decides, and as the service where access
 * is already checked (docs/compat/storage.md 2.2 and 2.3). Requests with two statements go as batches, which
 * take one round trip on a shared connection (docs/decisions/0009-batches.md).
 */
import type pg from "pg";
import type { ServiceRequest } from "../../http/exchange.ts";
import type { Database } from "../../postgres/database.ts";
import type { BatchStatement } from "../../postgres/pipeline/connection.ts";
import type { Value, Row as WireRow } from "../../postgres/pipeline/wire.ts";
import { type Statement, transactStatements } from "../../postgres/transaction.ts";
import type { Waiting } from "../../postgres/while-awaited.ts";
import type { Caller } from "./caller.ts";
import { fromPostgres, requestAborted } from "./errors.ts";

const SERVICE_ROLE = "service_role";
const TIMEOUT = "30s";
const LOCK_TIMEOUT = "5s";

/** Runs statements of a request, as the caller or as the service; policies can read its fields. */
export class Access {
  readonly #database: Database;
  readonly request: ServiceRequest;
  readonly caller: Caller;
  /** e.g. `storage.object.upload`. */
  readonly operation: string;

  constructor(database: Database, request: ServiceRequest, caller: Caller, operation: string) {
    this.#database = database;
    this.request = request;
    this.caller = caller;
    this.operation = operation;
  }

  /** Runs one statement as the caller and commits it. */
  asCaller<Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<Row[]> {
    return this.#run<Row>(this.caller.role, { text, values }, "commit");
  }

  /** As `asCaller`, for a read that ends in Postgres when the client disconnects. @throws Aborted */
  readAsCaller<Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<Row[]> {
    const { signal } = this.request;
    return this.#run<Row>(this.caller.role, { text, values }, "commit", [], {
      database: this.#database,
      signal,
    });
  }

  /** Runs one statement as the caller and rolls it back, to test whether it is allowed. */
  tryAsCaller<Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<Row[]> {
    return this.#run<Row>(this.caller.role, { text, values }, "rollback");
  }

  /** Runs one statement with the service's own rights. */
  asService<Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<Row[]> {
    return this.#run<Row>(SERVICE_ROLE, { text, values }, "commit");
  }

  /**
   * Runs one statement with the service's own rights, serialised per object: the lock is taken before the
   * statement reads the table, so that it sees earlier writes. @throws LockTimeout
   */
  asServiceInTurn<Row extends pg.QueryResultRow>(
    object: { bucket: string; key: string },
    text: string,
    values: unknown[],
  ): Promise<Row[]> {
    return this.#run<Row>(SERVICE_ROLE, { text, values }, "commit", [
      { text: `set local lock_timeout = '${LOCK_TIMEOUT}'` },
      {
        text: "select pg_advisory_xact_lock(hashtextextended($1, 0))",
        values: [`${object.bucket}/${object.key}`],
        name: "storage_turn",
      },
    ]);
  }

  /**
   * Reads a value with the service's rights and tests a statement as the caller, rolled back, in one round
   * trip (docs/decisions/0009-batches.md).
   * @param look returns one column of JSON.
   * @returns the value; undefined when there is no such row.
   */
  async readAndTest<Found>(look: BoundStatement, tried: BoundStatement): Promise<Found | undefined> {
    const answers = await this.#batch([
      BEGIN,
      bound({ text: SETTINGS, values: settings(this, SERVICE_ROLE) }),
      bound(look),
      bound({ text: "select set_config('role', $1, true)", values: [this.caller.role] }),
      bound(tried),
      ROLLBACK,
    ]);
    return readJson<Found>(answers[2]);
  }

  /**
   * Reads two values in one round trip: first with the service's rights, then as the role that `role`
   * selects.
   * @param role returns the role's name in one column.
   * @param statements each return one column of JSON.
   */
  async readTwo<First, Second>(
    first: BoundStatement,
    role: BoundStatement,
    second: BoundStatement,
  ): Promise<[First | undefined, Second | undefined]> {
    const answers = await this.#batch([
      bound({ text: SETTINGS, values: settings(this, SERVICE_ROLE) }),
      bound(first),
      bound({ text: `select set_config('role', (${role.text}), true)`, values: role.values }),
      bound(second),
    ]);
    return [readJson<First>(answers[1]), readJson<Second>(answers[3])];
  }

  /**
   * As `asServiceInTurn`, in one batch that is one transaction. @param statement returns one column of JSON.
   */
  async writeInTurn<Written>(
    object: { bucket: string; key: string },
    statement: BoundStatement,
  ): Promise<Written | undefined> {
    const answers = await this.#batch([
      bound({ text: SETTINGS, values: settings(this, SERVICE_ROLE) }),
      bound({ text: TURN, values: [LOCK_TIMEOUT, `${object.bucket}/${object.key}`] }),
      bound(statement),
    ]);
    return readJson<Written>(answers[2]);
  }

  async #batch(statements: readonly BatchStatement[]): Promise<WireRow[][]> {
    try {
      return await this.#database.pipeline("supabase_storage_admin").run(statements);
    } catch (error) {
      throw fromPostgres(error);
    }
  }

  async #run<Row extends pg.QueryResultRow>(
    role: string,
    statement: Statement,
    end: "commit" | "rollback",
    before: readonly Statement[] = [],
    waiting?: Waiting,
  ): Promise<Row[]> {
    try {
      const answers = await transactStatements(
        this.#database.pool("supabase_storage_admin"),
        [{ text: SETTINGS, values: settings(this, role), name: "storage_settings" }, ...before, statement],
        end,
        waiting,
      );
      return (answers[before.length + 1] as unknown as pg.QueryResult<Row>).rows;
    } catch (error) {
      throw waiting?.signal.aborted ? requestAborted() : fromPostgres(error);
    }
  }
}

const SETTINGS = `select set_config('request.jwt.claim.role', $2, true), set_config('request.jwt', $3, true),
  set_config('request.jwt.claim.sub', $4, true), set_config('request.jwt.claims', $5, true),
  set_config('request.headers', $6, true), set_config('request.method', $7, true),
  set_config('request.path', $8, true), set_config('storage.operation', $9, true),
  set_config('storage.allow_delete_query', 'true', true), set_config('statement_timeout', $10, true),
  set_config('role', $1, true)`;

/** A statement with its values as text. */
export interface BoundStatement {
  text: string;
  values: readonly Value[];
}

/** A separate statement acquires the lock, so that the next one's snapshot includes earlier writes. */
const TURN = `select pg_advisory_xact_lock(hashtextextended($2, 0))
  from (select set_config('lock_timeout', $1, true) as patience offset 0) settings where patience is not null`;
const BEGIN: BatchStatement = { text: "begin", values: [], prepare: true };
const ROLLBACK: BatchStatement = { text: "rollback", values: [], prepare: true };

function bound({ text, values }: BoundStatement): BatchStatement {
  return { text, values, prepare: true };
}

function readJson<Found>(rows: WireRow[] | undefined): Found | undefined {
  const text = rows?.[0]?.text(0);
  return text === undefined || text === null ? undefined : (JSON.parse(text) as Found);
}

function settings({ caller, operation, request }: Access, role: string): string[] {
  return [
    role,
    caller.role,
    caller.token,
    caller.subject ?? "",
    JSON.stringify(caller.claims),
    JSON.stringify(request.headers),
    request.method,
    request.path,
    operation,
    TIMEOUT,
  ];
}
