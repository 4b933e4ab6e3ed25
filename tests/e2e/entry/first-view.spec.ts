/** The requests that the page sends before the app is loaded (web/first-views.ts). */
import type { Page } from "@playwright/test";
import { expect, type Person, test } from "../fixtures.ts";

/** The requested paths of PostgREST. */
function listen(page: Page): string[] {
  const asked: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith("/rest/v1/") && request.method() !== "OPTIONS") asked.push(pathname);
  });
  return asked;
}

/** The page's requests when none of the app's scripts can be loaded. */
async function requestsWithoutApp({ page, watch }: Person, path: string): Promise<string[]> {
  const scripts = /\/assets\/.*\.js$/;
  watch.expect(/net::ERR_FAILED/);
  await page.route(scripts, (route) => route.abort());
  const asked = listen(page);
  await page.goto(path, { waitUntil: "networkidle" });
  await page.unroute(scripts);
  return asked.splice(0);
}

test("the page itself requests home's data, and the app uses those responses", async ({ ana }) => {
  const person = await ana();
  const wanted = ["/rest/v1/plan_cards", "/rest/v1/rpc/unread_counts"];
  expect((await requestsWithoutApp(person, "/home")).toSorted()).toEqual(wanted);

  const asked = listen(person.page);
  await person.page.goto("/home");
  await expect(person.page.getByRole("heading", { level: 2 }).first()).toBeVisible();
  expect(asked.filter((path) => wanted.includes(path)).toSorted()).toEqual(wanted);
});

test("the page itself requests a plan's data; signed out what its link shows to others, once", async ({
  ana,
  person,
}) => {
  const before = await ana();
  await before.page.goto("/home");
  await before.page.getByRole("link", { name: /^The dumpling evening/ }).click();
  await before.page.waitForURL(/plans\/[0-9a-f-]{36}/);
  const { pathname } = new URL(before.page.url());

  const someone = await ana();
  const { page } = someone;
  expect(await requestsWithoutApp(someone, pathname)).toEqual(["/rest/v1/plans"]);

  const asked = listen(page);
  // A joined channel asks for the plan once more, because changes may have been missed before.
  await page.routeWebSocket(/\/realtime\/v1\/websocket/, () => {});
  await page.goto(pathname);
  await expect(page.getByRole("heading", { level: 1 })).toContainText("dumpling");
  expect(asked.filter((path) => path === "/rest/v1/plans")).toHaveLength(1);

  const nobody = await person("Nobody");
  const preview = ["/rest/v1/rpc/preview_plan"];
  expect(await requestsWithoutApp(nobody, pathname)).toEqual(preview);
  const askedByNobody = listen(nobody.page);
  await nobody.page.goto(pathname);
  await expect(nobody.page.getByRole("heading", { level: 1, name: "This plan is over" })).toBeVisible();
  expect(askedByNobody).toEqual(preview);
  expect(await requestsWithoutApp(nobody, "/plans/new")).toEqual([]);
});

test("the page itself requests an invitation's data, once", async ({ person }) => {
  const nobody = await person("Nobody");
  const preview = ["/rest/v1/rpc/preview_invite"];
  expect(await requestsWithoutApp(nobody, "/join/demo-table")).toEqual(preview);
  const asked = listen(nobody.page);
  await nobody.page.goto("/join/demo-table");
  await expect(nobody.page.getByRole("textbox", { name: "Your name" })).toBeVisible();
  expect(asked).toEqual(preview);
});
