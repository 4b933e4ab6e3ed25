/** Owns: work that goes on after the answer, which the runtime keeps the worker alive for. */

declare const EdgeRuntime: { waitUntil(work: Promise<unknown>): unknown };

/** @param name whose work it is, for the log; an error ends there: what has to be known of it, the work writes down */
export function afterAnswer(name: string, work: () => Promise<unknown>): void {
  EdgeRuntime.waitUntil(
    work().catch((error: unknown) => {
      console.error(`${name}: after the answer`, error);
    }),
  );
}
