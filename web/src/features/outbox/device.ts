/** Owns: this device's outbox: kept in IndexedDB, shared by all tabs, and woken when the connection is back. */
import { useMemo, useSyncExternalStore } from "react";
import { allKept, forget, keep } from "../../lib/device/local-store.ts";
import { isOnline, onConnectionChange } from "../../lib/device/online.ts";
import { type AppError, toAppError } from "../../lib/errors.ts";
import type { MessageRow } from "../messages/schema.ts";
import { Outbox, waiting } from "./outbox.ts";
import { type Entry, type QueuedMutation, readEntry } from "./schema.ts";
import { send } from "./send.ts";

const others = typeof BroadcastChannel === "function" ? new BroadcastChannel("nosh.outbox") : null;
/** What became of an entry: the row that a message has become, null for any other, or why it was refused. */
export type Outcome = { row: MessageRow | null } | { refused: AppError };
const listeners = new Set<(entry: Entry, outcome: Outcome) => void>();
const tell = (entry: Entry, outcome: Outcome) => {
  for (const listener of listeners) listener(entry, outcome);
};

export const outbox = new Outbox({
  send: async (entry) => {
    const { mutation, id, person } = entry;
    try {
      tell(entry, { row: await send(mutation, id, person) });
    } catch (thrown) {
      const error = toAppError(thrown);
      if (error.kind !== "network") tell(entry, { refused: error });
      throw error;
    }
  },
  read: async () => {
    return [...(await allKept("outbox")).values()].flatMap((stored) => readEntry(stored) ?? []);
  },
  keep: (entry) => keep("outbox", entry.id, entry),
  forget: (id) => forget("outbox", id),
  alone: async (work) => {
    if (!navigator.locks) return work();
    await navigator.locks.request("nosh.outbox", work);
  },
  tellOthers: () => others?.postMessage("changed"),
  toAppError,
  now: () => Date.now(),
  later: (work, ms) => void setTimeout(work, ms),
});

others?.addEventListener("message", () => void outbox.reread().catch(() => undefined));
onConnectionChange(() => {
  if (isOnline()) outbox.flush().catch(() => undefined);
});

/** Calls the listener with what became of each entry that this tab sent. Returns the way to stop that. */
export function onOutcome(listener: (entry: Entry, outcome: Outcome) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/**
 * Keeps the mutation for later if it cannot be done now: there is no connection, or older ones of the same plan
 * wait, which must not overrule it afterwards. False when it should be done at once instead.
 */
export async function queueIfNeeded(mutation: QueuedMutation): Promise<boolean> {
  const inLine = outbox
    .snapshot()
    .some((entry) => waiting(entry) && entry.mutation.plan_id === mutation.plan_id);
  if (isOnline() && !inLine) return false;
  await outbox.add(mutation, crypto.randomUUID());
  return true;
}

/** What waits or was refused, of one plan or of all. */
export function useOutbox(plan?: string): readonly Entry[] {
  const entries = useSyncExternalStore(outbox.subscribe, outbox.snapshot);
  return useMemo(
    () => (plan === undefined ? entries : entries.filter((entry) => entry.mutation.plan_id === plan)),
    [entries, plan],
  );
}
