/** Owns: the way Back of the browser or the phone while something lies over the screen: it closes that first. */
import { useBlocker } from "@tanstack/react-router";

/** While mounted, Back calls `close` and the screen stays; every other navigation goes through. */
export function useBackCloses(close: () => void): void {
  useBlocker({
    shouldBlockFn: ({ action }) => {
      if (action !== "BACK") return false;
      close();
      return true;
    },
    enableBeforeUnload: false,
  });
}
