/** The app on a home screen: offered once a plan is decided, and a place that a map's app shares. */
import { expect, test } from "./fixtures.ts";
import { layTable } from "./tables.ts";

test("once a plan is decided, the browser's question whether to install the app is passed on, once", async ({
  ana,
  stack,
}) => {
  const table = await layTable(stack, { title: "Decided", days: 1, guests: ["ben"] });
  const { page } = await ana({ device: "phone" });
  await page.goto(table.path);
  const offer = page.getByRole("region", { name: "Home screen" });
  // A browser asks when it likes; this one has no home screen, so the test asks in its place.
  const ask = () =>
    page.evaluate(() => {
      const question = new Event("beforeinstallprompt", { cancelable: true });
      Object.assign(question, {
        prompt: async () => {
          document.title = "asked";
        },
      });
      return dispatchEvent(question);
    });
  expect(await ask(), "the browser's own bar stays away").toBe(false);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await expect(offer).toHaveCount(0);

  await stack.backend.sql(
    `update public.plans set status = 'confirmed', chosen_time_id = (select id from public.time_options where plan_id = '${table.id}' limit 1) where id = '${table.id}'`,
  );
  await offer.getByRole("button", { name: "Add it" }).tap();
  await expect(page).toHaveTitle("asked");
  await expect(offer).toHaveCount(0);

  await ask();
  await offer.getByRole("button", { name: "Not now" }).tap();
  await expect(offer).toHaveCount(0);
  await ask();
  await page.getByRole("heading", { level: 1 }).waitFor();
  await expect(offer).toHaveCount(0);
});

test("a link that a map's app shares becomes a place", async ({ ana }) => {
  const { page } = await ana({ device: "phone" });
  const text =
    "Bar Nestor\n1 Calle Pescaderia\nhttps://www.google.com/maps/place/Bar+Nestor/@43.2,-2.9,17z/data=!3d43.26!4d-2.93";
  await page.goto(`/places/new?${new URLSearchParams({ title: "Bar Nestor", text })}`);
  await expect(page.getByText("We have the location.")).toBeVisible();
  await page.getByRole("button", { name: "Add “Bar Nestor”" }).tap();
  await expect(page.getByRole("heading", { level: 1, name: "Bar Nestor" })).toBeVisible();
});

test("a shared name without a link is searched for", async ({ ana }) => {
  const { page } = await ana();
  await page.goto("/places/new?title=Casa+Nova");
  await expect(page.getByRole("searchbox", { name: "Name of the place" })).toHaveValue("Casa Nova");
});
