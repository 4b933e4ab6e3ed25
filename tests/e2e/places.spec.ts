/** Places: finding them by words, filters, list and map; adding and changing one; putting one on a plan. */
import type { Page } from "@playwright/test";
import { expect, signIn, test } from "./fixtures.ts";

const DINNER = "/plans/00000000-0000-4000-8000-0000000000b1";
const TASCA = "Tasca da Prova";
/** The seed's two dozen, and those added by other tests. */
const everywhere = /^2\d places$/;

const cards = (page: Page) => page.getByRole("main").getByRole("article");
const card = (page: Page, name: string) =>
  cards(page).filter({ has: page.getByRole("link", { name, exact: true }) });

test("the search is part of the URL: typed, reloaded, and restored by Back", async ({ ana }) => {
  const { page } = await ana({ device: "phone" });
  await page.goto("/places");
  await expect(page.getByText(everywhere)).toBeVisible();
  // A typing mistake and a missing accent still match.
  await page.getByRole("searchbox", { name: "Find a place" }).fill("ocakbasi");
  await expect(card(page, "Anadolu Ocakbaşı")).toBeVisible();
  await expect(page).toHaveURL(/q=ocakbasi/);
  await page.reload();
  await expect(page.getByRole("searchbox", { name: "Find a place" })).toHaveValue("ocakbasi");
  await expect(cards(page)).toHaveCount(1);

  await page.getByRole("link", { name: "Anadolu Ocakbaşı" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Anadolu Ocakbaşı" })).toBeVisible();
  await page.goBack();
  await expect(page.getByRole("searchbox", { name: "Find a place" })).toHaveValue("ocakbasi");
  await expect(cards(page)).toHaveCount(1);
});

test("filters show places that are safe, within the price, and saved; and can be cleared", async ({
  ana,
}) => {
  const { page } = await ana({ device: "phone" });
  await page.goto("/places");
  await page.getByText("Filters", { exact: true }).click();
  await page.getByRole("button", { name: "kosher", exact: true }).click();
  await expect(cards(page)).toHaveCount(1);
  await expect(card(page, "Kosher Porto Novo")).toBeVisible();
  await page.getByRole("combobox", { name: "Price up to" }).selectOption("moderate");
  await expect(page.getByText("No matching places")).toBeVisible();
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect(page.getByText(everywhere)).toBeVisible();
  await page.getByText("Filters", { exact: true }).click();
  await page.getByText("Saved only").click();
  await expect(page.getByText("3 places")).toBeVisible();
});

test("invalid search parameters are ignored", async ({ ana }) => {
  const { page } = await ana();
  await page.goto("/places?diets=vegan&price=99&open=never&view=globe");
  await expect(page.getByText(everywhere)).toBeVisible();
});

test("a price is one of four levels, visible and read aloud, without a currency", async ({ ana }) => {
  const { page } = await ana();
  for (const [path, heard] of [
    ["/places/00000000-0000-4000-8000-000000000d04", "cheap, price level 1 of 4"],
    ["/places", "splurge, price level 4 of 4"],
    ["/plans/00000000-0000-4000-8000-0000000000b1?tab=where", "price level"],
  ] as const) {
    await page.goto(path);
    await page.getByText(heard).first().waitFor();
    expect(await page.getByRole("main").textContent()).not.toMatch(/\p{Currency_Symbol}/u);
  }
  await page.goto("/me");
  await expect(page.getByRole("radio", { name: "price level 2 of 4" })).toBeChecked();
  await page.goto("/places/new");
  await expect(page.getByRole("combobox", { name: "Price" })).toHaveText(
    "not knowncheapmoderatepriceysplurge",
  );
});

test("sorting by distance uses the current position, which is not in the URL", async ({ ana }) => {
  const { page } = await ana({
    geolocation: { latitude: 38.7043, longitude: -9.1989 },
    permissions: ["geolocation"],
  });
  await page.goto("/places");
  await page.getByRole("button", { name: "Nearest to me" }).click();
  await expect(page.getByText("Nearest to you first")).toBeVisible();
  await expect(cards(page).first()).toContainText("Izakaya Ajuda");
  // Without the origin: a port may have the same digits.
  const { pathname, search, hash } = new URL(page.url());
  expect(pathname + search + hash).not.toMatch(/38|9\.19/);
});

test("list and map highlight the same place", async ({ ana }) => {
  const { page } = await ana();
  await page.goto("/places?q=momo");
  const map = page.getByRole("region", { name: "Map of the places" });
  const marker = map.getByRole("button", { name: "Momo Sete" });
  await expect(marker).toBeVisible();
  await card(page, "Momo Sete").getByRole("link", { name: "Momo Sete" }).focus();
  await expect(marker).toHaveClass(/map-selected/);
  // Markers are one tab stop together, and the whole map can be skipped.
  await expect(map.locator('.map-marker[tabindex="0"]')).toHaveCount(1);
  await expect(map.getByRole("link", { name: "Skip map" })).toBeAttached();
});

test("on a phone the map is a separate view, and a marker shows its place", async ({ ana }) => {
  const { page } = await ana({ device: "phone" });
  await page.goto("/places?q=momo");
  await page.getByRole("radio", { name: "Map" }).click();
  await expect(page).toHaveURL(/view=map/);
  await expect(cards(page)).toHaveCount(0);
  await page
    .getByRole("region", { name: "Map of the places" })
    .getByRole("button", { name: "Momo Sete" })
    .click();
  await expect(card(page, "Momo Sete")).toBeVisible();
});

test("without WebGL the map shows a message, and the list works", async ({ ana }) => {
  const { page } = await ana();
  await page.addInitScript(() => {
    const original = HTMLCanvasElement.prototype.getContext;
    HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, kind: string, ...rest) {
      return kind.startsWith("webgl") ? null : original.call(this, kind, ...rest);
    } as typeof original;
  });
  await page.goto("/places");
  await expect(page.getByText("Your browser can't show maps")).toBeVisible();
  await expect(card(page, "Momo Sete")).toBeVisible();
});

test("a place is added with opening hours, found by search, and edited by its author", async ({
  ana,
  person,
  stack,
}) => {
  const { page } = await ana();
  const { page: bens } = await person("Ben");
  await bens.goto("/sign-in?next=/places");
  await signIn(bens, "ben@nosh.test", "/places");
  await page.goto("/places/new");
  await page.getByRole("button", { name: "Add place" }).click();
  await expect(page.getByText("Enter the name of the place.")).toBeVisible();
  await expect(page.getByRole("textbox", { name: "Name" })).toBeFocused();

  await page.getByRole("textbox", { name: "Name" }).fill(TASCA);
  await page.getByRole("textbox", { name: "Cuisines" }).fill("portuguese, petiscos");
  await page.getByRole("textbox", { name: "Latitude" }).fill("38,7333");
  await page.getByRole("textbox", { name: "Longitude" }).fill("-9.1");
  await page.getByRole("button", { name: "gluten-free" }).click();
  await page.getByRole("button", { name: "Add hours on Monday" }).click();
  await page.getByLabel("Monday: closes").fill("02:00");
  await page.getByRole("button", { name: "Tuesday: same as Monday" }).click();
  await page.getByRole("button", { name: "Add place" }).click();

  await expect(page.getByRole("heading", { level: 1, name: TASCA })).toBeVisible();
  const hours = page.getByRole("region", { name: "Opening hours" });
  await expect(hours.getByText("18:00 – 02:00 (next day)")).toHaveCount(2);
  await expect(hours.getByText("closed")).toHaveCount(5);

  // It is Ana's until she says otherwise.
  const [{ id } = { id: "" }] = await stack.backend.sql<{ id: string }>(
    "select id from public.places where name = $1",
    [TASCA],
  );
  await bens.goto(`/places/${id}`);
  await expect(bens.getByRole("heading", { level: 1, name: TASCA })).toHaveCount(0);
  await expect(bens.getByRole("heading", { level: 1 })).toBeVisible();
  await page.getByRole("link", { name: "Edit details" }).click();
  await page.getByText("Everybody on Nosh may find it.").click();
  await page.getByRole("textbox", { name: "Description" }).fill("Three tables and a radio.");
  await page.getByRole("button", { name: "Remove Tuesday, 18:00" }).click();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page.getByText("Three tables and a radio.")).toBeVisible();
  await expect(hours.getByText("18:00 – 02:00 (next day)")).toHaveCount(1);
  await bens.goto(`/places?q=${encodeURIComponent(TASCA)}`);
  await expect(card(bens, TASCA)).toBeVisible();
  await page.goto(`/places/${id}/edit`);
  await expect(page.getByText("Everybody on Nosh.", { exact: true })).toBeVisible();
});

