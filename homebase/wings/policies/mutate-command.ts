/** Owns `homebase policies mutate`: changes of policies that no test notices. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Command, configFor, parseOptions, sharedHelp } from "../../src/cli/kit/options.ts";
import { CommandError, endProgress, progress } from "../../src/cli/kit/terminal.ts";
import type { Config } from "../../src/config/config.ts";
import { safeGit } from "../../src/core/safe-git.ts";
import { untestedOf } from "../../src/tools/decided-by-tests.ts";
import { findTapFiles } from "../../src/tools/tap/pgtap-files.ts";
import { withTemporaryCluster } from "../../src/tools/temporary.ts";
import { leastPercent } from "./coverage-command.ts";
import type { Mutant } from "./mutants.ts";
import { FailingTests, type MutantResult, mutatePolicies } from "./mutation.ts";

/** Test files that are named beside a change. */
const SHOWN = 3;

export const mutate: Command = {
  help: `Usage: homebase policies mutate [path ...] [options]

Changes the project's row security in one place at a time, in a database of its own: a policy removed, a part of one taken
out or turned round, the same for conditions in SQL functions that policies call, a right of anon or authenticated taken
away. The pgTAP files of supabase/tests (or of the given files and folders) that decide something there run in it. A change
that no file notices is shown, with the test that is missing. Your data and your migrations stay as they are.

Changes that make no difference stand in supabase/untested.txt, one a line: <change>: <reason>

An interrupted run goes on where it ended, as long as migrations, seed and tests are the same.

Options:
  --run COMMAND      for changes that pgTAP does not notice: also run this, with the test files that decide something there
                     (as HOMEBASE_COVERAGE=1 has counted them) behind it; Backends of its tests have the change
  --changed REF      only policies and functions that migrations name which were added or changed since a commit
  --min PERCENT      end with 1 when tests notice fewer of the changes
  --again            begin again
${sharedHelp}

Examples:
  homebase policies mutate
  homebase policies mutate --changed origin/main --min 100
  homebase policies mutate --run "npx vitest run"
  homebase policies mutate --json | jq '.survivors[].missing'`,
  run: async (args) => {
    const { values, positionals } = parseOptions(
      args,
      {
        run: { type: "string" },
        changed: { type: "string" },
        min: { type: "string" },
        again: { type: "boolean" },
      },
      true,
    );
    const config = configFor(values);
    const least = leastPercent(values.min);
    const wanted = values.changed === undefined ? undefined : named(changedSql(config, values.changed));
    const files = findTapFiles(config, positionals);
    const untested = untestedOf(config);
    if (files.length === 0 && values.run === undefined) {
      throw new CommandError("There are no pgTAP files. Make one with: homebase test new <name>");
    }
    if (!values.json) progress("Running the tests without a change");
    const results = await withTemporaryCluster(config, (cluster) =>
      mutatePolicies(cluster, config, {
        files,
        untested,
        ...(wanted ? { wanted } : {}),
        again: values.again === true,
        report: (_, done, all) => {
          if (!values.json) progress(`${done} of ${all} changes`);
        },
      }),
    )
      .catch((error: unknown) => {
        if (!(error instanceof FailingTests)) throw error;
        throw new CommandError(`${error.message} Mend it first: homebase test db`);
      })
      .finally(endProgress);
    const { run } = values;
    if (run !== undefined) {
      const open = results.filter(({ noticedBy, argued }) => noticedBy === undefined && argued === undefined);
      for (const [at, one] of open.entries()) {
        if (!values.json) progress(`${at + 1} of ${open.length} changes with: ${run}`);
        const noticedBy = noticedByCommand(config, run, one);
        if (noticedBy !== undefined) one.noticedBy = noticedBy;
      }
      endProgress();
    }
    const noticed = results.filter(({ noticedBy }) => noticedBy !== undefined);
    const wrong = untested.changes.find(({ id }) => noticed.some((one) => one.id === id));
    if (wrong) throw new CommandError(`supabase/untested.txt: ${wrong.id} is noticed: remove its line.`);
    const argued = results.filter((one) => one.argued !== undefined);
    const survivors = results.filter((one) => one.noticedBy === undefined && one.argued === undefined);
    const counted = results.length - argued.length;
    const percent = counted === 0 ? 100 : Math.floor((noticed.length / counted) * 1_000) / 10;
    process.stdout.write(
      values.json
        ? `${JSON.stringify({ percent, changes: results.length, survivors, argued })}\n`
        : `${survivors.map(describe).join("")}Tests notice ${noticed.length} of ${counted} changes (${percent} %)${
            argued.length > 0 ? `; ${argued.length} more make no difference, says supabase/untested.txt` : ""
          }.\n`,
    );
    if (least !== undefined && percent < least) {
      throw new CommandError(`Tests notice ${percent} % of the changes, fewer than ${least} %.`);
    }
  },
};

function describe({ id, change, missing, deciding }: MutantResult): string {
  const more = deciding.length > SHOWN ? ` and ${deciding.length - SHOWN} more` : "";
  const files =
    deciding.length > 0
      ? `Tests that decide something there: ${deciding.slice(0, SHOWN).join(", ")}${more}`
      : "No test decides anything there";
  return `${id}\n  No test notices that ${change}.\n  Missing: ${missing}. ${files}.\n`;
}

/** The text of the migrations that were added or changed since a commit. */
function changedSql({ projectFolder, supabaseFolder }: Config, ref: string): string {
  try {
    const migrations = join(supabaseFolder, "migrations");
    const kinds = ["--no-ext-diff", "--name-only", "--diff-filter=d", "--relative"];
    return safeGit(projectFolder, "diff", ...kinds, ref, "--", migrations)
      .split("\n")
      .filter((name) => name !== "")
      .map((name) => readFileSync(join(projectFolder, name), "utf8"))
      .join("\n");
  } catch (error) {
    throw new CommandError(`git does not say what was changed since ${ref}: ${(error as Error).message}`);
  }
}

/** Whether the text names a change's policy, or its function. */
function named(sql: string): (mutant: Mutant) => boolean {
  return ({ of }) => {
    const names =
      "function" in of
        ? [of.function.slice(0, of.function.indexOf("(")).split(".").at(-1) ?? ""]
        : of.policies.map(({ name }) => name);
    return names.some((name) => sql.includes(name));
  };
}

/** Runs the user's command for the files that decide something. @returns what noticed the change. */
function noticedByCommand(
  { projectFolder }: Config,
  run: string,
  { sql, deciding }: MutantResult,
): string | undefined {
  const files = deciding.filter((file) => !/\.(sql|pg)$/.test(file));
  if (files.length === 0) return undefined;
  const quoted = files.map((file) => `'${file.replaceAll("'", "'\\''")}'`);
  const { status } = spawnSync(`${run} ${quoted.join(" ")}`, {
    cwd: projectFolder,
    shell: true,
    stdio: "ignore",
    env: { ...process.env, HOMEBASE_MUTANT: sql, HOMEBASE_COVERAGE: "" },
  });
  return status === 0 ? undefined : `${run} ${files.join(" ")}`;
}
