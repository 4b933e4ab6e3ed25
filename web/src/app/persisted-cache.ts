/**
 * Owns: what was seen last, for when there is no connection: plans, circles, conversations and who one is, as
 * they were read, on this device, for this person and this version of the app only.
 */
import type { Query, QueryClient } from "@tanstack/react-query";
import * as z from "zod/mini";
import { type Conversation, newest } from "../features/messages/domain.ts";
import { allKept, forget, forgetAll, keep } from "../lib/device/local-store.ts";

/** First words of the keys that are kept. Photos are not: their addresses end within the hour. */
const kinds = new Set(["plans", "plan", "circles", "circle", "profile", "messages", "ratings", "unread"]);
/** As many messages as a first page has. */
const MESSAGES = 60;
/** Enough for everything that one still looks at; the oldest go first. */
const MOST = 80;
const KEPT_MS = 30 * 86_400_000;
/** A burst of changes is written once. */
const SETTLE_MS = 800;

const entrySchema = z.object({
  version: z.string(),
  person: z.string(),
  key: z.array(z.unknown()),
  data: z.unknown(),
  updatedAt: z.number(),
});

/** The build: what an older one kept may have another shape. */
const version = new URL(import.meta.url).pathname;

/** Puts back what was kept for the person, and keeps from now on what they see. Resolves when it is back. */
export async function restoreCache(queries: QueryClient, person: string | null): Promise<void> {
  for (const kind of kinds) queries.setQueryDefaults([kind], { gcTime: Number.POSITIVE_INFINITY });
  if (person === null) return;
  try {
    const now = Date.now();
    const entries = [...(await allKept("seen"))].map(([name, value]) => ({
      name,
      entry: entrySchema.safeParse(value).data,
    }));
    const sorted = entries.toSorted((a, b) => (b.entry?.updatedAt ?? 0) - (a.entry?.updatedAt ?? 0));
    for (const [index, { name, entry }] of sorted.entries()) {
      const good = entry?.version === version && entry.person === person && now - entry.updatedAt < KEPT_MS;
      if (entry && good && index < MOST) {
        // An answer that came meanwhile is newer.
        if (queries.getQueryData(entry.key) !== undefined) continue;
        queries.setQueryData(entry.key, entry.data, { updatedAt: entry.updatedAt });
        // However young it is: what happened just before the page was left may not have been written.
        void queries.invalidateQueries({ queryKey: entry.key, exact: true, refetchType: "none" });
      } else forget("seen", name).catch(() => undefined);
    }
  } catch (cause) {
    console.info("Nothing could be read from this device.", cause);
  }
}

/** Keeps what is read, as it is read. @param personNow whose it is */
export function persistCache(queries: QueryClient, personNow: () => string | null): void {
  const changed = new Map<string, Query>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const write = () => {
    timer = undefined;
    const person = personNow();
    for (const [name, query] of changed) {
      const { data, dataUpdatedAt, status } = query.state;
      if (person === null || status !== "success" || data === undefined) continue;
      const key = query.queryKey;
      const short = key[0] === "messages" ? newest(data as Conversation, MESSAGES) : data;
      // A browser whose room is full shows less without a connection, and nothing else.
      keep("seen", name, { version, person, key, data: short, updatedAt: dataUpdatedAt }).catch(
        () => undefined,
      );
    }
    changed.clear();
  };
  queries.getQueryCache().subscribe(({ type, query }) => {
    if (type !== "updated" || !kinds.has(String(query.queryKey[0]))) return;
    changed.set(query.queryHash, query);
    if (timer === undefined) timer = setTimeout(write, SETTLE_MS);
  });
}

/** For the next person on this device nothing was seen. */
export async function clearPersistedCache(): Promise<void> {
  await forgetAll("seen").catch(() => undefined);
}

/** When the oldest of what is on the screen was read, in ms; null where nothing is. */
export function asOf(queries: QueryClient): number | null {
  const times = queries
    .getQueryCache()
    .getAll()
    .filter((query) => query.isActive() && kinds.has(String(query.queryKey[0])))
    .flatMap(({ state }) => (state.data === undefined ? [] : [state.dataUpdatedAt]));
  return times.length > 0 ? Math.min(...times) : null;
}
