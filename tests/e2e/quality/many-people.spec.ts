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
