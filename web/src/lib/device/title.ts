/** Owns: the title of the page, for tabs, bookmarks and screen readers. */
import { useEffect } from "react";

/** "Dinner before the holidays · Nosh"; only the app's name while nothing is loaded. */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    document.title = title ? `${title} · Nosh` : "Nosh";
  }, [title]);
}
