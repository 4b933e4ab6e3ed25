/**
 * Accessibility of further states of the screens: open sheets and menus, empty, loading, errors, offline, one
 * person selected. One page goes through many, and all violations are reported.
 */
import type { Page } from "@playwright/test";
import { devices, expect, type PersonOptions, test } from "../fixtures.ts";
import { openConnected } from "../offline/connected.ts";
import { composer, messages, say } from "../plan/conversation.ts";
import { settle, showIn } from "../screens.ts";
import { layTable, people } from "../tables.ts";
import { barriers } from "./axe.ts";

const SHEET = '[role="dialog"]';
const plan = (number: number) => `/plans/00000000-0000-4000-8000-0000000000b${number}`;
const CIRCLE = "/circles/00000000-0000-4000-8000-0000000000c1";
const PLACE = "/places/00000000-0000-4000-8000-000000000d04";

/** Checks the current page, or a part of it, and records its violations under this name. */
async function look(page: Page, name: string, within?: string): Promise<void> {
  if (within) await page.locator(within).first().waitFor();
  await settle(page);
  expect.soft(await barriers(page, within ? { within } : {}), name).toEqual([]);
}

/** Also checks the colours in the other theme. */
async function checkBothThemes(page: Page, name: string, within?: string): Promise<void> {
  await look(page, name, within);
  await showIn(page, "dark");
  expect
    .soft(await barriers(page, { ...(within ? { within } : {}), what: "colours" }), `${name}, dark`)
    .toEqual([]);
  await page.emulateMedia({ colorScheme: "light" });
}

/** Opens a sheet, checks it, and closes it. `inside` reaches a further state of it. */
async function sheet(page: Page, name: string, inside?: () => Promise<void>): Promise<void> {
  await page.getByRole("button", { name, exact: true }).first().click();
  await page.getByRole("dialog").waitFor();
  await inside?.();
  await look(page, name, SHEET);
  await page.setViewportSize(devices.small.viewport);
  const room = await page
    .getByRole("dialog")
    .evaluate((element) => element.scrollWidth - element.clientWidth);
  expect.soft(room, `${name}, what does not fit at 320 px`).toBe(0);
  await page.setViewportSize(devices.phone.viewport);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toBeHidden();
}

/** A phone that may share its position. */
const phone = {
  device: "phone",
  geolocation: { latitude: 38.71, longitude: -9.14 },
  permissions: ["geolocation"],
} as const satisfies PersonOptions;

// React warns of mistakes here.
test.use({ mode: "development" });

test("axe finds nothing in the sheets and menus of a plan, a chat and a photo", async ({ ana, stack }) => {
  test.setTimeout(90_000);
  const { page } = await ana(phone);
  const dialog = page.getByRole("dialog");

  await page.goto(`${plan(1)}?tab=when`);
  await page.getByText("Suggest another time").waitFor();
  await sheet(page, "Invite", async () => {
    await dialog.getByRole("button", { name: "Create link" }).click();
    await dialog.getByText("Get a new link").waitFor();
    await dialog.getByRole("textbox", { name: "Email addresses" }).fill("guest@example.org ");
    await dialog.getByText("guest@example.org").first().waitFor();
  });
  await sheet(page, "Suggest another time");
  await sheet(page, "Manage plan", () => dialog.getByRole("button", { name: "Cancel plan" }).click());
  await sheet(page, "Manage Ben Okafor", () => dialog.getByRole("button", { name: "Remove Ben" }).click());
  await page.getByRole("radio", { name: "Grid" }).click();
  await page.getByRole("radio", { name: "Ben", exact: true }).click();
  await page.getByRole("gridcell").first().focus();
  await page.getByRole("region", { name: /^Answers for/ }).waitFor();
  await checkBothThemes(page, "the board with a person focused");
  await page.getByRole("button", { name: "Remove this time" }).click();
  await page.getByRole("button", { name: "Cancel", exact: true }).waitFor();
  await look(page, "withdrawing a time", '[role="tabpanel"]');

  await page.goto(`${plan(1)}?tab=chat`);
  await messages(page, "Fatou, are you back").waitFor();
  await page
    .getByRole("button", { name: /^React or reply to/ })
    .last()
    .click();
  await checkBothThemes(page, "the menu of a message", SHEET);
  await dialog.getByRole("button", { name: "Reply", exact: true }).click();
  await composer(page).waitFor();
  await look(page, "answering", '[role="tabpanel"]');

  const album = plan(5).slice("/plans/".length);
  await stack.backend.sql(
    `update public.photos set author_id = '${people.ana}' where plan_id = '${album}' and caption like 'All of us%'`,
  );
  await page.goto(`${plan(5)}?tab=photos`);
  await page.getByRole("button", { name: "Open: All of us, from above." }).click();
  await dialog.getByRole("button", { name: "Remove photo", exact: true }).click();
  await checkBothThemes(page, "a photo, large, to be removed", SHEET);
  await dialog.getByRole("button", { name: "Edit caption" }).click();
  await look(page, "a photo, large, with its caption", SHEET);
  await page.keyboard.press("Escape");
  const picked = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Add photos" }).click();
  await (await picked).setFiles([
    { name: "soup.png", mimeType: "image/png", buffer: Buffer.from("not drawn yet") },
    { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("no picture") },
  ]);
  await page.getByRole("button", { name: "Share photo" }).waitFor();
  await look(page, "photos on their way", '[role="tabpanel"]');
});

