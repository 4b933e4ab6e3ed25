/** Two hosts of one plan at the same time, and a host who loses the connection while confirming. */
import type { Page, Route } from "@playwright/test";
import { expect, loseResponse, signIn, test } from "../fixtures.ts";
import type { Stack } from "../stack.ts";
import { answersOf, layTable, type Table } from "../tables.ts";

const best = (page: Page) => page.getByRole("article", { name: "Best match" });
const ticket = (page: Page) => page.getByRole("article", { name: "Ticket" });
const choiceOf = async (stack: Stack, table: Table) => {
  const [row] = await stack.backend.sql(
    `select status, chosen_time_id, revision from public.plans where id = '${table.id}'`,
  );
  return row;
};

/** Holds requests of both pages until each has sent one, so that they race at the server. */
function together(pages: readonly Page[], pattern: string): Promise<unknown> {
  const waiting: Route[] = [];
  return Promise.all(
    pages.map((page) =>
      page.route(
        pattern,
        async (route) => {
          waiting.push(route);
          if (waiting.length === pages.length) await Promise.all(waiting.map((each) => each.continue()));
        },
        { times: 1 },
      ),
    ),
  );
}

test("two hosts confirm at the same moment: one choice counts, and the other host is told which", async ({
  ana,
  person,
  stack,
}) => {
  const table = await layTable(stack, { title: "Two pens", cohost: "chiara", days: 2, withPlaces: true });
  const [anas, chiaras] = await Promise.all([ana(), person("Chiara")]);
  const path = `${table.path}?tab=best`;
  await chiaras.page.goto(`/sign-in?next=${encodeURIComponent(path)}`);
  await Promise.all([signIn(chiaras.page, "chiara@nosh.test", path), anas.page.goto(path)]);
  await Promise.all([best(anas.page).waitFor(), best(chiaras.page).waitFor()]);
  for (const one of [anas, chiaras]) one.watch.expect(/409/);
  await together([anas.page, chiaras.page], "**/rpc/confirm_plan");
  await Promise.all([
    anas.page.getByRole("button", { name: "Choose this" }).click(),
    chiaras.page
      .getByRole("button", { name: /^Choose .+,/ })
      .first()
      .click(),
  ]);
  await Promise.all([ticket(anas.page).waitFor(), ticket(chiaras.page).waitFor()]);
  const named = await Promise.all(
    [anas, chiaras].map(async ({ page }) => (await ticket(page).getByRole("heading").textContent()) ?? ""),
  );
  expect(named[0]).toBe(named[1]);
  const said = [anas, chiaras].map(({ page }) => page.getByRole("alert"));
  await expect
    .poll(async () => (await Promise.all(said.map((alert) => alert.count()))).toSorted())
    .toEqual([0, 1]);
  const loser = (await said[0]?.count()) === 1 ? anas.page : chiaras.page;
  await expect(loser.getByRole("alert")).toContainText("Someone chose just before you");
  await expect(loser.getByRole("alert")).toContainText(named[0] ?? "nothing");
  expect(await choiceOf(stack, table)).toMatchObject({ status: "confirmed", revision: 1 });
});

test("choosing turns the menu card into the ticket, also for a guest who watches", async ({
  ana,
  person,
  stack,
}) => {
  const table = await layTable(stack, { title: "The moment", guests: ["ben"], days: 2, withPlaces: true });
  const [anas, bens] = await Promise.all([
    ana({ device: "phone", reducedMotion: "no-preference" }),
    person("Ben", { device: "phone", reducedMotion: "no-preference" }),
  ]);
  for (const { page } of [anas, bens]) {
    await page.addInitScript(() => {
      const moved: string[] = [];
      Object.assign(window, { moved });
      const start = document.startViewTransition.bind(document);
      document.startViewTransition = (...given) => {
        const transition = start(...given);
        void transition.ready.then(() =>
          moved.push(
            ...document
              .getAnimations()
              .flatMap(({ effect }) => (effect as KeyframeEffect | null)?.pseudoElement ?? []),
          ),
        );
        return transition;
      };
    });
  }
  const path = `${table.path}?tab=best`;
  await bens.page.goto(`/sign-in?next=${encodeURIComponent(path)}`);
  await Promise.all([signIn(bens.page, "ben@nosh.test", path), anas.page.goto(path)]);
  await Promise.all([best(anas.page).waitFor(), best(bens.page).waitFor()]);
  await anas.page.getByRole("button", { name: "Choose this" }).click();
  for (const { page } of [anas, bens]) {
    await expect(ticket(page)).toBeInViewport({ ratio: 0.9 });
    await expect
      .poll(() => page.evaluate(() => (window as unknown as { moved: string[] }).moved))
      .toEqual(expect.arrayContaining(["::view-transition-group(choice)", "::view-transition-new(choice)"]));
    await expect(page.locator("html.deciding")).toHaveCount(0);
  }
});

