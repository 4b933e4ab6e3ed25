/** What the page itself begins with, before the app is there (web/first-views.ts). */
import { expect, test } from "./fixtures.ts";

const asksOf = (urls: string[], what: string) => urls.filter((url) => new URL(url).pathname === what);

test("home is asked for by the page alone, and the app takes those answers", async ({ ana }) => {
  const { page, watch } = await ana();
  const asked: string[] = [];
  page.on("request", (request) => {
    if (request.method() === "GET") asked.push(request.url());
  });
  watch.expect(/net::ERR_FAILED/);
  await page.route(/\/assets\/.*\.js$/, (route) => route.abort());
  await page.goto("/home");
  await expect.poll(() => asksOf(asked, "/rest/v1/plans")).toHaveLength(1);
  await page.unroute(/\/assets\/.*\.js$/);

  asked.length = 0;
  await page.goto("/home");
  await expect(page.getByRole("heading", { level: 2 }).first()).toBeVisible();
  for (const what of ["/rest/v1/plans", "/rest/v1/ratings", "/rest/v1/rpc/unread_counts"]) {
    expect(asksOf(asked, what), what).toHaveLength(1);
  }
});

test("a plan is asked for by the page alone too, and by nobody who is signed out", async ({
  ana,
  person,
}) => {
  const { page } = await ana();
  await page.goto("/home");
  await page.getByRole("link", { name: /^The dumpling evening/ }).click();
  await expect(page.getByRole("heading", { level: 1 })).toContainText("dumpling");
  const address = page.url();
  const asked: string[] = [];
  page.on("request", (request) => {
    if (request.method() === "GET") asked.push(request.url());
  });
  await page.goto(address);
  await expect(page.getByRole("heading", { level: 1 })).toContainText("dumpling");
  const id = new URL(address).pathname.split("/").at(-1) ?? "";
  expect(asksOf(asked, "/rest/v1/plans").filter((url) => url.includes(id))).toHaveLength(1);

  const nobody = await person("Nobody");
  const askedByNobody: string[] = [];
  nobody.page.on("request", (request) => askedByNobody.push(request.url()));
  await nobody.page.goto(address);
  await nobody.page.waitForURL("**/sign-in**");
  expect(asksOf(askedByNobody, "/rest/v1/plans")).toEqual([]);
});
