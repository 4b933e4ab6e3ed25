import type { Locator, Page } from "@playwright/test";
import { expect, test } from "../fixtures.ts";
import { layTable, people } from "../tables.ts";
import { composer } from "./conversation.ts";

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
  await expect(page.getByText("Everyone has answered, 1 of them not for every time.")).toBeVisible();
  await expect(page.getByRole("listitem").filter({ hasText: "Ben" }).first()).toContainText(
    "voted on 1 of 2 times",
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
  await expect.poll(marked).toEqual(["When", "Where"]);
  const before = await tops();
  await yes.first().click();
  await expect(next.getByText("Which places do you like?")).toBeVisible();
  expect(await tops()).toEqual(before);
  await expect.poll(marked).toEqual(["Where"]);

  await next.getByRole("button", { name: "Vote" }).click();
  await expect(page.getByRole("tab", { name: "Where" })).toHaveAttribute("aria-selected", "true");
  await page.getByText(/min/).first().waitFor();
  const places = await tops();
  await yes.first().click();
  await expect(next.getByText("You voted on 1 of 3 times. We'll email you when it's decided.")).toBeVisible();
  expect(await tops()).toEqual(places);
  await expect.poll(marked).toEqual([]);
  // A screen shows an answer before the outbox has sent it.
  await expect
    .poll(() =>
      stack.backend.sql(`select step from private.plan_next('${table.id}') where user_id = '${people.ana}'`),
    )
    .toEqual([{ step: null }]);
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
  await expect.poll(async () => (await colour(tabs.nth(0))) !== (await colour(tabs.nth(1)))).toBe(true);
});

test("with more contrast no text is soft, and cards have lines as strong as text", async ({ ana, stack }) => {
  const table = await layTable(stack, { title: "Plain to see", days: 1 });
  for (const colorScheme of ["light", "dark"] as const) {
    const { page } = await ana({ colorScheme, contrast: "more" });
    await page.goto(table.path);
    const card = page.getByRole("tabpanel").locator(".paper").first();
    const colours = () =>
      card.evaluate((element) => {
        const soft = element.querySelector(".text-ink-soft");
        return [
          soft && getComputedStyle(soft).color,
          getComputedStyle(element).borderTopColor,
          getComputedStyle(document.body).color,
        ];
      });
    await expect.poll(async () => new Set(await colours()).size, { message: colorScheme }).toBe(1);
  }
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
    await expect.poll(() => bottom(vote), `the vote on the ${visit} visit`).toBeLessThanOrEqual(top);
  }
  await page.getByRole("button", { name: "Show the whole note" }).click();
  await expect(page.getByRole("button", { name: "Show less" })).toBeVisible();
  await page.getByRole("tab", { name: "Chat" }).click();
  await composer(page).waitFor();
  const top = (await navigation.boundingBox())?.y ?? above;
  await expect.poll(() => bottom(composer(page))).toBeLessThanOrEqual(top);
  await expect.poll(async () => (await composer(page).boundingBox())?.y ?? -1).toBeGreaterThan(0);
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(0);

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

test("beside a long plan the chat opens at the first unread message, and the page at its top", async ({
  ana,
  stack,
}) => {
  const table = await layTable(stack, { title: "Long beside", guests: ["ben"], days: 9, strangers: 6 });
  const said = `insert into public.messages (plan_id, author_id, client_id, body, created_at)
    select '${table.id}', '${people.ben}', gen_random_uuid(), 'Line ' || n, now() - interval '1 hour' + n * interval '1 second'
    from generate_series`;
  await stack.backend.sql(`${said}(1, 30) n`);
  await stack.backend.sql(
    `insert into public.message_reads (plan_id, user_id, read_at) values ('${table.id}', '${people.ana}', now() - interval '1 hour' + interval '10.5 seconds')`,
  );
  const { page } = await ana({ device: "desktop" });
  const scrollable = () => page.evaluate(() => document.documentElement.scrollHeight - innerHeight);
  // The messages come once the rest of the plan is there.
  await page.route(/\/rest\/v1\/(messages|rpc\/.*messages)/, async (route) => {
    await expect.poll(scrollable).toBeGreaterThan(50);
    await route.continue();
  });
  await page.goto(table.path);
  await expect(page.getByText("Line 11", { exact: true })).toBeInViewport();
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(0);
});
