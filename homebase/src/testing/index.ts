/** What `homebase/testing` offers: isolated Backends for an app's own tests. */
export { createBackend, type TestBackend, type TestBackendOptions } from "./backend.ts";
export { startTestCluster, type TestCluster } from "./cluster.ts";
