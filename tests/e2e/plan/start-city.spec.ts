/** A starting point in a city whose streets the app's map does not know: the city's name alone, without trips. */
import { expect, test } from "../fixtures.ts";

test("an address in another city offers the city, which has no trips", async ({ person, stack }) => {
  const { page } = await person("Priya", { device: "phone" });
  await page.goto("/join/demo-table");
  await page.getByRole("textbox", { name: "Your name" }).fill("Priya");
  await page.getByRole("button", { name: "Take a seat" }).click();
  await expect(page.getByRole("radiogroup").first()).toBeVisible();
  await page.goto("/me");
  const card = page.getByRole("region", { name: "Starting point" });
  await card.getByRole("textbox", { name: "Address or district" }).fill("Friedrichsplatz, Kassel");
  await expect(card.getByText("City only: trips can't be estimated.")).toBeVisible();
  await card.getByRole("button", { name: "Use Kassel, Germany" }).click();
  await expect(card.getByRole("status").getByText("Saved Kassel, city only.")).toBeVisible();
  await page.reload();
  await expect(
    card.getByText("Only your city is set: Kassel. Only you see it, and trips can't be estimated."),
  ).toBeVisible();
  const rows = () =>
    stack.backend.sql(
      `select m.start_city, m.start_latitude from public.profiles as p
       join public.private_profiles as m using (id) where p.display_name = 'Priya'`,
    );
  expect(await rows()).toEqual([{ start_city: "Kassel", start_latitude: null }]);
  await card.getByRole("button", { name: "Remove starting point" }).click();
  await expect(card.getByText("Not set yet")).toBeVisible();
  expect(await rows()).toEqual([{ start_city: null, start_latitude: null }]);
});
