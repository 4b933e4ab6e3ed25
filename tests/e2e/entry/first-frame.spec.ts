/** What the page shows before the app's code is there (web/first-frame.ts), and that the app takes its place. */
import type { Page } from "@playwright/test";
import { expect, type Person, test } from "../fixtures.ts";

const SCRIPTS = /\/assets\/.*\.js$/;
const frame = (page: Page) => page.locator("[data-first-frame]");

/** Opens a page whose scripts cannot be loaded. */
async function openWithoutApp({ page, watch }: Person, path: string): Promise<void> {
  watch.expect(/net::ERR_FAILED/);
  await page.route(SCRIPTS, (route) => route.abort());
  await page.goto(path);
  await page.unroute(SCRIPTS);
}

/** Waits until the home screen was stored. */
async function stored(page: Page): Promise<void> {
  await page.waitForFunction(() => localStorage.getItem("nosh.home-snapshot") !== null);
}

const paths = ["/", "/join/demo-table", "/sign-in", "/start", "/nowhere"];
for (const path of paths) {
  test(`${path} is not blank without the app's code, and the app takes the frame away`, async ({
    person,
  }) => {
    const visitor = await person("Visitor");
    await openWithoutApp(visitor, path);
    await expect.poll(async () => (await frame(visitor.page).boundingBox())?.height).toBeGreaterThan(300);
    await expect.poll(() => frame(visitor.page).locator("[class*='bg-line']").count()).toBeGreaterThan(1);
    await visitor.page.goto(path);
    await expect(visitor.page.getByRole("heading", { level: 1 })).toBeVisible();
    await expect(frame(visitor.page)).toHaveCount(0);
  });
}

for (const device of ["phone", "desktop"] as const) {
  test(`home's frame is where its loading state is, on a ${device}`, async ({ ana }) => {
    const person = await ana({ device });
    const { page } = person;
    const boxes = async (bar: string) => [
      await page.locator(bar).boundingBox(),
      await page.locator(".paper").first().boundingBox(),
      await page.locator(".paper").nth(2).boundingBox(),
    ];
    await openWithoutApp(person, "/home");
    const before = await boxes("[data-first-frame] .fixed");
    // No answer comes, so the app stays in its loading state.
    await page.route(/\/rest\/v1\//, () => {});
    await page.goto("/home");
    await expect(page.getByRole("navigation")).toBeVisible();
    await expect(frame(page)).toHaveCount(0);
    await expect.poll(() => boxes("nav")).toEqual(before);
  });
}

test("a chosen theme applies before the app's code is there", async ({ person }) => {
  const visitor = await person("Visitor", { colorScheme: "light" });
  const ground = () =>
    visitor.page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  await openWithoutApp(visitor, "/");
  const light = await ground();
  await visitor.page.evaluate(() => localStorage.setItem("nosh-theme", "dark"));
  await openWithoutApp(visitor, "/");
  expect(await ground()).not.toBe(light);
});

test("home is shown as it was last seen, without words that depend on the time, and nothing moves after it", async ({
  ana,
}) => {
  const person = await ana({ device: "phone" });
  const { page } = person;
  await page.goto("/home");
  await stored(page);
  await openWithoutApp(person, "/home");
  await expect(frame(page).getByText("Market lunch")).toBeVisible();
  await expect(frame(page).getByText(/afternoon|morning|evening,|night/)).toBeHidden();
  // It cannot be used, and assistive technology waits for the app.
  await expect(page.getByRole("link")).toHaveCount(0);

  await page.addInitScript(() => {
    Object.assign(window, { shift: 0 });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & { value: number })[])
        Object.assign(window, { shift: (window as unknown as { shift: number }).shift + entry.value });
    }).observe({ type: "layout-shift", buffered: true });
  });
  await page.goto("/home", { waitUntil: "networkidle" });
  await expect(page.getByRole("link", { name: /^Market lunch/ })).toBeVisible();
  await expect(frame(page)).toHaveCount(0);
  expect(await page.evaluate(() => (window as unknown as { shift: number }).shift)).toBeLessThan(0.005);
});

test("a snapshot of home is shown to its own person only, on its own day, and is gone after a sign-out", async ({
  ana,
}) => {
  const person = await ana();
  const { page } = person;
  await page.goto("/home");
  await stored(page);
  const own = await page.evaluate(() => localStorage.getItem("nosh.home-snapshot") ?? "");
  for (const other of [{ person: "someone" }, { day: "Thu Jan 01 2026" }, { script: "/assets/old.js" }]) {
    const changed = JSON.stringify({ ...(JSON.parse(own) as object), ...other });
    await page.evaluate((text) => localStorage.setItem("nosh.home-snapshot", text), changed);
    await openWithoutApp(person, "/home");
    await expect(frame(page)).toBeVisible();
    await expect(frame(page).getByText("Market lunch")).toHaveCount(0);
  }
  await page.goto("/me");
  await page.getByRole("button", { name: "Sign out on this device" }).click();
  await page.waitForURL(/sign-in|\/$/);
  await expect.poll(() => page.evaluate(() => localStorage.getItem("nosh.home-snapshot"))).toBeNull();
});
