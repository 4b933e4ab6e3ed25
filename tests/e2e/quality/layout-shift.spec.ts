/**
 * Nothing on the pages that strangers see first moves by itself: not when the answer arrives, nor when the app's font
 * does. Both are held back until what comes before them is painted, so that the order is the same on every machine.
 */
import type { Page } from "@playwright/test";
import { norms } from "../../norms/norms.ts";
import { expect, type Person, type PersonOptions, test } from "../fixtures.ts";
import { layTable, people } from "../tables.ts";

interface Shift {
  value: number;
  moved: string[];
}

/** Collects layout shifts from the page's start on (Layout Instability API). */
async function collectShifts(page: Page): Promise<() => Promise<Shift[]>> {
  await page.addInitScript(() => {
    const shifts: unknown[] = [];
    Object.assign(window, { shifts });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & {
        value: number;
        sources: { node: Node | null }[];
      })[]) {
        const moved = entry.sources.map(
          ({ node }) => `${node?.nodeName}: ${node?.textContent?.slice(0, 40)}`,
        );
        shifts.push({ value: entry.value, moved });
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
  return () => page.evaluate(() => (window as unknown as { shifts: Shift[] }).shifts);
}

/** Two frames: what was laid out before is painted after the first, and its shifts are reported after the second. */
async function painted(page: Page): Promise<void> {
  await page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))),
  );
}

/** Holds requests to an address until they are released. */
async function hold(page: Page, url: RegExp): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((done) => {
    release = done;
  });
  await page.route(url, async (route) => {
    await released;
    await route.continue();
  });
  return release;
}

/** Longer than the tenth of a second in which a browser waits for an optional font (CSS Fonts 4, font-display). */
const BLOCKED_MS = 300;
const FONT = /fraunces.*\.woff2$/;

/** @returns the layout shifts of a page whose data comes after its first screen, and its font after the data. */
async function shiftsOf({ page }: Person, path: string, data: RegExp | null): Promise<Shift[]> {
  const shifts = await collectShifts(page);
  const releaseFont = await hold(page, FONT);
  const releaseData = data ? await hold(page, data) : null;
  await page.goto(path, { waitUntil: "commit" });
  if (releaseData) {
    await page.locator("main [aria-busy=true]").waitFor();
    await painted(page);
    releaseData();
  }
  await page.locator("main h1:not(.sr-only)").waitFor();
  await painted(page);
  // By the page's own clock, which a busy machine holds up together with the browser's.
  await page.evaluate((wait) => new Promise((done) => setTimeout(done, wait)), BLOCKED_MS);
  releaseFont();
  await page.evaluate(() => document.fonts.load('560 40px "Fraunces Variable"'));
  await page.evaluate(() => document.fonts.ready);
  await page.waitForLoadState("networkidle");
  await painted(page);
  return shifts();
}

/** Without 768 px in German, where the heading of the landing page may wrap differently later (docs/decisions/0042). */
const widths: [string, PersonOptions][] = [320, 360, 390, 412, 600, 1024, 1280].flatMap((width) =>
  ["en-GB", "de-DE"].map((locale): [string, PersonOptions] => [
    `${width} px, ${locale}`,
    { viewport: { width, height: 844 }, locale },
  ]),
);

for (const [name, options] of widths) {
  test(`layout shift of the invite and the landing page, ${name}`, async ({ person }) => {
    const visitor = async () => person("Visitor", options);
    const invite = await shiftsOf(await visitor(), "/join/demo-table", /rpc\/preview_invite/);
    const landing = await shiftsOf(await visitor(), "/", null);
    for (const shifts of [invite, landing]) {
      expect
        .soft(
          shifts.reduce((sum, { value }) => sum + value, 0),
          JSON.stringify(shifts),
        )
        .toBeLessThanOrEqual(norms.shift);
    }
  });
}

test("a plan's places stand still: their cards come with the trips and with what people ate there", async ({
  ana,
  stack,
}) => {
  const table = await layTable(stack, { title: "Still", guests: ["fatou"], withPlaces: true });
  const sql = stack.backend.sql.bind(stack.backend);
  await sql(`update public.profiles set diets = '{vegan}', diets_known = true where id = '${people.fatou}'`);
  await sql(
    `update public.places set safe_diets = '{}' where id in (select place_id from public.place_options where plan_id = '${table.id}')`,
  );
  const { page } = await ana({ device: "phone" });
  const shifts = await collectShifts(page);
  const release = await hold(page, /rest\/v1\/ratings/);
  const asked = page.waitForRequest(/rest\/v1\/ratings/);
  await page.goto(`${table.path}?tab=where`);
  await asked;
  const panel = page.getByRole("tabpanel");
  await expect(panel.locator("[aria-busy=true]")).toBeVisible();
  const card = panel.getByRole("article").first();
  await expect(card).toHaveCount(0);
  release();
  await expect(card).toContainText("Not confirmed");
  const before = (await shifts()).length;
  const height = (await card.boundingBox())?.height;
  await page.waitForLoadState("networkidle");
  await painted(page);
  await expect.poll(async () => (await card.boundingBox())?.height).toBe(height);
  expect((await shifts()).slice(before)).toEqual([]);
});
