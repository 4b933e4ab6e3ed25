/** Owns `homebase gen types`: the types of a database as a TypeScript file. */
import { withClient } from "../../../tools/command-connection.ts";
import { readTypeCatalog } from "../../../typegen/typed-objects.ts";
import { typescriptTypes } from "../../../typegen/typescript.ts";
import { type Command, configFor, listed, parseOptions, sharedHelp } from "../../kit/options.ts";
import { chosenTarget, targetHelp, targetOptions } from "../../kit/target.ts";
import { CommandError } from "../../kit/terminal.ts";

export const genTypes: Command = {
  help: `Usage: homebase gen types [typescript] [options]

Prints the types of a database's tables, views, functions and enums, as supabase-js takes them:
createClient<Database>(...). The types are the same as those of the Supabase CLI's gen types, in another layout.

Options:
  --lang LANGUAGE    typescript, the only one
  -s, --schema LIST  these schemas, with commas; may be repeated (default: those of [api] schemas)
${targetHelp}
${sharedHelp}

Examples:
  homebase gen types > src/database.types.ts
  homebase gen types --schema public,private --db-url "$DATABASE_URL"`,
  run: async (args) => {
    const { values, positionals } = parseOptions(
      args,
      { ...targetOptions, lang: { type: "string" }, schema: { type: "string", short: "s", multiple: true } },
      true,
    );
    const language = values.lang ?? positionals[0] ?? "typescript";
    if (language !== "typescript") {
      throw new CommandError(
        `Types for ${language} are not built. Use the Supabase CLI: npx supabase gen types --lang ${language}`,
      );
    }
    const asked = listed(values.schema);
    const schemas = asked ?? [...new Set(["public", ...configFor(values).api.schemas])];
    const target = await chosenTarget(values, "gen types");
    const text = await withClient(target, async (client) => {
      const catalog = await readTypeCatalog(client, schemas);
      const missing = asked?.filter((one) => !catalog.schemas.includes(one)) ?? [];
      if (missing.length > 0) throw new CommandError(`The database has no schema ${missing.join(", ")}.`);
      return typescriptTypes(catalog);
    });
    process.stdout.write(values.json ? `${JSON.stringify({ types: text })}\n` : text);
  },
};
