/** On no main screen are two buttons of one name that do different things. */
import type { Page } from "@playwright/test";
import { expect, test } from "../fixtures.ts";
import { arrange, screens, visit } from "../screens.ts";

/** Names that more than one button has. Buttons of a named group, such as an answer's, have the group's name too. */
const repeated = (page: Page) =>
  page.evaluate(() => {
    const names = [...document.querySelectorAll<HTMLElement>("button")]
      .filter(
        (button) =>
          button.checkVisibility() && !button.closest('[inert], [aria-hidden="true"], [role="radiogroup"]'),
      )
      .map((button) => (button.getAttribute("aria-label") ?? button.textContent).trim());
    return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
  });

const LISTS = [
  "circle",
  "plan-when",
  "plan-where",
  "plan-best",
  "plan-requests",
  "places",
  "notifications",
  "me",
];

test("each button of a list is named with what it acts on", async ({ ana, stack }) => {
  test.setTimeout(180_000);
  const { page } = await ana({ device: "phone" });
  for (const screen of screens.filter(({ name }) => LISTS.includes(name))) {
    await arrange(stack.backend.sql.bind(stack.backend), screen);
    await visit(page, screen);
    await expect.poll(() => repeated(page), screen.name).toEqual([]);
  }
});
