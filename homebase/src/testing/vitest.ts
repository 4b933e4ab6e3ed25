/**
 * The exports of `homebase-stack/testing/vitest`: `test` with a fresh Backend for each test that uses it.
 * With `globalSetup: ["homebase-stack/testing/global-setup"]` all files share one Postgres, which saves its
 * start in each.
 */
import { test as base, type TestAPI } from "vitest";
import { createBackend } from "./public.ts";
import type { TestBackend } from "./types.ts";

/** Vitest's `test` with the fixture `backend`. */
export const test: TestAPI<{ backend: TestBackend }> = base.extend<{ backend: TestBackend }>({
  // Vitest reads the names of the fixtures that are wanted from the pattern.
  // biome-ignore lint/correctness/noEmptyPattern: no other fixture is wanted
  backend: async ({}, use) => {
    await using backend = await createBackend();
    await use(backend);
  },
});

export type { TestBackend } from "./types.ts";
