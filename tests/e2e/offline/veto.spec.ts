/** Objecting to a proposal without a connection: it waits, survives a reload, is sent once, and says when it is late. */
import type { Page } from "@playwright/test";
import { expect, signIn, test } from "../fixtures.ts";
import type { Stack } from "../stack.ts";
import { layTable, people, type Table } from "../tables.ts";
import { openConnected } from "./connected.ts";

const card = (page: Page) => page.getByRole("article", { name: "Proposal" });
const WAITS = "Your objection is saved on this device and will send when you're online.";

/** A plan of Ana's with Ben, whose second evening is proposed; the window has hours left. */
async function layProposed(stack: Stack, title: string): Promise<Table> {
  const table = await layTable(stack, { title, guests: ["ben"], withPlaces: true });
  await stack.backend.sql("update public.profiles set diets = '{}'");
  await stack.backend.sql("delete from public.place_hours");
  await stack.backend.sql(
    `update public.plans set decides_itself = true, vote_deadline = now() - interval '1 hour',
       decided_deadline = now() - interval '1 hour' where id = '${table.id}'`,
  );
  // A moved deadline ends a proposal, so this is a change of its own.
  await stack.backend.sql(
    `update public.plans as p set proposed_time_id = '${table.times[1]}', proposed_at = now(),
       proposed_place_id = (select o.id from public.place_options as o where o.plan_id = p.id order by o.id limit 1),
       veto_until = now() + interval '9 hours' where id = '${table.id}'`,
  );
  return table;
}

async function object(page: Page, reason: string): Promise<void> {
  await card(page).getByRole("button", { name: "Object" }).click();
  const sheet = page.getByRole("dialog");
  await sheet.getByRole("textbox").fill(reason);
  await sheet.getByRole("button", { name: "Object" }).click();
  await expect(sheet).toBeHidden();
}

const stateOf = async (stack: Stack, table: Table) => {
  const [row] = await stack.backend.sql(
    `select status, vetoed_by, veto_reason from public.plans where id = '${table.id}'`,
  );
  return row;
};

test("offline: an objection waits, is there after a reload, and ends the proposal once online", async ({
  person,
  stack,
}) => {
  test.setTimeout(60_000);
  const table = await layProposed(stack, "No signal, no");
  const { page, watch } = await person("Ben", { serviceWorkers: "allow", device: "phone" });
  await page.goto(`/sign-in?next=${table.path}`);
  await signIn(page, "ben@nosh.test", table.path);
  await expect(card(page)).toBeVisible();
  // The sheet is loaded while there is a connection, as the rest of the app is by the service worker.
  await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true);
  watch.expect(/ERR_INTERNET_DISCONNECTED|WebSocket|ERR_FAILED/);
  await page.context().setOffline(true);
  await object(page, "Too far for a weekday");
  await expect(card(page).getByText(WAITS)).toBeVisible();
  await expect(card(page).getByRole("button", { name: "Object" })).toBeHidden();
  await expect(page.getByText("1 item will send when you're online.")).toBeVisible();
  expect(await stateOf(stack, table)).toMatchObject({ status: "polling", vetoed_by: null });

  await test.step("the reloaded page still has it", async () => {
    await page.reload();
    await expect(card(page).getByText(WAITS)).toBeVisible();
  });

  await page.context().setOffline(false);
  await expect(page.getByText("You objected to the proposal: “Too far for a weekday”")).toBeVisible();
  await expect(page.getByText(/will send when you're online/)).toHaveCount(0);
  expect(await stateOf(stack, table)).toEqual({
    status: "polling",
    vetoed_by: people.ben,
    veto_reason: "Too far for a weekday",
  });
  expect(
    await stack.backend.sql(
      `select 1 from public.notifications where plan_id = '${table.id}' and kind = 'plan_vetoed'`,
    ),
  ).toHaveLength(1);
});

test("an objection that arrives after the window is shown with its reason, and can be discarded", async ({
  ana,
  stack,
}) => {
  const table = await layProposed(stack, "A night later");
  const { page, watch } = await ana({ device: "phone" });
  await openConnected(page, table.path);
  await expect(card(page)).toBeVisible();
  // The sheet's code, which is fetched when the button is reached.
  await card(page).getByRole("button", { name: "Object" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Back" }).click();
  watch.expect(/ERR_INTERNET_DISCONNECTED|WebSocket|409/);
  await page.context().setOffline(true);
  await object(page, "Too far");
  await expect(card(page).getByText(WAITS)).toBeVisible();
  await stack.backend.sql(
    `update public.plans set veto_until = now() - interval '1 second' where id = '${table.id}'`,
  );
  await stack.backend.sql("select private.confirm_proposals()");
  await page.context().setOffline(false);
  const refused = page.getByRole("alert").filter({ hasText: "Your objection couldn't be sent." });
  await expect(refused).toContainText("There's no proposal to object to any more.");
  await expect(refused).toContainText("Look at the plan again.");
  await expect(page.getByRole("article", { name: "Ticket" })).toBeVisible();
  await refused.getByRole("button", { name: "Discard" }).click();
  await expect(refused).toHaveCount(0);
  expect(await stateOf(stack, table)).toMatchObject({ status: "confirmed", vetoed_by: null });
});

test("an objection does not meet a later proposal of the same plan", async ({ ana, stack }) => {
  const table = await layProposed(stack, "Proposed again");
  const { page, watch } = await ana({ device: "phone" });
  await openConnected(page, table.path);
  const time = card(page).getByRole("paragraph").filter({ hasText: "19:00" });
  const first = await time.innerText();
  await card(page).getByRole("button", { name: "Object" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Back" }).click();
  watch.expect(/ERR_INTERNET_DISCONNECTED|WebSocket|409/);
  await page.context().setOffline(true);
  await object(page, "");
  await stack.backend.sql(
    `update public.plans set proposed_time_id = '${table.times[2]}', proposed_at = now(),
       veto_until = now() + interval '11 hours' where id = '${table.id}'`,
  );
  await page.context().setOffline(false);
  await expect(page.getByRole("alert").filter({ hasText: "Your objection couldn't be sent." })).toBeVisible();
  expect(await stateOf(stack, table)).toMatchObject({ status: "polling", vetoed_by: null });
  // The person may object to the new one, once it is shown.
  await expect(time).not.toHaveText(first);
  await object(page, "");
  await expect(page.getByText("You objected to the proposal.")).toBeVisible();
  await expect(page.getByRole("alert")).toHaveCount(0);
});
