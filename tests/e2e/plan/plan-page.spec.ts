/** A plan on a phone and around its meal: controls are in reach, and texts fit the state. */
import { readFile } from "node:fs/promises";
import type { Locator, Page } from "@playwright/test";
import { expect, signIn, test } from "../fixtures.ts";
import type { Stack } from "../stack.ts";
import { layTable, people, type Table } from "../tables.ts";
import { composer } from "./conversation.ts";

/** Confirms the plan's first time at its first place, `hours` from now, with these answers. */
async function confirm(
  stack: Stack,
  table: Table,
  hours: number,
  rsvps: Partial<Record<keyof typeof people, string>>,
): Promise<void> {
  const sql = stack.backend.sql.bind(stack.backend);
  await sql(
    `update public.time_options set starts_at = now() + interval '${hours} hours', ends_at = now() + interval '${hours + 1} hours' where id = '${table.times[0]}'`,
  );
  for (const [name, rsvp] of Object.entries(rsvps)) {
    await sql(
      `update public.plan_members set rsvp = '${rsvp}' where plan_id = '${table.id}' and user_id = '${people[name as keyof typeof people]}'`,
    );
  }
  await sql(
    `update public.plans set status = 'confirmed', chosen_time_id = '${table.times[0]}',
       chosen_place_id = (select id from public.place_options where plan_id = '${table.id}' order by id desc limit 1)
     where id = '${table.id}'`,
  );
}

const bottomOf = (page: Page, selector: string) =>
  page.locator(selector).evaluate((element) => element.getBoundingClientRect().bottom);

test("a newly opened tab starts below the tab bar, whatever the scroll position", async ({ ana, stack }) => {
  const table = await layTable(stack, { title: "Scrolled", days: 6, strangers: 4, withPlaces: true });
  const { page } = await ana({ device: "phone" });
  await page.goto(table.path);
  await page.getByRole("radiogroup").last().waitFor();
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight * 0.6));
  await page.getByRole("tab", { name: "Where" }).click();
  const list = page.getByRole("radio", { name: "List", exact: true });
  await list.waitFor();
  const bar = await bottomOf(page, '[role="tablist"]');
  await expect.poll(async () => ((await list.boundingBox())?.y ?? -1) >= bar).toBe(true);
});

test("Back closes a sheet and stays on the plan", async ({ ana, stack }) => {
  const table = await layTable(stack, { title: "Back", days: 1 });
  const { page } = await ana({ device: "phone" });
  const sheet = page.getByRole("dialog");
  const open = async () => {
    await page.getByRole("button", { name: "Suggest another time" }).click();
    await sheet.waitFor();
  };
  const back = () => page.evaluate(() => history.back());
  // From a link in a chat: there is no page of the app to go back to.
  await page.goto(table.path);
  await open();
  await back();
  await expect(sheet).toBeHidden();
  await expect(page.getByRole("heading", { level: 1, name: "Back" })).toBeVisible();
  // A sheet that is closed in another way leaves nothing to go back to.
  await open();
  await page.keyboard.press("Escape");
  await expect(sheet).toBeHidden();
  await page.getByRole("link", { name: "Plans" }).click();
  await page.waitForURL("/home");
  await back();
  await page.waitForURL(table.path);
  // Neither does one that a link was followed in.
  await page.getByRole("link", { name: "Plans" }).click();
  await page.waitForURL("/home");
  await page.getByRole("link", { name: /Back/ }).first().click();
  await page.waitForURL(table.path);
  await open();
  await back();
  await expect(sheet).toBeHidden();
  await back();
  await page.waitForURL("/home");
});

test("answered means that something is answered, with the open rest beside it", async ({ ana, stack }) => {
  const table = await layTable(stack, { title: "Half answered", guests: ["ben"], days: 2 });
  const vote = (name: "ana" | "ben", time: number) =>
    stack.backend.sql(
      `insert into public.time_votes (option_id, plan_id, user_id, answer) values ('${table.times[time]}', '${table.id}', '${people[name]}', 'yes')`,
    );
  await vote("ana", 0);
  await vote("ana", 1);
  const { page } = await ana();
  await page.goto(table.path);
  await expect(page.getByText("1/2", { exact: true })).toBeVisible();
  await expect(page.getByText("Waiting for Ben")).toBeVisible();
  await expect(page.getByText("Everyone has answered.", { exact: true })).toHaveCount(0);
  await vote("ben", 0);
  await page.reload();
  await expect(page.getByText("2/2", { exact: true })).toBeVisible();
  await expect(page.getByText("Everyone has answered.", { exact: false }).last()).toBeVisible();
  await expect(page.getByRole("listitem").filter({ hasText: "Ben" }).first()).toContainText(
    "answered 1 of 2 times",
  );
});

