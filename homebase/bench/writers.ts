/**
 * Owns updates that run beside a measurement, in a thread of their own: in the measurement's thread they would wait for
 * its work, not for the database.
 */
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import pg from "pg";
import type { Login } from "../src/postgres/connected.ts";

interface Updates {
  connection: Login;
  /** With one parameter: the row. */
  sql: string;
  rows: number;
  /** Connections, each of which sends one update after the other. */
  writers: number;
}

/** @returns the milliseconds of each update while `work` ran. */
export async function writesWhile(updates: Updates, work: () => Promise<unknown>): Promise<number[]> {
  // A function cannot be passed to another thread.
  const { restore: _, ...connection } = updates.connection;
  const worker = new Worker(new URL(import.meta.url), { workerData: { ...updates, connection } });
  await once(worker, "message");
  await work();
  worker.postMessage("stop");
  const [times] = (await once(worker, "message")) as [number[]];
  return times;
}

async function write({ connection, sql, rows, writers }: Updates): Promise<void> {
  const times: number[] = [];
  let running = true;
  const writer = async (number: number) => {
    const client = new pg.Client(connection);
    await client.connect();
    for (let at = number; running; at += writers) {
      const began = performance.now();
      await client.query(sql, [1 + ((at * 104_729) % rows)]);
      times.push(performance.now() - began);
      // A writer that never rests would measure the processor, not locks.
      await pause(2);
    }
    await client.end();
  };
  parentPort?.once("message", () => {
    running = false;
  });
  const all = Promise.all(Array.from({ length: writers }, (_, number) => writer(number)));
  parentPort?.postMessage("started");
  await all;
  parentPort?.postMessage(times);
}

if (!isMainThread) await write(workerData as Updates);