test("a duplicate of a place is pointed out, by name and by position", async ({ ana }) => {
  const { page } = await ana();
  await page.goto("/places/new");
  await page.getByRole("textbox", { name: "Name" }).fill("Momo");
  const found = page.getByRole("region", { name: "Is it one of these?" });
  await expect(found.getByRole("listitem").filter({ hasText: "Momo Sete" })).toContainText("already on Nosh");
  await page.getByRole("textbox", { name: "Latitude" }).fill("38.7105");
  await page.getByRole("textbox", { name: "Longitude" }).fill("-9.1533");
  await expect(page.getByRole("link", { name: /Momo Sete, \d+ m away/ })).toBeVisible();
});

test("a click on the map sets a place's position", async ({ ana }) => {
  const { page } = await ana();
  await page.goto("/places/new");
  const map = page.getByRole("region", { name: "Map for choosing the location" });
  await map.scrollIntoViewIfNeeded();
  await map.locator("canvas").click({ position: { x: 120, y: 120 } });
  await expect(page.getByRole("textbox", { name: "Latitude" })).toHaveValue(/^38\.\d{5}$/);
  await expect(page.getByRole("textbox", { name: "Longitude" })).toHaveValue(/^-9\.\d{5}$/);
});

test("a guest can browse places, and is told why guests cannot add any", async ({ person }) => {
  const { page } = await person("Guest", { device: "phone" });
  await page.goto("/join/demo-table");
  await page.getByRole("textbox", { name: "Your name" }).fill("Gil");
  await page.getByRole("button", { name: "Take a seat" }).click();
  await page.waitForURL(/\/plans\//);
  await page.goto("/places");
  await expect(card(page, "Momo Sete")).toBeVisible();
  await expect(page.getByRole("link", { name: "Add a place" })).toHaveCount(0);
  await page.goto("/places/new");
  await expect(page.getByText("You need an account to add places")).toBeVisible();
});

test("a place is suggested from its page and from the saved places, and removed again", async ({
  ana,
  person,
}) => {
  const [{ page }, { page: chiaras }] = await Promise.all([ana({ device: "phone" }), person("Chiara")]);
  await chiaras.goto(`/sign-in?next=${DINNER}`);
  await signIn(chiaras, "chiara@nosh.test", DINNER);
  await chiaras.getByRole("tab", { name: "Where" }).click();
  const row = (at: Page, name: string) =>
    at
      .getByRole("tabpanel")
      .getByRole("article")
      .filter({ has: at.getByRole("link", { name, exact: true }) });

  await page.goto("/places/00000000-0000-4000-8000-000000000d11");
  await page.getByRole("button", { name: "Add to a plan" }).click();
  await page.getByRole("button", { name: "Suggest for Dinner before the holidays" }).click();
  await expect(page.getByRole("link", { name: "Already on the plan" })).toBeVisible();
  // Both see it, with the people that it is not known to be safe for.
  await expect(row(chiaras, "Petiscaria Miradouro")).toContainText("Not confirmed");
  await expect(row(chiaras, "Petiscaria Miradouro")).toContainText(/vegan \(Dev\)/);

  await page.goto(`${DINNER}?tab=where`);
  await page.getByRole("button", { name: "Suggest another place" }).click();
  await page.getByRole("button", { name: "Suggest Folha & Brasa" }).click();
  await expect(row(chiaras, "Folha & Brasa")).toBeVisible();
  await page.getByRole("button", { name: "Close" }).click();

  for (const name of ["Petiscaria Miradouro", "Folha & Brasa"]) {
    await page.getByRole("button", { name: `Remove ${name}` }).click();
    await page.getByRole("button", { name: "Remove", exact: true }).click();
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await expect(row(chiaras, name)).toHaveCount(0);
  }
});

test("a place's page lists who confirms or doubts a diet, and takes both", async ({ ana, person, stack }) => {
  const [made] = await stack.backend.sql<{ id: string }>(
    `insert into public.places (name, latitude, longitude, price, time_zone, safe_diets, created_by, everybody)
     values ('Claims', 38.71, -9.14, 2, 'Europe/Lisbon', '{vegan}', '00000000-0000-4000-8000-0000000000a2', true) returning id`,
  );
  const path = `/places/${made?.id}`;
  const month = new Intl.DateTimeFormat("en-GB", { month: "long", timeZone: "Europe/Lisbon" }).format(
    new Date(),
  );
  const [{ page }, { page: bens }] = await Promise.all([ana({ device: "phone" }), person("Ben")]);
  await page.goto(path);
  const row = (at: Page, diet: string) =>
    at.getByRole("listitem").filter({ hasText: new RegExp(`^${diet}`) });
  await expect(row(page, "vegan")).toContainText(`confirmed by Ben Okafor in ${month}`);
  await expect(row(page, "vegetarian")).toContainText("follows from vegan");

  await page.getByRole("button", { name: "Doubt vegan" }).click();
  await expect(row(page, "vegan")).toContainText(
    `confirmed by Ben Okafor in ${month} and doubted by you in ${month}`,
  );
  await expect(page.getByRole("heading", { name: "Confirmed safe for" })).toHaveCount(0);

  await bens.goto(`/sign-in?next=${path}`);
  await signIn(bens, "ben@nosh.test", path);
  await expect(row(bens, "vegan")).toContainText("doubted by Ana");
  await bens.getByRole("button", { name: "Say what you know" }).click();
  const sheet = bens.getByRole("dialog", { name: "Say what you know" });
  await sheet.getByRole("button", { name: "Confirm halal" }).click();
  await expect(row(bens, "halal").last()).toContainText(`confirmed by you in ${month}`);
  await sheet.getByRole("button", { name: "Close" }).click();
  await expect(bens.getByRole("heading", { name: "Confirmed safe for" })).toBeVisible();

  await page.getByRole("button", { name: "Clear what you said about vegan" }).click();
  await expect(page.getByRole("heading", { name: "Confirmed safe for" })).toBeVisible();
  await expect(row(page, "vegetarian")).toContainText("follows from vegan");
});

test("the map of a new place moves to the starting point when that becomes known after it", async ({
  ana,
}) => {
  const { page } = await ana();
  let answer = () => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route(/\/rest\/v1\/private_profiles\?/, async (route) => {
    await held;
    await route.continue();
  });
  await page.goto("/places/new");
  await page.locator(".map").scrollIntoViewIfNeeded();
  const scale = page.locator(".maplibregl-ctrl-scale");
  await expect(scale).toHaveText(/\d\skm$/);
  answer();
  await expect(scale).toHaveText(/\d\sm$/);
});
