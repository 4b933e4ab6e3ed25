/**
 * Owns: storage on this device that survives a reload, in IndexedDB. If the browser allows none (as in some private
 * windows), entries last as long as the page.
 */
import { type DBSchema, type IDBPDatabase, openDB } from "idb";

const DATABASE = "nosh";
/** A change of the list of stores needs a higher number. */
const VERSION = 2;
const stores = ["outbox", "persisted-cache"] as const;
type Store = (typeof stores)[number];
type Schema = DBSchema & Record<Store, { key: string; value: unknown }>;

let opened: Promise<IDBPDatabase<Schema> | null> | undefined;
const memory = new Map<Store, Map<string, unknown>>(stores.map((store) => [store, new Map()]));

function open(): Promise<IDBPDatabase<Schema> | null> {
  opened ??= new Promise((resolve) => {
    if (typeof indexedDB === "undefined") return resolve(null);
    openDB<Schema>(DATABASE, VERSION, {
      // What waits in an earlier version's outbox stays.
      upgrade: (database) => {
        const earlier = [...database.objectStoreNames];
        for (const store of earlier) if (!stores.includes(store)) database.deleteObjectStore(store);
        for (const store of stores) if (!earlier.includes(store)) database.createObjectStore(store);
      },
      // Another tab has an older version of the database open: this page stores in memory meanwhile.
      blocked: () => resolve(null),
      // Closing lets a newer version of the app in another tab upgrade the database.
      blocking: (_current, _blocked, event) => (event.target as IDBDatabase).close(),
    }).then(resolve, () => resolve(null));
  });
  return opened;
}

/** All entries of a store, by key. */
export async function readAll(store: Store): Promise<Map<string, unknown>> {
  const database = await open();
  if (!database) return new Map(memory.get(store));
  const { store: entries, done } = database.transaction(store);
  const [keys, values] = await Promise.all([entries.getAllKeys(), entries.getAll(), done]);
  return new Map(keys.map((key, index) => [key, values[index]]));
}

/** Resolves when the entry is durable. */
export async function write(store: Store, key: string, value: unknown): Promise<void> {
  const database = await open();
  if (!database) {
    memory.get(store)?.set(key, value);
    return;
  }
  const { store: entries, done } = database.transaction(store, "readwrite", { durability: "strict" });
  void entries.put(value, key).catch(() => undefined);
  // Without a commit of its own a transaction ends with a page that is closed before the browser has answered.
  entries.transaction.commit();
  await done;
}

export async function remove(store: Store, key: string): Promise<void> {
  const database = await open();
  if (database) await database.delete(store, key);
  else memory.get(store)?.delete(key);
}

export async function clear(store: Store): Promise<void> {
  const database = await open();
  if (database) await database.clear(store);
  else memory.get(store)?.clear();
}
