/**
 * Owns the transaction of an explanation: everything runs in it, and it is rolled back. Conditions are parsed with
 * the login's rights and run with the caller's, as Postgres does with those of a policy.
 */
import type pg from "pg";
import { UserError } from "../../core/user-error.ts";
import { quote, quoteLiteral, quoteName } from "../../postgres/quoting.ts";
import { type Caller, entering, loginOf, withUser } from "./explained-caller.ts";

/** A statement as REST's writer makes it. */
export interface Statement {
  text: string;
  values: readonly (string | Buffer | null)[];
  /** Whether it may write. */
  writes?: boolean;
}

/** A statement that ran as the caller. */
export interface Ran {
  rows: (string | null)[][];
  /** The messages of notices that came meanwhile, auto_explain's among them. */
  notices: string[];
  error?: pg.DatabaseError;
  /** Whether the error is of what precedes the statement: REST's pre-request. */
  before?: boolean;
  /** Set where an explanation's own limit ended it. */
  cut?: string;
}

/** As whom a condition runs: the role is the caller's, or a definer function's owner. */
export interface RunAs extends Caller {
  /** Whether row security is bypassed. */
  bypass?: boolean;
  /** Roles besides the caller's that then bypass it, too: owners of views, as whom these read. */
  owners?: readonly string[];
}

/** An explanation is not possible, for a reason that the user can change. */
export class ExplainError extends UserError {}

/** The time that an explanation may take. */
const BUDGET_MS = 1_000;
/** The least time of a statement: a timeout of 0 would mean none. */
const LEAST_MS = 50;
/** It waits no longer for a lock. */
const LOCK_MS = 500;
/** What the canonical text of a condition depends on. */
const CANONICAL =
  "set local search_path = ''; set local quote_all_identifiers = off; set local standard_conforming_strings = on";

/**
 * Postgres logs an error with its statement, which has claims and values of rows. The explanation reports the error.
 * A login that may not set this logs as it always does.
 */
const UNLOGGED = `do $$ begin set local log_min_messages = panic; exception when insufficient_privilege then null; end $$`;

/** Has auto_explain report every statement, with the conditions' values instead of parameters. */
const REPORTING = `set local client_min_messages = notice; set local plan_cache_mode = force_custom_plan;
  set local auto_explain.log_min_duration = 0; set local auto_explain.log_nested_statements = on;
  set local auto_explain.log_level = notice; set local auto_explain.log_format = json;
  set local auto_explain.log_analyze = on; set local auto_explain.log_timing = off;
  set local auto_explain.log_verbose = on; set local auto_explain.log_parameter_max_length = 0`;

/** Stands for the whole transaction: going back to it leaves it there for the next statement. */
const SAVE = "savepoint homebase_why";
const UNDO = "rollback to savepoint homebase_why";

const CANCELLED = "57014";
/** The lock timeout. */
const LOCKED = "55P03";
/** Insufficient privilege. */
const REFUSED = "42501";

export interface SessionOptions {
  /** Whether nothing may be created, not even for the transaction: for a database that is not this project's. */
  readOnly?: boolean;
  /** The time that the request took when it ran; a sentence about the own limit names it. */
  milliseconds?: number;
  /** A session of Auth that is there for as long as the transaction is, for policies that look for the caller's. */
  session?: { id: string; user: string };
}

/** Calls `work` with a session of a login that has auto_explain loaded. */
export type WithTrace = <T>(work: (session: Session) => Promise<T>, options?: SessionOptions) => Promise<T>;

export class Session {
  readonly #db: pg.ClientBase;
  readonly #options: SessionOptions;
  readonly #deadline = performance.now() + BUDGET_MS;
  readonly #made = new Map<string, Promise<unknown>>();
  /** For what runs inside functions; undefined where it is not seen. */
  trace: WithTrace | undefined;
  /** The request's, which functions without one of their own have. */
  searchPath = "public, extensions";
  #counter = 0;
  /** Statements that an error may have left prepared. */
  readonly #prepared: string[] = [];
  /** The role that the connection has logged in with. */
  login = "";
  /** The role that it has taken. */
  #user = "";
  /** Why a statement was ended before its end; undefined where none was. */
  cut: string | undefined;

  private constructor(db: pg.ClientBase, options: SessionOptions) {
    this.#db = db;
    this.#options = options;
  }

