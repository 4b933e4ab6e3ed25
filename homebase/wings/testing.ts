/** The entry of the wings' own tests: the core's fixtures, with all wings. */
import { createBackend as create, type TestBackend, type TestBackendOptions } from "../src/testing/index.ts";
import { authBackend as coreAuth } from "../test/auth/client.ts";
import { storageBackend as coreStorage } from "../test/storage/fixture.ts";
import { wings } from "./index.ts";

export { startTestCluster, type TestCluster } from "../src/testing/index.ts";
export type { TestBackend, TestBackendOptions };

/** Creates an isolated Backend. */
export function createBackend(options: TestBackendOptions = {}): Promise<TestBackend> {
  return create({ wings, ...options });
}

/** A Backend of a default project with changes of its section `auth`. */
export function authBackend(auth: Parameters<typeof coreAuth>[0] = {}): Promise<TestBackend> {
  return coreAuth(auth, wings);
}

/** A Backend of a default project with changes of its section `storage`. */
export function storageBackend(storage: Parameters<typeof coreStorage>[0] = {}): Promise<TestBackend> {
  return coreStorage(storage, wings);
}
