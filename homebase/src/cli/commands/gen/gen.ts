/** Owns `homebase gen`: its subcommands. */
import { group } from "../../kit/group.ts";

export const gen = group({
  name: "gen",
  about: "Generates files from the database.",
  subcommands: {
    types: {
      summary: "generate TypeScript types of a database, for supabase-js",
      load: async () => (await import("./gen-types.ts")).genTypes,
    },
  },
  elsewhere: { "signing-key": "", "bearer-jwt": "" },
  examples: ["homebase gen types > src/database.types.ts"],
});
