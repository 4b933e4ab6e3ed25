/** Owns the path of the `homebase` command for tests: bundled, if `npm test` has done that, or the sources. */
import { join } from "node:path";

export const COMMAND =
  process.env.HOMEBASE_TEST_COMMAND ?? join(import.meta.dirname, "..", "bin", "homebase.mjs");
