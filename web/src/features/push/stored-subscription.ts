/** Owns: this device's push subscription as stored in the browser: its person, its row's id and its endpoint. */
import * as z from "zod/mini";

const KEY = "nosh.push";
const schema = z.object({ person: z.string(), id: z.string(), endpoint: z.string() });
export type StoredSubscription = z.infer<typeof schema>;

export function readStoredSubscription(): StoredSubscription | null {
  try {
    return schema.safeParse(JSON.parse(localStorage.getItem(KEY) ?? "null")).data ?? null;
  } catch {
    return null;
  }
}

export function storeSubscription(stored: StoredSubscription | null): void {
  if (stored) localStorage.setItem(KEY, JSON.stringify(stored));
  else localStorage.removeItem(KEY);
}
