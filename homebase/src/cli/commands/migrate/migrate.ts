/** Owns `homebase migrate`: applies pending migrations to the running stack's database in place. */
import { type Command, configFor, parseOptions, sharedHelp } from "../../kit/options.ts";
import { running } from "../../kit/running.ts";
import { CommandError } from "../../kit/terminal.ts";

/** The stack's response. */
interface Migrated {
  applied: string[];
  /** Files that were recorded in place of others, without running them. */
  replaced: string[];
  seeded: string[];
  /** Where and why a file failed. */
  failed?: string;
}

export const migrate: Command = {
  help: `Usage: homebase migrate [options]

Applies the pending files of supabase/migrations to the running stack's database, each in a transaction
of its own. Exits with 1 when one of them fails: earlier ones stay applied, later ones are not run.

Options:
${sharedHelp}

Examples:
  homebase migrate`,
  run: async (args) => {
    const { values } = parseOptions(args, {});
    const done = await running<Migrated>(configFor(values), "migrate");
    const { applied, replaced, seeded, failed } = done;
    if (values.json) {
      process.stdout.write(`${JSON.stringify({ migrated: failed === undefined, ...done })}\n`);
    } else {
      for (const path of replaced)
        process.stdout.write(`Recorded ${path} in place of the migrations that it replaces\n`);
      if (applied.length > 0) process.stdout.write(`Applied ${applied.join(", ")}\n`);
      if (seeded.length > 0) process.stdout.write(`Seeded from ${seeded.join(", ")}\n`);
      if (failed === undefined)
        process.stdout.write(applied.length > 0 ? "Done.\n" : "Nothing was pending.\n");
    }
    if (failed !== undefined) throw new CommandError(`Not applied:\n${failed}`);
  },
};
