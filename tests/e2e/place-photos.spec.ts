/** A group's photos of a meal become the picture of its place, and a reason in the ranking. */
import type { Page } from "@playwright/test";
import { expect, test } from "./fixtures.ts";
import { storedCache } from "./stored-cache.ts";
import { layTable } from "./tables.ts";

const MOMO = "/places/00000000-0000-4000-8000-000000000d04";
const CAPTION = "All of us, from above.";
const FROM = "Photo from The dumpling evening";

const picture = (page: Page) => page.getByRole("main").getByRole("img", { name: CAPTION });
const isDrawn = (page: Page) =>
  picture(page)
    .first()
    .evaluate((image: HTMLImageElement) => image.complete && image.naturalWidth > 0);

test("a place's page, lists, a plan's places and its best match show the newest photo", async ({
  ana,
  stack,
}) => {
  const table = await layTable(stack, {
    title: "Momos again",
    guests: ["dev", "fatou"],
    withPlaces: true,
    days: 1,
  });
  const { page } = await ana({ device: "phone" });
  const requests: string[] = [];
  page.on("request", (request) => requests.push(`${request.method()} ${new URL(request.url()).pathname}`));
  await page.goto("/places");
  await expect(picture(page)).toHaveCount(1);
  await picture(page).scrollIntoViewIfNeeded();
  await expect.poll(() => isDrawn(page)).toBe(true);
  const count = (pattern: RegExp) => requests.filter((request) => pattern.test(request)).length;
  expect(count(/place_photos/), "requests for the photos of all places").toBe(1);
  expect(count(/object\/sign\/plan-photos$/), "requests for addresses").toBe(1);

  await page.goto(MOMO);
  await expect(page.getByText(FROM)).toBeVisible();
  await expect.poll(() => isDrawn(page)).toBe(true);

  await page.goto(`${table.path}?tab=where`);
  await expect(picture(page)).toHaveCount(1);
  await page.getByRole("tab", { name: "Best" }).click();
  await expect(page.getByRole("article", { name: "Best match" }).getByRole("img")).toBeVisible();
  await expect(page.getByText("3 photos from earlier meals there")).toBeVisible();
});

test("the plate stands in for a photo that cannot be loaded; without a connection the thumbnail is shown", async ({
  ana,
}) => {
  const { page, watch } = await ana({ device: "phone" });
  watch.expect(/ERR_FAILED/);
  await page.route(/object\/sign\/plan-photos\/.+token=/, (route) => route.abort());
  const failed = page.waitForEvent("requestfailed", (request) => /plan-photos/.test(request.url()));
  await page.goto(MOMO);
  await failed;
  const plate = page.getByRole("main").locator("svg[viewBox='0 0 100 100']").first();
  await expect(plate).toBeVisible();
  await expect(picture(page)).toHaveCount(0);
  const before = await plate.boundingBox();
  await page.unroute(/object\/sign\/plan-photos\/.+token=/);

  await page.reload();
  await expect.poll(() => isDrawn(page)).toBe(true);
  await expect.poll(() => picture(page).boundingBox(), "the box is the plate's").toEqual(before);
  // The thumbnail is stored a moment later.
  await expect
    .poll(async () => (await storedCache(page)).filter(({ key }) => key[0] === "place-photo").length)
    .toBe(1);
  // As without a connection: neither photos nor their signed URLs can be loaded.
  watch.expect(/ERR_FAILED/);
  await page.route(/\/storage\/v1\//, (route) => route.abort());
  await page.reload();
  await expect.poll(() => isDrawn(page)).toBe(true);
});

test("the landing page's example asks for no photos", async ({ person }) => {
  const { page } = await person("Visitor");
  const requests: string[] = [];
  page.on("request", (request) => requests.push(request.url()));
  await page.goto("/");
  await page.getByRole("article", { name: "Best match" }).scrollIntoViewIfNeeded();
  await expect(page.getByRole("article", { name: "Best match" })).toBeVisible();
  expect(requests.filter((url) => /place_photos|plan-photos/.test(url))).toEqual([]);
});
