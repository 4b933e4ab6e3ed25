/** Creating plans: several times at once, and from an earlier dinner. */
import { linkTo, sitDown } from "../entry/links.ts";
import { expect, loseResponse, test } from "../fixtures.ts";
import { layTable } from "../tables.ts";

const DUMPLINGS = "00000000-0000-4000-8000-0000000000b5";

test("days and hours combine to several times at once, with a deadline and hidden answers", async ({
  ana,
  stack,
}) => {
  const { page } = await ana({ device: "phone" });
  await page.goto("/plans/new");
  // What a usual plan needs is on a phone's first screen.
  await expect(page.getByRole("button", { name: "Create plan" })).toBeInViewport({ ratio: 1 });
  await page.getByRole("textbox", { name: "Plan name" }).fill("Many evenings");
  await page.getByRole("button", { name: "2 times" }).click();
  await page.getByRole("button", { name: "Add several" }).click();
  const days = page.getByRole("group", { name: "Days" }).getByRole("button");
  await days.nth(8).click();
  await days.nth(9).click();
  await page.getByRole("button", { name: "13:00" }).click();
  await page.getByRole("button", { name: "20:00" }).click();
  await page.getByRole("button", { name: "Add 4 times" }).click();
  await expect(page.getByText("6 times")).toBeVisible();
  await page.getByRole("button", { name: "Options" }).click();
  await page.getByRole("combobox", { name: "Vote by" }).selectOption({ label: "in 3 days, in the evening" });
  await page.getByText("Hide answers until people vote").click();
  await page.getByRole("button", { name: "Create plan" }).click();
  await page.waitForURL(/\/plans\/[0-9a-f-]{36}/);
  const id = new URL(page.url()).pathname.split("/").at(-1);
  const [plan] = await stack.backend.sql(
    `select results_hidden, vote_deadline > now() + interval '2 days' as later,
       (select count(*)::integer from public.time_options as o where o.plan_id = p.id) as times
     from public.plans as p where id = '${id}'`,
  );
  expect(plan).toEqual({ results_hidden: true, later: true, times: 6 });
  await expect(page.getByText("Others' answers are hidden until you vote").first()).toBeVisible();
});

test("Again starts a plan with the people, the hour and the place of the last one", async ({
  ana,
  stack,
}) => {
  const { page } = await ana();
  await page.goto("/home");
  const again = page.getByRole("link", { name: "Plan it again: The dumpling evening" });
  // Other tests have made plans since: it may stand on a later page.
  const more = page.getByRole("button", { name: "Show more" });
  await expect(async () => {
    if (!(await again.isVisible()) && (await more.isVisible())) await more.click();
    await expect(again).toBeVisible({ timeout: 500 });
  }).toPass({ timeout: 15_000 });
  await again.click();
  await expect(page.getByRole("heading", { level: 1, name: "Again: The dumpling evening" })).toBeVisible();
  await expect(
    page
      .getByText(/^From “?The dumpling evening/)
      .locator("..")
      .getByText("Momo Sete"),
  ).toBeVisible();
  await page.getByRole("button", { name: "Who" }).click();
  await page.getByRole("button", { name: "Where", exact: true }).click();
  await expect(page.getByRole("checkbox", { name: "Momo Sete" })).toBeChecked();
  await expect(page.getByRole("checkbox", { name: "Ben" })).toBeChecked();
  // Emre could not come last time, and is one of the table all the same.
  await expect(page.getByRole("checkbox", { name: "Emre" })).toBeChecked();
  await page.getByRole("textbox", { name: "Plan name" }).fill("More dumplings");
  await page.getByRole("button", { name: "Create plan" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "More dumplings" })).toBeVisible();
  const rows = await stack.backend.sql(`
    select extract(isodow from n.starts_at at time zone n.zone) = extract(isodow from o.starts_at at time zone 'Europe/Lisbon') as same
    from (select t.starts_at, p.time_zone as zone from public.time_options as t join public.plans as p on p.id = t.plan_id
      where p.title = 'More dumplings') as n,
      public.time_options as o where o.plan_id = '${DUMPLINGS}'`);
  expect(rows).toEqual([{ same: true }, { same: true }]);
});

test("the next plan tells two people of one first name apart", async ({ ana, stack }) => {
  const table = await layTable(stack, { title: "Two of a name", strangers: 2 });
  const { page } = await ana({ device: "small" });
  await page.goto(`/plans/new?again=${table.id}`);
  // They came at the same moment, so either may be first.
  await expect(page.getByRole("button", { name: "Who" })).toHaveAccessibleDescription(
    /^(Stranger 1 and Stranger 2|Stranger 2 and Stranger 1)$/,
  );
});

test("a plan created over a broken connection exists once", async ({ ana, stack }) => {
  const { page, watch } = await ana();
  watch.expect(/ERR_FAILED/);
  await page.goto("/plans/new");
  await page.getByRole("textbox", { name: "Plan name" }).fill("Set once");
  await loseResponse(page, "**/rpc/create_plan");
  await page.getByRole("button", { name: "Create plan" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Set once" })).toBeVisible();
  expect(await stack.backend.sql("select 1 from public.plans where title = 'Set once'")).toHaveLength(1);
});

test("a guest with a name only starts the next plan from the last one, with its people and place", async ({
  person,
  stack,
}) => {
  const table = await layTable(stack, { title: "Soup night", guests: ["ben"], withPlaces: true });
  const { page } = await person("Kim", { device: "phone" });
  await sitDown(page, await linkTo(stack, table.id), "Kim");
  await stack.backend.sql(`update public.time_options set starts_at = now() - interval '3 days', ends_at = now() - interval '70 hours'
      where id = (select id from public.time_options where plan_id = '${table.id}' limit 1)`);
  await stack.backend.sql(`update public.plans set status = 'confirmed', circle_id = '00000000-0000-4000-8000-0000000000c1',
      chosen_time_id = (select id from public.time_options where plan_id = '${table.id}' order by starts_at limit 1),
      chosen_place_id = (select id from public.place_options where plan_id = '${table.id}' limit 1) where id = '${table.id}'`);
  await stack.backend.sql(`update public.plan_members set rsvp = 'going' where plan_id = '${table.id}'`);
  await page.goto(table.path);
  await page.getByRole("link", { name: "Plan it again" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Again: Soup night" })).toBeVisible();
  await page.getByRole("textbox", { name: "Plan name" }).fill("Soup again");
  await page.getByRole("button", { name: "Create plan" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Soup again" })).toBeVisible();
  const [made] = await stack.backend.sql(
    `select p.circle_id, (select string_agg(u.display_name, ', ' order by u.display_name) from public.plan_members as m
       join public.profiles as u on u.id = m.user_id where m.plan_id = p.id and m.role = 'guest') as people,
       (select count(*)::integer from public.place_options as o where o.plan_id = p.id) as places
     from public.plans as p where p.title = 'Soup again'`,
  );
  expect(made).toEqual({ circle_id: null, people: "Ana Duarte, Ben Okafor", places: 1 });
});
