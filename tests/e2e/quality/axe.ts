/** Owns running axe: WCAG 2.2 AA and best practices, at any impact, on a page or on a part of it. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { expect, type Page } from "@playwright/test";
import type { AxeResults, RunOptions } from "axe-core";

const NORM = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

const source = readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** All rules; or only colours, for a checked page in the other theme. */
export type What = "everything" | "colours";

const options: Record<What, RunOptions> = {
  everything: {
    runOnly: { type: "tag", values: NORM },
    // Part of 2.2, and disabled by default.
    rules: { "target-size": { enabled: true } },
    resultTypes: ["violations"],
  },
  colours: { runOnly: { type: "rule", values: ["color-contrast"] }, resultTypes: ["violations"] },
};

/**
 * Violations that stay, one line each: a page is looked at again for a moment, as what it still replaces has no colour or role.
 * @param within a selector of the part to check, for a sheet over a page that was checked before
 */
export async function barriers(
  page: Page,
  { what = "everything", within }: { what?: What; within?: string } = {},
): Promise<string[]> {
  let found = await violationsNow(page, what, within);
  for (let looks = 0; found.length > 0 && looks < 10; looks++) {
    await page.waitForTimeout(300);
    found = await violationsNow(page, what, within);
  }
  return found;
}

async function violationsNow(page: Page, what: What, within: string | undefined): Promise<string[]> {
  // Once for each document: axe is half a megabyte.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(await source);
  const { violations, looked } = await page.evaluate(
    async ([part, run]) => {
      const { axe } = window as unknown as {
        axe: { run(within: Document | string, options: RunOptions): Promise<AxeResults> };
      };
      // Content behind an open dialog is hidden from everybody, and axe misjudges it during the transition.
      const dialog = document.querySelector('[role="dialog"]') ? '[role="dialog"]' : document;
      const found = await axe.run(part ?? dialog, run);
      return {
        violations: found.violations.flatMap(({ id, nodes }) =>
          nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.failureSummary}`),
        ),
        looked: found.passes.length,
      };
    },
    [within ?? null, options[what]] as const,
  );
  // No checked element also means no violation.
  expect(looked).toBeGreaterThan(0);
  return violations;
}
