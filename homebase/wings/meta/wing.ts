/** Owns what the core sees of this wing. */
import type { Wing } from "../../src/cli/wing.ts";

export const meta: Wing = {
  name: "meta",
  summary: "the database API under /pg, as postgres-meta has it",
  service: { meta: async (context) => (await import("./service.ts")).createMetaService(context) },
};
