/** Owns `homebase test new`: a new pgTAP file. */
import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { writeProjectFile } from "../../../config/project-paths.ts";
import { type Command, configFor, parseOptions, sharedHelp } from "../../kit/options.ts";
import { CommandError } from "../../kit/terminal.ts";

const TEMPLATE = `begin;
select plan(1);

select pass('replace this by a test: https://pgtap.org/documentation.html');

select * from finish();
rollback;
`;

export const testNew: Command = {
  help: `Usage: homebase test new <name> [options]

Creates supabase/tests/<name>_test.sql, which passes unchanged.

Options:
  -t, --template NAME   pgtap, the only one
${sharedHelp}

Examples:
  homebase test new policies`,
  run: async (args) => {
    const { values, positionals } = parseOptions(args, { template: { type: "string", short: "t" } }, true);
    const [name, ...more] = positionals;
    if (name === undefined || more.length > 0 || !/^[\w.-]+$/.test(name)) {
      throw new CommandError("homebase test new takes one name, of letters, digits, ., _ and -.", 2);
    }
    if ((values.template ?? "pgtap") !== "pgtap") throw new CommandError("The only template is pgtap.", 2);
    const config = configFor(values);
    const file = join(config.supabaseFolder, "tests", `${name}_test.sql`);
    const path = relative(config.projectFolder, file);
    if (existsSync(file)) throw new CommandError(`${path} already exists.`);
    writeProjectFile(config.projectFolder, file, TEMPLATE);
    process.stdout.write(values.json ? `${JSON.stringify({ file: path })}\n` : `Wrote ${path}\n`);
  },
};