test("axe finds nothing in the sheets of a circle, a place and the account", async ({ ana }) => {
  test.setTimeout(90_000);
  const { page } = await ana(phone);
  await page.goto("/circles");
  await sheet(page, "Start a circle", () =>
    page.getByRole("dialog").getByRole("button", { name: "Start circle" }).click(),
  );
  await page.goto(CIRCLE);
  await sheet(page, "Invite");
  await sheet(page, "Rename");
  await sheet(page, "Make owner: Ben Okafor");
  await sheet(page, "Remove Ben Okafor");
  await sheet(page, "Delete circle");
  const circlePlaces = page.getByRole("region", { name: "Places" });
  await circlePlaces.getByRole("button", { name: "Add a place" }).click();
  await circlePlaces.getByRole("searchbox", { name: "Find a place" }).fill("momo");
  await circlePlaces.getByRole("button", { name: "Add Momo Sete to the circle" }).waitFor();
  await checkBothThemes(page, "adding a place to a circle");

  await page.goto(PLACE);
  await sheet(page, "Add to a plan");
  await page.goto('/places?price=2&diets=["vegan"]&open=now');
  await page
    .getByRole("status")
    .filter({ hasText: /places?$/ })
    .waitFor();
  await look(page, "places with filters");
  await page.goto("/places/new");
  await page.getByRole("searchbox", { name: "Name of the place" }).fill("momo");
  await page.getByRole("region", { name: "Is it one of these?" }).waitFor();
  await checkBothThemes(page, "a place by its name");
  await page
    .getByRole("searchbox", { name: "Name of the place" })
    .fill("https://www.google.com/maps?q=Campo+de+Ourique");
  await page.getByRole("button", { name: "Use Campo de Ourique, Lisbon" }).waitFor();
  await checkBothThemes(page, "a place with what was looked up");
  await page.goto(PLACE);
  for (const part of ["name and description", "the address", "opening hours", "the price"]) {
    await sheet(page, `Change ${part}`);
  }
  await page.goto("/plans/new");
  await page.getByRole("button", { name: "Create plan" }).click();
  await page.getByText("Give the plan a name.").waitFor();
  await look(page, "a plan without a name");

  await page.goto("/me");
  await sheet(page, "Turn on");
  await sheet(page, "Delete my account");
});

test("axe finds nothing in the empty states of a new account", async ({ person }) => {
  test.setTimeout(60_000);
  const { page } = await person("Somebody", phone);
  await page.goto("/sign-in");
  await page.getByRole("tab", { name: "Guest" }).click();
  await page.getByRole("textbox", { name: "Your name" }).fill("Noa");
  await page.getByRole("button", { name: "Continue as guest" }).click();
  await page.waitForURL("/home");
  for (const [path, shows] of [
    ["/home", "An empty table is where it starts"],
    ["/circles", "No circles yet"],
    ["/saved", "Nothing saved"],
    ["/notifications", "No activity yet"],
    ["/places/new", "Create account"],
    ["/me", "Keep your seat"],
  ] as const) {
    await page.goto(path);
    await page.getByText(shows).first().waitFor();
    await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);
    await look(page, `nothing at ${path}`);
  }
});

