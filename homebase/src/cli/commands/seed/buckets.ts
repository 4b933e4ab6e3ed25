/** Owns `homebase seed buckets`: has the running stack create the buckets of config.toml as it is now. */
import type { PreparedBuckets } from "../../../storage/buckets/config-buckets.ts";
import { type Command, configFor, parseOptions, sharedHelp } from "../../kit/options.ts";
import { running } from "../../kit/running.ts";
import { addressOf, targetOptions } from "../../kit/target.ts";
import { CommandError } from "../../kit/terminal.ts";

export const seedBuckets: Command = {
  help: `Usage: homebase seed buckets [options]

Creates the buckets of [storage.buckets] in config.toml, updates existing ones, and uploads the files of their
objects_path; a file of the same name is replaced. Creates the vector buckets of [storage.vector.buckets]. Other
buckets and files are not changed. For a hosted project: homebase deploy.

Options:
  --local            the running stack, which is the only target
  --linked           not built: Homebase keeps no links to projects
${sharedHelp}

Examples:
  homebase seed buckets`,
  run: async (args) => {
    const { linked, local } = targetOptions;
    const { values } = parseOptions(args, { linked, local });
    addressOf(values, "seed buckets");
    const config = configFor(values);
    const { buckets, vectorBuckets, failed } = await running<PreparedBuckets>(config, "buckets");
    if (failed.length > 0) throw new CommandError(failed.join("\n"));
    if (values.json) {
      const all = { buckets, ...(vectorBuckets.length > 0 ? { vectorBuckets } : {}) };
      return void process.stdout.write(`${JSON.stringify(all)}\n`);
    }
    if (buckets.length + vectorBuckets.length === 0)
      process.stdout.write(`${config.file} describes no buckets ([storage.buckets]).\n`);
    for (const { id, made } of vectorBuckets) {
      process.stdout.write(`${made ? "Created" : "Kept"} vector bucket ${id}\n`);
    }
    for (const { id, made, files } of buckets) {
      process.stdout.write(
        `${made ? "Created" : "Updated"} bucket ${id}, stored ${files.length} ${files.length === 1 ? "file" : "files"}\n`,
      );
    }
  },
};
