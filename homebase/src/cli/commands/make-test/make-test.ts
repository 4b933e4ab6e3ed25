/** Owns `homebase make-test`: a request becomes a test in pgTAP or in Vitest. */
import { existsSync, rmSync } from "node:fs";
import { relative, resolve } from "node:path";
import { writeProjectFile } from "../../../config/project-paths.ts";
import { testOf } from "../../../explain/index.ts";
import { failureInVitest, failureOf, missingPackages, testFileOf } from "../../../tools/made-test.ts";
import { type Command, configFor, parseOptions, sharedHelp } from "../../kit/options.ts";
import { CommandError } from "../../kit/terminal.ts";
import { askHelp, askOptions, withAsked } from "../explain/asked.ts";

export const makeTest: Command = {
  help: `Usage: homebase make-test METHOD PATH [options]
       homebase make-test --id ID | --last [options]

Writes a test of what a request gets: that a row of a table or view is seen or hidden, that a write or an upload is
allowed or refused, what a function that does not write returns. The test has the people, the rows that decide and those that they refer to, and runs in any database
with the project's migrations. It is in pgTAP, or with --vitest in Vitest with supabase-js and homebase-stack/testing. It
is run once, in a new database or by the project's own Vitest; one that does not pass is not left.

A test goes into your repository: of the rows it has keys, references, flags and what policies compare; people get
addresses of example.com, other texts, numbers and dates are left out or replaced. The claims of the caller's token
that decide and the values of a write are as they were.

Options:
${askHelp}
  --keep COLUMN      keep the values of this column too, as schema.table.column; may stand several times
  --vitest           a test in Vitest
  --file PATH        where to write it (default: supabase/tests/<what it says>_test.sql, or tests/<what it says>.test.ts)
${sharedHelp}

Examples:
  homebase make-test --last --row 7
  homebase make-test GET /rest/v1/notes --as ana@example.com --row 7
  homebase make-test --last --vitest
  homebase make-test POST /rest/v1/notes --as ana@example.com --body '{"team_id":2}' --file supabase/tests/notes.sql`,
  run: async (args) => {
    const { values, positionals } = parseOptions(
      args,
      {
        ...askOptions,
        file: { type: "string" },
        keep: { type: "string", multiple: true },
        vitest: { type: "boolean" },
      },
      true,
    );
    const config = configFor(values);
    const kind = values.vitest ? "vitest" : "pgtap";
    const missing = kind === "vitest" ? missingPackages(config) : [];
    if (missing.length > 0) {
      throw new CommandError(
        `A test in Vitest needs packages that this project does not have: npm install --save-dev ${missing.join(" ")}`,
      );
    }
    const test = await withAsked(values, positionals, "make-test", (client, asked, options) =>
      testOf(client, asked, { ...options, keep: values.keep ?? [], kind }),
    );
    const file = resolve(config.projectFolder, values.file ?? testFileOf(config, test, kind));
    const path = relative(config.projectFolder, file);
    if (existsSync(file)) throw new CommandError(`${path} is there already: name another with --file.`);
    // Vitest runs files only.
    if (kind === "vitest") writeProjectFile(config.projectFolder, file, test.text);
    const failure = await (kind === "vitest" ? failureInVitest(config, path) : failureOf(config, path, test));
    if (failure !== undefined) {
      if (kind === "vitest") rmSync(file);
      throw new CommandError(
        `The test does not pass, so it was not written: ${failure}\nIt was:\n${test.text}`,
      );
    }
    if (kind === "pgtap") writeProjectFile(config.projectFolder, file, test.text);
    process.stdout.write(
      values.json
        ? `${JSON.stringify({ file: path, title: test.title })}\n`
        : `Wrote ${path}, which passes: ${test.title}.\n`,
    );
  },
};
