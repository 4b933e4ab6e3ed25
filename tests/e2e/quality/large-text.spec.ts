/** A phone whose text is twice as large: answers, the ticket and the arrival board are neither cut nor broken within words. */
import type { Page } from "@playwright/test";
import { expect, test } from "../fixtures.ts";
import { settle } from "../screens.ts";

const DINNER = "/plans/00000000-0000-4000-8000-0000000000b1";
const LUNCH = "/plans/00000000-0000-4000-8000-0000000000b4";

/** Words of at most ten letters that stand on two lines, or outside the element that clips them. */
const lostWords = (page: Page, within: string) =>
  page.locator(within).evaluateAll((parts) => {
    const lost = new Set<string>();
    for (const part of parts) {
      const texts = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
      while (texts.nextNode()) {
        const text = texts.currentNode as Text;
        const owner = text.parentElement;
        if (!owner?.checkVisibility() || owner.closest(".sr-only, .truncate, [class*='line-clamp']"))
          continue;
        const clip = owner.closest(".overflow-hidden")?.getBoundingClientRect();
        for (const { 0: word, index } of text.data.matchAll(/\S+/g)) {
          // A word with a hyphen has a place where it may break.
          if (word.length > 10 || word.includes("-")) continue;
          const range = document.createRange();
          range.setStart(text, index);
          range.setEnd(text, index + word.length);
          const boxes = [...range.getClientRects()].filter(({ width }) => width > 0);
          const lines = new Set(boxes.map(({ top }) => Math.round(top)));
          const cut = boxes.some(
            ({ left, right }) => clip && (left < clip.left - 1 || right > clip.right + 1),
          );
          if (lines.size > 1 || cut) lost.add(word);
        }
      }
    }
    return [...lost];
  });

test("with text of twice the size no answer is cut, and no short word is broken", async ({ ana }) => {
  const { page } = await ana({ device: "phone" });
  const enlarge = () => page.addStyleTag({ content: "html { font-size: 200% !important }" });
  await page.goto(`${DINNER}?tab=when`);
  await expect(page.getByRole("tabpanel").getByRole("radiogroup").nth(1)).toBeVisible();
  await enlarge();
  await settle(page);
  await expect.poll(() => lostWords(page, "[role=tabpanel] [role=radiogroup]"), "answers").toEqual([]);
  for (const [tab, ready] of [
    ["where", "Jardim de Inverno"],
    ["best", "For each person"],
  ] as const) {
    await page.goto(`${DINNER}?tab=${tab}`);
    await expect(page.getByText(ready).first()).toBeVisible();
    await enlarge();
    await settle(page);
    await expect.poll(() => lostWords(page, "[role=tabpanel] article"), tab).toEqual([]);
  }
  await page.goto(`${LUNCH}?tab=day`);
  await expect(page.getByRole("rowheader").first()).toBeVisible();
  await enlarge();
  await settle(page);
  await expect.poll(() => lostWords(page, "h1"), "name").toEqual([]);
  await expect.poll(() => lostWords(page, "[role=tabpanel] table"), "board").toEqual([]);
  await expect
    .poll(() => lostWords(page, "article [role=radiogroup], article h2, article p"), "ticket")
    .toEqual([]);
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
});
