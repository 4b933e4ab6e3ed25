/** A time that is decided alone: what each screen says, the place that is added later, and the answers that stay. */
import type { Page } from "@playwright/test";
import { expect, signIn, test } from "../fixtures.ts";
import { layTable, people } from "../tables.ts";

const ticket = (page: Page) => page.getByRole("article", { name: "Ticket" });
const sheet = (page: Page) => page.getByRole("dialog");

for (const device of ["phone", "desktop"] as const) {
  test(`a host decides the time alone and adds the place by its name on a ${device}; yes stays yes`, async ({
    ana,
    person,
    stack,
  }) => {
    const title = `Time first on a ${device}`;
    const table = await layTable(stack, { title, guests: ["ben"], withPlaces: true });
    await stack.backend.sql("update public.profiles set diets = '{}'");
    await stack.backend.sql("delete from public.place_hours");
    const [{ page }, { page: bens }] = await Promise.all([ana({ device }), person("Ben", { device })]);
    await bens.goto(`/sign-in?next=${table.path}`);
    await Promise.all([signIn(bens, "ben@nosh.test", table.path), page.goto(`${table.path}?tab=best`)]);

    await page.getByRole("button", { name: "Choose only the time" }).waitFor();
    await page.getByRole("button", { name: "Choose only the time" }).click();
    await expect(ticket(page).getByRole("heading", { name: "Place to be decided" })).toBeVisible();
    await expect(page.getByText(/^It's .*\. The place is still to be decided\.$/).first()).toBeVisible();

    await expect(ticket(bens).getByRole("heading", { name: "Place to be decided" })).toBeVisible();
    await expect(ticket(bens).getByRole("button", { name: "Add the place" })).toHaveCount(0);
    await expect(ticket(bens).getByRole("link", { name: "Directions" })).toHaveCount(0);
    // People press the labels of the radios, which are invisible themselves.
    await ticket(bens).getByText("I'm coming").click();
    const coming = bens.getByRole("radio", { name: "I'm coming" });
    await expect(coming).toBeChecked();
    await bens.getByRole("button", { name: "Add to calendar" }).click();
    const file = await bens.getByRole("link", { name: "Download calendar file" }).getAttribute("href");
    expect(file).not.toContain("LOCATION");
    await bens.keyboard.press("Escape");
    await expect(
      stack.backend.sql(
        `select rsvp from public.plan_members where plan_id = '${table.id}' and user_id = '${people.ben}'`,
      ),
    ).resolves.toEqual([{ rsvp: "going" }]);

    await ticket(page).getByRole("button", { name: "Add the place" }).click();
    const field = sheet(page).getByRole("searchbox", { name: "Name of the place" });
    await expect(field).toBeFocused();
    await field.fill("Pizzeria da Nonna");
    await field.press("Enter");
    await expect(ticket(page).getByRole("heading", { name: "Pizzeria da Nonna" })).toBeVisible();
    await expect(sheet(page)).toHaveCount(0);
    await expect(ticket(bens).getByRole("heading", { name: "Pizzeria da Nonna" })).toBeVisible();
    await expect(coming).toBeChecked();
    await bens.goto("/notifications");
    await expect(bens.getByText(`Ana chose the place for ${title}.`)).toBeVisible();
    await expect(bens.getByText(`Ana changed the time or place of ${title}.`)).toHaveCount(0);
  });
}

test("a new place is chosen for people with diets only after their names were read", async ({
  ana,
  stack,
}) => {
  const table = await layTable(stack, { title: "Diets after", guests: ["ben"], withPlaces: true });
  await stack.backend.sql("update public.profiles set diets = '{}'");
  await stack.backend.sql(`update public.profiles set diets = '{vegan}' where id = '${people.ben}'`);
  await stack.backend.sql(
    `update public.plans set status = 'confirmed', chosen_time_id = '${table.times[0]}' where id = '${table.id}'`,
  );
  const { page } = await ana({ device: "phone" });
  await page.goto(table.path);
  await ticket(page).getByRole("button", { name: "Add the place" }).click();
  await sheet(page).getByRole("searchbox", { name: "Name of the place" }).fill("Casa Nova");
  await sheet(page).getByRole("button", { name: "Add “Casa Nova”" }).click();
  await expect(sheet(page).getByText("Not everyone's diet is confirmed at Casa Nova.")).toBeVisible();
  await expect(sheet(page).getByRole("listitem").filter({ hasText: "Casa Nova" })).toContainText(
    "Not confirmed vegan (Ben)",
  );
  await sheet(page).getByRole("button", { name: "Choose anyway: Casa Nova" }).click();
  await expect(ticket(page).getByRole("heading", { name: "Casa Nova" })).toBeVisible();
  await expect(ticket(page)).toContainText("Not confirmed");
});

test("a plan without any place is decided under Best, stands on the cards, and is met on its day", async ({
  ana,
  stack,
}) => {
  const table = await layTable(stack, { title: "No places at all", days: 2, guests: ["ben"] });
  const { page } = await ana({ device: "phone" });
  await page.goto(`${table.path}?tab=best`);
  const card = page.getByRole("article", { name: "Best match" });
  await expect(card).toContainText("Place to be decided");
  await card.getByRole("button", { name: "Choose this" }).click();
  await expect(ticket(page).getByRole("heading", { name: "Place to be decided" })).toBeVisible();
  await page.goto("/home");
  await expect(page.getByRole("link", { name: /No places at all/ })).toContainText("Place to be decided");

  await stack.backend.sql(
    `update public.time_options set starts_at = now() + interval '1 hour', ends_at = now() + interval '3 hours'
     where id = '${table.times[0]}'`,
  );
  await stack.backend.sql(
    `update public.plans set chosen_time_id = '${table.times[0]}' where id = '${table.id}'`,
  );
  await page.goto(`${table.path}?tab=day`);
  await page.getByRole("button", { name: "10 min", exact: true }).click();
  await expect(page.getByRole("tabpanel")).toContainText("Place to be decided");
  await page.getByRole("button", { name: "Tell everyone the table is ready" }).click();
  await expect(page.getByText("Everyone on the plan can see it.")).toBeVisible();
  await expect(page.locator("body")).not.toContainText("null");
  const [said] = await stack.backend.sql(`select body from public.messages where plan_id = '${table.id}'`);
  expect(said).toEqual({ body: "The table is ready." });
});
