/** Owns: work that continues after the response; the runtime keeps the worker alive for it. */

declare const EdgeRuntime: { waitUntil(work: Promise<unknown>): unknown };

/**
 * @param name the function, for the log; an error is only logged, so the work itself must store its result
 */
export function afterAnswer(name: string, work: () => Promise<unknown>): void {
  EdgeRuntime.waitUntil(
    work().catch((error: unknown) => {
      console.error(`${name}: after the answer`, error);
    }),
  );
}