test("axe finds nothing where a guest is asked what they eat and where they start", async ({
  person,
  stack,
}) => {
  const table = await layTable(stack, { title: "Asked", withPlaces: true, days: 1 });
  const { page } = await person("Somebody", phone);
  await page.goto("/sign-in");
  await page.getByRole("tab", { name: "Guest" }).click();
  await page.getByRole("textbox", { name: "Your name" }).fill("Noa Asked");
  await page.getByRole("button", { name: "Continue as guest" }).click();
  await page.waitForURL("/home");
  await stack.backend.sql(
    `insert into public.plan_members (plan_id, user_id)
     select '${table.id}', p.id from public.profiles as p where p.display_name = 'Noa Asked'`,
  );
  await page.goto(`${table.path}?tab=where`);
  const card = page.getByRole("region", { name: "So the place works for you" });
  await card.getByRole("textbox", { name: "Address or district" }).fill("campo de our");
  await card.getByRole("button", { name: "Use Campo de Ourique, Lisbon" }).waitFor();
  await checkBothThemes(page, "what a guest is asked");
  await page.setViewportSize(devices.small.viewport);
  await expect
    .poll(
      () => card.evaluate((element) => element.scrollWidth - element.clientWidth),
      "what does not fit at 320 px",
    )
    .toBe(0);
});

test("axe finds nothing in an empty plan, one with hidden answers, and one with a required person", async ({
  ana,
  stack,
}) => {
  test.setTimeout(60_000);
  const { page } = await ana(phone);
  const bare = await layTable(stack, { title: "Nothing on it", days: 0, guests: ["ben"] });
  await page.goto(bare.path);
  for (const tab of ["When", "Where", "Best", "Chat", "Photos", "On the day"]) {
    await page.getByRole("tab", { name: tab }).click();
    await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);
    await look(page, `nothing in ${tab}`, tab === "When" ? undefined : '[role="tabpanel"]');
  }
  const hiding = await layTable(stack, { title: "Behind hands", days: 4, guests: ["ben"], strangers: 3 });
  await stack.backend.sql(`update public.plans set results_hidden = true where id = '${hiding.id}'`);
  await page.goto(hiding.path);
  await page.getByText("Others' answers are hidden until you vote").waitFor();
  await page.getByRole("radio", { name: "Grid" }).click();
  await look(page, "hidden answers");
  const needing = await layTable(stack, {
    title: "Not without Ben",
    host: "ana",
    guests: ["ben"],
    strangers: 12,
    withPlaces: true,
  });
  await stack.backend.sql(
    `update public.plan_members set required = true where plan_id = '${needing.id}' and user_id = '${people.ben}'`,
  );
  await stack.backend.sql(
    `insert into public.time_votes (option_id, plan_id, user_id, answer) values ('${needing.times[0]}', '${needing.id}', '${people.ben}', 'no')`,
  );
  await page.goto(needing.path);
  await page.getByText("Suggest another time").waitFor();
  await page.getByRole("radio", { name: "Grid" }).click();
  await checkBothThemes(page, "somebody who has to be there, and many others");
  await page.goto(`${needing.path}?tab=best`);
  await page.getByText("Choose this").first().waitFor();
  await page.getByRole("button", { name: "What if" }).click();
  await page.getByRole("radiogroup").first().getByRole("radio").last().click();
  await look(page, "supposing", '[role="tabpanel"]');
});

test("axe finds nothing on the day: a shared position, the table is ready, a rating", async ({
  ana,
  stack,
}) => {
  test.setTimeout(60_000);
  // In other tests Ana has arrived, and people who have arrived share no position.
  await stack.backend.sql(
    "delete from public.arrivals where user_id = (select id from auth.users where email = 'ana@nosh.test')",
  );
  const { page } = await ana(phone);
  await page.goto(`${plan(4)}?tab=day`);
  await page.getByRole("button", { name: "Share for 30 min" }).click();
  await page.getByText(/^Sharing your location, /).waitFor();
  await page.getByRole("button", { name: "Show on a map" }).click();
  await page.getByRole("region", { name: "Where everyone is" }).getByRole("button").first().waitFor();
  await checkBothThemes(page, "the day with everything on");
  await page.goto(`${plan(5)}?tab=day`);
  const stars = page.getByRole("radio", { name: "4 of 5" });
  // The page may still move under a pointer.
  await stars.focus();
  await page.keyboard.press("Space");
  await expect(stars).toBeChecked();
  await look(page, "a rating", '[role="tabpanel"]');
});

const read = "**/rest/v1/**";
const waitingScreens = [plan(1), CIRCLE, PLACE];

