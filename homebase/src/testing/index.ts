/** The exports for this repository's tests; `public.ts` has the package's. */
export { createBackend, type TestBackend, type TestBackendOptions } from "./isolated-backend.ts";
export { startTestCluster, type TestCluster } from "./shared-cluster.ts";
