/** Owns `homebase policies coverage`: what the last tests have decided in the project's policies. */

import { writeFileSync } from "node:fs";
import { type Command, configFor, parseOptions, sharedHelp } from "../../src/cli/kit/options.ts";
import { CommandError } from "../../src/cli/kit/terminal.ts";
import { forgetRuns, percentOf, textOfCoverage } from "../../src/explain/index.ts";
import { projectCoverage } from "../../src/tools/decided-by-tests.ts";
import { pageOfCoverage } from "./page.ts";

export const coverage: Command = {
  help: `Usage: homebase policies coverage [options]

Shows each part of each policy (its conditions, split at AND, OR and NOT) with how often tests have decided it as true,
false or unknown, by the role that asked, and what would decide the parts that never were. Conditions in SQL functions
that policies call count too. It counts decisions, not rows.

Tests count where HOMEBASE_COVERAGE=1 is set: those with homebase-stack/testing, in any runner, and homebase test db.
The last run of each test file counts while the file is there, until --forget or until a migration or a seed changes.
Verdicts that cannot be stand in supabase/untested.txt, one a line: <part> true|false: <reason>

Options:
  --min PERCENT      end with 1 when fewer of the verdicts were seen
  --html FILE        also write a page with the conditions coloured
  --forget           forget all counts, and show nothing
${sharedHelp}

Examples:
  homebase policies coverage --forget
  HOMEBASE_COVERAGE=1 npx vitest run && HOMEBASE_COVERAGE=1 homebase test db
  homebase policies coverage --min 100
  homebase policies coverage --json | jq '.parts[] | select(.missing != []) | .id'`,
  run: async (args) => {
    const { values } = parseOptions(args, {
      min: { type: "string" },
      html: { type: "string" },
      forget: { type: "boolean" },
    });
    const config = configFor(values);
    const least = leastPercent(values.min);
    if (values.forget) {
      forgetRuns(config);
      if (!values.json) process.stdout.write("The counts of earlier runs are gone.\n");
      return;
    }
    const found = projectCoverage(config);
    if (values.html !== undefined) writeFileSync(values.html, pageOfCoverage(found));
    const percent = percentOf(found);
    process.stdout.write(values.json ? `${JSON.stringify({ percent, ...found })}\n` : textOfCoverage(found));
    if (least !== undefined && percent < least) {
      throw new CommandError(`${percent} % of the verdicts were seen, fewer than ${least} %.`);
    }
  },
};

/** The option `--min`. */
export function leastPercent(given: string | undefined): number | undefined {
  const least = given === undefined ? undefined : Number(given);
  if (least !== undefined && !(given !== "" && least >= 0 && least <= 100)) {
    throw new CommandError("--min takes a number from 0 to 100.", 2);
  }
  return least;
}
