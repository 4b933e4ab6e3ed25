/**
 * Owns: view transitions that fail quietly. A busy browser skips the animation and shows the next screen all the
 * same, but reports it as an unhandled rejection, because nobody else waits for these promises.
 */

/** Wraps the browser's view transitions so that a skipped animation is not reported as an error. */
export function quietViewTransitions(): void {
  if (typeof document.startViewTransition !== "function") return;
  const start = document.startViewTransition.bind(document);
  document.startViewTransition = (...given) => {
    const transition = start(...given);
    // An error of the update itself still rejects `updateCallbackDone`.
    for (const animated of [transition.ready, transition.finished]) animated.catch(() => undefined);
    return transition;
  };
}
