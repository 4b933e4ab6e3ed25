/** Places: finding them by words, filters, list and map; adding and changing one; putting one on a plan. */
import type { Page } from "@playwright/test";
import { expect, signIn, test } from "./fixtures.ts";
import { layTable, people } from "./tables.ts";

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
  // The panel stays open.
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
  await page.goto("/places/00000000-0000-4000-8000-000000000d04");
  await page.getByRole("button", { name: "Change the price" }).click();
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

test("a place is added by its name; its details come later, each in a small form", async ({
  ana,
  person,
  stack,
}) => {
  const { page } = await ana();
  const { page: bens } = await person("Ben");
  await bens.goto("/sign-in?next=/places");
  await signIn(bens, "ben@nosh.test", "/places");
  await page.goto("/places/new");
  const name = page.getByRole("searchbox", { name: "Name of the place" });
  await expect(name).toBeFocused();
  await name.fill(TASCA);
  await page.getByRole("button", { name: `Add “${TASCA}”` }).click();
  await expect(page.getByRole("heading", { level: 1, name: TASCA })).toBeVisible();

  const sheet = page.getByRole("dialog");
  const save = async () => {
    await sheet.getByRole("button", { name: "Save" }).click();
    await expect(sheet).toHaveCount(0);
  };
  await page.getByRole("button", { name: "Add opening hours" }).click();
  await sheet.getByRole("button", { name: "Add hours on Monday" }).click();
  await sheet.getByLabel("Monday: closes").fill("02:00");
  await sheet.getByRole("button", { name: "Tuesday: same as Monday" }).click();
  await save();
  const hours = page.getByRole("region", { name: "Opening hours" });
  await expect(hours.getByText("18:00 – 02:00 (next day)")).toHaveCount(2);
  await expect(hours.getByText("closed")).toHaveCount(5);

  await page.getByRole("button", { name: "Add a description" }).click();
  await sheet.getByRole("textbox", { name: "Name" }).fill("");
  await sheet.getByRole("button", { name: "Save" }).click();
  await expect(sheet.getByText("Enter the name of the place.")).toBeVisible();
  await expect(sheet.getByRole("textbox", { name: "Name" })).toBeFocused();
  await sheet.getByRole("textbox", { name: "Name" }).fill(TASCA);
  await sheet.getByRole("textbox", { name: "Description" }).fill("Three tables and a radio.");
  await sheet.getByRole("textbox", { name: "Cuisines" }).fill("portuguese, petiscos");
  await save();
  await expect(page.getByText("Three tables and a radio.")).toBeVisible();
  await expect(page.getByText(/petiscos/i)).toBeVisible();

  // A link gives the position, and the position the time zone.
  await page.getByRole("button", { name: "Add the address" }).click();
  await sheet.getByRole("textbox", { name: "Address" }).fill("Calle Mayor 1");
  await sheet.getByRole("textbox", { name: "Map link" }).fill("https://www.google.com/maps/@43.26,-2.93,17z");
  // The app's map has no streets there: a grey box would say nothing.
  await expect(sheet.getByText("Found it.", { exact: true })).toBeVisible();
  await expect(sheet.getByRole("region", { name: "Map for choosing the location" })).toHaveCount(0);
  await save();
  await expect(page.getByText("Calle Mayor 1")).toBeVisible();
  await expect(page.getByRole("link", { name: `Directions to ${TASCA}` })).toBeVisible();
  await expect(page.getByRole("region", { name: `Where ${TASCA} is` })).toHaveCount(0);
  const row = await stack.backend.sql<{ id: string }>(
    "select id, latitude, longitude, time_zone, cuisines from public.places where name = $1",
    [TASCA],
  );
  expect(row).toMatchObject([
    { latitude: 43.26, longitude: -2.93, time_zone: "Europe/Madrid", cuisines: ["portuguese", "petiscos"] },
  ]);

  // It is Ana's until she says otherwise.
  const id = row[0]?.id;
  await bens.goto(`/places/${id}`);
  await expect(bens.getByRole("heading", { level: 1 })).toBeVisible();
  await expect(bens.getByRole("heading", { level: 1, name: TASCA })).toHaveCount(0);
  await page.getByRole("button", { name: "Who sees it" }).click();
  await sheet.getByText("Everybody on Nosh may find it.").click();
  await save();
  await expect(page.getByRole("button", { name: "Who sees it" })).toHaveCount(0);
  await bens.goto(`/places?q=${encodeURIComponent(TASCA)}`);
  await card(bens, TASCA).getByRole("link", { name: TASCA }).click();
  // Everybody's place is changed by who added it.
  await expect(bens.getByRole("heading", { level: 1, name: TASCA })).toBeVisible();
  await expect(bens.getByRole("button", { name: "Change opening hours" })).toHaveCount(0);
});

