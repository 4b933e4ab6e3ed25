/** Owns `homebase link-cli`: the command `supabase` of a project's node_modules/.bin. */
import { existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { type Command, parseOptions } from "../../kit/options.ts";
import { CommandError } from "../../kit/terminal.ts";
import { isLink } from "../supabase/real-cli.ts";

const PACKAGE = "homebase-stack";
/** The name that the real CLI's command waits under for --remove. */
const ASIDE = "supabase.before-homebase";

export const linkCli: Command = {
  help: `Usage: homebase link-cli [--remove] [options]

Makes the command supabase in the project's node_modules/.bin run homebase supabase, so that scripts, workflows and
npx supabase stay as they are. What is about a hosted project goes on to the real Supabase CLI; homebase supabase --help
says which commands. An install may write npm's own command again: "postinstall": "homebase link-cli" in the scripts of
package.json links after each one.

Works with npm, pnpm, Yarn 1 and Bun; with a newer Yarn write homebase supabase in the scripts. homebase-stack is a
dependency of the project, or of the monorepo around it.

Options:
  --remove           take the link away, and put back the command that was there
  --workdir FOLDER   the folder with package.json (default: this one or the nearest one above)
  --json             machine-readable output
  -h, --help         this text

Examples:
  homebase link-cli
  homebase link-cli --remove`,
  run: async (args) => {
    const { values } = parseOptions(args, { remove: { type: "boolean" } });
    const folder = upwards(resolve(values.workdir ?? "."), "package.json");
    if (folder === undefined)
      throw new CommandError("There is no package.json here, nor above: link-cli works on a project of npm.");
    const commands = join(folder, "node_modules", ".bin");
    const link = join(commands, "supabase");
    const aside = join(commands, ASIDE);
    const say = (result: object, text: string) =>
      process.stdout.write(values.json ? `${JSON.stringify(result)}\n` : `${text}\n`);
    if (values.remove) {
      const linked = isLink(link);
      if (linked) {
        rmSync(link);
        if (exists(aside)) renameSync(aside, link);
      }
      return void say({ removed: linked }, linked ? "supabase is npm's again." : "supabase was not linked.");
    }
    if (hasNewYarn(folder))
      throw new CommandError(
        "Yarn 2 and newer run the commands of packages, not those in node_modules/.bin. Write homebase supabase where the scripts say supabase: it takes the same words.",
      );
    const target = join(ownPackage(folder), "bin", "supabase.mjs");
    mkdirSync(commands, { recursive: true });
    if (!isLink(link) && exists(link)) renameSync(link, aside);
    rmSync(link, { force: true });
    symlinkSync(relative(commands, target), link);
    say(
      { link },
      `supabase in ${relative(process.cwd(), commands) || "."} is Homebase; what is about hosted projects goes to the real CLI.${
        linksAgain(folder)
          ? ""
          : '\nTo link after each install, add to the scripts of package.json: "postinstall": "homebase link-cli"'
      }`,
    );
  },
};

/** The folder of the installed package, by the path that an update keeps. */
function ownPackage(folder: string): string {
  const above = upwards(folder, join("node_modules", PACKAGE, "bin", "supabase.mjs"));
  if (above !== undefined) return join(above, "node_modules", PACKAGE);
  throw new CommandError(`The project has no ${PACKAGE} to link to: npm install --save-dev ${PACKAGE}`);
}

/** Yarn from version 2 on finds a script's commands in the manifests of its packages, and never looks into .bin. */
function hasNewYarn(folder: string): boolean {
  const above = upwards(folder, "yarn.lock");
  return above !== undefined && /^__metadata:/m.test(readFileSync(join(above, "yarn.lock"), "utf8"));
}

/** The nearest folder from one upwards that has a file. */
function upwards(from: string, file: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(join(folder, file))) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}

/** Also of a link to nothing. */
function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function linksAgain(folder: string): boolean {
  return readFileSync(join(folder, "package.json"), "utf8").includes("homebase link-cli");
}