test("two hosts edit at the same time: typed text stays, the other's changes are merged and named", async ({
  ana,
  person,
  stack,
}) => {
  const table = await layTable(stack, { title: "Two editors", cohost: "chiara", days: 1 });
  const [{ page: anas }, { page: chiaras }] = await Promise.all([
    ana(),
    person("Chiara", { device: "phone" }),
  ]);
  await chiaras.goto(`/sign-in?next=${table.path}`);
  await Promise.all([signIn(chiaras, "chiara@nosh.test", table.path), anas.goto(table.path)]);
  await Promise.all(
    [anas, chiaras].map(async (page) => {
      await page.getByRole("button", { name: "Manage plan" }).click();
      await page.getByRole("button", { name: "Edit plan" }).click();
    }),
  );
  const name = (page: Page) => page.getByRole("dialog").getByRole("textbox", { name: "Plan name" });
  const note = (page: Page) => page.getByRole("dialog").getByRole("textbox", { name: "Note" });
  await name(chiaras).fill("Chiara's name for it");

  await name(anas).fill("Ana's name for it");
  await note(anas).fill("Bring a chair.");
  await anas.getByRole("checkbox", { name: /Guests can suggest/ }).click({ force: true });
  await anas.getByRole("button", { name: "Save" }).click();
  await expect(anas.getByRole("heading", { level: 1, name: "Ana's name for it" })).toBeVisible();

  const news = chiaras.getByRole("dialog").getByRole("status");
  await expect(news).toContainText("Someone changed the plan while you were editing.");
  await expect(news).toContainText("Theirs: Ana's name for it");
  await expect(name(chiaras)).toHaveValue("Chiara's name for it");
  await expect(note(chiaras)).toHaveValue("Bring a chair.");
  await chiaras.getByRole("button", { name: "Save" }).click();
  await expect(chiaras.getByRole("dialog")).toBeHidden();
  const [row] = await stack.backend.sql(
    `select title, note, guests_may_propose from public.plans where id = '${table.id}'`,
  );
  expect(row).toEqual({ title: "Chiara's name for it", note: "Bring a chair.", guests_may_propose: false });
});

test("confirming over a broken connection: if it failed, an error and a retry; if it worked, the ticket", async ({
  ana,
  stack,
}) => {
  const table = await layTable(stack, { title: "A choice over a bad line", days: 1, withPlaces: true });
  const { page, watch } = await ana();
  watch.expect(/ERR_FAILED/);
  await page.goto(`${table.path}?tab=best`);
  await best(page).waitFor();
  await page.route("**/rpc/confirm_plan", (route) => route.abort("failed"), { times: 1 });
  await page.getByRole("button", { name: "Choose this" }).click();
  await expect(page.getByRole("alert")).toContainText("We can't reach Nosh.");
  expect(await choiceOf(stack, table)).toMatchObject({ status: "polling" });

  await loseResponse(page, "**/rpc/confirm_plan");
  await page.getByRole("button", { name: "Choose this" }).click();
  await expect(ticket(page)).toBeVisible();
  await expect(page.getByRole("alert")).toHaveCount(0);
  expect(await choiceOf(stack, table)).toMatchObject({ status: "confirmed", revision: 1 });
});

