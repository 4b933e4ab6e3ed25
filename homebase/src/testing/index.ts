/** What the tests of this repository use of this folder; `public.ts` is what the package offers. */
export { createBackend, type TestBackend, type TestBackendOptions } from "./backend.ts";
export { startTestCluster, type TestCluster } from "./cluster.ts";
