/** Owns the process under test: a Backend of its own process, so that the load does not share its thread. */
import { createBackend } from "../src/testing/index.ts";

const [, , projectFolder = process.cwd(), bare] = process.argv;
// Measurements of broadcasts send more than the default lets through.
const config = { realtime: { max_events_per_second: Number.MAX_SAFE_INTEGER } };
const backend = await createBackend({ projectFolder, bare: bare !== "false", config });
process.send?.({
  url: backend.url,
  publishableKey: backend.publishableKey,
  secretKey: backend.secretKey,
  address: backend.database.address,
});
// What keeping the record of requests costs is measured beside a server that keeps none.
const { requests } = backend.backend;
const keep = requests.add.bind(requests);
process.on("message", (kept) => {
  requests.add = kept ? keep : () => {};
  process.send?.(kept);
});
process.once("disconnect", () => void backend.drop().finally(() => process.exit(0)));
process.once("SIGTERM", () => void backend.drop().finally(() => process.exit(0)));