test("axe finds nothing in loading and error states", async ({ ana }) => {
  test.setTimeout(60_000);
  const { page, watch: watched } = await ana(phone);
  watched.expect(/answered 403|status of 403/);
  for (const path of waitingScreens) {
    let answer: () => void = () => undefined;
    const later = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(read, async (route) => {
      await later;
      await route
        .fulfill({ status: 403, json: { code: "42501", message: "Not now", details: null, hint: null } })
        .catch(() => undefined);
    });
    await page.goto(path);
    await page.locator('main [aria-busy="true"]').first().waitFor();
    await look(page, `bones at ${path}`);
    answer();
    await page.getByRole("alert").first().waitFor();
    await look(page, `an error at ${path}`);
    await page.unroute(read);
  }
});

test("axe finds nothing offline, with a queued change and a refused one", async ({ ana, stack }) => {
  test.setTimeout(60_000);
  const table = await layTable(stack, { title: "No line", days: 2 });
  const { page, watch: watched } = await ana(phone);
  watched.expect(/ERR_INTERNET_DISCONNECTED|WebSocket|409/);
  await openConnected(page, table.path);
  await page.getByRole("radiogroup").first().waitFor();
  await page.getByRole("tab", { name: "Chat" }).click();
  await composer(page).waitFor();
  await page.context().setOffline(true);
  await say(page, "Is anybody there?");
  await expect(messages(page, "Is anybody there?")).toContainText("Sends when you're online");
  await checkBothThemes(page, "a message that waits");
  await page.getByRole("tab", { name: "When" }).click();
  await page.getByRole("radio", { name: "Yes", exact: true }).first().click();
  await stack.backend.sql(`update public.plans set vote_deadline = now() where id = '${table.id}'`);
  await page.context().setOffline(false);
  await page.getByRole("alert").filter({ hasText: "Your vote couldn't be sent." }).waitFor();
  await checkBothThemes(page, "a vote that was refused");
});

test("axe finds nothing in a proposal, an objection, a plan left to its host, usual times and a standing dinner", async ({
  ana,
  stack,
}) => {
  test.setTimeout(90_000);
  const { page } = await ana(phone);
  const sql = stack.backend.sql.bind(stack.backend);
  const table = await layTable(stack, { title: "By itself", guests: ["ben", "chiara"], withPlaces: true });
  await sql(
    `update public.plans as p set decides_itself = true, proposed_at = now(), veto_until = now() + interval '12 hours',
       proposed_time_id = '${table.times[1]}',
       proposed_place_id = (select o.id from public.place_options as o where o.plan_id = p.id order by o.id limit 1)
     where id = '${table.id}'`,
  );
  await page.goto(table.path);
  await page.getByRole("article", { name: "Proposal" }).waitFor();
  await checkBothThemes(page, "proposal");
  await sheet(page, "Object");
  await page.setViewportSize(devices.small.viewport);
  const room = () =>
    page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  expect.soft(await room(), "a proposal at 320 px").toBe(0);
  await page.setViewportSize(devices.phone.viewport);
  await sql(
    `update public.plans set decides_itself = false, vetoed_by = '${people.ben}', veto_reason = 'Too far'
     where id = '${table.id}'`,
  );
  await page.getByText("Ben objected").waitFor();
  await checkBothThemes(page, "objection");
  await sql(
    `update public.plans set vetoed_by = null, veto_reason = '', undecided = 'tie' where id = '${table.id}'`,
  );
  await page.getByText("The best places are tied.").waitFor();
  await look(page, "undecided");

  await sql(
    `insert into public.usual_times (user_id, weekday, part, answer)
     select '${people.ana}', day, 'dinner', 'if_need_be' from generate_series(1, 7) as day`,
  );
  await page.goto((await layTable(stack, { title: "As usual", guests: ["ben"] })).path);
  await page.getByRole("region", { name: "From your usual times" }).waitFor();
  await checkBothThemes(page, "answers from usual times");
  await page.setViewportSize(devices.small.viewport);
  expect.soft(await room(), "answers from usual times at 320 px").toBe(0);
  await page.setViewportSize(devices.phone.viewport);

  await page.goto(CIRCLE);
  await page.getByText("Meet every week or month?").waitFor();
  await sheet(page, "Add a standing dinner");
  await sql(
    `insert into public.standing_dinners (circle_id, title, rhythm, first_on, starts_at, time_zone, next_on)
     values ('${CIRCLE.split("/").at(-1)}', 'Thursdays', 'monthly', current_date + 20, '19:30', 'Europe/Lisbon', current_date + 20)`,
  );
  await page.reload();
  await page.getByText(/^Next: /).waitFor();
  await checkBothThemes(page, "standing dinner");
  await page.setViewportSize(devices.small.viewport);
  expect.soft(await room(), "a standing dinner at 320 px").toBe(0);
});
