/** Owns `homebase migration`: its subcommands. */
import { group } from "../../kit/group.ts";

export const migration = group({
  name: "migration",
  about:
    "Works on the files of supabase/migrations and on the history of those that a database has\n(supabase_migrations.schema_migrations, as the Supabase CLI keeps it).",
  subcommands: {
    new: { summary: "create an empty migration", load: async () => (await import("./new.ts")).migrationNew },
    list: {
      summary: "compare the files with a database's history",
      load: async () => (await import("./list.ts")).migrationList,
    },
    up: {
      summary: "apply pending migrations to a database",
      load: async () => (await import("./up.ts")).migrationUp,
    },
    repair: {
      summary: "mark versions as applied or reverted, without running them",
      load: async () => (await import("./repair.ts")).migrationRepair,
    },
    squash: {
      summary: "combine migrations into one",
      load: async () => (await import("./squash.ts")).migrationSquash,
    },
    fetch: {
      summary: "write the migrations in a database's history to files",
      load: async () => (await import("./fetch.ts")).migrationFetch,
    },
  },
  elsewhere: { down: "The running stack's database is rebuilt by: homebase reset" },
  examples: ["homebase migration new add_menus", 'homebase migration list --db-url "$DATABASE_URL"'],
});
