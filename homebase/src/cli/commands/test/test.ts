/** Owns `homebase test`: its subcommands. */
import { group } from "../../kit/group.ts";

export const test = group({
  name: "test",
  about: "Tests of the database, written with pgTAP in supabase/tests.",
  subcommands: {
    db: {
      summary: "run the pgTAP files of supabase/tests",
      load: async () => (await import("./test-db.ts")).testDb,
    },
    new: {
      summary: "create a pgTAP file",
      load: async () => (await import("./test-new.ts")).testNew,
    },
  },
  examples: ["homebase test new policies", "homebase test db"],
});
