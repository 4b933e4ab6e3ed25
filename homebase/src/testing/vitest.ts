/**
 * The exports of `homebase-stack/testing/vitest`: `test` with a fresh Backend for each test that uses it;
 * what a failed test's last requests were, and why they were answered so, is printed.
 * With `globalSetup: ["homebase-stack/testing/global-setup"]` all files share one Postgres, which saves its
 * start in each.
 */
import { test as base, type TestAPI } from "vitest";
import { createBackend } from "./public.ts";
import type { TestBackend } from "./types.ts";

/** Vitest's `test` with the fixture `backend`. */
export const test: TestAPI<{ backend: TestBackend }> = base.extend<{ backend: TestBackend }>({
  backend: async ({ task }, use) => {
    // No `await using`: Node 22 does not know it.
    const backend = await createBackend();
    try {
      await use(backend);
      if (task.result?.state === "fail") console.error(await backend.why());
    } finally {
      await backend.drop();
    }
  },
});

export type { TestBackend } from "./types.ts";
