/** Owns asking axe: WCAG 2.2 AA and what it advises besides, at any impact, on a page or on a part of it. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { expect, type Page } from "@playwright/test";
import type { AxeResults, RunOptions } from "axe-core";

const NORM = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

const source = readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** All of the norm; or only colours, for a page that was heard already and is shown in another light. */
export type What = "everything" | "colours";

const options: Record<What, RunOptions> = {
  everything: {
    runOnly: { type: "tag", values: NORM },
    // Of 2.2, and off unless it is asked for by name.
    rules: { "target-size": { enabled: true } },
    resultTypes: ["violations"],
  },
  colours: { runOnly: { type: "rule", values: ["color-contrast"] }, resultTypes: ["violations"] },
};

/**
 * What is in somebody's way, as one line each.
 * @param within a selector of the part to look at, for a sheet over a page that was looked at before
 */
export async function barriers(
  page: Page,
  { what = "everything", within }: { what?: What; within?: string } = {},
): Promise<string[]> {
  // Once for each document: axe is half a megabyte.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(await source);
  const { violations, looked } = await page.evaluate(
    async ([part, run]) => {
      const { axe } = window as unknown as {
        axe: { run(within: Document | string, options: RunOptions): Promise<AxeResults> };
      };
      // What an open dialog covers is hidden from everybody, and axe guesses at that while it is drawn.
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
  // A page on which axe found nothing to look at has no barriers either.
  expect(looked).toBeGreaterThan(0);
  return violations;
}
