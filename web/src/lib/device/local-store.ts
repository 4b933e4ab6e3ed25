/**
 * Owns: what is kept on this device beyond a reload, in IndexedDB. A browser that keeps nothing (a private
 * window may not) still works: things then last as long as the page does.
 */
const DATABASE = "nosh";
const stores = ["outbox", "seen"] as const;
type Store = (typeof stores)[number];

let opened: Promise<IDBDatabase | null> | undefined;
const memory = new Map<Store, Map<string, unknown>>(stores.map((store) => [store, new Map()]));

function open(): Promise<IDBDatabase | null> {
  opened ??= new Promise((resolve) => {
    if (typeof indexedDB === "undefined") return resolve(null);
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => {
      for (const store of stores) request.result.createObjectStore(store);
    };
    request.onsuccess = () => {
      // Another tab with a newer version of the app must not wait for this one.
      request.result.onversionchange = () => request.result.close();
      resolve(request.result);
    };
    request.onerror = () => resolve(null);
    request.onblocked = () => resolve(null);
  });
  return opened;
}

/** Everything in a store, by its key. */
export async function allKept(store: Store): Promise<Map<string, unknown>> {
  const database = await open();
  if (!database) return new Map(memory.get(store));
  const files = database.transaction(store).objectStore(store);
  const [keys, values] = await Promise.all([done(files.getAllKeys()), done(files.getAll())]);
  return new Map(keys.map((key, index) => [String(key), values[index]]));
}

export async function kept(store: Store, key: string): Promise<unknown> {
  const database = await open();
  if (!database) return memory.get(store)?.get(key);
  return done(database.transaction(store).objectStore(store).get(key));
}

/** Resolves when it would survive the end of the page. */
export async function keep(store: Store, key: string, value: unknown): Promise<void> {
  await write(
    store,
    (files) => files.put(value, key),
    (files) => files.set(key, value),
  );
}

export async function forget(store: Store, key: string): Promise<void> {
  await write(
    store,
    (files) => files.delete(key),
    (files) => files.delete(key),
  );
}

export async function forgetAll(store: Store): Promise<void> {
  await write(
    store,
    (files) => files.clear(),
    (files) => files.clear(),
  );
}

async function write(
  store: Store,
  change: (files: IDBObjectStore) => void,
  inMemory: (files: Map<string, unknown>) => void,
): Promise<void> {
  const database = await open();
  if (!database) return inMemory(memory.get(store) ?? new Map());
  const transaction = database.transaction(store, "readwrite");
  change(transaction.objectStore(store));
  await new Promise<void>((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    const failed = () => reject(transaction.error ?? new DOMException("The write was ended.", "AbortError"));
    transaction.onerror = failed;
    transaction.onabort = failed;
  });
}

function done<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
