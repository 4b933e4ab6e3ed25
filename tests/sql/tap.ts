/**
 * Owns parsing TAP, the Test Anything Protocol, as pgTAP writes it: a plan, a line for each assertion, and
 * diagnostics after failed ones.
 */

export interface Assertion {
  number: number;
  passed: boolean;
  description: string;
  /** pgTAP's details of a failure: actual and expected values. */
  diagnostics: string[];
}

export interface TapReport {
  /** Number of assertions that the file planned; undefined without a plan. */
  planned: number | undefined;
  assertions: Assertion[];
  /** Diagnostics of no assertion: "Looks like you planned 5 tests but ran 4". */
  complaints: string[];
}

const PLAN = /^1\.\.(\d+)/;
const ASSERTION = /^(not )?ok (\d+)(?: - (.*))?$/;

/**
 * Parses TAP output, one line or several in each entry. Other lines are results of other statements and are
 * ignored.
 */
export function parseTap(output: readonly string[]): TapReport {
  const report: TapReport = { planned: undefined, assertions: [], complaints: [] };
  for (const line of output.flatMap((text) => text.split("\n"))) {
    const plan = PLAN.exec(line);
    const assertion = ASSERTION.exec(line);
    if (plan) {
      report.planned = Number(plan[1]);
    } else if (assertion) {
      report.assertions.push({
        number: Number(assertion[2]),
        passed: assertion[1] === undefined,
        description: assertion[3] ?? "",
        diagnostics: [],
      });
    } else if (line.startsWith("#")) {
      const text = line.replace(/^# ?/, "");
      const last = report.assertions.at(-1);
      if (/^Looks like you /.test(text)) report.complaints.push(text);
      else if (last && !last.passed) last.diagnostics.push(text);
    }
  }
  return report;
}
