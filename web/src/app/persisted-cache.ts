/**
 * Owns: the cache of plans, circles, conversations and the own profile that is stored on this device for use without
 * a connection, for one person and one version of the app.
 */
import type { Query, QueryClient } from "@tanstack/react-query";
import * as z from "zod/mini";
import { type Conversation, newest } from "../features/messages/domain.ts";
import { clear, readAll, remove, write as writeEntry } from "../lib/device/local-store.ts";

/** First parts of the query keys that are stored. A plan's photos are not, as their signed URLs expire within the hour. */
const kinds = new Set([
  "plans",
  "plan",
  "circles",
  "circle",
  "profile",
  "messages",
  "ratings",
  "unread",
  "usual-times",
  "place-photos",
  // Thumbnails of these photos.
  "place-photo",
]);
/** The number of messages in a first page. */
const MESSAGES = 60;
/** The most entries that are stored; the oldest are removed first. */
const MOST = 120;
const KEPT_MS = 30 * 86_400_000;
/** Changes within this time are written together. */
const SETTLE_MS = 800;

const entrySchema = z.object({
  version: z.string(),
  person: z.string(),
  key: z.array(z.unknown()),
  data: z.unknown(),
  updatedAt: z.number(),
});

/** The build's name: data stored by another build may have another shape. */
const version = new URL(import.meta.url).pathname;

/** Restores the person's stored cache and stores their reads from now on. Resolves when it is restored. */
export async function restoreCache(queries: QueryClient, person: string | null): Promise<void> {
  for (const kind of kinds) queries.setQueryDefaults([kind], { gcTime: Number.POSITIVE_INFINITY });
  if (person === null) return;
  try {
    const now = Date.now();
    const entries = [...(await readAll("persisted-cache"))].map(([name, value]) => ({
      name,
      entry: entrySchema.safeParse(value).data,
    }));
    const sorted = entries.toSorted((a, b) => (b.entry?.updatedAt ?? 0) - (a.entry?.updatedAt ?? 0));
    for (const [index, { name, entry }] of sorted.entries()) {
      const good = entry?.version === version && entry.person === person && now - entry.updatedAt < KEPT_MS;
      if (entry && good && index < MOST) {
        // An answer that arrived meanwhile is newer.
        if (queries.getQueryData(entry.key) !== undefined) continue;
        queries.setQueryData(entry.key, entry.data, { updatedAt: entry.updatedAt });
        // Even a recent entry is read again: changes made just before the page was closed may not be in it.
        void queries.invalidateQueries({ queryKey: entry.key, exact: true, refetchType: "none" });
      } else remove("persisted-cache", name).catch(() => undefined);
    }
    if (queries.getQueryData(["plans"]) !== undefined) return;
    if (queries.getQueryCache().findAll({ queryKey: ["plan"] }).length === 0) return;
    // Loaded when it is needed: this file is part of every first view, and without a connection it is on the device.
    const { listFromPlans } = await import("../features/plans/cards/from-plans.ts");
    listFromPlans(queries, person);
  } catch (cause) {
    console.info("Nothing could be read from this device.", cause);
  }
}

/** Stores each read as it arrives. @param personNow the person whose cache it is */
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
      // If the browser's storage is full, only the offline view suffers.
      writeEntry("persisted-cache", name, {
        version,
        person,
        key,
        data: short,
        updatedAt: dataUpdatedAt,
      }).catch(() => undefined);
    }
    changed.clear();
  };
  const keep = (query: Query) => {
    if (!kinds.has(String(query.queryKey[0]))) return;
    changed.set(query.queryHash, query);
    if (timer === undefined) timer = setTimeout(write, SETTLE_MS);
  };
  queries.getQueryCache().subscribe(({ type, query }) => {
    if (type === "updated") keep(query);
  });
  // A guest's first plan may have been read before this part of the app was there.
  queries.getQueryCache().getAll().forEach(keep);
}

/** Removes everything that is stored, for the next person on this device. */
export async function clearPersistedCache(): Promise<void> {
  await clear("persisted-cache").catch(() => undefined);
}

/** When the oldest data on the screen was read (ms), or null if there is none. */
export function asOf(queries: QueryClient): number | null {
  const times = queries
    .getQueryCache()
    .getAll()
    .filter((query) => query.isActive() && kinds.has(String(query.queryKey[0])))
    .flatMap(({ state }) => (state.data === undefined ? [] : [state.dataUpdatedAt]));
  return times.length > 0 ? Math.min(...times) : null;
}
