/** The list of plans on home, page by page. */
import { expect, test } from "./fixtures.ts";
import { storedCache } from "./stored-cache.ts";
import { people } from "./tables.ts";

test("Show more loads further plans, and they stay available offline", async ({ stack, ana }) => {
  // Oldest, so they are the last ones in voting.
  await stack.backend.sql(`
    with made as (
      insert into public.plans (title, time_zone, created_at)
        select 'Old plan ' || n, 'Europe/Lisbon', now() - make_interval(days => 300 + n)
        from generate_series(1, 40) as n returning id
    )
    insert into public.plan_members (plan_id, user_id, role) select id, '${people.ana}', 'host' from made`);
  const { page, watch } = await ana({ serviceWorkers: "allow" });
  const asked: string[] = [];
  page.on("request", (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname.startsWith("/rest/v1/") && request.method() === "GET") {
      asked.push(`${pathname} ${searchParams.has("or") ? "next" : "first"}`);
    }
  });
  await page.goto("/home");
  // Their host is alone there, so each waits for an invitation.
  const voting = page.getByRole("region", { name: "Waiting for you" });
  await expect(voting.getByText("Old plan 1", { exact: true })).toBeVisible();
  await expect(page.getByText("Old plan 40", { exact: true })).toHaveCount(0);
  await expect(page.getByText("Show more")).toBeVisible();
  expect(asked.filter((one) => /plans|votes|ratings/.test(one))).toEqual([]);

  await page.getByRole("button", { name: "Show more" }).click();
  await expect(voting.getByText("Old plan 40", { exact: true })).toBeVisible();
  await expect(page.getByRole("button", { name: "Show more" })).toHaveCount(0);
  expect(asked.filter((one) => one.includes("plan_cards"))).toContain("/rest/v1/plan_cards next");

  await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  await expect
    .poll(async () => {
      const list = (await storedCache(page)).find(({ key }) => key.join() === "plans")?.data;
      return (list as { cards: unknown[] } | undefined)?.cards.length ?? 0;
    })
    .toBeGreaterThan(40);
  watch.expect(/ERR_INTERNET_DISCONNECTED|WebSocket|ERR_FAILED/);
  await page.context().setOffline(true);
  await page.reload();
  await expect(page.getByText("Old plan 40", { exact: true })).toBeVisible();
});
