/** The landing page's live example: the real board and menu card, loaded when they come into view. */
import { expect, test } from "../fixtures.ts";
import { barriers } from "../quality/axe.ts";

test("the live example is loaded when it comes into view, and follows the visitor's answers", async ({
  person,
}) => {
  const { page } = await person("Visitor", { device: "phone" });
  await page.goto("/");
  await expect(page.getByRole("link", { name: "Plan a meal" })).toBeInViewport({ ratio: 1 });
  await expect(page.getByRole("grid")).toHaveCount(0);
  await page.getByRole("heading", { name: /^Mark when you're free/ }).scrollIntoViewIfNeeded();
  const card = page.getByRole("article", { name: "Best match" });
  // Friends' answers arrive one after the other; with reduced motion all are there.
  await expect(card).toContainText("1 yet to answer");
  await expect(card.getByRole("listitem").filter({ hasText: "You" })).toContainText("no answer yet");
  const before = await card.getByRole("heading", { level: 3 }).textContent();
  expect(["Momo Sete", "Arroz Doce"]).toContain(before);

  const cells = page.getByRole("gridcell");
  await expect(cells).toHaveCount(6);
  const line = card.getByRole("listitem").filter({ hasText: "You" }).first();
  await page.getByRole("radio", { name: "Yes", exact: true }).click();
  for (const index of [0, 1, 2, 3, 4, 5]) await cells.nth(index).click();
  await expect(line).toContainText("can come");
  await expect(card).not.toContainText("yet to answer");
  await page.getByRole("radio", { name: "No", exact: true }).click();
  for (const index of [0, 1, 2, 3, 4, 5]) await cells.nth(index).click();
  await expect(line).toContainText("can't come");
  expect(await barriers(page)).toEqual([]);
});

test("the example works by keyboard alone", async ({ person }) => {
  const { page } = await person("Visitor");
  await page.goto("/");
  await page.getByRole("heading", { name: /^Mark when you're free/ }).scrollIntoViewIfNeeded();
  const cells = page.getByRole("gridcell");
  await cells.first().focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Space");
  await expect(cells.nth(2)).toHaveAccessibleName(/You: Yes\./);
});
