/** Owns doing without a pointer: reaching things with Tab, and seeing that one can see where one is. */
import { expect, type Page } from "@playwright/test";

type Role =
  | "textbox"
  | "searchbox"
  | "button"
  | "radio"
  | "tab"
  | "checkbox"
  | "link"
  | "gridcell"
  | "switch";

const MOST_PRESSES = 120;

/** Presses Tab until the focus is on what the person wants; says where it was when it never comes. */
export async function tabTo(page: Page, name: string | RegExp, role: Role): Promise<void> {
  const target = page.getByRole(role, { name, exact: typeof name === "string" }).first();
  await target.waitFor();
  for (let presses = 0; presses < MOST_PRESSES; presses += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) {
      // Where one is must be seen, too, and not be under a bar.
      const seen = await target.evaluate((element) => {
        const style = getComputedStyle(element);
        return (
          style.outlineStyle !== "none" || style.boxShadow !== "none" || element.matches("input, textarea")
        );
      });
      expect(seen, `the focus on ${name} is visible`).toBe(true);
      return;
    }
    await page.keyboard.press("Tab");
  }
  const at = await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 200));
  throw new Error(`Tab never reached the ${role} ${name}; it ended on ${at}`);
}

/** Reaches a thing and presses it. */
export async function press(page: Page, name: string | RegExp, role: Role, key = "Enter"): Promise<void> {
  await tabTo(page, name, role);
  await page.keyboard.press(key);
}

/** Reaches an input and types into it. */
export async function fill(
  page: Page,
  name: string | RegExp,
  text: string,
  role: Role = "textbox",
): Promise<void> {
  await tabTo(page, name, role);
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type(text);
}