test("somebody else at the table gives the details of a place that is on the plan alone", async ({
  person,
  stack,
}) => {
  const table = await layTable(stack, { title: "Details", days: 1, guests: ["ben"] });
  const [{ id } = { id: "" }] = await stack.backend.sql<{ id: string }>(
    `with place as (insert into public.places (name, time_zone, created_by) values ('Bare Name', 'UTC', '${people.ana}') returning id)
     insert into public.place_options (plan_id, place_id) select '${table.id}', id from place returning place_id as id`,
  );
  const { page } = await person("Ben", { device: "phone" });
  await page.goto(`/sign-in?next=/places/${id}`);
  await signIn(page, "ben@nosh.test", `/places/${id}`);
  await page.getByRole("button", { name: "Add the price" }).click();
  await page.getByRole("combobox", { name: "Price" }).selectOption("pricey");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page.getByText("pricey, price level 3 of 4")).toBeAttached();
  await expect(page.getByRole("button", { name: "Who sees it" })).toHaveCount(0);
});

test("what the search knows is offered while a name is typed", async ({ ana }) => {
  const { page } = await ana();
  await page.goto("/places/new");
  await page.getByRole("searchbox", { name: "Name of the place" }).fill("Momo");
  const found = page.getByRole("region", { name: "Is it one of these?" });
  await expect(found.getByRole("listitem").filter({ hasText: "Momo Sete" })).toContainText("already on Nosh");
});

test("a click on the map sets a place's position", async ({ ana, stack }) => {
  const { page } = await ana();
  await page.goto("/places/00000000-0000-4000-8000-000000000d04");
  await page.getByRole("button", { name: "Change the address" }).click();
  const map = page.getByRole("region", { name: "Map for choosing the location" });
  await map.scrollIntoViewIfNeeded();
  await map.locator("canvas").click({ position: { x: 60, y: 60 } });
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  const [moved] = await stack.backend.sql<{ latitude: number }>(
    "select latitude from public.places where name = 'Momo Sete'",
  );
  expect(moved?.latitude).not.toBe(38.7104);
  expect(String(moved?.latitude)).toMatch(/^38\.\d{1,5}$/);
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
  await expect(page.getByText("You can add places on your plans")).toBeVisible();
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

  await page.getByRole("button", { name: "I doubt it: vegan" }).click();
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

test("the map for a place without a position comes with the starting point, and is around it", async ({
  ana,
  stack,
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
  const [{ id } = { id: "" }] = await stack.backend.sql<{ id: string }>(
    `insert into public.places (name, time_zone, created_by) values ('Nowhere Yet', 'UTC', '${people.ana}') returning id`,
  );
  await page.goto(`/places/${id}`);
  await page.getByRole("button", { name: "Add the address" }).click();
  await expect(page.getByRole("textbox", { name: "Address" })).toBeVisible();
  // Before it is known, a map would be of nowhere.
  await expect(page.locator(".map")).toHaveCount(0);
  answer();
  await page.locator(".map").scrollIntoViewIfNeeded();
  await expect(page.locator(".maplibregl-ctrl-scale")).toHaveText(/\d\sm$/);
});
