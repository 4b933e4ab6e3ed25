/** Errors of forms, and of unknown addresses. */
import { expect, test } from "../fixtures.ts";

test("a plan without a name leads to the field that is missing", async ({ ana }) => {
  const { page } = await ana({ device: "phone" });
  await page.goto("/plans/new");
  await page.getByRole("button", { name: "Create plan" }).click();
  const name = page.getByRole("textbox", { name: "Plan name" });
  await expect(name).toBeFocused();
  await expect(page.getByText("Give the plan a name.")).toBeInViewport();
});

test("signing up says in place what is wrong, in the app's own words", async ({ person }) => {
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

test("a plan's address that is no plan says so and leads home", async ({ ana }) => {
  const { page } = await ana();
  for (const address of ["/plans/not-a-plan", "/plans/1234"]) {
    await page.goto(address);
    await expect(page.getByRole("heading", { name: "There's no plan at this address" })).toBeVisible();
  }
  await page.getByRole("link", { name: "Go to your plans" }).click();
  await page.waitForURL("**/home");
});

test("whoever is signed in is not asked to sign in", async ({ ana }) => {
  const { page } = await ana();
  await page.goto("/sign-in");
  await page.waitForURL("**/home");
  await page.goto("/sign-in?next=/circles");
  await page.waitForURL("**/circles");
});

test("an invitation counts the people it may not name", async ({ person }) => {
  const { page } = await person("Somebody");
  await page.goto("/join/demo-table");
  const table = page.getByRole("img", { name: /Dinner before the holidays/ });
  await expect(table).toHaveAccessibleName(/\d+ people have a seat; you have a seat waiting/i);
  await expect(table).not.toHaveAccessibleName(/·/);
});