test("Best does not reorder by itself, What if changes nothing, and required people count", async ({
  ana,
  person,
  stack,
}) => {
  const table = await layTable(stack, { title: "Steady", guests: ["ben"], days: 2, withPlaces: true });
  const [{ page: anas }, { page: bens }] = await Promise.all([ana(), person("Ben")]);
  await bens.goto(`/sign-in?next=${table.path}`);
  await Promise.all([signIn(bens, "ben@nosh.test", table.path), anas.goto(`${table.path}?tab=best`)]);
  const first =
    (await best(anas)
      .getByText(/\d\d:\d\d/)
      .first()
      .textContent()) ?? "";
  expect(first).toMatch(/\d\d:\d\d/);
  const day = () =>
    best(anas)
      .locator("p", { hasText: /\d\d:\d\d/ })
      .first()
      .textContent();
  const before = await day();

  // While Ana reads the card, Ben answers no to its time, and yes to the other.
  await best(anas).hover();
  const answers = bens
    .getByRole("tabpanel")
    .getByRole("listitem")
    .filter({ has: bens.getByRole("radiogroup") });
  await answers.nth(0).getByRole("radio", { name: "No", exact: true }).click();
  await answers.nth(1).getByRole("radio", { name: "Yes", exact: true }).click();
  await expect(anas.getByText("The ranking has changed.")).toBeVisible();
  expect(await day()).toBe(before);
  await anas.getByRole("button", { name: "Update" }).click();
  await expect.poll(day).not.toBe(before);

  // Without Ben the first evening leads again; nothing of that is saved.
  await anas.getByRole("button", { name: "What if" }).click();
  const ben = anas.getByRole("radiogroup", { name: "What if: Ben" });
  await ben.getByRole("radio", { name: "without" }).click();
  await expect.poll(day).toBe(before);
  await expect(anas.getByText("What if: without Ben.")).toBeVisible();
  await expect(anas.getByRole("button", { name: "Choose this" })).toHaveCount(0);
  await anas.getByRole("button", { name: "Reset" }).click();
  expect(await answersOf(stack, table, "ben")).toEqual(["no", "yes"]);

  // Ben is required: the evening that he cannot make says so.
  await anas.getByRole("button", { name: "Manage Ben Okafor" }).click();
  await anas.getByRole("checkbox", { name: "Has to be there" }).click({ force: true });
  await expect
    .poll(() =>
      stack.backend.sql(`select 1 from public.plan_members where plan_id = '${table.id}' and required`),
    )
    .toHaveLength(1);
  await anas.getByRole("button", { name: "Close" }).click();
  await expect(anas.getByText("Without Ben, who must be there").first()).toBeVisible();
});

test("a host makes a cohost, removes a time without affecting others, removes a person and hands over", async ({
  ana,
  stack,
}) => {
  const table = await layTable(stack, { title: "House rules", guests: ["ben", "chiara", "dev"], days: 4 });
  const { page } = await ana();
  await page.goto(table.path);
  const grid = page.getByRole("grid");
  await grid.getByRole("gridcell").nth(2).click();
  await grid.getByRole("gridcell").nth(1).click();
  await page.getByRole("button", { name: "Remove this time" }).click();
  await expect(page.getByText("1 answer to it will be removed, too.")).toBeVisible();
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  await expect(grid.getByRole("gridcell")).toHaveCount(3);
  expect(await answersOf(stack, table, "ana")).toEqual([null, null, "yes", null]);

  const sheet = page.getByRole("dialog");
  await page.getByRole("button", { name: "Manage Ben Okafor" }).click();
  await sheet.getByText("Cohost: can edit").click();
  await expect(page.getByRole("listitem").filter({ hasText: "Ben Okafor" }).first()).toContainText("cohost");
  await sheet.getByRole("button", { name: "Close" }).click();

  await page.getByRole("button", { name: "Manage Dev Thapa" }).click();
  await sheet.getByRole("button", { name: "Remove Dev" }).click();
  await expect(sheet).toContainText("Dev and their votes will be removed");
  await sheet.getByRole("button", { name: "Remove", exact: true }).click();
  await expect(page.getByRole("listitem").filter({ hasText: "Dev Thapa" })).toHaveCount(0);

  await page.getByRole("button", { name: "Manage Chiara Ricci" }).click();
  await sheet.getByRole("button", { name: "Make host" }).click();
  await sheet.getByRole("button", { name: "Change host" }).click();
  const seats = () =>
    stack.backend.sql(
      `select p.display_name as name, m.role from public.plan_members as m join public.profiles as p on p.id = m.user_id
       where m.plan_id = '${table.id}' order by m.role, p.display_name`,
    );
  await expect.poll(seats).toEqual([
    { name: "Chiara Ricci", role: "host" },
    { name: "Ana Duarte", role: "cohost" },
    { name: "Ben Okafor", role: "cohost" },
  ]);
});
