/**
 * Owns returning memory to the system after a burst of work. V8 and the C library keep the pages of a burst
 * indefinitely: an idle stack would hold twice the memory it needs.
 */

import { performance } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { errorBoundary } from "./error-boundary.ts";
import type { Log } from "./log.ts";

const CHECK_MS = 10_000;
/** Share of the time in which the event loop was busy. */
const IDLE_UTILIZATION = 0.02;
const WORTHWHILE_BYTES = 24 * 1024 ** 2;
/** What a start leaves is less than that of a burst, and stays as long as the stack: it is worth one collection. */
const WORTHWHILE_AFTER_START = 4 * 1024 ** 2;

type Collect = (options: { type: "major"; flavor: "last-resort"; execution: "sync" }) => void;
let collect: Collect | undefined;

/** Collects garbage and returns free pages to the system; blocks the process for some 50 ms. */
export function releaseMemory(): void {
  if (!collect) {
    setFlagsFromString("--expose-gc");
    collect = runInNewContext("gc") as Collect;
  }
  collect({ type: "major", flavor: "last-resort", execution: "sync" });
}

/** `mallopt`'s numbers of the two limits, and glibc's own values of both (mallopt(3)). */
const TRIM_THRESHOLD = -1;
const MMAP_THRESHOLD = -3;
const FIRST_THRESHOLD_BYTES = 128 * 1024;

/**
 * Makes glibc return what is freed. It raises its limits with each large block that is freed, up to 32 MB, and then
 * keeps as much for each thread; limits that are set stay. node:ffi, which Node has from 26 on, calls it: elsewhere
 * nothing is done.
 */
function returnFreedBlocks(): void {
  const { emitWarning } = process;
  // The module is experimental, and says so to whoever reads the terminal.
  process.emitWarning = () => {};
  try {
    const ffi = process.platform === "linux" ? process.getBuiltinModule("node:ffi") : undefined;
    if (!ffi) return;
    const { functions } = ffi.dlopen("libc.so.6", {
      mallopt: { arguments: ["int32", "int32"], return: "int32" },
    });
    for (const limit of [MMAP_THRESHOLD, TRIM_THRESHOLD]) functions.mallopt(limit, FIRST_THRESHOLD_BYTES);
  } catch {
    // Another C library, such as musl, or a Node that may not call native code.
  } finally {
    process.emitWarning = emitWarning;
  }
}

/**
 * Whether a collection would give back more than `worthwhile`: of the heap, or of bytes outside of it, such as bodies.
 * These grow the process and not the heap, so that nothing else makes V8 collect them.
 * @param settled the size of the process after the last release.
 */
export function holdsUnused(
  { heapTotal, heapUsed, rss }: Pick<NodeJS.MemoryUsage, "heapTotal" | "heapUsed" | "rss">,
  settled: number,
  worthwhile: number,
): boolean {
  return heapTotal - heapUsed > worthwhile || rss - settled > worthwhile;
}

/**
 * Releases memory when the process is idle for the first time, and whenever it has been idle for ten seconds after a
 * burst and holds unused pages. @returns a function that stops watching
 */
export function releaseMemoryWhenIdle(log: Log): () => void {
  returnFreedBlocks();
  let before = performance.eventLoopUtilization();
  let worthwhile = WORTHWHILE_AFTER_START;
  /** The process's size after the last release. */
  let settled = process.memoryUsage.rss();
  const look = () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    if (utilization > IDLE_UTILIZATION) return;
    if (holdsUnused(process.memoryUsage(), settled, worthwhile)) {
      releaseMemory();
      settled = process.memoryUsage.rss();
    }
    worthwhile = WORTHWHILE_BYTES;
  };
  const timer = setInterval(errorBoundary(log, "the release of idle memory", look), CHECK_MS);
  timer.unref();
  return () => clearInterval(timer);
}
