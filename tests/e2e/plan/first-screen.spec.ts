/** A new plan on a phone: inviting is on the first screen, and moves no vote, neither as it loads nor as a link is made. */
import type { Page } from "@playwright/test";
import { expect, test } from "../fixtures.ts";

const DINNER = "/plans/00000000-0000-4000-8000-0000000000b1";

const topOfVotes = (page: Page) =>
  page.getByRole("tabpanel").evaluate((panel) => panel.getBoundingClientRect().top);

for (const [locale, width] of [
  ["en-GB", 390],
  ["de-DE", 390],
  ["de-DE", 320],
] as const) {
  test(`the first invitation moves no vote, ${locale}, ${width} px`, async ({ person }) => {
    const { page } = await person("Ines", { device: "phone", locale, viewport: { width, height: 844 } });
    // A name only: the invitation then also has the way to keep one's seat.
    await page.goto("/start");
    await page.getByRole("textbox").fill("Ines");
    await page.getByRole("textbox").press("Enter");
    const title = page.getByRole("textbox", { name: /^(Plan name|Name des Plans)$/ });
    await title.fill("Soup");
    await title.press("Enter");
    await page.waitForURL(/plans\/[0-9a-f-]{36}/);
    await expect(page.getByRole("radio").first()).toBeVisible();

    let load = () => {};
    const held = new Promise<void>((done) => {
      load = done;
    });
    await page.route(/first-invite/, async (route) => {
      await held;
      await route.continue();
    });
    await page.reload();
    await expect(page.getByRole("radio").first()).toBeVisible();
    const invitation = page.getByRole("region", { name: /^(Invite your friends|Lade deine Freunde ein)$/ });
    await expect(invitation).toHaveCount(0);
    // Without what is said in this place while the page is not live yet.
    await expect(page.getByText(/^(Voting is open|Die Abstimmung läuft)$/)).toBeVisible();
    const before = await topOfVotes(page);
    /** Less than a pixel is not seen. */
    const isStill = async () => expect(Math.abs((await topOfVotes(page)) - before)).toBeLessThan(1);
    load();
    // The link of the page that made the plan is gone with it: another is made.
    await expect(invitation).toBeInViewport({ ratio: 1 });
    await expect(invitation.getByRole("button")).toHaveCount(2);
    await isStill();
    await invitation.getByRole("button").first().click();
    await expect(invitation.getByRole("textbox")).toBeVisible();
    await isStill();
  });
}

test("with people at the table, inviting is on the first screen of a phone", async ({ ana }) => {
  const { page } = await ana({ device: "phone" });
  await page.goto(DINNER);
  const invite = page.getByRole("button", { name: "Invite", exact: true });
  await expect(invite).toBeInViewport({ ratio: 1 });
  await expect(invite).toHaveCount(1);
  await invite.click();
  await expect(page.getByRole("dialog", { name: "Invite" })).toBeVisible();
});
