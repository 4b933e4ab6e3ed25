/** Owns the Backend of an integration test file; target.ts chooses it. */
import type { TestBackendOptions } from "homebase-stack/testing";
import { afterAll, TestRunner } from "vitest";
import { backendFor, type TargetBackend } from "./target.ts";

export type TestBackend = TargetBackend;

/** A Backend for this file. */
export function createBackend(options: TestBackendOptions = {}): Promise<TestBackend> {
  return backendFor(options, skip);
}

/** What `making` resolves to. It is dropped after the last test of the file that calls this at its top. */
export async function forThisFile<T extends TestBackend>(making: Promise<T>): Promise<T> {
  const made = await making;
  afterAll(() => made.drop());
  return made;
}

function skip(reason: string): never {
  const running = TestRunner.getCurrentTest();
  if (!running) throw new Error(`The target cannot do what this file's tests begin with: it ${reason}.`);
  return running.context.skip(`on this target: ${reason}`);
}
