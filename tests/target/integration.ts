/** Owns the Backend of an integration test file; target.ts chooses it. */
import type { TestBackendOptions } from "homebase-stack/testing";
import { TestRunner } from "vitest";
import { backendFor, type TargetBackend } from "./target.ts";

export type TestBackend = TargetBackend;

/** A Backend for this file. */
export function createBackend(options: TestBackendOptions = {}): Promise<TestBackend> {
  return backendFor(options, skip);
}

function skip(reason: string): never {
  const running = TestRunner.getCurrentTest();
  if (!running) throw new Error(`The target cannot do what this file's tests begin with: it ${reason}.`);
  return running.context.skip(`on this target: ${reason}`);
}
