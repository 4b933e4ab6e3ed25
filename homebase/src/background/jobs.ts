/**
 * Owns running pg_cron's jobs: each when it is due, as its user, in its own session, one run of a job at a
 * time, with the result in cron.job_run_details (pg_cron documentation).
 */
import type pg from "pg";
import type { Clock } from "../core/clock.ts";
import { errorBoundary } from "../core/error-boundary.ts";
import type { Happened } from "../core/happenings.ts";
import type { Log } from "../core/log.ts";
import { type Login, withLogin } from "../postgres/connected.ts";
import type { Database } from "../postgres/database.ts";
import { jobLogin } from "../postgres/job-login.ts";
import { refuseForeignDatabase } from "../postgres/origin.ts";
import { ScramClient } from "../postgres/scram-client.ts";
import { nextDue, parseSchedule, type Schedule } from "./schedule.ts";

interface JobRow {
  jobid: string;
  schedule: string;
  command: string;
  database: string;
  username: string;
}

interface Job extends JobRow {
  name: string | undefined;
  parsed: Schedule;
  /** Milliseconds since the epoch. */
  due: number | undefined;
  running: boolean;
  /** Whether it became due again while running. */
  missed: boolean;
}

const TICK_MS = 1_000;
/** What `cron.schedule` writes for "this database". */
const OWN_DATABASE = "postgres";

export class JobRunner {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #happened: Happened;
  #jobs = new Map<string, Job>();
  #timer: NodeJS.Timeout | undefined;
  /** Whether the jobs of the database's start have run. */
  #started: boolean;
  #reading = Promise.resolve();
  #closed = false;
  readonly #ending = Promise.withResolvers<never>();
  readonly #sessions = new Set<pg.Client>();
  readonly #running = new Set<Promise<void>>();

  /** @param starting whether the database begins to be served: a job of `@reboot` that is made later waits for the next time */
  constructor(database: Database, clock: Clock, log: Log, happened: Happened, starting: boolean) {
    this.#started = !starting;
    this.#database = database;
    this.#clock = clock;
    this.#log = log;
    this.#happened = happened;
    this.#ending.promise.catch(() => {});
  }

