/** Owns: this device's push subscription as stored in the browser: its person, its row's id and its endpoint. */
import * as z from "zod/mini";
import { readStored, store } from "../../lib/device/storage.ts";

const KEY = "nosh.push";
const schema = z.object({ person: z.string(), id: z.string(), endpoint: z.string() });
export type StoredSubscription = z.infer<typeof schema>;

export function readStoredSubscription(): StoredSubscription | null {
  try {
    return schema.safeParse(JSON.parse(readStored(KEY) ?? "null")).data ?? null;
  } catch {
    return null;
  }
}

export function storeSubscription(stored: StoredSubscription | null): void {
  store(KEY, stored && JSON.stringify(stored));
}
