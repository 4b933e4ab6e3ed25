/** Owns `homebase advisors` and `homebase db advisors`: security and performance issues of a schema. */
import { advise, hostedForm, LEVELS, type Level } from "../../../tools/checks/advisors.ts";
import { withClient } from "../../../tools/command-connection.ts";
import { type Command, configFor, parseOptions, sharedHelp } from "../../kit/options.ts";
import { chosenTarget, targetHelp, targetOptions } from "../../kit/target.ts";
import { CommandError, paint } from "../../kit/terminal.ts";

const TYPES = ["all", "security", "performance"];
const LEVEL_NAMES = LEVELS.map((level) => level.toLowerCase());

export const advisors: Command = {
  values: { type: TYPES, level: LEVEL_NAMES, "fail-on": ["none", ...LEVEL_NAMES] },
  help: `Usage: homebase db advisors [options]

Finds security and performance issues of a database, under the names that the dashboard's advisors use: tables
of the API without row level security, policies that let everybody write, foreign keys without an index and so
on. homebase advisors is the same command, and --json gives what the Management API gives of a hosted project. Unused
indexes and bloat are of level info: they need statistics of traffic like production's.

Options:
  --type TYPE        all (default), security or performance
  --level LEVEL      the lowest level to show: info, warn (default) or error
  --fail-on LEVEL    exit with 1 at this level: none, info, warn or error (default)
${targetHelp}
${sharedHelp}

Examples:
  homebase advisors
  homebase db advisors --type security --fail-on warn --json`,
  run: async (args) => {
    const { values } = parseOptions(args, {
      ...targetOptions,
      type: { type: "string" },
      level: { type: "string" },
      "fail-on": { type: "string" },
    });
    const type = values.type ?? "all";
    if (!TYPES.includes(type)) {
      throw new CommandError("--type is all, security or performance.", 2);
    }
    const least = levelOf("--level", values.level ?? "warn");
    const failOn =
      values["fail-on"] === "none" ? undefined : levelOf("--fail-on", values["fail-on"] ?? "error");
    const target = await chosenTarget(values, "db advisors");
    const { schemas } = configFor(values).api;
    const all = (await withClient(target, (client) => advise(client, schemas))).filter(
      ({ categories: [category] }) => type === "all" || category === type.toUpperCase(),
    );
    const rank = (level: Level) => LEVELS.indexOf(level);
    const shown = all.filter(({ level }) => rank(level) >= rank(least));
    if (values.json) process.stdout.write(`${JSON.stringify(shown.map(hostedForm))}\n`);
    else if (shown.length === 0) process.stdout.write("No issues found.\n");
    else {
      const names = [...new Set(shown.map(({ name }) => name))];
      for (const name of names) {
        const these = shown.filter((one) => one.name === name);
        const [{ level, description } = { level: "INFO" as Level, description: "" }] = these;
        const word = paint(level === "ERROR" ? "red" : level === "WARN" ? "yellow" : "dim", level.padEnd(5));
        const objects = [...new Set(these.map(({ object }) => object))];
        process.stdout.write(
          `${word} ${name}: ${description}\n${objects.map((object) => `      ${object}\n`).join("")}`,
        );
      }
    }
    const failing = failOn === undefined ? 0 : all.filter(({ level }) => rank(level) >= rank(failOn)).length;
    if (failing > 0)
      throw new CommandError(
        `${failing} ${failing === 1 ? "issue is" : "issues are"} of level ${failOn?.toLowerCase()} or higher.`,
      );
  },
};

function levelOf(option: string, text: string): Level {
  const found = LEVELS.find((one) => one === text.toUpperCase());
  if (!found)
    throw new CommandError(
      `${option} is info, warn or error${option === "--fail-on" ? ", or none" : ""}.`,
      2,
    );
  return found;
}
