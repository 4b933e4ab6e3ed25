/** Number of taps: from a link to a vote, and from the landing page to a link to share. */
import type { Page } from "@playwright/test";
import { expect, test } from "../fixtures.ts";

/** Counts what the person taps in this tab, from now on. */
async function countTaps(page: Page): Promise<() => Promise<number>> {
  await page.addInitScript(() => {
    addEventListener(
      "click",
      () => sessionStorage.setItem("taps", String(Number(sessionStorage.getItem("taps") ?? 0) + 1)),
      true,
    );
  });
  return async () => Number(await page.evaluate(() => sessionStorage.getItem("taps")));
}

test("a guest comes from the link to a vote by two taps and a name", async ({ person, stack }) => {
  const { page } = await person("Noa", { device: "phone" });
  const taps = await countTaps(page);
  await page.goto("/join/demo-table");
  await page.getByRole("textbox", { name: "Your name" }).fill("Noa Two Taps");
  await page.getByRole("button", { name: "Take a seat" }).tap();
  const yes = page.getByRole("radio", { name: "Yes", exact: true }).first();
  await expect(yes).toBeInViewport({ ratio: 1 });
  await yes.tap();
  await expect
    .poll(() =>
      stack.backend.sql(
        `select v.answer from public.time_votes as v join public.profiles as p on p.id = v.user_id
         where p.display_name = 'Noa Two Taps'`,
      ),
    )
    .toEqual([{ answer: "yes" }]);
  expect(await taps()).toBe(2);
});

test("a host comes from the landing page to a link on the clipboard by four taps, without an account", async ({
  person,
}) => {
  const { page } = await person("Ines", { device: "phone" });
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const taps = await countTaps(page);
  await page.goto("/");
  await page.getByRole("link", { name: "Plan a meal" }).tap();
  // The fields are focused automatically: typing needs no tap.
  await expect(page.getByRole("textbox", { name: "Your name" })).toBeFocused();
  await page.keyboard.type("Ines");
  await page.getByRole("button", { name: "Continue" }).tap();
  await expect(page.getByRole("textbox", { name: "Plan name" })).toBeFocused();
  await page.keyboard.type("Soup night");
  await page.getByRole("button", { name: "Create plan" }).tap();
  const copy = page.getByRole("button", { name: "Copy link" });
  await expect(copy).toBeInViewport({ ratio: 1 });
  await copy.tap();
  await expect(page.getByText("Link copied.")).toBeAttached();
  expect(await taps()).toBe(4);

  const address = await page.evaluate(() => navigator.clipboard.readText());
  const { page: friends } = await person("Jo", { device: "phone" });
  await friends.goto(address);
  await expect(friends.getByText("Soup night")).toBeVisible();
});
