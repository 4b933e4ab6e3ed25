/**
 * Owns which connection a batch goes to. Quick reads share connections, so that many requests cost one
 * write and one wake-up of Postgres; everything else has a connection to itself. Nothing waits long for a
 * stranger: what stands behind a read that turns out slow is taken to another connection.
 */
import { availableParallelism } from "node:os";
import type { AddressSource } from "../address.ts";
import {
  type BatchRows,
  type BatchStatement,
  ConnectionLost,
  type Job,
  PipelineConnection,
} from "./connection.ts";

export interface PipelinePoolOptions {
  /** Most connections. */
  max: number;
  /** How long an unused connection is kept, in milliseconds. */
  idleMs: number;
  /** After so long a connection is closed when it is free, in milliseconds; undefined: never. */
  lifetimeMs?: number;
}

export interface RunOptions {
  /**
   * Names the batch among others of its kind when it only reads: then it may run twice, and share a
   * connection once its kind is known as quick.
   */
  shape?: string | undefined;
  /** Asked for once the batch takes long; its abort cancels the batch. */
  signal?: () => AbortSignal;
  /** How long to wait for a connection, in milliseconds. */
  patience?: number;
}

/** One connection for several batches. */
export interface Lease {
  /** @throws PostgresError, ConnectionLost */
  run(statements: readonly BatchStatement[], signal?: () => AbortSignal): Promise<BatchRows>;
  /** Gives it back; a transaction that is still open is rolled back. */
  release(): void;
}

/** All connections stayed busy for as long as the caller would wait. */
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
// A shape is quick when it took less for so many times in a row.
const QUICK_MS = 5;
const QUICK_TIMES = 3;
const MOST_SHAPES = 2_000;
/** Those behind a batch that takes longer are taken elsewhere. */
const RESCUE_MS = 10;
// Longer queues would win little and make the last one wait.
const MOST_SHARED = 32;
/** Most batches are over by then; only slower ones are worth watching their client for. */
const WATCH_MS = 50;

interface Waiting {
  until: number;
  take: (connection: PipelineConnection) => void;
  refuse: (error: Error) => void;
}

/** Connections to one database as one role, and what waits for them. */
export class PipelinePool {
  readonly #address: AddressSource;
  readonly #options: PipelinePoolOptions;
  readonly #connections = new Set<PipelineConnection>();
  // With as many busy connections as cores, one more only makes Postgres switch between them.
  readonly #enough = availableParallelism();
  #opening = 0;
  readonly #waiting: Waiting[] = [];
  /** By shape: how many times in a row it was quick. */
  readonly #quick = new Map<string, number>();
  #sweeper: NodeJS.Timeout | undefined;
  #swept = 0;
  #used = 0;
  #janitor: NodeJS.Timeout | undefined;
  #closed: PromiseWithResolvers<void> | undefined;

  /** @param address for pg; also where cancel requests go. */
  constructor(address: AddressSource, options: PipelinePoolOptions) {
    this.#address = address;
    this.#options = options;
  }

  /** Most connections there can be. */
  get max(): number {
    return this.#options.max;
  }

  /** Connections that are free now. */
  get available(): number {
    let free = 0;
    for (const one of this.#connections) if (one.depth === 0 && !one.leased && !one.lost) free += 1;
    return free;
  }

  /** Callers that no connection was found for yet. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /**
   * Runs statements as one transaction that commits when all succeed, read committed and read write.
   * Where something else is wanted, the statements are a BEGIN, others, and a COMMIT or ROLLBACK.
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
   * Replaces every connection, each once it has answered what it was asked: prepared statements and the role's
   * settings are then those of now.
   */
  renew(): void {
    for (const connection of this.#connections) {
      connection.retired = true;
      if (connection.depth === 0 && !connection.leased) this.#drop(connection);
    }
  }

  /** Closes every connection once it has answered what it was asked; what waits for one is refused. */
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
    PipelineConnection.open(this.#address, {
      idle: (connection) => this.#free(connection),
      lost: (connection, unfinished, reason) => this.#lost(connection, unfinished, reason),
      answered: (job, milliseconds) => this.#learn(job, milliseconds),
      again: (job) => this.#dispatch({ ...job, shared: false, again: true }),
    }).then(
      (connection) => {
        this.#opening -= 1;
        this.#connections.add(connection);
        this.#tidyLater();
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
      // A read whose answer has not been delivered is sent again, once.
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

  /** Looks after what takes long, from now until nothing has happened for a while. */
  #awake(): void {
    this.#used = performance.now();
    if (this.#sweeper) return;
    this.#swept = this.#used;
    this.#sweeper = setInterval(() => this.#sweep(), SWEEP_MS).unref();
  }

  #sweep(): void {
    const now = performance.now();
    // When this process was held up itself, ages say nothing about Postgres.
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

  #tidyLater(): void {
    const { idleMs } = this.#options;
    this.#janitor ??= setInterval(() => {
      const now = performance.now();
      for (const one of this.#connections) {
        if (one.depth === 0 && !one.leased && now - one.idleSince >= idleMs) this.#drop(one);
      }
      if (this.#connections.size > 0) return;
      clearInterval(this.#janitor);
      this.#janitor = undefined;
    }, idleMs / 2).unref();
  }
}