test("what waits for a person moves on from the times to the places, and nothing under the finger moves", async ({
  ana,
  stack,
}) => {
  const table = await layTable(stack, {
    title: "One at a time",
    host: "ben",
    guests: ["ana"],
    withPlaces: true,
  });
  const { page } = await ana({ device: "phone" });
  await page.goto(table.path);
  const next = page.getByRole("region", { name: "What's next" });
  const yes = page.getByRole("tabpanel").getByRole("radio", { name: /Yes/ });
  const tops = () => yes.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
  /** The tabs with a mark, by what it says. */
  const marked = () =>
    page
      .getByRole("tab")
      .evaluateAll((all) =>
        all.flatMap((tab) =>
          document.getElementById(tab.getAttribute("aria-describedby") ?? "")?.textContent
            ? [tab.textContent]
            : [],
        ),
      );
  await expect(next).toContainText("Which times can you make?");
  await yes.first().waitFor();
  expect(await marked()).toEqual(["When", "Where"]);
  const before = await tops();
  await yes.first().click();
  await expect(next.getByText("Which places do you like?")).toBeVisible();
  expect(await tops()).toEqual(before);
  expect(await marked()).toEqual(["Where"]);

  await next.getByRole("button", { name: "Vote" }).click();
  await expect(page.getByRole("tab", { name: "Where" })).toHaveAttribute("aria-selected", "true");
  await page.getByText(/min/).first().waitFor();
  const places = await tops();
  await yes.first().click();
  await expect(next.getByText("You're done. We'll mail you when it's decided.")).toBeVisible();
  expect(await tops()).toEqual(places);
  expect(await marked()).toEqual([]);
  // A screen shows an answer before the outbox has sent it.
  await expect
    .poll(() =>
      stack.backend.sql(`select step from private.plan_next('${table.id}') where user_id = '${people.ana}'`),
    )
    .toEqual([{ step: null }]);
});

test("on the day the board includes maybes, and the RSVP buttons keep equal thirds", async ({
  ana,
  stack,
}) => {
  const table = await layTable(stack, {
    title: "The day",
    guests: ["ben", "chiara"],
    days: 2,
    withPlaces: true,
  });
  await confirm(stack, table, 2, { ana: "pending", ben: "going", chiara: "maybe" });
  const { page } = await ana({ device: "phone" });
  await page.goto(`${table.path}?tab=day`);
  const board = page.getByRole("table", { name: "Who is on their way" });
  await expect(board.getByRole("row", { name: /Chiara/ })).toContainText("might come");
  await expect(page.getByText("0 of 2 here")).toBeVisible();

  const answers = page.getByRole("radiogroup", { name: "Are you coming?" }).getByRole("radio");
  const boxes = async () =>
    Promise.all(
      (await answers.all()).map(async (one) => (await one.boundingBox()) ?? { x: 0, y: 0, width: 0 }),
    );
  const thirds = async () => {
    const [first, ...others] = await boxes();
    return others.every((one) => first && Math.abs(one.width - first.width) < 1 && one.y === first.y);
  };
  expect(await thirds()).toBe(true);
  await answers.last().click();
  await expect(answers.last()).toBeChecked();
  expect(await thirds()).toBe(true);
  await answers.first().click();
  await expect(answers.first()).toBeChecked();

  // A person who has arrived has no position to share, so there is no empty card.
  await expect(page.getByRole("region", { name: "Live location" })).toBeVisible();
  await page.getByRole("button", { name: "I'm here" }).click();
  await expect(page.getByText("You're here. Enjoy your meal.")).toBeVisible();
  await expect(page.getByRole("region", { name: "Live location" })).toHaveCount(0);
  await page.getByRole("button", { name: "Not here yet" }).click();
  await expect(page.getByRole("button", { name: "I'm here" })).toBeVisible();
  await page.getByRole("button", { name: "I'm here" }).click();
  await expect(page.getByText("You're here. Enjoy your meal.")).toBeVisible();

  const place = await page.getByRole("article", { name: "Ticket" }).getByRole("heading").textContent();
  await page.getByRole("tab", { name: "Best" }).click();
  // At this hour the place may be closed, which only a change of its hours can cause.
  await expect(
    page
      .getByRole("tabpanel")
      .getByText(place ?? "nothing")
      .first(),
  ).toBeVisible();
  await expect(page.getByRole("article", { name: "Best match" })).toHaveCount(0);
});

