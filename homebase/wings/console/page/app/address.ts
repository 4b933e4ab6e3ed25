/** Owns where the page is: the address's path and parameters. Back, reload and a copied link lead to the same. */
import { useSyncExternalStore } from "react";

const listeners = new Set<() => void>();
addEventListener("popstate", () => {
  for (const listener of listeners) listener();
});

/** Path and query of the address. */
export function useAddress(): URL {
  const href = useSyncExternalStore(
    (changed) => {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    () => location.href,
  );
  return new URL(href);
}

/** @param replace for what is not a step to go back from: a filter while it is typed */
export function goTo(path: string, { replace = false } = {}): void {
  if (path === location.pathname + location.search) return;
  if (replace) history.replaceState(null, "", path);
  else history.pushState(null, "", path);
  for (const listener of listeners) listener();
}

/** What an address leads to that is a view's name alone. */
const FIRST = new Map([
  ["/index.html", "/"],
  ["/data", "/data/users"],
  ["/sql", "/sql"],
  ["/stack", "/stack/policies"],
]);

/** Replaces an address that names no more than a view by that of the view's first list. */
export function completeAddress(): void {
  const first = FIRST.get(location.pathname.replace(/\/$/, ""));
  if (first !== undefined) goTo(first + location.search, { replace: true });
}

/** The address with some parameters set; an empty one is left out. */
export function withParameters(url: URL, given: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams(url.search);
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === "") query.delete(name);
    else query.set(name, value);
  }
  return query.size === 0 ? url.pathname : `${url.pathname}?${query}`;
}

/** Takes a filter that is typed into the address. */
export const filterBy = (url: URL) => (q: string) => goTo(withParameters(url, { q }), { replace: true });

/** The address of the Feed with a filter. */
export function pathOfFilter(filter: string): string {
  return filter === "" ? "/" : `/?q=${encodeURIComponent(filter)}`;
}
