/** Owns: the busy times that this device keeps, one list for each person who signs in here. They go nowhere else. */
import { useSyncExternalStore } from "react";
import * as z from "zod/mini";
import { store } from "../../lib/device/storage.ts";
import type { Busy } from "./busy.ts";

const storedBusySchema = z.object({
  busy: z.array(z.object({ start: z.number(), end: z.number() })),
  /** When it was read, an instant. */
  readAt: z.string(),
});
export type StoredBusy = z.infer<typeof storedBusySchema>;

const keyOf = (person: string) => `nosh.busy.${person}`;
const listeners = new Set<() => void>();
const read = new Map<string, { text: string | null; busyList: StoredBusy | null }>();

/** Keeps the list on this device, or in this page alone where the browser keeps nothing. */
export function storeBusy(person: string, busy: readonly Busy[], readAt: string): void {
  write(person, JSON.stringify({ busy, readAt }));
}

export function removeBusy(person: string): void {
  write(person, null);
}

/** What this device knows of the person's calendar, or null. */
export function useStoredBusy(person: string): StoredBusy | null {
  return useSyncExternalStore(subscribe, () => storedBusyOf(person));
}

const nothing: readonly Busy[] = [];
export function useBusy(person: string): readonly Busy[] {
  return useStoredBusy(person)?.busy ?? nothing;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener("storage", listener); // another tab read or forgot it
  return () => {
    listeners.delete(listener);
    window.removeEventListener("storage", listener);
  };
}

/** The same object for the same text, as useSyncExternalStore wants it. */
function storedBusyOf(person: string): StoredBusy | null {
  const before = read.get(person);
  let text = before?.text ?? null;
  try {
    text = localStorage.getItem(keyOf(person));
  } catch {
    // Kept in this page alone.
  }
  if (before && before.text === text) return before.busyList;
  const busyList = text === null ? null : parse(text);
  read.set(person, { text, busyList });
  return busyList;
}

function parse(text: string): StoredBusy | null {
  try {
    return storedBusySchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

function write(person: string, text: string | null): void {
  read.set(person, { text, busyList: text === null ? null : parse(text) });
  store(keyOf(person), text);
  for (const listener of listeners) listener();
}