test("after confirmation, Best shows the chosen pair first, even if another ranks higher", async ({
  ana,
  stack,
}) => {
  const table = await layTable(stack, { title: "Decided", guests: ["ben"], days: 2, withPlaces: true });
  const { page } = await ana();
  await page.goto(`${table.path}?tab=best`);
  await page.getByRole("article", { name: "Best match" }).waitFor();
  await page
    .getByRole("button", { name: /^Choose .+,/ })
    .last()
    .click();
  const place = await page.getByRole("article", { name: "Ticket" }).getByRole("heading").textContent();
  const card = page.getByRole("article", { name: "Chosen" });
  await expect(card.getByRole("heading", { name: place ?? "nothing" })).toBeVisible();
  await expect(page.getByRole("article", { name: "Best match" })).toHaveCount(0);
});

test("after the meal the table-is-ready notice is gone, and a maybe is not shown as absent", async ({
  ana,
  stack,
}) => {
  const table = await layTable(stack, {
    title: "Over",
    guests: ["ben", "chiara"],
    days: 1,
    withPlaces: true,
  });
  await confirm(stack, table, -2, { ana: "going", ben: "going", chiara: "maybe" });
  await stack.backend.sql(
    `update public.plans set ready_at = now(), ready_by = '${people.ben}' where id = '${table.id}'`,
  );
  const { page } = await ana();
  await page.goto(table.path);
  await expect(page.getByRole("main").getByText("Ben says: the table is ready")).toBeVisible();
  await stack.backend.sql(
    `update public.time_options set starts_at = now() - interval '9 hours', ends_at = now() - interval '7 hours' where id = '${table.times[0]}'`,
  );
  await page.reload();
  await expect(page.getByRole("listitem").filter({ hasText: "Chiara" }).first()).toContainText("said maybe");
  await expect(page.getByRole("main").getByText("Ben says: the table is ready")).toHaveCount(0);
});

test("a circle shows the places of its plans", async ({ ana }) => {
  const { page } = await ana();
  await page.goto("/circles/00000000-0000-4000-8000-0000000000c1");
  const places = page.getByRole("region", { name: "Places" });
  await places.getByRole("link").first().click();
  await page.waitForURL("/places/*");
});

test("in forced colours the selected option is recognisable", async ({ ana, stack }) => {
  const table = await layTable(stack, { title: "Forced", days: 1 });
  const { page } = await ana({ forcedColors: "active" });
  await page.goto(table.path);
  const yes = page.getByRole("radio", { name: "Yes", exact: true });
  const no = page.getByRole("radio", { name: "No", exact: true });
  await yes.click();
  await expect(yes).toBeChecked();
  const colour = (one: typeof yes) => one.evaluate((element) => getComputedStyle(element).backgroundColor);
  await expect.poll(async () => (await colour(yes)) !== (await colour(no))).toBe(true);
  const tabs = page.getByRole("tab");
  expect(await colour(tabs.nth(0))).not.toBe(await colour(tabs.nth(1)));
});

