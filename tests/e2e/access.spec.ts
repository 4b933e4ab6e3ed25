/** Each main screen, for those who see, hear or point otherwise: axe, the narrowest screen, the keyboard. */
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { demoPassword } from "../../scripts/demo-accounts.ts";
import { devices, expect, test } from "./fixtures.ts";
import { screens, showIn, visit } from "./screens.ts";
import { type Watch, watch } from "./watch.ts";

/** What axe finds that keeps somebody out, as one line each. `rules`: only these. */
async function barriers(page: Page, rules?: string[]): Promise<string[]> {
  // Without frames there is nothing that axe would have to put together on a second page.
  const axe = new AxeBuilder({ page }).setLegacyMode();
  const { violations, passes } = await (rules ? axe.withRules(rules) : axe).analyze();
  // A page on which axe found nothing to look at has no barriers either.
  expect(passes.length).toBeGreaterThan(0);
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.failureSummary}`),
    );
}

test.describe("each main screen", () => {
  // One page each for who is signed in and who is not: the tour is long, and a warm browser is quick.
  const visitors = new Map<boolean, { page: Page; watch: Watch }>();

  test.beforeAll(async ({ browser, stack, anasSession }) => {
    for (const signedOut of [true, false]) {
      const context = await browser.newContext({
        ...devices.phone,
        baseURL: stack.app,
        reducedMotion: "reduce",
        ...(signedOut ? {} : { storageState: anasSession }),
      });
      const page = await context.newPage();
      visitors.set(signedOut, { page, watch: watch(page, signedOut ? "Nobody" : "Ana") });
    }
  });
  test.afterAll(async () => {
    for (const { page } of visitors.values()) await page.context().close();
  });

  for (const screen of screens) {
    test(`${screen.name}: nothing serious, light or dark, and no sideways scrolling at 320 px`, async () => {
      const visitor = visitors.get(screen.signedOut === true);
      if (!visitor) throw new Error("Nobody is here to visit.");
      const { page, watch: watched } = visitor;
      if (screen.complains) watched.expect(screen.complains);
      await page.setViewportSize(devices.phone.viewport);
      await page.emulateMedia({ colorScheme: "light" });
      await visit(page, screen);
      expect(await barriers(page), "light").toEqual([]);
      await showIn(page, "dark");
      // Only colours differ.
      expect(await barriers(page, ["color-contrast"]), "dark").toEqual([]);

      await page.setViewportSize(devices.small.viewport);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(width, "width of what is laid out on 320 px").toBeLessThanOrEqual(320);
      expect(watched.complaints.splice(0)).toEqual([]);
    });
  }
});

/** Presses Tab until the focus is on what the person wants; says where it was when it never comes. */
async function tabTo(page: Page, name: string | RegExp, role: "textbox" | "button" | "radio" | "tab") {
  const target = page.getByRole(role, { name, exact: typeof name === "string" }).first();
  await target.waitFor();
  for (let presses = 0; presses < 60; presses += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) {
      // Where one is must be seen, too.
      const seen = await target.evaluate((element) => {
        const style = getComputedStyle(element);
        return style.outlineStyle !== "none" || style.boxShadow !== "none";
      });
      expect(seen, `the focus on ${name} is visible`).toBe(true);
      return target;
    }
    await page.keyboard.press("Tab");
  }
  const at = await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 200));
  throw new Error(`Tab never reached the ${role} ${name}; it ended on ${at}`);
}

test("by keyboard alone: sign in, open a plan, vote, and take the vote back", async ({ person }) => {
  const { page } = await person("Fatou");
  await page.goto("/sign-in?next=/plans/00000000-0000-4000-8000-0000000000b1");
  await tabTo(page, "Email", "textbox");
  await page.keyboard.type("fatou@nosh.test");
  await page.keyboard.press("Tab");
  await page.keyboard.type(demoPassword);
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/plans\//);

  await tabTo(page, "Board", "radio");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Space");
  const mine = page.getByRole("radiogroup", { name: /^Your answer for/ }).first();
  await mine.waitFor();
  const yes = await tabTo(page, "Yes", "radio");
  await page.keyboard.press("Space");
  await expect(yes).toBeChecked();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Space");
  await expect(mine.getByRole("radio", { name: "If need be" })).toBeChecked();
  await expect(yes).not.toBeChecked();
  await page.keyboard.press("Space");
  await expect(mine.getByRole("radio", { checked: true })).toHaveCount(0);
});

test("by keyboard alone: tabs of a plan are walked by arrows, and a sheet gives the focus back", async ({
  ana,
}) => {
  const { page } = await ana();
  await page.goto("/plans/00000000-0000-4000-8000-0000000000b1");
  await tabTo(page, "When", "tab");
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("tab", { name: "Where" })).toHaveAttribute("aria-selected", "true");
  await expect(page.getByText("Jardim de Inverno").first()).toBeVisible();
  await page.keyboard.press("ArrowLeft");
  const trigger = await tabTo(page, "Put up another time", "button");
  await page.keyboard.press("Enter");
  const sheet = page.getByRole("dialog");
  await expect(sheet).toBeVisible();
  for (let presses = 0; presses < 12; presses += 1) {
    await page.keyboard.press("Tab");
    expect(await sheet.evaluate((element) => element.contains(document.activeElement))).toBe(true);
  }
  await page.keyboard.press("Escape");
  await expect(sheet).toBeHidden();
  await expect(trigger).toBeFocused();
});
