/** Owns: the title of the page, which is what a tab, a bookmark and a screen reader call it. */
import { useEffect } from "react";

/** "Dinner before the holidays · Nosh"; the bare name where nothing is known yet. */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    document.title = title ? `${title} · Nosh` : "Nosh";
  }, [title]);
}
