/**
 * Owns assigning batches to connections. Quick reads share connections, so that many requests cost one write
 * and one wake-up of Postgres; every other batch has a connection to itself. Batches queued behind a read
 * that turns out slow are moved to another connection.
 */
import { availableParallelism } from "node:os";
import { errorBoundary } from "../../core/error-boundary.ts";
import type { Log } from "../../core/log.ts";
import type { AddressSource } from "../address.ts";
import {
  type BatchRows,
  type BatchStatement,
  type ConnectionEvents,
  ConnectionLost,
  type Job,
  PipelineConnection,
} from "./connection.ts";

export interface PipelinePoolOptions {
  /** Maximum number of connections. */
  max: number;
  /** Idle timeout of a connection in milliseconds. */
  idleMs: number;
  /** Maximum age of a connection in milliseconds; it is closed when idle. Undefined for no limit. */
  lifetimeMs?: number;
  /** Receives errors that no caller waits for. */
  log: Log;
}

export interface RunOptions {
  /**
   * Identifies the kind of a read-only batch: it may run twice, and share a connection once its kind is known
   * to be quick.
   */
  shape?: string;
  /** Called once the batch takes long; aborting the signal cancels the batch. */
  signal?: () => AbortSignal;
  /** Timeout in milliseconds for acquiring a connection. */
  patience?: number;
}

/** One connection held for several batches. */
export interface Lease {
  /** @throws PostgresError, ConnectionLost */
  run(statements: readonly BatchStatement[], signal?: () => AbortSignal): Promise<BatchRows>;
  /** Releases the connection; an open transaction is rolled back. */
  release(): void;
}

/** All connections stayed busy until the timeout. */
export class PoolExhausted extends Error {
  override readonly name = "PoolExhausted";
}

/** No connection could be opened. */
export class ConnectionRefused extends Error {
  override readonly name = "ConnectionRefused";
}

const DEFAULT_PATIENCE_MS = 10_000;
const SWEEP_MS = 10;
const SWEEP_ON_MS = 200;
// A kind of read is quick after this many consecutive runs below the limit.
const QUICK_MS = 5;
const QUICK_TIMES = 3;
const MOST_SHAPES = 2_000;
/** Batches queued behind one that exceeds this are moved elsewhere. */
const RESCUE_MS = 10;
// Longer queues would save little and delay the last batch.
const MOST_SHARED = 32;
/** Most batches have ended by then; only slower ones need their client watched. */
const WATCH_MS = 50;

interface Waiting {
  until: number;
  take: (connection: PipelineConnection) => void;
  refuse: (error: Error) => void;
}

/** Connections to one database as one role, and the queue for them. */
export class PipelinePool {
  readonly #address: AddressSource;
  readonly #options: PipelinePoolOptions;
  readonly #connections = new Set<PipelineConnection>();
  // With as many busy connections as cores, another only adds context switches.
  readonly #enough = availableParallelism();
  #opening = 0;
  readonly #waiting: Waiting[] = [];
  /** By kind of read: the number of consecutive quick runs. */
  readonly #quick = new Map<string, number>();
  #sweeper: NodeJS.Timeout | undefined;
  #swept = 0;
  #used = 0;
  #janitor: NodeJS.Timeout | undefined;
  #closed: PromiseWithResolvers<void> | undefined;

  /** @param address options for pg; also used for cancel requests. */
  constructor(address: AddressSource, options: PipelinePoolOptions) {
    this.#address = address;
    this.#options = options;
  }

  /** Most connections there can be. */
  get max(): number {
    return this.#options.max;
  }

