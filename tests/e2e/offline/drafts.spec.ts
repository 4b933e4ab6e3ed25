/** Drafts: restored after a reload with a notice, can be discarded, and end when sent. */
import type { Page } from "@playwright/test";
import { expect, signIn, test } from "../fixtures.ts";
import { composer, messages } from "../plan/conversation.ts";
import { layTable } from "../tables.ts";

const RESTORED = "We saved your draft on this device.";

const drafts = (page: Page) =>
  page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith("nosh.draft.")));
const box = (page: Page, name: string) => page.getByRole("textbox", { name, exact: true });

test("the draft of a new plan survives a reload, and is removed once the plan is created", async ({
  ana,
}) => {
  const { page } = await ana({ device: "phone" });
  await page.goto("/plans/new");
  await box(page, "Plan name").fill("Soup for many");
  await page.getByRole("button", { name: "Note", exact: true }).click();
  await box(page, "Note").fill("Bring a spoon.");
  await expect(page.getByText("Draft saved on this device.")).toBeVisible();
  await page.getByRole("button", { name: "Where", exact: true }).click();
  await page.getByText("Cantina da Mouraria").click();
  await page.getByRole("button", { name: "Options" }).click();
  await page.getByRole("checkbox", { name: "Guests can suggest times and places" }).click({ force: true });
  await page.reload();
  await expect(page.getByText(RESTORED)).toBeVisible();
  await expect(box(page, "Plan name")).toHaveValue("Soup for many");
  for (const title of ["Note", "Where", "Options"])
    await page.getByRole("button", { name: title, exact: true }).click();
  await expect(box(page, "Note")).toHaveValue("Bring a spoon.");
  await expect(page.getByRole("checkbox", { name: "Cantina da Mouraria" })).toBeChecked();
  await expect(page.getByRole("checkbox", { name: "Guests can suggest times and places" })).not.toBeChecked();

  await page.getByRole("button", { name: "Start over" }).click();
  await expect(box(page, "Plan name")).toHaveValue("");
  await expect(box(page, "Plan name")).toBeFocused();
  await expect(page.getByText(RESTORED)).toHaveCount(0);
  await expect.poll(() => drafts(page)).toEqual([]);

  await box(page, "Plan name").fill("Soup for few");
  await page.getByRole("button", { name: "Create plan" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Soup for few" })).toBeVisible();
  await expect.poll(() => drafts(page)).toEqual([]);
  await page.goto("/plans/new");
  await expect(box(page, "Plan name")).toHaveValue("");
});

test("the draft of an edited plan survives a reload, and is merged with another host's changes", async ({
  ana,
  stack,
}) => {
  const table = await layTable(stack, { title: "Before the edit", days: 1 });
  const { page } = await ana();
  await page.goto(table.path);
  await page.getByRole("button", { name: "Manage plan" }).click();
  await page.getByRole("button", { name: "Edit plan" }).click();
  await page.getByRole("dialog").getByRole("textbox", { name: "Plan name" }).fill("After the edit");
  await expect.poll(() => drafts(page)).toHaveLength(1);
  // An open page would receive it.
  await page.goto("about:blank");
  await stack.backend.sql(`update public.plans set note = 'By the other host.' where id = '${table.id}'`);
  await page.goto(table.path);
  await page.getByRole("button", { name: "Manage plan" }).click();
  await page.getByRole("button", { name: "Edit plan" }).click();
  const sheet = page.getByRole("dialog");
  await expect(sheet.getByText(RESTORED)).toBeVisible();
  await expect(sheet.getByRole("textbox", { name: "Plan name" })).toHaveValue("After the edit");
  await expect(sheet.getByRole("textbox", { name: "Note", exact: true })).toHaveValue("By the other host.");
  await expect(sheet.getByText("We updated the note with their version.")).toBeVisible();
  await sheet.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "After the edit" })).toBeVisible();
  await expect.poll(() => drafts(page)).toEqual([]);
  const rows = await stack.backend.sql(`select title, note from public.plans where id = '${table.id}'`);
  expect(rows).toEqual([{ title: "After the edit", note: "By the other host." }]);
});

test("the draft of a message survives a reload, and is removed when cleared or sent", async ({
  ana,
  stack,
}) => {
  const table = await layTable(stack, { title: "Half a sentence", days: 1 });
  const { page } = await ana({ device: "phone" });
  await page.goto(`${table.path}?tab=chat`);
  await composer(page).fill("I wanted to say");
  await page.reload();
  await expect(composer(page)).toHaveValue("I wanted to say");
  await expect(page.getByText(RESTORED)).toBeVisible();
  await page.getByRole("button", { name: "Start over" }).click();
  await expect(composer(page)).toBeFocused();
  await page.keyboard.type("Never mind");
  await page.reload();
  await expect(composer(page)).toHaveValue("Never mind");
  await composer(page).press("Enter");
  await expect(messages(page, "Never mind")).toHaveCount(1);
  await expect.poll(() => drafts(page)).toEqual([]);
});

test("signing out leaves no drafts on the device", async ({ person }) => {
  const { page, watch } = await person("Chiara");
  watch.expect(/403/);
  await page.goto("/sign-in");
  await signIn(page, "chiara@nosh.test");
  await page.goto("/plans/new");
  await box(page, "Plan name").fill("A secret supper");
  await expect.poll(() => drafts(page)).toHaveLength(1);
  await page.goto("/me");
  await page.getByRole("button", { name: "Sign out on this device" }).click();
  await page.waitForURL((url) => url.pathname === "/");
  await expect.poll(() => drafts(page)).toEqual([]);
});