  /** Calls `work` in a transaction of its own, which is rolled back. */
  static async run<T>(
    db: pg.ClientBase,
    options: SessionOptions,
    work: (session: Session) => Promise<T>,
  ): Promise<T> {
    const session = new Session(db, options);
    const begun = (await db.query(
      `begin${options.readOnly ? " read only" : ""}; ${CANONICAL}; ${UNLOGGED}; set local lock_timeout = ${LOCK_MS};
       select session_user::text as name, current_user::text as "user"; ${SAVE}`,
    )) as unknown as pg.QueryResult<{ name: string; user: string }>[];
    const who = begun.at(-2)?.rows[0];
    session.login = who?.name ?? "";
    session.#user = who?.user ?? "";
    try {
      return await work(session);
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
      const locked =
        codeOf(error) === LOCKED ? " Another session is changing a table: try again when it is done." : "";
      throw new ExplainError(`Postgres refuses: ${messageOf(error)}.${locked}`, { cause: error });
    } finally {
      await db.query("rollback; discard plans");
      for (const name of session.#prepared) await db.query(`deallocate ${name}`).catch(() => {});
    }
  }

  /** The options with which another connection sees the same. */
  get options(): SessionOptions {
    return this.#options;
  }

  /** Inserted for each statement, and undone with it: another connection of the explanation inserts the same. */
  get #begun(): string {
    const { session } = this.#options;
    if (!session || this.readOnly) return "";
    const [id, user] = [quoteLiteral(session.id), quoteLiteral(session.user)];
    return `insert into auth.sessions (id, user_id, created_at, updated_at, aal) values (${id}, ${user}, now(), now(), 'aal1')`;
  }

  get readOnly(): boolean {
    return this.#options.readOnly ?? false;
  }

  /**
   * Rows of one statement with the login's rights, an empty search path, and values as pg reads them. The extended
   * protocol takes no second one: a function's body may end the statement that it is put into.
   */
  async rows<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    const query: pg.QueryConfig & { queryMode: "extended" } = { text, values, queryMode: "extended" };
    return (await this.#db.query<Row>(query)).rows;
  }

