/** The plan once it is decided: the ticket, the day, the meal, and what is shared of it. */
import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { expect, signIn, test } from "../fixtures.ts";
import type { Stack } from "../stack.ts";
import { layTable, people, type Table } from "../tables.ts";

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
  await expect(answers).toHaveCount(3);
  await expect.poll(thirds).toBe(true);
  await answers.last().click();
  await expect(answers.last()).toBeChecked();
  await expect.poll(thirds).toBe(true);
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
  await expect(bensTicket.getByText("Booked for 3 under Ana.", { exact: true })).toBeVisible();
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
