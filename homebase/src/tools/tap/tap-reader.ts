/** Owns reading TAP (Test Anything Protocol) as pgTAP writes it: a plan, a line for each assertion, diagnostics. */

export interface Assertion {
  number: number;
  passed: boolean;
  description: string;
  /** Set for `# SKIP` and `# TODO`: the test counts as passed, even if its line begins with `not ok`. */
  directive?: "skip" | "todo";
  /** pgTAP's lines about a failure, for example the actual and the expected value. */
  diagnostics: string[];
}

export interface TapReport {
  /** How many assertions the file announced; undefined when it never said. */
  planned: number | undefined;
  assertions: Assertion[];
}

const PLAN = /^1\.\.(\d+)/;
const ASSERTION = /^(not )?ok (\d+)(?: (?:- )?(.*))?$/;
const DIRECTIVE = /\s*# (skip|todo)\b.*$/i;

/** Parses TAP output, one line or several in each entry. Lines of subtests are indented, and left out. */
export function parseTap(output: readonly string[]): TapReport {
  const report: TapReport = { planned: undefined, assertions: [] };
  for (const line of output.flatMap((text) => text.split("\n"))) {
    const plan = PLAN.exec(line);
    const assertion = ASSERTION.exec(line);
    if (plan) report.planned = Number(plan[1]);
    else if (assertion) {
      const text = assertion[3] ?? "";
      const directive = DIRECTIVE.exec(text)?.[1]?.toLowerCase() as Assertion["directive"];
      report.assertions.push({
        number: Number(assertion[2]),
        passed: assertion[1] === undefined || directive !== undefined,
        description: text,
        directive,
        diagnostics: [],
      });
    } else if (line.startsWith("#") && !/^# Looks like you /.test(line)) {
      const last = report.assertions.at(-1);
      if (last && !last.passed) last.diagnostics.push(line.replace(/^# ?/, ""));
    }
  }
  return report;
}
