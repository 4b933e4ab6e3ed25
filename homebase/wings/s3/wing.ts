/** Owns what the core sees of this wing. */
import type { Wing } from "../../src/cli/wing.ts";

export const s3: Wing = {
  name: "s3",
  summary: "Storage by the S3 protocol",
  storage: { S3: () => import("./service.ts") },
  sessions: { supabase_storage_admin: ["wings/s3/uploads.ts"] },
};
