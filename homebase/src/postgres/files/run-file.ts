/** Owns running one SQL file of the project: in one transaction if its statements can share one. */
import pg from "pg";
import { statementToSend } from "../extensions/file-statements.ts";
import { type FileStatement, firstWord, runsAlone, splitStatements } from "../statements/split.ts";
import { isLost, SqlFileError, UnreadableFile } from "./errors.ts";
import { type Place, type Replacement, withPowers } from "./powers.ts";
import type { SqlFile } from "./sql-file.ts";
import { queryStatement } from "./statement-query.ts";
import { tolerated } from "./tolerated.ts";

/** The statement that records a file, and what makes the role that runs it. */
export interface FileRecord {
  text: string;
  values: unknown[];
  prepare?: (client: pg.Client) => Promise<unknown>;
}

/** A warning about a statement that hosted treats differently. */
export interface Difference {
  file: string;
  /** The statement's first line. */
  statement: string;
  hosted: string;
}

const INVALID_TRANSACTION_TERMINATION = "2D000";

/** SQLSTATE of the warning that hosted rejects a statement. */
const REFUSED_ON_HOSTED = "01H01";

interface Step {
  statement: FileStatement;
  replacement: Replacement | undefined;
  /** The text that is sent. */
  text: string;
}

/** A file that runs, with all that its steps share. */
interface Running {
  client: pg.Client;
  file: SqlFile;
  steps: readonly Step[];
  record: FileRecord | undefined;
}

/**
 * Runs all statements of a file in one transaction and one round trip, or one by one when they cannot share a
 * transaction.
 * @param place where statements are rewritten for this machine; undefined runs them one after the other as they are written.
 * @param record run last, in the same transaction if there is one.
 * @throws SqlFileError
 */
export async function runFile(
  client: pg.Client,
  file: SqlFile,
  place: Place | undefined,
  record: FileRecord | undefined,
): Promise<Difference[]> {
  const { path, sql } = file;
  const steps = splitStatements(sql).map((statement) => stepOf(statement, place));
  const running = { client, file, steps, record };
  const differences: Difference[] = steps.flatMap(({ statement, replacement }) =>
    replacement?.differs === undefined
      ? []
      : [{ file: path, statement: statement.text.split("\n", 1)[0] ?? "", hosted: replacement.differs }],
  );
  const warned = ({
    code,
    message = "",
    detail = "",
  }: {
    code?: string;
    message?: string;
    detail?: string;
  }) => {
    if (code === REFUSED_ON_HOSTED) differences.push({ file: path, statement: detail, hosted: message });
  };
  client.on("notice", warned);
  try {
    if (steps.some(({ statement }) => runsAlone(statement))) await oneByOne(running);
    else {
      await together(running, place === undefined).catch((error: unknown) => {
        const commits = error instanceof SqlFileError && error.code === INVALID_TRANSACTION_TERMINATION;
        // A procedure or a block that commits. Nothing of the file is kept yet.
        if (place === undefined || !commits) throw error;
        differences.splice(steps.filter(({ replacement }) => replacement?.differs !== undefined).length);
        return oneByOne(running);
      });
    }
  } finally {
    client.off("notice", warned);
  }
  return differences;
}

function stepOf(statement: FileStatement, place: Place | undefined): Step {
  if (place === undefined) return { statement, replacement: undefined, text: statement.text };
  const own = statement.text.slice(firstWord(statement) - statement.offset);
  const replacement =
    tolerated(statement.text, own, place.strict ? { strict: true } : {}) ?? withPowers(statement.text, place);
  return { statement, replacement, text: replacement?.sql ?? statementToSend(statement.text) };
}

async function oneByOne({ client, file, steps, record }: Running): Promise<void> {
  for (const step of steps) {
    try {
      await run(client, step);
    } catch (error) {
      await client.query("rollback").catch(() => undefined);
      throw explain(file, step, error, true);
    }
  }
  if (!record) return;
  // A file may leave `set role` in effect, or a transaction open.
  await client.query("commit");
  await client.query("reset role");
  await record.prepare?.(client);
  await client.query(record.text, record.values).catch((error: unknown) => {
    throw notRecorded(file, error);
  });
}

async function together({ client, file, steps, record }: Running, inTurn: boolean): Promise<void> {
  const queries = [
    () => client.query("begin"),
    ...steps.map((step) => () => run(client, step)),
    // A file may leave `set role` in effect; the login role writes the history.
    ...(record
      ? [
          () => client.query("reset role"),
          async () => await record.prepare?.(client),
          () => client.query(record.text, record.values),
        ]
      : []),
  ];
  const outcomes = await (inTurn || ENDS_SESSION.test(file.sql)
    ? oneAfterAnother(queries)
    : allAtOnce(queries));
  const failed = outcomes.findIndex((answer) => answer.status === "rejected");
  if (failed < 0) {
    // COMMIT is sent separately: a deferred constraint fails here, and the error belongs to no statement.
    const last = steps.at(-1);
    try {
      await client.query("commit");
    } catch (error) {
      // A time limit for idle transactions ends the connection between the two.
      throw last ? explain(file, last, error, false) : error;
    }
    return;
  }
  // After a lost connection there is nothing to roll back.
  await client.query("rollback").catch(() => undefined);
  const reason = (outcomes[failed] as PromiseRejectedResult).reason;
  // Of a connection that ended while statements were still sent, no statement is known.
  const step = steps[failed - 1] ?? (failed === 0 && isLost(reason) ? steps[0] : undefined);
  if (step) throw explain(file, step, reason, false);
  throw failed > steps.length ? notRecorded(file, reason) : reason;
}

/**
 * A session that such a statement ends closes its socket, and a statement that is sent meanwhile fails instead of it: the
 * answer that names the fault is then lost.
 */
const ENDS_SESSION = /\bpg_terminate_backend\b|_timeout\b/i;

type Queries = readonly (() => Promise<unknown>)[];

const allAtOnce = (queries: Queries) => Promise.allSettled(queries.map((query) => query()));

/** Until the first that fails. */
async function oneAfterAnother(queries: Queries): Promise<PromiseSettledResult<unknown>[]> {
  const outcomes: PromiseSettledResult<unknown>[] = [];
  for (const query of queries) {
    const [outcome] = await Promise.allSettled([query()]);
    outcomes.push(outcome);
    if (outcome.status === "rejected") break;
  }
  return outcomes;
}

/** For example a file that writes its own history row; the Supabase CLI fails on it too. */
function notRecorded({ path }: SqlFile, reason: unknown): unknown {
  if (!(reason instanceof pg.DatabaseError)) return reason;
  const detail = reason.detail === undefined ? "" : ` ${reason.detail}`;
  return new UnreadableFile(
    path,
    `Its statements succeed, but it cannot be recorded as applied: ${reason.message}.${detail} A migration must not write to the table of migrations itself: remove that statement.`,
  );
}

function run(client: pg.Client, { statement, text }: Step): Promise<unknown> {
  return queryStatement(client, statement, text);
}

function explain(file: SqlFile, { statement, replacement }: Step, error: unknown, partial: boolean): unknown {
  if (!(error instanceof pg.DatabaseError) && !isLost(error)) return error;
  return new SqlFileError(file, statement, error as Error, { partial, verbatim: replacement === undefined });
}
