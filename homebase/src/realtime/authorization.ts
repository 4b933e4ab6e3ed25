/**
 * Owns the question what a caller may do on a private channel: policies on `realtime.messages`, tried by
 * Postgres in transactions that are rolled back (compat/realtime.md 16).
 */
import { randomUUID } from "node:crypto";
import type pg from "pg";
import type { Database, Statement } from "../postgres/database.ts";
import type { Log } from "../service/log.ts";
import type { Token } from "./token.ts";

export interface Permissions {
  broadcast: boolean;
  presence: boolean;
}

/** What the policies may look at besides the token. */
export interface AuthorizationRequest {
  token: Token;
  /** Name of the channel without `realtime:`. */
  topic: string;
  headers: Record<string, unknown>;
}

const INSUFFICIENT_PRIVILEGE = "42501";
const EXTENSIONS = ["broadcast", "presence"] as const;

/** See the file's head. */
export class Authorization {
  readonly #pool: pg.Pool;
  readonly #log: Log;

  constructor(database: Database, log: Log) {
    this.#pool = database.pool("supabase_admin");
    this.#log = log;
  }

  /** Which extensions the caller may read: probe rows are put in first, then looked for as the caller. */
  async canRead(request: AuthorizationRequest): Promise<Permissions> {
    const ids = EXTENSIONS.map(() => randomUUID());
    const values = EXTENSIONS.flatMap((extension, index) => [ids[index], request.topic, extension]);
    const found = await this.#attempt<{ id: string }>([
      { text: "begin" },
      {
        text: `insert into realtime.messages (id, topic, extension) values ($1, $2, $3), ($4, $5, $6)`,
        values,
      },
      settings(request),
      { text: "select id from realtime.messages where id = any ($1)", values: [ids] },
      { text: "rollback" },
    ]);
    if (found instanceof Error) {
      if ((found as pg.DatabaseError).code !== INSUFFICIENT_PRIVILEGE) this.#report(request, found);
      return { broadcast: false, presence: false };
    }
    const seen = new Set(found[3]?.rows.map((row) => row.id));
    return { broadcast: seen.has(ids[0] ?? ""), presence: seen.has(ids[1] ?? "") };
  }

  /** Which extensions the caller may write. */
  async canWrite(request: AuthorizationRequest): Promise<Permissions> {
    const [broadcast, presence] = await Promise.all(
      EXTENSIONS.map(async (extension) => {
        const tried = await this.#attempt([
          { text: "begin" },
          settings(request),
          {
            text: `insert into realtime.messages (topic, extension, inserted_at, updated_at)
                   values ($1, $2, now(), now())`,
            values: [request.topic, extension],
          },
          { text: "rollback" },
        ]);
        if (!(tried instanceof Error)) return true;
        if ((tried as pg.DatabaseError).code !== INSUFFICIENT_PRIVILEGE) this.#report(request, tried);
        return false;
      }),
    );
    return { broadcast: broadcast ?? false, presence: presence ?? false };
  }

  /** Sends the statements in one go. The first failure is returned, not thrown; ROLLBACK always runs. */
  async #attempt<Row extends pg.QueryResultRow>(
    statements: Statement[],
  ): Promise<pg.QueryResult<Row>[] | Error> {
    const client = await this.#pool.connect();
    try {
      const answers = await Promise.allSettled(statements.map((statement) => client.query<Row>(statement)));
      const failure = answers.find((answer) => answer.status === "rejected");
      if (failure) return failure.reason as Error;
      return answers.map((answer) => (answer as PromiseFulfilledResult<pg.QueryResult<Row>>).value);
    } finally {
      client.release();
    }
  }

  #report(request: AuthorizationRequest, error: Error): void {
    this.#log.error(`RlsPolicyError: ${error.message}`, { topic: request.topic, role: request.token.role });
  }
}

/** Everything local to the transaction; `role` comes last, as it takes the right to set the others. */
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
