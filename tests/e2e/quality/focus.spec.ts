/** Where the focus goes: into a sheet's first field, to the screen after joining, and where it was after sending. */

import { linkTo } from "../entry/links.ts";
import { expect, test } from "../fixtures.ts";
import { composer, say } from "../plan/conversation.ts";
import { layTable } from "../tables.ts";

test("a sheet that begins with a field has the focus there, and one that does not on itself", async ({
  ana,
  stack,
}) => {
  const table = await layTable(stack, { title: "Fields", guests: ["ben"], withPlaces: true });
  const { page } = await ana();
  await page.goto(table.path);
  const dialog = page.getByRole("dialog");
  const opens = async (button: string, field: ReturnType<typeof dialog.getByRole>) => {
    await page.getByRole("button", { name: button, exact: true }).click();
    await expect(field, button).toBeFocused();
    await page.keyboard.press("Escape");
    await expect(dialog).toHaveCount(0);
  };
  await opens("Suggest another time", dialog.getByLabel("Day"));
  await opens("Invite", dialog.getByRole("combobox", { name: "Works for" }));
  await page.getByRole("button", { name: "Manage plan" }).click();
  await expect(dialog).toBeFocused();
  await dialog.getByRole("button", { name: "Edit plan" }).click();
  await expect(dialog.getByRole("textbox", { name: "Plan name" })).toBeFocused();
  await page.keyboard.press("Escape");
  await page.getByRole("tab", { name: "Where" }).click();
  await opens("Suggest another place", dialog.locator("input").first());
});

test("after joining the focus is at the start of the plan, and stays in the composer after sending", async ({
  person,
  stack,
}) => {
  const table = await layTable(stack, { title: "Keyboard", guests: ["ben"] });
  const { page } = await person("Kim", { device: "phone" });
  await page.goto(await linkTo(stack, table.id));
  await page.getByRole("textbox", { name: "Your name" }).fill("Kim");
  await page.keyboard.press("Enter");
  await page.waitForURL(table.path);
  await expect(page.getByRole("main")).toBeFocused();
  await page.getByRole("tab", { name: "Chat" }).click();
  await say(page, "Hello");
  await expect(composer(page)).toBeFocused();
  await composer(page).fill("Again");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await expect(page.getByText("Again", { exact: true })).toBeVisible();
  await expect(composer(page)).toBeFocused();
});

test("what a press takes off the screen leaves the focus at the open tab", async ({ person, ana, stack }) => {
  const table = await layTable(stack, { title: "Kept", guests: ["ben"], withPlaces: true, days: 1 });
  const { page: kim } = await person("Kim", { device: "phone" });
  await kim.goto(await linkTo(stack, table.id));
  await kim.getByRole("textbox", { name: "Your name" }).fill("Kim");
  await kim.keyboard.press("Enter");
  await kim.getByRole("tab", { name: "Where" }).click();
  await kim.getByRole("button", { name: "Skip" }).click();
  await expect(kim.getByRole("button", { name: "Skip" })).toHaveCount(0);
  await expect(kim.getByRole("tab", { name: "Where" })).toBeFocused();

  const { page } = await ana();
  await page.goto(`${table.path}?tab=best`);
  // The card is another one until trips and ratings have come.
  await page.waitForLoadState("networkidle");
  await page.getByRole("button", { name: "Choose only the time" }).press("Enter");
  await expect(page.getByRole("article", { name: "Ticket" })).toBeVisible();
  await expect(page.getByRole("tab", { name: "Best" })).toBeFocused();
});
