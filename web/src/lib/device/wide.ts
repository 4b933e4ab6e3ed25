/** Owns: whether the screen is wide enough for boards (the `lg` breakpoint of ui/theme/styles.css). */
import { useSyncExternalStore } from "react";

const wide = typeof matchMedia === "function" ? matchMedia("(min-width: 68rem)") : null;

export function useWide(): boolean {
  return useSyncExternalStore(
    (listener) => {
      wide?.addEventListener("change", listener);
      return () => wide?.removeEventListener("change", listener);
    },
    () => wide?.matches ?? false,
  );
}
