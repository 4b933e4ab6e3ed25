/** Times in the person's own hour cycle on every screen: American English, British English, German, a right-to-left locale. */
import { expect, test } from "../fixtures.ts";

const DINNER = "/plans/00000000-0000-4000-8000-0000000000b1";
const LUNCH = "/plans/00000000-0000-4000-8000-0000000000b2";
const DONE = "/plans/00000000-0000-4000-8000-0000000000b5";
const PATHS = [
  "/home",
  "/plans/new",
  `/plans/new?again=${DONE.slice("/plans/".length)}`,
  ...["when", "where", "best", "chat"].map((tab) => `${DINNER}?tab=${tab}`),
  `${LUNCH}?tab=best`,
  `${DONE}?tab=chat`,
  "/circles/00000000-0000-4000-8000-0000000000c1",
  "/places/00000000-0000-4000-8000-000000000d04",
];

for (const [locale, twelve] of [
  ["en-US", true],
  ["en-GB", false],
  ["de-DE", false],
  ["ar-EG", false],
] as const) {
  test(`in ${locale} no time has another hour cycle or a leading zero of its own`, async ({ ana, stack }) => {
    test.setTimeout(120_000);
    await stack.backend.sql(
      `insert into public.standing_dinners (circle_id, title, rhythm, first_on, starts_at, time_zone, next_on)
       values ('00000000-0000-4000-8000-0000000000c1', 'Soup', 'weekly', current_date + 20, '19:30', 'Europe/Lisbon', current_date + 20)`,
    );
    const { page } = await ana({ device: "phone", locale });
    let found = 0;
    for (const path of PATHS) {
      await page.goto(path);
      await page.getByRole("heading").first().waitFor();
      await page.waitForLoadState("networkidle");
      const texts = await page.evaluate(() => [
        document.body.innerText,
        ...[...document.querySelectorAll("[aria-label]")].map((one) => one.getAttribute("aria-label") ?? ""),
      ]);
      const times = texts.join("\n").match(/\d{1,2}:\d\d(?:.?[AP]M)?/gi) ?? [];
      found += times.length;
      const wrong = twelve
        ? times.filter((time) => /^(0|1[3-9]|2)\d?:/.test(time) && !/^2:/.test(time))
        : times.filter((time) => /[AP]M/i.test(time) || /^\d:/.test(time));
      expect(wrong, path).toEqual([]);
    }
    expect(found).toBeGreaterThan(30);
  });
}
