/**
 * The exports of `homebase-stack/testing/playwright`: `test` with a fresh Backend for each worker. With
 * `globalSetup: import.meta.resolve("homebase-stack/testing/global-setup")` the workers share one Postgres.
 */

import type {
  PlaywrightTestArgs,
  PlaywrightTestOptions,
  PlaywrightWorkerArgs,
  PlaywrightWorkerOptions,
} from "@playwright/test";
import { test as base, type TestType } from "@playwright/test";
import { createBackend } from "./public.ts";
import type { TestBackend } from "./types.ts";

/** Playwright's `test` with the worker fixture `backend`. */
export const test: TestType<
  PlaywrightTestArgs & PlaywrightTestOptions,
  PlaywrightWorkerArgs & PlaywrightWorkerOptions & { backend: TestBackend }
> = base.extend<object, { backend: TestBackend }>({
  backend: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright demands a pattern, and no other fixture is wanted
    async ({}, use) => {
      // No `await using`: Node 22 does not know it.
      const backend = await createBackend();
      try {
        await use(backend);
      } finally {
        await backend.drop();
      }
    },
    { scope: "worker" },
  ],
});

export { expect } from "@playwright/test";
export type { TestBackend } from "./types.ts";
