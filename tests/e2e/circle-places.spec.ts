/** A circle's list of places: members add and remove them, and new plans of the circle suggest them. */
import { expect, signIn, test } from "./fixtures.ts";

const CIRCLE = "/circles/00000000-0000-4000-8000-0000000000c2";

test("members add places to their circle, others see them, and a new plan suggests them first", async ({
  ana,
  person,
}) => {
  const { page } = await ana({ device: "phone" });
  await page.goto(CIRCLE);
  const places = page.getByRole("region", { name: "Places" });
  await places.getByRole("button", { name: "Add a place" }).click();
  await places.getByRole("searchbox", { name: "Find a place" }).fill("xareu");
  await places.getByRole("button", { name: "Add Xaréu to the circle" }).click();
  await expect(places.getByRole("link", { name: "Xaréu" })).toBeVisible();

  const { page: bens } = await person("Ben", { device: "desktop" });
  await bens.goto("/sign-in");
  await signIn(bens, "ben@nosh.test");
  await bens.goto(CIRCLE);
  await expect(bens.getByText("added by a member")).toBeVisible();
  await bens.goto("/plans/new?circle=00000000-0000-4000-8000-0000000000c2");
  await bens.getByRole("button", { name: "Where", exact: true }).click();
  await expect(
    bens.getByRole("group", { name: "Places" }).getByRole("checkbox").first(),
  ).toHaveAccessibleName("Xaréu");
  await bens.goto(CIRCLE);
  await bens.getByRole("button", { name: "Remove Xaréu from the circle" }).click();
  await expect(bens.getByRole("link", { name: "Xaréu" })).toBeHidden();
});
