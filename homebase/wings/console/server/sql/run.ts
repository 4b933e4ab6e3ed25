/**
 * Owns running the text of the SQL view: its statements one after the other as postgres, or as a lens in REST's own
 * transaction.
 */
import type pg from "pg";
import { isDatabaseError, MetaError } from "../../../../src/catalog/errors.ts";
import { type Session, Sessions } from "../../../../src/catalog/session.ts";
import { statementToSend } from "../../../../src/postgres/extensions/file-statements.ts";
import {
  type FileStatement,
  firstWord,
  runsAlone,
  splitStatements,
} from "../../../../src/postgres/statements/split.ts";
import { asOn } from "../../../../src/rest/execute/as.ts";
import type { SqlAnswer, SqlAsk } from "../api.ts";
import { CallRefused } from "../call-refused.ts";
import { callerOf, preparedOf } from "../data/lens.ts";
import type { Source } from "../owner-connections.ts";
import { limitedQuery, MOST_BYTES } from "./limited-query.ts";
import { nearName } from "./near-name.ts";
import { describeResults, type Ran } from "./results.ts";

const EXPLAIN = "explain (analyze, costs, timing) ";
const PLAN = "explain ";
/** Postgres's code of a write in a transaction that only reads. */
const READ_ONLY = "25006";
const MOST_NOTICES = 100;
const ENDS_TRANSACTION =
  /^(begin|start\s+transaction|commit|end|rollback(?!\s+to)|abort|prepare\s+transaction)\b/i;

/** An error of one of the statements. */
class StatementFailed extends Error {
  readonly error: pg.DatabaseError;
  readonly statement: FileStatement;
  /** Characters that were sent before the statement. */
  readonly before: number;
  constructor(error: pg.DatabaseError, statement: FileStatement, before: number) {
    super(error.message);
    this.error = error;
    this.statement = statement;
    this.before = before;
  }
}

/** @throws CallRefused where nothing could run, or it was stopped */
export async function runSql(source: Source, ask: SqlAsk, signal: AbortSignal): Promise<SqlAnswer> {
  const { as, text, explain } = ask;
  const statements = splitStatements(text);
  if (statements.length === 0) throw new CallRefused(422, "There is no statement to run.");
  const caller = await callerOf(source, as);
  const ending = caller && statements.find((one) => ENDS_TRANSACTION.test(wordsOf(one)));
  if (ending)
    return {
      ...{ results: [], notices: [], saved: "none", milliseconds: 0 },
      error: {
        message: "As a role or a user, statements run in REST's transaction, which they cannot begin or end.",
        at: firstWord(ending),
      },
    };
  const { database } = source.backend;
  const login = () => (caller ? database.connection("authenticator") : database.connection("postgres"));
  const sessions = new Sessions(database, login);
  const began = performance.now();
  const ran: Ran[] = [];
  const notices: string[] = [];
  const milliseconds = () => Math.round(performance.now() - began);
  // Statements that begin or end a transaction, or run in none, are committed one by one, as in psql.
  const alone = !explain && !caller && (statements.length === 1 || statements.some(runsAlone));
  try {
    const open = await sessions.use({ signal, applicationName: "homebase console" }, async (session) => {
      const { client } = session;
      client.on("notice", ({ severity, message }) => {
        if (notices.length < MOST_NOTICES) notices.push(`${severity}: ${message}`);
      });
      const work = () => runAll(client, statements, explain, ran);
      if (caller) await asOn(client, preparedOf(source), caller, work, { writes: !explain });
      else if (alone) await work();
      else await inTransaction(session, work, explain);
      return client.getTransactionStatus() !== "I";
    });
    return {
      results: await describeResults(source, ran, explain),
      notices,
      saved: explain ? "none" : open ? "open" : "all",
      milliseconds: milliseconds(),
    };
  } catch (error) {
    if (error instanceof MetaError) throw new CallRefused(422, stoppedText(error));
    const failed = error instanceof StatementFailed ? error : undefined;
    const cause = failed?.error ?? error;
    if (!isDatabaseError(cause)) throw error;
    const { message, code, detail, hint } = cause;
    const near = await nearName(source, cause, text);
    return {
      results: alone ? await describeResults(source, ran, false) : [],
      notices,
      saved: alone && ran.length > 0 ? "before" : "none",
      milliseconds: milliseconds(),
      error: {
        message,
        code,
        detail,
        hint: near === undefined ? hint : undefined,
        near,
        at: failed && placeOf(failed),
      },
    };
  }
}

async function inTransaction(session: Session, work: () => Promise<void>, explain: boolean): Promise<void> {
  await session.rows(explain ? "begin read only" : "begin");
  // The connection ends with an error, and with it the transaction.
  await work();
  await session.rows("commit");
}

/** @throws StatementFailed */
async function runAll(
  client: pg.ClientBase,
  statements: readonly FileStatement[],
  explain: boolean,
  ran: Ran[],
): Promise<void> {
  const room = { bytes: MOST_BYTES };
  for (const statement of statements) {
    const began = performance.now();
    const explains = explain && !/^explain\b/i.test(wordsOf(statement));
    let prefix = explains ? EXPLAIN : "";
    try {
      if (explains) await client.query("savepoint homebase_console");
      const send = () => limitedQuery(client, prefix + statementToSend(statement.text), room);
      const limited = await send().catch(async (error: unknown) => {
        if (!explains || !isDatabaseError(error) || error.code !== READ_ONLY) throw error;
        // A statement that writes is planned and not run.
        await client.query("rollback to homebase_console");
        prefix = PLAN;
        return send();
      });
      ran.push({ statement, limited, milliseconds: Math.round(performance.now() - began) });
    } catch (error) {
      if (!isDatabaseError(error)) throw error;
      throw new StatementFailed(error, statement, prefix.length);
    }
  }
}

/** The offset in the text, in UTF-16 units, where Postgres counts characters of what it was sent. */
function placeOf({ error, statement, before }: StatementFailed): number {
  const position = Number(error.position ?? 0) - before;
  if (position < 1) return firstWord(statement);
  return statement.offset + [...statement.text].slice(0, position - 1).join("").length;
}

function wordsOf(statement: FileStatement): string {
  return statement.text.slice(firstWord(statement) - statement.offset);
}

function stoppedText({ status, message }: MetaError): string {
  return status === 408 ? "Stopped after 55 s. What was not saved before is undone." : message;
}
