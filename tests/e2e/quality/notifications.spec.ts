/** Accessibility of the offer of notifications, their setting, a host's notes and the calendar sheet. */
import type { Page } from "@playwright/test";
import { devices, expect, signIn, test, wholeBrowser } from "../fixtures.ts";
import { settle, showIn } from "../screens.ts";
import { layTable, people } from "../tables.ts";
import { barriers } from "./axe.ts";

test.use(wholeBrowser);

/** Checks the page in both colour schemes, and that it fits 320 px. */
async function check(page: Page, name: string): Promise<void> {
  await settle(page);
  expect.soft(await barriers(page, {}), name).toEqual([]);
  await showIn(page, "dark");
  expect.soft(await barriers(page, { what: "colours" }), `${name}, dark`).toEqual([]);
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize(devices.small.viewport);
  await expect
    .poll(
      () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth),
      `${name}, what does not fit at 320 px`,
    )
    .toBe(0);
  await page.setViewportSize(devices.phone.viewport);
}

test("axe finds nothing in the offer of notifications, their setting and a host's notes", async ({
  ana,
  person,
  stack,
}) => {
  test.setTimeout(90_000);
  const table = await layTable(stack, {
    title: "Told at once",
    guests: ["ben", "chiara", "emre"],
    days: 1,
    withPlaces: true,
  });
  await stack.backend.sql(
    `insert into public.time_votes (option_id, plan_id, user_id, answer)
     values ('${table.times[0]}', '${table.id}', '${people.ben}', 'yes')`,
  );
  const { page: bens } = await person("Ben", { device: "phone", permissions: ["notifications"] });
  await bens.goto(`/sign-in?next=${table.path}`);
  await signIn(bens, "ben@nosh.test", table.path);
  await bens.getByText("Want to know when it's decided?").waitFor();
  await check(bens, "the offer");
  await bens.getByRole("button", { name: "Not now" }).click();
  await expect(bens.getByText("Want to know when it's decided?")).toHaveCount(0);
  await bens.goto("/me");
  await bens
    .getByRole("switch", { name: "Notify me on this device of decisions, changes and reminders" })
    .waitFor();
  await check(bens, "the setting");
  await bens.context().clearPermissions();
  await bens.context().grantPermissions([]);
  await bens.reload();
  await bens.getByText("Notifications are blocked for Nosh.").waitFor();
  await check(bens, "the setting, blocked");

  const { page } = await ana({ device: "phone" });
  await page.goto(table.path);
  // Ben has answered the times, and not yet the places.
  await page.getByRole("button", { name: "Nudge 3 people" }).click();
  await expect(page.getByRole("button", { name: "Nudged today" })).toBeDisabled();
  await check(page, "nudged today");
  await stack.backend.sql(
    `update public.private_profiles set mail_reminders = false where id = '${people.emre}'`,
  );
  await page.goto(`${table.path}?tab=best`);
  await page.getByRole("button", { name: "Choose this" }).click();
  await page.getByText("Emre won't hear from Nosh. Send this message:").waitFor();
  await check(page, "people whom no message reaches");
  await page.getByRole("button", { name: "Add to calendar" }).click();
  await page.getByRole("button", { name: "Get calendar link" }).waitFor();
  await check(page, "the calendar sheet");
});
