/** On the day and after it: the arrival board for two people, and the rating. */
import { expect, giveStars, signIn, test } from "../fixtures.ts";
import { storedCache } from "../stored-cache.ts";
import { layTable } from "../tables.ts";

const LUNCH = "/plans/00000000-0000-4000-8000-0000000000b4";
const DUMPLINGS = "/plans/00000000-0000-4000-8000-0000000000b5";
const SOON = "/plans/00000000-0000-4000-8000-0000000000b2";
const MOMO_SETE = "/places/00000000-0000-4000-8000-000000000d04";

test("the arrival board shows live who is on the way and who is here", async ({ ana, person }) => {
  const [{ page: anas }, { page: bens }] = await Promise.all([ana({ device: "phone" }), person("Ben")]);
  await bens.goto(`/sign-in?next=${LUNCH}`);
  await Promise.all([signIn(bens, "ben@nosh.test", LUNCH), anas.goto(LUNCH)]);
  // On the day the board opens by itself.
  const row = bens.getByRole("table", { name: "Who is on their way" }).getByRole("row", { name: /Ana/ });
  await expect(row).toContainText("hasn't left yet");
  await anas.getByRole("button", { name: "10 min" }).click();
  await expect(row).toContainText(/on the way, (9|10) min/);
  await anas.getByRole("button", { name: "I'm here" }).click();
  await expect(row).toContainText("here");
  await expect(anas.getByRole("button", { name: "I'm here" })).toHaveCount(0);
});

test("offline: an arrival shows at once and is sent later, with the minutes that are left", async ({
  ana,
  person,
}) => {
  const [{ page: anas, watch }, { page: bens }] = await Promise.all([
    ana({ device: "phone" }),
    person("Ben"),
  ]);
  await bens.goto(`/sign-in?next=${LUNCH}`);
  await Promise.all([signIn(bens, "ben@nosh.test", LUNCH), anas.goto(LUNCH)]);
  const row = bens.getByRole("table", { name: "Who is on their way" }).getByRole("row", { name: /Ana/ });
  await expect(row).toContainText("hasn't left yet");
  watch.expect(/ERR_INTERNET_DISCONNECTED|WebSocket|ERR_FAILED/);
  await anas.context().setOffline(true);
  await anas.getByRole("button", { name: "15 min" }).click();
  await expect(anas.getByText("1 item will send when you're online.")).toBeVisible();
  await expect(anas.getByRole("button", { name: "Not on my way yet" })).toBeVisible();
  await expect(row).toContainText("hasn't left yet");
  await anas.context().setOffline(false);
  await expect(row).toContainText(/on the way, 1[45] min/);
});

test("a phone that last saw the vote opens on the arrival board once the plan is read again", async ({
  ana,
  stack,
}) => {
  const { path, id, times } = await layTable(stack, { title: "Soup after work" });
  const { page } = await ana({ device: "phone" });
  const selected = page.getByRole("tab", { selected: true });
  await page.goto(path);
  await expect(selected).toHaveAccessibleName("When");
  const stored = async () => (await storedCache(page)).some(({ key }) => key.join() === `plan,${id}`);
  await expect.poll(stored).toBe(true);
  await page.goto("/me");
  await stack.backend.sql(
    `update public.time_options set starts_at = now() + interval '30 minutes', ends_at = now() + interval '3 hours'
     where id = '${times[0]}'`,
  );
  await stack.backend.sql(
    `update public.plans set status = 'confirmed', chosen_time_id = '${times[0]}' where id = '${id}'`,
  );
  let answer: (() => void) | undefined;
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route(/\/rest\/v1\/plans\?.*id=eq/, async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(path);
  await expect(selected).toHaveAccessibleName("When");
  answer?.();
  await expect(page.getByRole("button", { name: "I'm here" })).toBeVisible();
  await expect(selected).toHaveAccessibleName("On the day");
});

test("a rating after the meal is shown on the plan and on the place", async ({ ana }) => {
  const { page } = await ana({ device: "phone" });
  await page.goto(`${DUMPLINGS}?tab=day`);
  await giveStars(page, 3);
  await page.getByRole("textbox", { name: "Comment" }).fill("Too few napkins.");
  await page.getByRole("button", { name: "Save rating" }).click();
  await expect(page.getByRole("listitem").filter({ hasText: "Too few napkins." })).toContainText("3 of 5");
  await page.goto(MOMO_SETE);
  await expect(page.getByRole("region", { name: "Ratings" })).toContainText("Too few napkins.");
});

test("what a person ate lifts the warning for them, and is said where places are chosen and on the place's page", async ({
  ana,
  stack,
}) => {
  // Momo Sete is on Ana's next plan, and nobody has confirmed it for vegetarians.
  await stack.backend.sql(
    "delete from public.place_diet_claims where place_id = $1 and diet in ('vegetarian', 'vegan')",
    [MOMO_SETE.split("/").at(-1)],
  );
  const { page } = await ana({ device: "phone" });
  const place = page.getByRole("article").filter({ hasText: "Momo Sete" });
  await page.goto(`${SOON}?tab=where`);
  await expect(place).toContainText("vegetarian (Ana)");
  await page.goto(DUMPLINGS);
  await giveStars(page, 5);
  const meal = page.getByRole("radiogroup", { name: "Was there a proper vegetarian meal?" });
  await meal.getByText("Yes").click();
  await page.getByRole("button", { name: "Save rating" }).click();
  await expect
    .poll(() => stack.backend.sql("select ate::text from public.ratings where ate <> '{}'"))
    .toEqual([{ ate: "{vegetarian}" }]);
  await page.goto(`${SOON}?tab=where`);
  await expect(place).toContainText(/Ana ate vegetarian here in \w+/);
  await expect(place).not.toContainText("vegetarian (Ana)");
  await expect(place).not.toContainText("Confirmed safe for Ana");
  await page.goto(MOMO_SETE);
  const ratings = page.getByRole("region", { name: "Ratings" });
  await expect(ratings.getByText(/^A proper vegetarian meal in \w+/)).toHaveCount(1);
});
