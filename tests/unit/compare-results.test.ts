/** The comparison of test results on two backends. */
import { expect, test } from "vitest";
import { differences, resultsOf } from "../../scripts/compare-results.ts";

const vitest = (results: Record<string, string>) => ({
  testResults: [
    {
      assertionResults: Object.entries(results).map(([fullName, status]) => ({
        fullName,
        status,
        failureMessages: status === "failed" ? [`expected ${fullName}\nat a line`] : [],
      })),
    },
  ],
});
const playwright = (results: Record<string, string>) => ({
  suites: [
    {
      title: "plan/day.spec.ts",
      suites: [
        {
          title: "a day",
          specs: Object.entries(results).map(([title, status]) => ({
            title,
            tests: [
              {
                status,
                results: status === "unexpected" ? [{ error: { message: "no button\nlog" } }] : [{}],
              },
            ],
          })),
        },
      ],
    },
  ],
});

test("a test with another result is named with its first line; one that ran on one side only is counted", () => {
  const left = resultsOf(vitest({ same: "passed", broken: "passed", known: "failed", here: "passed" }));
  const right = resultsOf(vitest({ same: "passed", broken: "failed", known: "failed", here: "skipped" }));
  expect(differences(left, right)).toEqual({
    differing: ["broken\n  passed, then failed: expected broken"],
    compared: 3,
    onlyOnOne: 1,
  });
  expect(differences(right, new Map())).toEqual({ differing: [], compared: 0, onlyOnOne: 3 });
});

test("of Playwright's report, a flaky test passed, and a name has its file and groups", () => {
  const left = resultsOf(playwright({ same: "flaky", broken: "unexpected", away: "expected" }));
  const right = resultsOf(playwright({ same: "expected", broken: "expected", away: "skipped" }));
  expect(differences(left, right)).toEqual({
    differing: ["plan/day.spec.ts > a day > broken\n  failed, then passed: no button"],
    compared: 2,
    onlyOnOne: 1,
  });
});

test("another format is refused", () => {
  expect(() => resultsOf({ tests: [] })).toThrow("neither a report of Vitest nor of Playwright");
  expect(() => resultsOf(undefined)).toThrow("not an object");
});
