/**
 * Owns authorization on private channels: policies on `realtime.messages`, tested by Postgres in transactions
 * that are rolled back (docs/compat/realtime.md 16).
 */
import { randomUUID } from "node:crypto";
import pg from "pg";
import type { Log } from "../../core/log.ts";
import type { Database } from "../../postgres/database.ts";
import { type Statement, transactStatements } from "../../postgres/transaction.ts";
import type { Token } from "./socket-token.ts";

export type Extension = "broadcast" | "presence";

export interface Permissions {
  broadcast: boolean;
  presence: boolean;
}

/** The request details that policies can read besides the token. */
export interface AuthorizationRequest {
  token: Token;
  /** Name of the channel without `realtime:`. */
  topic: string;
  headers: Record<string, unknown>;
}

export type AuthorizationFault = "policy" | "partition" | "database";

/** The policies could not be evaluated, so the request is rejected. */
export class AuthorizationFailed extends Error {
  readonly fault: AuthorizationFault;
  constructor(fault: AuthorizationFault, cause: unknown) {
    super(String(cause));
    this.fault = fault;
  }
}

const INSUFFICIENT_PRIVILEGE = "42501";
const NO_PARTITION = "23514";

/** Tests the policies on `realtime.messages`. */
export class Authorization {
  readonly #pool: pg.Pool;
  readonly #log: Log;

  constructor(database: Database, log: Log) {
    // Policies and triggers on the table are the project's own code: `reset role` must not give them more
    // rights.
    this.#pool = database.pool("postgres");
    this.#log = log;
  }

  /**
   * The extensions that the caller may read: inserts probe rows, then selects them as the caller.
   * @throws AuthorizationFailed
   */
  async canRead(request: AuthorizationRequest, extensions: readonly Extension[]): Promise<Permissions> {
    const ids = extensions.map(() => randomUUID());
    const found = await this.#attempt<{ id: string }>([
      {
        text: `insert into realtime.messages (id, topic, extension)
          select id, $1, extension from unnest($2::uuid[], $3::text[]) probe(id, extension)`,
        values: [request.topic, ids, extensions],
      },
      settings(request),
      { text: "select id from realtime.messages where id = any ($1)", values: [ids] },
    ]);
    if (found instanceof Error) {
      if ((found as pg.DatabaseError).code !== INSUFFICIENT_PRIVILEGE) throw this.#failed(request, found);
      return { broadcast: false, presence: false };
    }
    const seen = new Set(found[2]?.rows.map((row) => row.id));
    const readable = extensions.filter((_, index) => seen.has(ids[index] ?? ""));
    return { broadcast: readable.includes("broadcast"), presence: readable.includes("presence") };
  }

  /**
   * Whether the caller may write messages of an extension.
   * @throws AuthorizationFailed
   */
  async canWrite(request: AuthorizationRequest, extension: Extension): Promise<boolean> {
    const tried = await this.#attempt([
      settings(request),
      {
        text: `insert into realtime.messages (topic, extension, inserted_at, updated_at)
               values ($1, $2, now(), now())`,
        values: [request.topic, extension],
      },
    ]);
    if (!(tried instanceof Error)) return true;
    if ((tried as pg.DatabaseError).code !== INSUFFICIENT_PRIVILEGE) throw this.#failed(request, tried);
    return false;
  }

  /** Runs the statements and rolls back. The first failure is returned, not thrown. */
  async #attempt<Row extends pg.QueryResultRow>(
    statements: Statement[],
  ): Promise<pg.QueryResult<Row>[] | Error> {
    try {
      return (await transactStatements(
        this.#pool,
        statements,
        "rollback",
      )) as unknown as pg.QueryResult<Row>[];
    } catch (error) {
      return error as Error;
    }
  }

  #failed(request: AuthorizationRequest, error: Error): AuthorizationFailed {
    const fields = { topic: request.topic, role: request.token.role, error: error.message };
    if (!(error instanceof pg.DatabaseError) || /^(08|57P)/.test(error.code ?? "")) {
      this.#log.error("UnableToConnectToProject", fields);
      return new AuthorizationFailed("database", error);
    }
    if (error.code === NO_PARTITION && error.message.startsWith("no partition")) {
      this.#log.error("MissingPartition", fields);
      return new AuthorizationFailed("partition", error);
    }
    this.#log.error(`RlsPolicyError: ${error.message}`, fields);
    return new AuthorizationFailed("policy", error);
  }
}

/** Settings local to the transaction; `role` is set last, because it removes the right to set the others. */
function settings({ token, topic, headers }: AuthorizationRequest): Statement {
  const { sub } = token.claims;
  return {
    text: `select set_config('realtime.topic', $1, true), set_config('request.jwt.claims', $2, true),
      set_config('request.jwt.claim.sub', $3, true), set_config('request.jwt.claim.role', $4, true),
      set_config('request.headers', $5, true), set_config('role', $4, true)`,
    values: [
      topic,
      JSON.stringify(token.claims),
      typeof sub === "string" ? sub : "",
      token.role,
      JSON.stringify(headers),
    ],
  };
}
