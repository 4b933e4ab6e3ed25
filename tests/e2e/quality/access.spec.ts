/** Accessibility of each main screen: axe, the narrowest screen, the keyboard. */
import { demoPassword } from "../../../scripts/demo-accounts.ts";
import type { Lent } from "../contexts.ts";
import { devices, endAnimationsAtOnce, expect, test } from "../fixtures.ts";
import { arrange, screens, showIn, visit } from "../screens.ts";
import { type Watch, watch } from "../watch.ts";
import { barriers } from "./axe.ts";
import { tabTo } from "./keyboard.ts";

// React warns of mistakes here.
test.use({ mode: "development" });

test.describe("each main screen", () => {
  // One page each for signed in and signed out, because a warm browser is faster.
  const visitors = new Map<boolean, Lent & { watch: Watch }>();

  test.use({ fresh: false });

  test.beforeAll(async ({ contexts, stack, anasSession }) => {
    await stack.reset();
    const session = await anasSession();
    for (const signedOut of [true, false]) {
      const lent = await contexts.lend(
        { ...devices.phone, baseURL: stack.app, reducedMotion: "reduce", serviceWorkers: "block" },
        { session: signedOut ? undefined : session, initScript: endAnimationsAtOnce },
      );
      visitors.set(signedOut, { ...lent, watch: watch(lent.page, signedOut ? "Nobody" : "Ana") });
    }
  });
  test.afterAll(async () => {
    for (const visitor of visitors.values()) await visitor.giveBack();
  });

  for (const screen of screens) {
    test(`${screen.name}: axe finds nothing, light or dark, and nothing overflows at 320 px`, async ({
      stack,
    }) => {
      await arrange(stack.backend.sql.bind(stack.backend), screen);
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
      expect(await barriers(page, { what: "colours" }), "dark").toEqual([]);

      await page.setViewportSize(devices.small.viewport);
      await expect
        .poll(
          () => page.evaluate(() => document.documentElement.scrollWidth),
          "width of what is laid out on 320 px",
        )
        .toBeLessThanOrEqual(320);
      expect(watched.complaints.splice(0)).toEqual([]);
    });
  }
});

test("by keyboard: sign in, open a plan, vote, and clear the vote", async ({ person }) => {
  const { page } = await person("Fatou");
  await page.goto("/sign-in?next=/plans/00000000-0000-4000-8000-0000000000b1");
  await tabTo(page, "Email", "textbox");
  await page.keyboard.type("fatou@nosh.test");
  await page.keyboard.press("Tab");
  await page.keyboard.type(demoPassword);
  await page.keyboard.press("Enter");
  await page.waitForURL("/plans/*");

  await tabTo(page, "Grid", "radio");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Space");
  const mine = page.getByRole("radiogroup", { name: /^Your answer for/ }).first();
  await mine.waitFor();
  await tabTo(page, "Yes", "radio");
  const yes = page.getByRole("radio", { name: "Yes", exact: true }).first();
  await page.keyboard.press("Space");
  await expect(yes).toBeChecked();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Space");
  await expect(mine.getByRole("radio", { name: "If need be" })).toBeChecked();
  await expect(yes).not.toBeChecked();
  await page.keyboard.press("Space");
  await expect(mine.getByRole("radio", { checked: true })).toHaveCount(0);
});

test("by keyboard: arrow keys switch a plan's tabs, and a closed sheet returns the focus", async ({
  ana,
}) => {
  const { page } = await ana();
  await page.goto("/plans/00000000-0000-4000-8000-0000000000b1");
  await tabTo(page, "When", "tab");
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("tab", { name: "Where" })).toHaveAttribute("aria-selected", "true");
  await expect(page.getByText("Jardim de Inverno").first()).toBeVisible();
  await page.keyboard.press("ArrowLeft");
  await tabTo(page, "Suggest another time", "button");
  const trigger = page.getByRole("button", { name: "Suggest another time" });
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