test("on a phone the vote and the chat's composer are within the first screen", async ({ ana, stack }) => {
  const table = await layTable(stack, { title: "First screen", guests: ["ben"], days: 2, strangers: 3 });
  const note = "The door is round the corner, and the lift is broken. ".repeat(12).trim();
  await stack.backend.sql(`update public.plans set note = '${note}' where id = '${table.id}'`);
  const { page } = await ana({ device: "phone" });
  const above = (await page.viewportSize())?.height ?? 0;
  const bottom = async (one: Locator) => {
    const box = await one.boundingBox();
    return box ? box.y + box.height : Number.POSITIVE_INFINITY;
  };
  const navigation = page.getByRole("navigation", { name: "Main" });
  for (const visit of ["first", "second"]) {
    await page.goto(table.path);
    const vote = page.getByRole("radiogroup", { name: /^Your answer for/ }).first();
    await vote.waitFor();
    const top = (await navigation.boundingBox())?.y ?? above;
    expect(await bottom(vote), `the vote on the ${visit} visit`).toBeLessThanOrEqual(top);
  }
  await page.getByRole("button", { name: "Show the whole note" }).click();
  await expect(page.getByRole("button", { name: "Show less" })).toBeVisible();
  await page.getByRole("tab", { name: "Chat" }).click();
  await composer(page).waitFor();
  const top = (await navigation.boundingBox())?.y ?? above;
  await expect.poll(() => bottom(composer(page))).toBeLessThanOrEqual(top);
  await expect.poll(async () => (await composer(page).boundingBox())?.y ?? -1).toBeGreaterThan(0);
  expect(await page.evaluate(() => window.scrollY)).toBe(0);

  // A message that comes while another tab is open is said there.
  const chat = page.getByRole("tab", { name: "Chat" });
  await page.getByRole("tab", { name: "When" }).click();
  await expect(chat).not.toHaveAccessibleDescription(/./);
  await stack.backend.sql(
    `insert into public.messages (plan_id, author_id, client_id, body) values ('${table.id}', '${people.ben}', gen_random_uuid(), 'Late')`,
  );
  await expect(chat).toHaveAccessibleDescription("1 new message");
  await expect(page.getByRole("tablist").getByText("1", { exact: true })).toBeVisible();
  await chat.click();
  await expect(page.getByText("Late")).toBeVisible();
  const read = `select 1 from public.message_reads where plan_id = '${table.id}' and user_id = '${people.ana}'`;
  await expect.poll(async () => (await stack.backend.sql(read)).length).toBe(1);
  await page.getByRole("tab", { name: "When" }).click();
  await expect(chat).not.toHaveAccessibleDescription(/./);
});

test("a person who can make the time and voted no to the place is asked again, and told why", async ({
  ana,
  stack,
}) => {
  const table = await layTable(stack, { title: "Not there", days: 1, guests: ["ben"], withPlaces: true });
  await confirm(stack, table, 30, {});
  for (const name of ["ana", "ben"] as const) {
    await stack.backend.sql(
      `with yes as (insert into public.time_votes (option_id, plan_id, user_id, answer)
         values ('${table.times[0]}', '${table.id}', '${people[name]}', 'yes'))
       insert into public.place_votes (option_id, plan_id, user_id, answer)
         select chosen_place_id, id, '${people[name]}', 'no' from public.plans where id = '${table.id}'`,
    );
  }
  const { page } = await ana({ device: "phone" });
  await page.goto(table.path);
  await expect(page.getByText("You voted no to this place, so we're asking again.")).toBeVisible();
  await expect(page.getByRole("img", { name: /Ben Okafor voted no to the place/ }).first()).toBeVisible();
  await page.getByText("I'm coming").tap();
  await expect(page.getByText("You voted no to this place")).toHaveCount(0);
});

test("the ticket can be added to a calendar and shared", async ({ ana, stack }) => {
  const table = await layTable(stack, { title: "Taken along", days: 1, withPlaces: true });
  await confirm(stack, table, 30, { ana: "going" });
  const { page } = await ana({ permissions: ["clipboard-read", "clipboard-write"] });
  await page.goto(table.path);
  await page.getByRole("button", { name: "Add to calendar" }).click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Download calendar file" }).click(),
  ]);
  expect(await readFile(await download.path(), "utf8")).toContain("SUMMARY:Taken along\r\n");
  for (const [name, host] of [
    ["Open in Google Calendar", "calendar.google.com"],
    ["Open in Outlook", "outlook.live.com"],
  ] as const) {
    expect(await page.getByRole("link", { name }).getAttribute("href")).toContain(host);
  }
  await page.getByRole("button", { name: "Close" }).click();
});

