/** Owns `homebase seed`: its subcommands. */
import { group } from "../../kit/group.ts";

export const seed = group({
  name: "seed",
  about:
    "Applies the project's buckets and seed files to the running stack. A start and a reset do so automatically.",
  subcommands: {
    buckets: {
      summary: "create or update the buckets of config.toml, and upload their files",
      load: async () => (await import("./buckets.ts")).seedBuckets,
    },
    data: {
      summary: "run the seed files that have not been run",
      load: async () => (await import("./data.ts")).seedData,
    },
  },
  examples: ["homebase seed buckets", "homebase seed data"],
});
