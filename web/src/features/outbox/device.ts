/**
 * Owns: this device's outbox: kept in IndexedDB, shared by all tabs, sent again when the connection is back, open for
 * the signed-in person. The outcomes of its entries enter the query cache here.
 */
import type { QueryClient } from "@tanstack/react-query";
import { useMemo, useSyncExternalStore } from "react";
import { readAll, remove, write } from "../../lib/device/local-store.ts";
import { isOnline, onConnectionChange, useOnline } from "../../lib/device/online.ts";
import { type AppError, toAppError } from "../../lib/errors.ts";
import { Outbox } from "./outbox.ts";
import { type Entry, readEntry } from "./schema.ts";
import { type Outcome, send } from "./send.ts";
import { storeOutcome } from "./stored-outcomes.ts";

/** A message between tabs. */
type News = "changed" | { entry: Entry; outcome: Outcome };

const others = typeof BroadcastChannel === "function" ? new BroadcastChannel("nosh.outbox") : null;
type Listener = (entry: Entry, outcome: Outcome) => void | Promise<void>;
const listeners = new Set<Listener>();
const notify = async (entry: Entry, outcome: Outcome): Promise<void> => {
  await Promise.all([...listeners].map((listener) => listener(entry, outcome)));
};

export const outbox = new Outbox({
  send: async (entry) => {
    const { mutation, id, person } = entry;
    let outcome: Outcome;
    let refusal: AppError | undefined;
    try {
      outcome = await send(mutation, id, person);
    } catch (thrown) {
      refusal = toAppError(thrown);
      if (refusal.kind === "network") throw refusal;
      outcome = { refused: true };
    }
    // Every tab shows what was stored before the entry leaves the queue, so that nothing flickers in between.
    others?.postMessage({ entry, outcome } satisfies News);
    await notify(entry, outcome);
    if (refusal) throw refusal;
  },
  read: async () => {
    return [...(await readAll("outbox")).values()].flatMap((stored) => readEntry(stored) ?? []);
  },
  persist: (entry) => write("outbox", entry.id, entry),
  remove: (id) => remove("outbox", id),
  withLock: async (work) => {
    if (!navigator.locks) return work();
    await navigator.locks.request("nosh.outbox", work);
  },
  tellOthers: () => others?.postMessage("changed" satisfies News),
  toAppError,
  now: () => Date.now(),
  defer: (work, ms) => void setTimeout(work, ms),
});

others?.addEventListener("message", ({ data }: MessageEvent<News>) => {
  if (data === "changed") void outbox.reread().catch(() => undefined);
  else void notify(data.entry, data.outcome);
});
onConnectionChange(() => {
  if (isOnline()) outbox.reconnected().catch(() => undefined);
});

/**
 * Calls the listener with what became of each entry, whichever tab sent it; the entry leaves the queue afterwards.
 * @returns ends the subscription
 */
export function onOutcome(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/**
 * Opens the outbox for a person, and stores in their query cache what becomes of each entry, also of one that another
 * tab sent.
 * @returns closes it
 */
export function openOutbox(person: string, queries: QueryClient): () => void {
  const stop = onOutcome((entry, outcome) => storeOutcome(queries, entry, outcome, outbox.snapshot()));
  // If the device cannot be read, nothing waits on it.
  outbox.belongTo(person).catch(() => undefined);
  return () => {
    stop();
    outbox.belongTo(null).catch(() => undefined);
  };
}

/** Whether what waits cannot be sent now: there is no connection, or the server does not answer. */
export function useIsStuck(): boolean {
  const online = useOnline();
  const retrying = useSyncExternalStore(outbox.subscribe, outbox.retrying);
  return !online || retrying;
}

/** The waiting and the refused entries, of one plan or of all. */
export function useOutbox(plan?: string): readonly Entry[] {
  const entries = useSyncExternalStore(outbox.subscribe, outbox.snapshot);
  return useMemo(
    () => (plan === undefined ? entries : entries.filter((entry) => entry.mutation.plan_id === plan)),
    [entries, plan],
  );
}
