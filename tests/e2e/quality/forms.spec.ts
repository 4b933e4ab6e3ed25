/** Errors of forms, and of unknown addresses. */
import { expect, test } from "../fixtures.ts";

test("submitting a plan without a name moves to the missing field", async ({ ana }) => {
  const { page } = await ana({ device: "phone" });
  await page.goto("/plans/new");
  await page.getByRole("button", { name: "Create plan" }).click();
  const name = page.getByRole("textbox", { name: "Plan name" });
  await expect(name).toBeFocused();
  await expect(page.getByText("Give the plan a name.")).toBeInViewport();
});

test("a place that was typed and not added is not lost: the form leads back to it", async ({ ana }) => {
  const { page } = await ana({ device: "phone" });
  await page.goto("/plans/new");
  await page.getByRole("textbox", { name: "Plan name" }).fill("Currywurst");
  const where = page.getByRole("button", { name: "Where" });
  await where.click();
  const field = page.getByRole("searchbox", { name: "Find or add a place" });
  await field.fill("Curry 36");
  await where.click();
  await page.getByRole("button", { name: "Create plan" }).click();
  await expect(field).toBeFocused();
  await expect(field).toHaveAccessibleDescription(/“Curry 36” isn't on the plan yet/);
  await page.getByRole("button", { name: "Add “Curry 36”" }).click();
  await page.getByRole("button", { name: "Create plan" }).click();
  await page.waitForURL(/\/plans\/[0-9a-f-]{36}/);
});

test("sign-up shows errors next to the field, in the app's own words", async ({ person }) => {
  const { page } = await person("Somebody", { device: "phone" });
  await page.goto("/sign-in");
  await page.getByRole("tab", { name: "Sign up" }).click();
  await page.getByRole("button", { name: "Create account" }).click();
  const name = page.getByRole("textbox", { name: "Your name" });
  await expect(name).toBeFocused();
  await expect(name).toHaveAccessibleDescription("Fill this in.");
  await name.fill("Noa");
  await expect(name).toHaveAccessibleDescription("");
  await page.getByRole("textbox", { name: "Email" }).fill("noa at example");
  await page.getByLabel("Password", { exact: true }).last().pressSequentially("short");
  await page.getByRole("button", { name: "Create account" }).click();
  await expect(page.getByRole("textbox", { name: "Email" })).toHaveAccessibleDescription(
    "Enter an email address, like ana@example.org.",
  );
  await expect(page.getByLabel("Password", { exact: true }).last()).toHaveAccessibleDescription(
    /Use at least 8 characters\./,
  );
});

test("a plan address that is not valid shows an error and a link home", async ({ ana }) => {
  const { page } = await ana();
  for (const address of ["/plans/not-a-plan", "/plans/1234"]) {
    await page.goto(address);
    await expect(page.getByRole("heading", { name: "There's no plan at this address" })).toBeVisible();
  }
  await page.getByRole("link", { name: "Go to your plans" }).click();
  await page.waitForURL("/home");
});

test("a signed-in person is redirected from the sign-in page", async ({ ana }) => {
  const { page } = await ana();
  await page.goto("/sign-in");
  await page.waitForURL("/home");
  await page.goto("/sign-in?next=/circles");
  await page.waitForURL("/circles");
});

test("an invitation shows the number of people without their names", async ({ person }) => {
  const { page } = await person("Somebody");
  await page.goto("/join/demo-table");
  const table = page.getByRole("img", { name: /Dinner before the holidays/ });
  await expect(table).toHaveAccessibleName(/\d+ people have a seat; you have a seat waiting/i);
  await expect(table).not.toHaveAccessibleName(/·/);
});
