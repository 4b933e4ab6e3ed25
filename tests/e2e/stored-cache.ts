/** Owns reading the query cache that the app has stored on a page's device. */
import type { Page } from "@playwright/test";

interface StoredRead {
  key: unknown[];
  data: unknown;
}

/** The reads that are stored; none before the app has opened its database. */
export function storedCache(page: Page): Promise<StoredRead[]> {
  return page.evaluate(async () => {
    const done = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    if (!(await indexedDB.databases()).some(({ name }) => name === "nosh")) return [];
    const database = await done(indexedDB.open("nosh"));
    try {
      return await done(database.transaction("persisted-cache").objectStore("persisted-cache").getAll());
    } finally {
      database.close();
    }
  });
}
