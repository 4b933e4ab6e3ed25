/** Owns what the core sees of this wing. */
import type { Wing } from "../../src/cli/wing.ts";

export const vectors: Wing = {
  name: "vectors",
  summary: "vector buckets of Storage",
  storage: { "vector buckets": () => import("./service.ts") },
  sessions: {
    postgres: ["wings/vectors/indexes.ts"],
    supabase_storage_admin: ["wings/vectors/indexes.ts", "wings/vectors/vectors.ts"],
  },
};
