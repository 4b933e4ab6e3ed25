/** A table of twenty with long names, plus-ones and a long note: fits every width, and axe finds nothing. */
import { expect, test } from "../fixtures.ts";
import { layTable } from "../tables.ts";
import { barriers } from "./axe.ts";

const NAMES = [
  "Wolfeschlegelsteinhausenbergerdorffwelch",
  "محمد عبد الرحمن بن سليمان آل مكتوم الهاشمي",
  "Ana-Sofía Fernández de la Cruz y Mendoza",
  "שרה בת־אברהם לוי־כהן מירושלים הבירה",
];
const WIDTHS = [320, 390, 768, 1024, 1280];

test("a table of twenty fits every width on every tab, and axe finds nothing", async ({ ana, stack }) => {
  test.setTimeout(120_000);
  const table = await layTable(stack, { title: "T".repeat(80), days: 5, strangers: 19, withPlaces: true });
  const sql = stack.backend.sql.bind(stack.backend);
  const long = NAMES.map((name) => `'${[...name].slice(0, 40).join("")}'`).join(", ");
  await sql(`update public.profiles set display_name = (array[${long}])[1 + substring(display_name from '[0-9]+$')::int % ${NAMES.length}]
    where display_name like 'Stranger %'`);
  await sql(`update public.plan_members set plus_ones = 5 where plan_id = '${table.id}'`);
  await sql(`update public.plans set note = repeat('long ', 199) where id = '${table.id}'`);
  const { page } = await ana({ device: "phone" });
  for (const tab of ["when", "where", "best", "chat", "photos"]) {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${table.path}?tab=${tab}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.waitForLoadState("networkidle");
    expect(await barriers(page), tab).toEqual([]);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 844 });
      await expect
        .poll(() => page.evaluate(() => document.documentElement.scrollWidth), {
          message: `${tab} at ${width}`,
        })
        .toBeLessThanOrEqual(width);
    }
  }
});

test("twenty places are short until one's details are asked for, and warnings stand on each", async ({
  ana,
  stack,
}) => {
  const table = await layTable(stack, { title: "Too many places", days: 1, guests: ["ben"] });
  await stack.backend.sql(
    `insert into public.place_options (plan_id, place_id, proposed_by)
     select '${table.id}', id, '00000000-0000-4000-8000-0000000000a2' from public.places where everybody order by id limit 20`,
  );
  const { page } = await ana({ device: "phone" });
  await page.goto(`${table.path}?tab=where`);
  const cards = page.getByRole("tabpanel").getByRole("article");
  await expect(cards).toHaveCount(20);
  const list = page
    .getByRole("tabpanel")
    .getByRole("list")
    .filter({ has: page.getByRole("article") });
  // Heading, hours, trip, a warning and the answer: a screen holds four.
  await expect.poll(async () => (await list.boundingBox())?.height).toBeLessThan(20 * 210);
  const [unsafe] = await stack.backend.sql<{ name: string }>(
    `select p.name from public.place_options as o join public.places as p on p.id = o.place_id
     where o.plan_id = '${table.id}' and not p.safe_diets && '{vegetarian,vegan}' order by p.name limit 1`,
  );
  await expect(cards.filter({ hasText: String(unsafe?.name) })).toContainText(
    "Not confirmed vegetarian (Ana)",
  );

  await expect(cards.first()).not.toContainText("Suggested by Ben");
  await cards
    .first()
    .getByRole("button", { name: /^Details of / })
    .press("Enter");
  await expect(cards.first()).toContainText("Suggested by Ben");
  const details = cards.first().getByRole("button", { name: /^Details of /, expanded: true });
  await expect(details).toBeFocused();
  await details.press("Enter");
  await expect(cards.first()).not.toContainText("Suggested by Ben");
});

test("in German at 320 px no short name and no state is broken within a word", async ({ ana, stack }) => {
  const table = await layTable(stack, { title: "Schmal", days: 1, strangers: 2, withPlaces: true });
  await stack.backend.sql(
    `update public.profiles set display_name = 'Philomena' where display_name = 'Stranger 1'`,
  );
  await stack.backend.sql(`delete from public.time_votes where plan_id = '${table.id}'`);
  const { page } = await ana({ device: "small", locale: "de-DE" });
  await page.goto(`${table.path}?tab=best`);
  /** The counts of lines on which the text stands; an element that is being replaced has none. */
  const linesOf = async (text: string) => {
    const counts = await page
      .getByText(text, { exact: true })
      .filter({ visible: true })
      .evaluateAll((elements) =>
        elements.map((element) => {
          const range = document.createRange();
          range.selectNodeContents(element);
          return new Set([...range.getClientRects()].map(({ top }) => top)).size;
        }),
      );
    return [...new Set(counts)];
  };
  const card = page.getByRole("article", { name: "Beste Kombination" });
  await expect(card.getByText("Philomena", { exact: true })).toBeVisible();
  await expect.poll(() => linesOf("Philomena")).toEqual([1]);

  await stack.backend.sql(
    `update public.time_options set starts_at = now() + interval '1 hour', ends_at = now() + interval '3 hours' where plan_id = '${table.id}'`,
  );
  await stack.backend.sql(
    `update public.plans set status = 'confirmed', chosen_time_id = '${table.times[0]}',
       chosen_place_id = (select id from public.place_options where plan_id = '${table.id}' limit 1) where id = '${table.id}'`,
  );
  await stack.backend.sql(`update public.plan_members set rsvp = 'going' where plan_id = '${table.id}'`);
  await stack.backend.sql(
    `insert into public.arrivals (plan_id, user_id, status)
     select plan_id, user_id, 'on_the_way' from public.plan_members where plan_id = '${table.id}' and role <> 'host'`,
  );
  await page.goto(`${table.path}?tab=day`);
  await expect(page.getByRole("rowheader", { name: "Philomena" })).toBeVisible();
  await expect.poll(() => linesOf("Philomena")).toEqual([1]);
  await expect.poll(() => linesOf("unterwegs")).toEqual([1]);
});

test("at 320 px an expected time of four digits ends before the status begins", async ({ ana, stack }) => {
  const table = await layTable(stack, { title: "Late", days: 1, strangers: 1, withPlaces: true });
  await stack.backend.sql(
    `update public.time_options set starts_at = now() + interval '1 hour', ends_at = now() + interval '3 hours' where plan_id = '${table.id}'`,
  );
  await stack.backend.sql(
    `update public.plans set status = 'confirmed', chosen_time_id = '${table.times[0]}' where id = '${table.id}'`,
  );
  await stack.backend.sql(`update public.plan_members set rsvp = 'going' where plan_id = '${table.id}'`);
  await stack.backend.sql(
    `insert into public.arrivals (plan_id, user_id, status, eta)
     select m.plan_id, m.user_id, 'on_the_way', (current_date + time '22:58') at time zone p.time_zone
     from public.plan_members m join public.plans p on p.id = m.plan_id where m.plan_id = '${table.id}' and m.role <> 'host'`,
  );
  const { page } = await ana({ device: "small", locale: "en-US" });
  await page.goto(`${table.path}?tab=day`);
  const cell = page.getByRole("cell", { name: /^10:58/ });
  await expect(cell).toBeVisible();
  await expect.poll(() => cell.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0);
});