  /** As `rows`, of the catalog: it is asked once, as the transaction sees no change of it but its own. */
  known<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    return this.once(`${text} ${JSON.stringify(values)}`, () => this.rows<Row>(text, values));
  }

  /** The result of the first call of `make` with this key. */
  once<T>(key: string, make: () => Promise<T>): Promise<T> {
    const made = this.#made.get(key) ?? make();
    this.#made.set(key, made);
    return made as Promise<T>;
  }

  /**
   * Reads rows of a table with the login's rights and the caller's settings.
   * @throws ExplainError when row security would hide rows from the login too.
   */
  async read<Row extends pg.QueryResultRow>(
    text: string,
    values: readonly unknown[],
    caller: Caller,
    table: { schema: string; name: string },
  ): Promise<Row[]> {
    const [seen] = await this.known<{ active: boolean }>(
      "select pg_catalog.row_security_active(pg_catalog.to_regclass($1)) as active",
      [quoteName(table)],
    );
    if (seen?.active) {
      throw new ExplainError(
        `The login ${this.login} sees ${table.schema}.${table.name} through row security itself: log in as its owner, or as a role with BYPASSRLS.`,
      );
    }
    return this.undone(async () => {
      await this.#db.query(`${entering(caller, this.#user)}; ${this.#limits()}`);
      return this.rows<Row>(text, [...values]);
    }).catch((error: unknown) => {
      if (this.limitOf(error) === undefined) throw error;
      return [];
    });
  }

  /** After the settings of the caller's role, which may have a limit of their own. */
  #limits(): string {
    return `set local statement_timeout = ${this.#left()}; set local lock_timeout = ${LOCK_MS}`;
  }

  /** The own limit that an error is of, in words; undefined for an error of the statement. */
  limitOf(error: unknown): string | undefined {
    const code = codeOf(error);
    if (code !== CANCELLED) return undefined;
    const { milliseconds } = this.#options;
    const took = milliseconds === undefined ? "" : `; the request took ${seconds(milliseconds)}`;
    this.cut = `it took longer than ${seconds(BUDGET_MS)} here${took}`;
    return this.cut;
  }

  #left(): number {
    return Math.max(LEAST_MS, Math.ceil(this.#deadline - performance.now()));
  }

  /** Calls `work`; what it did in the database is undone. @throws what it throws; the transaction goes on. */
  async undone<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } finally {
      await this.#db.query(UNDO);
    }
  }

  /**
   * Runs a query whose only column is of type text[].
   * @param text canonical SQL, in which `$1` is `argument`.
   * @throws Postgres's error; `cut` is set when the time limit ended it.
   */
  evaluate(text: string, as: RunAs, argument = ""): Promise<(string | null)[][]> {
    // Groups of rows ask the same of the same rows.
    return this.once(JSON.stringify([text, as, argument]), () => this.#tried(text, as, argument));
  }

  async #tried(text: string, as: RunAs, argument: string): Promise<(string | null)[][]> {
    try {
      return await this.#evaluate(text, as, argument, true);
    } catch (error) {
      // Postgres parses a prepared statement again under another search path, and then with the caller's rights.
      if (codeOf(error) !== REFUSED) throw error;
      if (!this.readOnly) return this.#evaluate(text, as, argument, false);
      return this.#evaluate(text, { ...as, searchPath: "" }, argument, true);
    }
  }

  /** @param prepared whether by a prepared statement, which writes no catalog; by a function otherwise. */
  async #evaluate(
    text: string,
    as: RunAs,
    argument: string,
    prepared: boolean,
  ): Promise<(string | null)[][]> {
    const { role, bypassing, bound } = await this.#asRole(as);
    const name = nameOf(++this.#counter);
    const sql = withUser(text, { session: loginOf(as), current: bound ? as.role : undefined });
    const define = prepared
      ? `prepare ${name}(text) as ${sql}`
      : `create function pg_temp.${name}(text) returns setof text[] language sql volatile begin atomic ${sql}; end;
         grant execute on function pg_temp.${name}(text) to public`;
    const value = quoteLiteral(argument);
    const call = prepared ? `execute ${name}(${value})` : `select pg_temp.${name}(${value})`;
    const after = [
      UNDO,
      // Cached plans of functions keep the row security that they were planned with.
      ...(as.bypass ? ["discard plans"] : []),
      // A prepared statement outlives the transaction.
      ...(prepared ? [`deallocate ${name}`] : []),
    ];
    const statements = [
      CANONICAL,
      define,
      bypassing,
      this.#begun,
      entering(as, role),
      this.#limits(),
      call,
      ...after,
    ].filter((one) => one !== "");
    try {
      const results = (await this.#db.query({
        text: statements.join(";\n"),
        rowMode: "array",
      })) as unknown as pg.QueryArrayResult<[(string | null)[]]>[];
      return (results.at(-1 - after.length)?.rows ?? []).map(([row]) => row);
    } catch (error) {
      await this.#db.query(`${UNDO}${as.bypass ? "; discard plans" : ""}`);
      if (prepared) this.#prepared.push(name);
      this.limitOf(error);
      throw error;
    }
  }

  /**
   * Runs a statement as the caller with the caller's settings; what it did is undone, but for sequences and what left
   * the database. @param before called with the login's rights before it is undone.
   */
  async ran(
    { text, values, writes = false }: Statement,
    as: RunAs,
    before?: (notices: readonly string[]) => Promise<void>,
  ): Promise<Ran> {
    const { role, bypassing } = await this.#asRole(as);
    const notices: string[] = [];
    const take = ({ message }: { message: string | undefined }) => notices.push(message ?? "");
    let entered = false;
    try {
      const statements = [
        bypassing,
        this.#begun,
        writes ? "" : "set local transaction_read_only = on",
        REPORTING,
        entering(as, role),
        this.#limits(),
      ];
      await this.#db.query(statements.filter((one) => one !== "").join("; "));
      entered = true;
      this.#db.on("notice", take);
      const { rows } = await this.#db.query<(string | null)[]>({
        text,
        values: [...values],
        rowMode: "array",
      });
      // With values, Postgres ends a statement, and auto_explain reports it, when the next one begins.
      if (before || values.length > 0)
        await this.#db.query(`set local role ${quote(this.#user)}; ${CANONICAL}`);
      await before?.(notices);
      return { rows, notices };
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
      const cut = this.limitOf(error);
      if (cut !== undefined) return { rows: [], notices, cut };
      return { rows: [], notices, error: error as pg.DatabaseError, before: !entered };
    } finally {
      this.#db.off("notice", take);
      await this.#db.query(`${UNDO}${as.bypass ? "; discard plans" : ""}`);
    }
  }

  /** The role to take; the login's where it has to stand in, because it may not change the role's rights. */
  async #asRole({
    role,
    bypass,
    owners = [],
  }: RunAs): Promise<{ role: string; bypassing: string; bound: boolean }> {
    if (!bypass) return { role, bypassing: "", bound: false };
    if (this.readOnly) return { role: this.#user, bypassing: "", bound: true };
    const able: string[] = [];
    for (const one of [role, ...owners]) if (await this.#mayBypass(one)) able.push(one);
    const bypassing = [...able.map(bypassingText), "discard plans"].join("; ");
    const bound = !able.includes(role);
    return { role: bound ? this.#user : role, bypassing, bound };
  }

  /** Whether the login may have a role bypass row security. */
  #mayBypass(role: string): Promise<boolean> {
    const tried = () => this.undone(() => this.#db.query(bypassingText(role)));
    return this.once(`bypassing ${role}`, () =>
      tried().then(
        () => true,
        () => false,
      ),
    );
  }
}

function bypassingText(role: string): string {
  return `alter role ${quote(role)} bypassrls`;
}

function seconds(milliseconds: number): string {
  return `${Number((milliseconds / 1_000).toFixed(1))} s`;
}

function nameOf(at: number): string {
  return `homebase_why_${at}`;
}

/** Postgres's code of an error. */
export function codeOf(error: unknown): string | undefined {
  return (error as { code?: string } | undefined)?.code;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