  /** Number of idle connections. */
  get available(): number {
    let free = 0;
    for (const one of this.#connections) if (one.depth === 0 && !one.leased && !one.lost) free += 1;
    return free;
  }

  /** Number of waiting callers. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /**
   * Runs statements as one transaction that commits when all succeed, read committed and read write. For
   * other modes, the statements include a BEGIN and a COMMIT or ROLLBACK.
   * @throws PostgresError, ConnectionLost, ConnectionRefused, PoolExhausted
   */
  run(statements: readonly BatchStatement[], options: RunOptions = {}): Promise<BatchRows> {
    const { shape, signal, patience } = options;
    return new Promise((resolve, reject) => {
      const shared = shape !== undefined && (this.#quick.get(shape) ?? 0) >= QUICK_TIMES;
      this.#dispatch(
        { statements, resolve, reject, shape, shared, whole: true, signal, again: false },
        patience,
      );
    });
  }

  /** @throws ConnectionRefused, PoolExhausted */
  async lease(patience?: number): Promise<Lease> {
    const connection = await new Promise<PipelineConnection>((resolve, reject) => {
      const take = (taken: PipelineConnection) => {
        taken.leased = true;
        resolve(taken);
      };
      const idle = this.#choose(false);
      if (idle) take(idle);
      else this.#wait(take, reject, patience);
    });
    return {
      run: (statements, signal) =>
        new Promise((resolve, reject) => {
          if (connection.lost) return reject(new ConnectionLost("Postgres closed the connection."));
          this.#awake();
          const nature = { shape: undefined, shared: false, whole: false, again: true };
          connection.send({ statements, resolve, reject, signal, ...nature });
        }),
      release: () => {
        if (!connection.lost) connection.endLease();
      },
    };
  }

  /**
   * Replaces every connection after its batches in flight, so that prepared statements and the role's
   * settings are current.
   */
  renew(): void {
    for (const connection of this.#connections) {
      connection.retired = true;
      if (connection.depth === 0 && !connection.leased) this.#drop(connection);
    }
  }

  /** Closes every connection after its batches in flight; waiting callers are rejected. */
  close(): Promise<void> {
    if (this.#closed) return this.#closed.promise;
    this.#closed = Promise.withResolvers();
    clearInterval(this.#janitor);
    for (const { refuse } of this.#waiting.splice(0)) refuse(new ConnectionRefused("The pool is closed."));
    this.renew();
    this.#closeWhenEmpty();
    return this.#closed.promise;
  }

  #dispatch(job: Job, patience?: number): void {
    this.#awake();
    const connection = this.#choose(job.shared);
    if (connection) connection.send(job);
    else this.#wait((free) => free.send(job), job.reject, patience);
  }

  #choose(shared: boolean): PipelineConnection | undefined {
    let idle: PipelineConnection | undefined;
    let busy: PipelineConnection | undefined;
    let busyCount = 0;
    const now = shared ? performance.now() : 0;
    for (const one of this.#connections) {
      if (one.retired || one.leased || one.lost) continue;
      if (one.depth === 0) idle ??= one;
      else if (shared && one.shares) {
        busyCount += 1;
        const { depth } = one;
        if (depth >= (busy?.depth ?? MOST_SHARED) || (one.head(now)?.age ?? 0) > QUICK_MS) continue;
        busy = one;
      }
    }
    return busy && (busyCount >= this.#enough || !idle) ? busy : idle;
  }

  #wait(take: Waiting["take"], refuse: Waiting["refuse"], patience = DEFAULT_PATIENCE_MS): void {
    if (this.#closed) {
      refuse(new ConnectionRefused("The pool is closed."));
      return;
    }
    this.#awake();
    this.#waiting.push({ until: performance.now() + patience, take, refuse });
    if (this.#opening < this.#waiting.length) this.#open();
  }

  #open(): void {
    if (this.#connections.size + this.#opening >= this.#options.max) return;
    this.#opening += 1;
    const events: ConnectionEvents = {
      idle: (connection) => this.#free(connection),
      lost: (connection, unfinished, reason) => this.#lost(connection, unfinished, reason),
      answered: (job, milliseconds) => this.#learn(job, milliseconds),
      again: (job) => this.#dispatch({ ...job, shared: false, again: true }),
    };
    PipelineConnection.open(this.#address, events, this.#options.log).then(
      (connection) => {
        this.#opening -= 1;
        this.#connections.add(connection);
        this.#scheduleSweep();
        if (this.#closed) this.#drop(connection);
        else this.#free(connection);
      },
      (error: Error) => {
        this.#opening -= 1;
        this.#waiting.shift()?.refuse(new ConnectionRefused(error.message, { cause: error }));
        if (this.#waiting.length > this.#opening) this.#open();
        this.#closeWhenEmpty();
      },
    );
  }

  #free(connection: PipelineConnection): void {
    const { lifetimeMs } = this.#options;
    const old = lifetimeMs !== undefined && performance.now() - connection.opened > lifetimeMs;
    if (connection.retired || old) {
      this.#drop(connection);
      if (this.#waiting.length > this.#opening) this.#open();
    } else if (connection.depth === 0) this.#waiting.shift()?.take(connection);
  }

  #lost(connection: PipelineConnection, unfinished: Job[], reason: Error): void {
    this.#connections.delete(connection);
    for (const job of unfinished) {
      const { shape, again } = job;
      // A read without a result is sent again, once.
      if (shape !== undefined && !again && !this.#closed)
        this.#dispatch({ ...job, shared: false, again: true });
      else job.reject(new ConnectionLost(reason.message, { cause: reason }));
    }
    if (this.#waiting.length > this.#opening && !this.#closed) this.#open();
    this.#closeWhenEmpty();
  }

  #drop(connection: PipelineConnection): void {
    this.#connections.delete(connection);
    void connection.close().then(() => this.#closeWhenEmpty());
  }

  #closeWhenEmpty(): void {
    if (this.#closed && this.#connections.size === 0 && this.#opening === 0) this.#closed.resolve();
  }

  #learn({ shape }: Job, milliseconds: number): void {
    if (shape === undefined) return;
    if (milliseconds >= QUICK_MS) {
      this.#quick.delete(shape);
      return;
    }
    const times = this.#quick.get(shape);
    if (times !== undefined && times >= QUICK_TIMES) return;
    if (times === undefined && this.#quick.size >= MOST_SHAPES) this.#quick.clear();
    this.#quick.set(shape, (times ?? 0) + 1);
  }

  /** Monitors long-running batches until nothing has happened for a while. */
  #awake(): void {
    this.#used = performance.now();
    if (this.#sweeper) return;
    this.#swept = this.#used;
    this.#sweeper = setInterval(
      errorBoundary(this.#options.log, "the check of batches", () => this.#sweep()),
      SWEEP_MS,
    ).unref();
  }

  #sweep(): void {
    const now = performance.now();
    // After this process itself was blocked, run times say nothing about Postgres.
    const late = now - this.#swept > 2 * SWEEP_MS;
    this.#swept = now;
    let busy = this.#waiting.length > 0;
    for (const connection of this.#connections) {
      const head = connection.head(now);
      if (!head) continue;
      busy = true;
      if (head.age > WATCH_MS) connection.watch();
      if (late || head.age < RESCUE_MS || connection.depth < 2) continue;
      if (head.job?.shape !== undefined) this.#quick.delete(head.job.shape);
      for (const job of connection.takeWaiting()) this.#dispatch({ ...job, shared: false });
    }
    for (const one of this.#waiting.filter(({ until }) => until <= now)) {
      this.#waiting.splice(this.#waiting.indexOf(one), 1);
      one.refuse(new PoolExhausted("All connections are busy."));
    }
    if (busy || now - this.#used < SWEEP_ON_MS) return;
    clearInterval(this.#sweeper);
    this.#sweeper = undefined;
  }

  #scheduleSweep(): void {
    const { idleMs } = this.#options;
    this.#janitor ??= setInterval(
      errorBoundary(this.#options.log, "the check of idle connections", () => this.#dropIdle(idleMs)),
      idleMs / 2,
    ).unref();
  }

  #dropIdle(idleMs: number): void {
    const now = performance.now();
    for (const one of this.#connections) {
      if (one.depth === 0 && !one.leased && now - one.idleSince >= idleMs) this.#drop(one);
    }
    if (this.#connections.size > 0) return;
    clearInterval(this.#janitor);
    this.#janitor = undefined;
  }
}
