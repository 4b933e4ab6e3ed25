/** A guest who lost their device: a name that is taken, asking for the seat, and who may move it. */
import type { Page } from "@playwright/test";
import { expect, test } from "../fixtures.ts";
import { barriers } from "../quality/axe.ts";
import { layTable } from "../tables.ts";
import { linkTo, sitDown } from "./links.ts";

async function typeName(page: Page, name: string) {
  await page.getByRole("textbox", { name: "Your name" }).fill(name);
  await page.getByRole("button", { name: "Take a seat" }).click();
}

test("a guest's seat moves to their other device once a host says yes, and the old device says so", async ({
  ana,
  person,
  stack,
}) => {
  const table = await layTable(stack, { title: "Soup without a phone", days: 3 });
  const link = await linkTo(stack, table.id);
  const [{ page: anas }, { page: old }, { page: other }] = await Promise.all([
    ana(),
    person("Benno", { device: "phone" }),
    person("Benno's new phone", { device: "small" }),
  ]);
  await sitDown(old, link, "Benno");
  await old.getByRole("radio", { name: "Yes", exact: true }).first().click();
  await expect
    .poll(() => stack.backend.sql(`select 1 from public.time_votes where plan_id = '${table.id}'`))
    .toHaveLength(1);
  await anas.goto(table.path);
  await expect(anas.getByRole("heading", { level: 1, name: "Soup without a phone" })).toBeVisible();

  await other.clock.install();
  await other.goto(link);
  await typeName(other, "Benno");
  const question = other.getByRole("heading", { name: "Benno is already at the table. Is that you?" });
  await expect(question).toBeFocused();
  expect(await barriers(other)).toEqual([]);
  await other.getByRole("button", { name: "No, use another name" }).click();
  await expect(other.getByRole("textbox", { name: "Your name" })).toBeFocused();
  await expect(other.getByText("Add an initial, so people can tell you apart.")).toBeVisible();
  await typeName(other, "Benno");
  await other.getByRole("button", { name: "Yes, ask for my seat" }).click();
  await expect(other.getByText("You've asked to join")).toBeVisible();

  const asking = anas.getByRole("region", { name: "Asking to join" });
  await expect(asking.getByText("Benno is asking for their seat, on another device.")).toBeVisible();
  expect(await barriers(anas)).toEqual([]);
  await asking.getByRole("button", { name: "Move the seat of Benno" }).click();
  await expect(asking).toHaveCount(0);
  await other.clock.runFor(11_000);
  await expect(other.getByRole("radio", { name: "Yes", exact: true }).first()).toBeChecked();

  await expect(old.getByText("Your seat moved to another device")).toBeVisible();
  await old.goto("/notifications");
  await expect(old.getByText("Your seat at a plan moved to another device.")).toBeVisible();
});

test("the old device is asked whether it is the same person, and says no", async ({ person, stack }) => {
  const table = await layTable(stack, { title: "Two Noras", days: 3 });
  const link = await linkTo(stack, table.id);
  const [{ page: old }, { page: other }] = await Promise.all([
    person("Nora", { device: "small" }),
    person("Another Nora"),
  ]);
  await sitDown(old, link, "Nora");
  await expect(old.getByRole("tab", { name: "When" })).toBeVisible();
  await other.clock.install();
  await other.goto(link);
  await typeName(other, "Nora");
  await other.getByRole("button", { name: "Yes, ask for my seat" }).click();
  await expect(other.getByText("You've asked to join")).toBeVisible();

  const asked = old.getByRole("region", { name: "Is that you on another device?" });
  await expect(asked.getByRole("button", { name: "Yes, move my seat" })).toBeVisible();
  expect(await barriers(old)).toEqual([]);
  await asked.getByRole("button", { name: "No, that's not me" }).click();
  await expect(asked).toHaveCount(0);
  await other.clock.runFor(11_000);
  await expect(other.getByText("You weren't let in")).toBeVisible();
});

test("the name of a person with an account leads to signing in", async ({ person, stack }) => {
  const table = await layTable(stack, { title: "On the other phone" });
  const { page } = await person("Ana elsewhere", { device: "phone" });
  await page.goto(await linkTo(stack, table.id));
  await typeName(page, "ana duarte");
  await expect(
    page.getByRole("heading", { name: "Ana Duarte is already at the table. Is that you?" }),
  ).toBeFocused();
  await page.getByRole("link", { name: "Yes, sign in" }).click();
  await page.waitForURL(/\/sign-in/);
});

test("the plan's own link asks the same once a host has opened it", async ({ ana, person, stack }) => {
  const table = await layTable(stack, { title: "Open to all", days: 3 });
  await stack.backend.sql(`update public.plans set joins_by_link = true where id = '${table.id}'`);
  const [{ page: anas }, { page: old }, { page: other }] = await Promise.all([
    ana(),
    person("Benno", { device: "phone" }),
    person("Benno's new phone", { device: "small" }),
  ]);
  await old.goto(table.path);
  await typeName(old, "Benno");
  await old.waitForURL((url) => url.pathname === table.path);
  await anas.goto(table.path);
  await other.clock.install();
  await other.goto(table.path);
  await typeName(other, "benno");
  await expect(
    other.getByRole("heading", { name: "Benno is already at the table. Is that you?" }),
  ).toBeFocused();
  expect(await barriers(other)).toEqual([]);
  await other.getByRole("button", { name: "Yes, ask for my seat" }).click();
  await expect(other.getByText("You've asked to join")).toBeVisible();
  const asking = anas.getByRole("region", { name: "Asking to join" });
  await asking.getByRole("button", { name: "Move the seat of Benno" }).click();
  await expect(asking).toHaveCount(0);
  await other.clock.runFor(11_000);
  await other.waitForURL((url) => url.pathname === table.path);
  await expect(old.getByText("Your seat moved to another device")).toBeVisible();
});

test("by a plan's link that nobody has opened, a guest asks for their seat without hearing who is there", async ({
  ana,
  person,
  stack,
}) => {
  const table = await layTable(stack, { title: "Closed to strangers", days: 3 });
  const [{ page: anas }, { page: old }, { page: other }] = await Promise.all([
    ana(),
    person("Benno", { device: "phone" }),
    person("Benno's new phone", { device: "small" }),
  ]);
  await sitDown(old, await linkTo(stack, table.id), "Benno");
  await anas.goto(table.path);
  await other.clock.install();
  await other.goto(table.path);
  const back = other.getByRole("button", { name: "I've joined before: ask for my seat" });
  await back.click();
  await expect(other.getByRole("textbox", { name: "Your name" })).toBeFocused();
  await other.getByRole("textbox", { name: "Your name" }).fill("Benno");
  await back.click();
  await expect(other.getByText("You've asked to join")).toBeVisible();
  const asking = anas.getByRole("region", { name: "Asking to join" });
  await expect(asking.getByText("Benno is asking for their seat, on another device.")).toBeVisible();
  await asking.getByRole("button", { name: "Move the seat of Benno" }).click();
  await expect(asking).toHaveCount(0);
  await other.clock.runFor(11_000);
  await other.waitForURL((url) => url.pathname === table.path);
});
