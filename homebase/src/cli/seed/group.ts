/** Owns `homebase seed`: its subcommands. */
import { group } from "../group.ts";

export const seed = group({
  name: "seed",
  about:
    "Fills the running stack with what the project's files describe. A start and a reset do so by themselves.",
  subcommands: {
    buckets: {
      summary: "make or change the buckets of config.toml, and store their files",
      load: async () => (await import("./buckets.ts")).seedBuckets,
    },
    data: {
      summary: "run the seed files that were not run yet",
      load: async () => (await import("./data.ts")).seedData,
    },
  },
  examples: ["homebase seed buckets", "homebase seed data"],
});
