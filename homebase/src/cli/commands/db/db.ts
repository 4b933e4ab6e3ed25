/** Owns `homebase db`: its subcommands. */
import { group } from "../../kit/group.ts";

export const db = group({
  name: "db",
  about:
    "Works on the running stack's database, or with --db-url on any other: a hosted project's, a server of your own.",
  subcommands: {
    start: {
      summary: "start Postgres alone, without the services",
      load: async () => (await import("./start.ts")).dbStart,
    },
    diff: {
      summary: "what your migrations lack, as SQL",
      load: async () => (await import("./diff.ts")).dbDiff,
    },
    dump: {
      summary: "schema, rows or roles of a database as SQL",
      load: async () => (await import("./dump.ts")).dbDump,
    },
    pull: {
      summary: "write the difference between a database and your migrations as a migration",
      load: async () => (await import("./pull.ts")).dbPull,
    },
    push: {
      summary: "apply pending migrations to a database",
      load: async () => (await import("./push.ts")).dbPush,
    },
    lint: {
      summary: "errors in the bodies of functions",
      load: async () => (await import("./lint.ts")).dbLint,
    },
    query: {
      summary: "run SQL and print its rows",
      load: async () => (await import("./query.ts")).dbQuery,
    },
    reset: {
      summary: "the same as homebase reset",
      load: async () => (await import("../reset/reset.ts")).reset,
    },
    advisors: {
      summary: "security and performance issues of a schema",
      load: async () => (await import("../advisors/advisors.ts")).advisors,
    },
  },
  elsewhere: { schema: "" },
  examples: ["homebase db diff -f add_menus"],
});