  /** Jobs were added, changed or removed. */
  reload(): void {
    this.#reading = this.#reading
      .then(() => this.#read())
      .catch((error: unknown) => {
        if (!this.#closed) this.#log.error("The jobs of cron could not be read.", { error: String(error) });
      });
  }

  /** When active jobs are due, by `jobid`: milliseconds since the epoch. */
  due(): Map<string, number | undefined> {
    return new Map([...this.#jobs].map(([id, { due }]) => [id, due]));
  }

  /** Runs an active job now, besides its schedule. @returns false where it runs already or there is none */
  runNow(id: string): boolean {
    const job = this.#jobs.get(id);
    if (!job || job.running || this.#closed) return false;
    this.#run(job);
    return true;
  }

  /** Aborts the running jobs and starts no more. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    this.#ending.reject(new Error("The stack was stopped, or its database replaced."));
    await Promise.all([...this.#sessions].map((session) => session.end().catch(() => {})));
    await Promise.allSettled([...this.#running, this.#reading]);
  }

  async #read(): Promise<void> {
    if (this.#closed) return;
    if (!(await this.#installed())) {
      this.#jobs = new Map();
      clearInterval(this.#timer);
      return;
    }
    if (!this.#started) {
      // Jobs that were running when the stack stopped were aborted; the message is pg_cron's.
      await this.#database.query("supabase_admin", "select pg_catalog.homebase_cron_restarted()");
    }
    const { rows } = await this.#database.query<JobRow>(
      "supabase_admin",
      "select * from pg_catalog.homebase_cron_jobs()",
    );
    const names = await this.#names(rows.length > 0);
    const now = this.#clock.now();
    const jobs = new Map<string, Job>();
    for (const row of rows) {
      const known = this.#jobs.get(row.jobid);
      if (known && known.schedule === row.schedule) {
        jobs.set(row.jobid, Object.assign(known, row, { name: names.get(row.jobid) }));
        continue;
      }
      const parsed = parseSchedule(row.schedule);
      if (!parsed) continue;
      const job = {
        ...row,
        name: names.get(row.jobid),
        parsed,
        due: nextDue(parsed, now),
        running: known?.running ?? false,
        missed: false,
      };
      jobs.set(row.jobid, job);
      if (parsed.kind === "start" && !this.#started) this.#run(job);
    }
    this.#started = true;
    this.#jobs = jobs;
    clearInterval(this.#timer);
    // No timer without scheduled jobs.
    if (jobs.size > 0 && !this.#closed)
      this.#timer = setInterval(
        errorBoundary(this.#log, "the timer of scheduled jobs", () => this.#tick()),
        TICK_MS,
      ).unref();
  }

  /**
   * Whether pg_cron is there. Its functions are bound to its own tables: a project may drop the extension and make others
   * of their names.
   */
  async #installed(): Promise<boolean> {
    const { rows } = await this.#database.query<{ installed: boolean }>(
      "supabase_admin",
      "select to_regproc('pg_catalog.homebase_cron_jobs') is not null as installed",
    );
    return rows[0]?.installed === true;
  }

  /** The jobs' names, which are shown and decide nothing: read as postgres, who may have replaced the table. */
  async #names(wanted: boolean): Promise<ReadonlyMap<string, string>> {
    if (!wanted) return new Map();
    const { rows } = await this.#database
      .query<{ jobid: string; jobname: string }>(
        "postgres",
        "select jobid::text, jobname from cron.job where jobname is not null",
      )
      // Jobs run without their names.
      .catch(() => ({ rows: [] }));
    return new Map(rows.map(({ jobid, jobname }) => [jobid, jobname]));
  }

  #tick(): void {
    const now = this.#clock.now();
    for (const job of this.#jobs.values()) {
      if (job.due === undefined || job.due > now) continue;
      job.due = nextDue(job.parsed, job.parsed.kind === "interval" ? Math.max(now, job.due) : now);
      if (job.running) job.missed = true;
      else this.#run(job);
    }
  }

  #run(job: Job): void {
    job.running = true;
    const running = this.#carryOut(job)
      .catch((error: unknown) => {
        if (!this.#closed) this.#log.error(`Job ${job.jobid} could not be run.`, { error: String(error) });
      })
      .finally(() => {
        job.running = false;
        this.#running.delete(running);
        if (!job.missed || this.#closed || this.#jobs.get(job.jobid) !== job) return;
        job.missed = false;
        this.#run(job);
      });
    this.#running.add(running);
  }

  async #carryOut(job: Job): Promise<void> {
    const { rows } = await this.#database.query<{ runid: string }>(
      "supabase_admin",
      "select pg_catalog.homebase_cron_starting($1, $2, $3, $4) as runid",
      [job.jobid, job.database, job.username, job.command],
    );
    const runId = rows[0]?.runid;
    const began = performance.now();
    let outcome: { status: "succeeded" | "failed"; message: string };
    try {
      outcome = { status: "succeeded", message: await this.#execute(job, runId) };
    } catch (error) {
      outcome = { status: "failed", message: `ERROR:  ${(error as Error).message}\n` };
      this.#log.warn(`Job ${job.jobid} failed: ${(error as Error).message}`, { job: job.jobid, run: runId });
    }
    if (this.#closed) return;
    this.#happened({
      kind: "job",
      job: job.jobid,
      name: job.name,
      run: runId,
      role: job.username,
      ...outcome,
      milliseconds: Math.round(performance.now() - began),
    });
    await this.#database.query("supabase_admin", "select pg_catalog.homebase_cron_ended($1, $2, $3)", [
      runId,
      outcome.status,
      outcome.message,
    ]);
  }

  async #connect(login: Login): Promise<pg.Client> {
    const session = new ScramClient(login);
    session.on("error", () => {});
    this.#sessions.add(session);
    try {
      // pg never settles `connect` of a session that is ended meanwhile.
      await Promise.race([session.connect(), this.#ending.promise]);
      return session;
    } catch (error) {
      this.#sessions.delete(session);
      throw error;
    }
  }

  async #execute(job: Job, runId: string | undefined): Promise<string> {
    // Not the superuser who sets the owner's role: the job could reset it and gain all rights.
    const login: Login = {
      ...(await jobLogin(this.#database, job.username)),
      ...(job.database === OWN_DATABASE ? {} : { database: job.database }),
      application_name: "pg_cron",
    };
    const session = await withLogin(login, () => this.#connect(login));
    try {
      if (job.username === "supabase_admin") await refuseForeignDatabase(session);
      const { rows } = await session.query<{ pid: number }>("select pg_backend_pid() as pid");
      await this.#database.query("supabase_admin", "select pg_catalog.homebase_cron_running($1, $2)", [
        runId,
        rows[0]?.pid,
      ]);
      const answer: pg.QueryResult | pg.QueryResult[] = await session.query(job.command);
      const last = Array.isArray(answer) ? answer.at(-1) : answer;
      return outcomeOf(last);
    } finally {
      this.#sessions.delete(session);
      await session.end().catch(() => {});
    }
  }
}

/** "3 rows" for statements that return rows, otherwise the command tag, e.g. "DELETE 3". */
function outcomeOf(result: pg.QueryResult | undefined): string {
  if (!result) return "";
  if (result.fields.length > 0) return `${result.rows.length} row${result.rows.length === 1 ? "" : "s"}`;
  const count = result.rowCount;
  if (result.command === "INSERT") return `INSERT 0 ${count}`;
  return count === null ? result.command : `${result.command} ${count}`;
}
