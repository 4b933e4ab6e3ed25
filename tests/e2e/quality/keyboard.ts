/** Owns doing without a pointer: reaching things with Tab, and seeing that one can see where one is. */
import { expect, type Page } from "@playwright/test";

type Role =
  | "textbox"
  | "searchbox"
  | "combobox"
  | "button"
  | "radio"
  | "row"
  | "tab"
  | "checkbox"
  | "link"
  | "gridcell"
  | "switch"
  | "region";

const MOST_PRESSES = 120;

/** Presses Tab until the focus is on what the person wants; says where it was when it never comes. */
export async function tabTo(page: Page, name: string | RegExp, role: Role): Promise<void> {
  const target = page.getByRole(role, { name, exact: typeof name === "string" }).first();
  await target.waitFor();
  for (let presses = 0; presses < MOST_PRESSES; presses += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) {
      await expectSeen(page);
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

/** Fails where one cannot see what has the focus: no mark on it, off the screen, or under a bar. */
export async function expectSeen(page: Page): Promise<void> {
  // Scrolling to what has the focus takes a frame, and more where it glides.
  await expect.poll(() => page.evaluate(whatHidesTheFocus), { timeout: 2_000 }).toBe("");
}

/** Runs in the page. @returns what is wrong, or nothing */
function whatHidesTheFocus(): string {
  const focused = document.activeElement;
  if (!(focused instanceof HTMLElement) || focused === document.body) return "";
  // A choice is drawn by its label; the input itself is out of sight.
  const choice = focused.matches("input[type=radio], input[type=checkbox]");
  const shown = (choice && focused.closest("label")) || focused;
  const called = `${shown.tagName} ${shown.getAttribute("aria-label") ?? shown.textContent?.trim().slice(0, 60)}`;
  const marked = [shown, ...shown.querySelectorAll("*")].some((element) => {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
    return (outlineStyle !== "none" && outlineWidth !== "0px") || boxShadow !== "none";
  });
  if (!marked) return `no mark on ${called}`;
  const box = shown.getBoundingClientRect();
  const { clientWidth: width, clientHeight: height } = document.documentElement;
  // What is larger than the screen cannot be on it as a whole.
  const tall = box.height > height * 0.6;
  const slack = 1;
  const off =
    box.right <= 0 ||
    box.left >= width ||
    (tall ? box.bottom <= 0 || box.top >= height : box.top < -slack || box.bottom > height + slack);
  if (off) return `off the screen: ${called}, ${Math.round(box.top)} to ${Math.round(box.bottom)}`;
  if (tall) return "";
  for (const bar of document.querySelectorAll<HTMLElement>("body *")) {
    const { position, visibility } = getComputedStyle(bar);
    if ((position !== "fixed" && position !== "sticky") || visibility === "hidden") continue;
    if (bar.contains(shown) || shown.contains(bar) || bar.closest("[inert], [aria-hidden=true]")) continue;
    const other = bar.getBoundingClientRect();
    const across = Math.min(box.right, other.right) - Math.max(box.left, other.left);
    const down = Math.min(box.bottom, other.bottom) - Math.max(box.top, other.top);
    if (across <= slack || down <= slack) continue;
    // A part of the page that sticks beside what has the focus, or below it, hides nothing.
    const middle = document.elementFromPoint(
      Math.min(box.right, other.right) - across / 2,
      Math.min(box.bottom, other.bottom) - down / 2,
    );
    if (middle && bar.contains(middle)) return `under a bar by ${Math.round(down)} px: ${called}`;
  }
  return "";
}
