/** Owns `homebase test db`: pgTAP files, run in parallel in databases of their own. */
import { join, relative } from "node:path";
import { type Config, openTables } from "../../../config/config.ts";
import { countsCoverage, ensureCountedTemplate } from "../../../explain/index.ts";
import type { ClusterClient } from "../../../postgres/cluster/cluster-client.ts";
import { ensureTemplate } from "../../../postgres/cluster/template-databases.ts";
import { findTapFiles, type TapFile } from "../../../tools/tap/pgtap-files.ts";
import { type FileOutcome, runInClones, runInPlace } from "../../../tools/tap/run-pgtap.ts";
import { withTemporaryCluster } from "../../../tools/temporary.ts";
import { type Command, configFor, parseOptions, sharedHelp } from "../../kit/options.ts";
import { addressOf, chosenTarget, targetHelp, targetOptions } from "../../kit/target.ts";
import { CommandError, endProgress, paint, progress } from "../../kit/terminal.ts";

export const testDb: Command = {
  help: `Usage: homebase test db [path ...] [options]

Runs the pgTAP files (.sql, .pg) of supabase/tests, or of the given files and folders. Each file gets a database
of its own with the project's migrations and seed, so the files run at the same time, need no running stack and
leave your data alone. A file that commits something (000-setup-tests-hooks.sql) runs before the files after it,
which see its changes. Variables and conditions of psql work (\\set, \\gset, :name, :'name', \\if). Exits with 1 when a test fails.

With HOMEBASE_COVERAGE=1 the files count what policies decide: see homebase policies coverage. A file with a line
"-- coverage: off" has policies as they are.

With --local or --db-url the files run in that database, one after the other.

Options:
${targetHelp.replace("(default: the running stack's)", "instead of new ones")}
${sharedHelp}

Examples:
  homebase test db
  homebase test db supabase/tests/policies.sql
  homebase test db --json | jq '.files[] | select(.passed | not)'`,
  run: async (args) => {
    const { values, positionals } = parseOptions(args, targetOptions, true);
    const config = configFor(values);
    const address = addressOf(values, "test db");
    const files = findTapFiles(config, positionals);
    if (files.length === 0) {
      const folder = relative(config.projectFolder, join(config.supabaseFolder, "tests"));
      throw new CommandError(`There are no tests in ${folder}. Make one with: homebase test new <name>`);
    }
    const started = performance.now();
    const report = (outcome: FileOutcome) => {
      if (values.json) return;
      endProgress();
      process.stdout.write(describe(outcome));
    };
    if (!values.json) progress("Preparing the database");
    const outcomes = await (address !== undefined || values.local
      ? runInPlace(await chosenTarget(values, "test db"), files, report)
      : withTemporaryCluster(config, async (cluster) => runProject(cluster, config, files, report))
    ).finally(endProgress);
    const failed = outcomes.filter(({ passed }) => !passed);
    const tests = outcomes.reduce((sum, { assertions }) => sum + assertions.length, 0);
    const result = failed.length === 0 ? "PASS" : "FAIL";
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    process.stdout.write(
      values.json
        ? `${JSON.stringify({ result, tests, files: outcomes })}\n`
        : `Files=${outcomes.length}, Tests=${tests}, ${seconds} s\nResult: ${paint(failed.length === 0 ? "green" : "red", result)}\n`,
    );
    if (failed.length > 0) {
      const open = failed.some(wantsRefusal) ? openTables(config) : undefined;
      throw new CommandError(
        [`${failed.length} of ${outcomes.length} files failed.`, ...(open ? [open] : [])].join("\n"),
      );
    }
  },
};

/** Whether a test that fails wants a refusal, as where new tables are closed. */
function wantsRefusal({ assertions }: FileOutcome): boolean {
  return assertions.some(
    ({ passed, description, diagnostics }) =>
      !passed && /\b42501\b|permission denied|privilege/i.test([description, ...diagnostics].join("\n")),
  );
}

/** Runs files in copies of the project's template; of one that counts, when coverage is asked for. */
async function runProject(
  cluster: ClusterClient,
  config: Config,
  files: readonly TapFile[],
  report?: (outcome: FileOutcome) => void,
): Promise<FileOutcome[]> {
  const plain = await ensureTemplate(cluster, config);
  if (!countsCoverage()) return runInClones(cluster, plain, files, report);
  return runInClones(cluster, await ensureCountedTemplate(cluster, config), files, report, { config, plain });
}

function describe({ path, passed, assertions, error, milliseconds }: FileOutcome): string {
  const word = passed ? paint("green", "ok    ") : paint("red", "failed");
  const counted = `${assertions.length} ${assertions.length === 1 ? "test" : "tests"}`;
  const failures = assertions
    .filter((one) => !one.passed)
    .map(({ number, description, diagnostics }) =>
      [
        `  not ok ${number}${description ? ` - ${description}` : ""}`,
        ...diagnostics.map((line) => `    ${line}`),
      ].join("\n"),
    );
  return `${[`${word} ${path} (${counted}, ${milliseconds} ms)`, ...failures, ...(error ? [`  ${error}`] : [])].join("\n")}\n`;
}