test("the ticket calls and books the place, and a host says what is booked, which a change asks again", async ({
  ana,
  person,
  stack,
}) => {
  const table = await layTable(stack, { title: "Booked", days: 2, guests: ["ben"], withPlaces: true });
  await confirm(stack, table, 30, { ana: "going", ben: "going" });
  const [{ name } = { name: "" }] = await stack.backend.sql<{ name: string }>(
    `update public.places set phone = '+351 (21) 347-0000', booking_url = 'https://book.test/momo' where id =
       (select o.place_id from public.place_options as o join public.plans as p on p.chosen_place_id = o.id where p.id = '${table.id}')
     returning name`,
  );
  const { page } = await ana({ device: "phone" });
  await page.goto(table.path);
  const ticket = page.getByRole("article", { name: "Ticket" });
  await expect(ticket.getByRole("link", { name: `Call ${name}` })).toHaveAttribute(
    "href",
    "tel:+351213470000",
  );
  await expect(ticket.getByRole("link", { name: `Book online at ${name}` })).toHaveAttribute(
    "href",
    "https://book.test/momo",
  );
  await ticket.getByRole("button", { name: "Booked for 2 under Ana" }).click();
  await expect(ticket.getByRole("button", { name: "Not booked" })).toBeVisible();
  const { page: bens } = await person("Ben");
  await bens.goto(`/sign-in?next=${table.path}`);
  await signIn(bens, "ben@nosh.test", table.path);
  const bensTicket = bens.getByRole("article", { name: "Ticket" });
  await expect(bensTicket.getByText("Booked for 2 under Ana")).toBeVisible();
  await expect(bensTicket.getByRole("button", { name: "Not booked" })).toHaveCount(0);
  await bensTicket.getByRole("combobox", { name: "Bringing" }).selectOption("1 more");
  await expect(ticket.getByText("3 people are coming now.")).toBeVisible();
  await ticket.getByRole("button", { name: "Booked for 3 under Ana" }).click();
  await expect(bensTicket.getByText("Booked for 3 under Ana", { exact: true })).toBeVisible();
  // Another time is not booked.
  await stack.backend.sql(
    `update public.plans set chosen_time_id = '${table.times[1]}' where id = '${table.id}'`,
  );
  await expect(ticket.getByText("Is a table booked?")).toBeVisible();
  await expect(bensTicket.getByText(/Booked for/)).toHaveCount(0);
});

test("a host shares an invite link, a guest the plan's own; neither tells a home's address", async ({
  ana,
  person,
  stack,
}) => {
  const table = await layTable(stack, { title: "Handed on", days: 1, guests: ["ben"], withPlaces: true });
  await confirm(stack, table, 30, { ana: "going", ben: "going" });
  const permissions = ["clipboard-read", "clipboard-write"];
  const shared = async (page: Page) => {
    // A test cannot press the system's share sheet; without it the text is copied.
    await page.evaluate(() => Object.defineProperty(navigator, "canShare", { value: undefined }));
    await page.getByRole("button", { name: "Share", exact: true }).click();
    await expect(page.getByText("Copied.")).toBeVisible();
    return page.evaluate(() => navigator.clipboard.readText());
  };
  const { page } = await ana({ permissions });
  await page.goto(table.path);
  const invite = await shared(page);
  expect(invite).toMatch(/^Handed on: .+\nhttp:\/\/\S+\/join\/\S+$/);
  // The page has one link, which it shares again.
  expect(await shared(page)).toBe(invite);

  const { page: friends } = await person("Jo", { device: "phone" });
  await friends.goto(invite.split("\n")[1] ?? "");
  await friends.getByRole("textbox", { name: "Your name" }).fill("Jo");
  await friends.getByRole("button", { name: "Take a seat" }).click();
  await friends.waitForURL((url) => url.pathname === table.path);

  const { page: bens } = await person("Ben", { permissions });
  await bens.goto(`/sign-in?next=${table.path}`);
  await signIn(bens, "ben@nosh.test", table.path);
  expect((await shared(bens)).endsWith(`\n${new URL(table.path, bens.url()).href}`)).toBe(true);

  await stack.backend.sql(
    `with home as (
       update public.places set home = true, everybody = false, address = '', latitude = null, longitude = null
       where id = (select o.place_id from public.plans as p join public.place_options as o on o.id = p.chosen_place_id
         where p.id = '${table.id}') returning id)
     insert into public.place_homes (place_id, user_id, address) select id, '${people.ana}', 'Rua Secreta 7' from home`,
  );
  await bens.reload();
  await expect(bens.getByText("Rua Secreta 7")).toBeVisible();
  expect(await shared(bens)).not.toContain("Secreta");
});
