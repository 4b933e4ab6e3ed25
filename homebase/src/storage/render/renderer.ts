/**
 * Owns the process that renders pictures, one after another, because a decoded one can take 200 MB. The first picture
 * starts it. It ends when idle, and when a picture takes too long: nothing else ends the library's work on it.
 */
import { type ChildProcess, fork } from "node:child_process";
import { extname } from "node:path";
import { StorageError } from "../kit/errors.ts";
import type { Job, Picture } from "./pictures.ts";

/** The process's response. */
export type Answer = Picture | { failure: string };

/** The file is no picture, or one that the library cannot read. */
export class RenderFailed extends Error {}

/** As upstream's renderer by default. */
const LONGEST_MS = 10_000;
const IDLE_MS = 10_000;
/** So many sources that took too long are remembered: a second request must not hold the others up again. */
const MOST_OVERLONG = 1_000;

const overlong = new Set<string>();
let running: ChildProcess | undefined;
let idle: NodeJS.Timeout | undefined;
let last: Promise<unknown> = Promise.resolve();

/** @throws RenderFailed, StorageError for a picture that takes too long. */
export function renderApart(job: Job): Promise<Picture> {
  const result = last.then(() => renderNow(job));
  last = result.catch(() => undefined);
  return result;
}

async function renderNow(job: Job): Promise<Picture> {
  if (overlong.has(job.source)) throw tooLong();
  clearTimeout(idle);
  running ??= begin();
  const child = running;
  child.ref();
  child.channel?.ref();
  try {
    return await answerOf(child, job);
  } finally {
    child.unref();
    child.channel?.unref();
    idle = setTimeout(() => end(child), IDLE_MS).unref();
  }
}

function answerOf(child: ChildProcess, job: Job): Promise<Picture> {
  const { promise, resolve, reject } = Promise.withResolvers<Picture>();
  const late = setTimeout(() => {
    if (overlong.size >= MOST_OVERLONG) overlong.clear();
    overlong.add(job.source);
    end(child);
    reject(tooLong());
  }, LONGEST_MS);
  const take = (answer: Answer) =>
    "failure" in answer ? reject(new RenderFailed(answer.failure)) : resolve(answer);
  // Ended by the system for its memory, by a fault of the library, or never begun.
  const gone = () => reject(new RenderFailed("The process that renders pictures has ended."));
  child.once("message", take).once("exit", gone).once("error", gone);
  child.send(job);
  return promise.finally(() => {
    clearTimeout(late);
    child.off("message", take).off("exit", gone).off("error", gone);
  });
}

function begin(): ChildProcess {
  // Next to this file, as source or built. The arguments of this process are not passed on: `-e` would run again.
  const child = fork(new URL(`./renderer-process${extname(import.meta.url)}`, import.meta.url), {
    execArgv: [],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  const forget = () => {
    if (running === child) running = undefined;
  };
  child.once("exit", forget).on("error", forget);
  return child;
}

function end(child: ChildProcess): void {
  if (running === child) running = undefined;
  child.kill("SIGKILL");
}

const tooLong = () =>
  new StorageError(
    "InvalidRequest",
    `Rendering the source image takes more than ${LONGEST_MS / 1000} seconds`,
  );
