/**
 * Owns every transaction of storage: as the caller, where row security decides, or as the service, where
 * it has decided already (compat/storage.md 2.2 and 2.3).
 */
import type pg from "pg";
import type { Database } from "../postgres/database.ts";
import type { ServiceRequest } from "../service/exchange.ts";
import type { Caller } from "./caller.ts";
import { fromPostgres } from "./errors.ts";

/** On whose behalf and for what a transaction runs; policies can read it. */
export interface Occasion {
  caller: Caller;
  /** e.g. `storage.object.upload`. */
  operation: string;
  request: ServiceRequest;
}

const TIMEOUT = "30s";

/** See the file's head. */
export class Access {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Runs one statement as the caller and keeps what it did. */
  asCaller<Row extends pg.QueryResultRow>(
    occasion: Occasion,
    text: string,
    values: unknown[],
  ): Promise<Row[]> {
    return this.#run<Row>(occasion, occasion.caller.role, text, values, "commit");
  }

  /** Runs one statement as the caller to learn whether it would be allowed, and undoes it. */
  tryAsCaller<Row extends pg.QueryResultRow>(
    occasion: Occasion,
    text: string,
    values: unknown[],
  ): Promise<Row[]> {
    return this.#run<Row>(occasion, occasion.caller.role, text, values, "rollback");
  }

  /** Runs one statement with the service's own rights. */
  asService<Row extends pg.QueryResultRow>(
    occasion: Occasion,
    text: string,
    values: unknown[],
  ): Promise<Row[]> {
    return this.#run<Row>(occasion, "service_role", text, values, "commit");
  }

  async #run<Row extends pg.QueryResultRow>(
    occasion: Occasion,
    role: string,
    text: string,
    values: unknown[],
    end: "commit" | "rollback",
  ): Promise<Row[]> {
    const client = await this.#database.pool("supabase_storage_admin").connect();
    try {
      const answers = await Promise.allSettled([
        client.query("begin"),
        client.query(SETTINGS, settings(occasion, role)),
        client.query<Row>(text, values),
        client.query(end),
      ]);
      const failure = answers.find((answer) => answer.status === "rejected");
      if (failure) throw fromPostgres(failure.reason);
      return (answers[2] as PromiseFulfilledResult<pg.QueryResult<Row>>).value.rows;
    } finally {
      client.release();
    }
  }
}

const SETTINGS = `select set_config('request.jwt.claim.role', $2, true), set_config('request.jwt', $3, true),
  set_config('request.jwt.claim.sub', $4, true), set_config('request.jwt.claims', $5, true),
  set_config('request.headers', $6, true), set_config('request.method', $7, true),
  set_config('request.path', $8, true), set_config('storage.operation', $9, true),
  set_config('storage.allow_delete_query', 'true', true), set_config('statement_timeout', $10, true),
  set_config('role', $1, true)`;

function settings({ caller, operation, request }: Occasion, role: string): unknown[] {
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
