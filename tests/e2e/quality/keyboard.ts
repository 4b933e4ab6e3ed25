/** Owns keyboard helpers: reaching elements with Tab, and checking that the focus is visible. */
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

/** Presses Tab until the element is focused; reports the visited ones when it never is. */
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

/** Reaches an element and presses it. */
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

/** Fails when the focused element is not visible: without a focus ring, off the screen, or under a bar. */
export async function expectSeen(page: Page): Promise<void> {
  // Scrolling to the focused element takes a frame, and more with smooth scrolling.
  await expect.poll(() => page.evaluate(focusFault)).toBe("");
}

/**
 * Runs in the page.
 * @returns the error, or undefined
 */
function focusFault(): string {
  const focused = document.activeElement;
  if (!(focused instanceof HTMLElement) || focused === document.body) return "";
  // A radio button is drawn by its label; the input itself is invisible.
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
  // An element larger than the screen cannot be completely visible.
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
    // A sticky element next to or below the focused one does not cover it.
    const middle = document.elementFromPoint(
      Math.min(box.right, other.right) - across / 2,
      Math.min(box.bottom, other.bottom) - down / 2,
    );
    if (middle && bar.contains(middle)) return `under a bar by ${Math.round(down)} px: ${called}`;
  }
  return "";
}
