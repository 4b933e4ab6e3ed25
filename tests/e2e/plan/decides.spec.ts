/** A plan that decides itself, on phones: choosing it, the proposal, objecting, and confirming after the window. */
import { expect, signIn, test } from "../fixtures.ts";
import type { Stack } from "../stack.ts";
import { layTable, people, type Table } from "../tables.ts";

/** A plan of Ana's with Ben and Chiara, whose deadline has passed with a clear favourite. */
async function layDue(stack: Stack, title: string, more: { votes?: boolean } = {}): Promise<Table> {
  const table = await layTable(stack, { title, guests: ["ben", "chiara"], withPlaces: true });
  if (more.votes !== false) {
    for (const person of [people.ana, people.ben]) {
      await stack.backend.sql(
        `insert into public.time_votes (option_id, plan_id, user_id, answer)
         values ('${table.times[1]}', '${table.id}', '${person}', 'yes')`,
      );
      await stack.backend.sql(
        `insert into public.place_votes (option_id, plan_id, user_id, answer)
         select o.id, o.plan_id, '${person}', 'yes' from public.place_options as o
         join public.places as p on p.id = o.place_id where o.plan_id = '${table.id}' and p.name = 'Momo Sete'`,
      );
    }
  }
  await stack.backend.sql("update public.profiles set diets = '{}'");
  await stack.backend.sql("delete from public.place_hours");
  await stack.backend.sql(
    `update public.plans set decides_itself = true, vote_deadline = now() - interval '1 minute'
     where id = '${table.id}'`,
  );
  return table;
}

/** Calls the function as the schedule does, and waits for its work, which follows its response. */
async function decide(stack: Stack, table: Table): Promise<void> {
  const [row] = await stack.backend.sql(
    "select decrypted_secret as secret from vault.decrypted_secrets where name = 'reminders_secret'",
  );
  await fetch(`${stack.backend.url}/functions/v1/decide-plans`, {
    method: "POST",
    headers: { apikey: stack.backend.publishableKey, "x-reminders-secret": String(row?.secret) },
  });
  await expect
    .poll(() =>
      stack.backend.sql(
        `select 1 from public.plans where id = '${table.id}' and decided_deadline = vote_deadline`,
      ),
    )
    .toHaveLength(1);
}

test('a host turns "Decide at the deadline" on for a new plan, and off again', async ({ ana, stack }) => {
  const { page } = await ana({ device: "phone" });
  await page.goto("/plans/new");
  await page.getByRole("textbox", { name: "Plan name" }).fill("By itself");
  await page.getByRole("button", { name: "Options" }).click();
  await expect(page.getByText("Decide at the deadline")).toBeHidden();
  await page.getByRole("combobox", { name: "Vote by" }).selectOption({ label: "in 3 days, in the evening" });
  await page.getByText("Decide at the deadline").click();
  await page.getByRole("button", { name: "Create plan" }).click();
  await page.waitForURL(/\/plans\/[0-9a-f-]{36}/);
  const read = () => stack.backend.sql("select decides_itself from public.plans where title = 'By itself'");
  expect(await read()).toEqual([{ decides_itself: true }]);
  await page.getByRole("button", { name: "Manage plan" }).click();
  await page.getByRole("button", { name: "Edit plan" }).click();
  await expect(page.getByRole("checkbox", { name: "Decide at the deadline" })).toBeChecked();
  await page.getByText("Decide at the deadline").click();
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("dialog")).toBeHidden();
  expect(await read()).toEqual([{ decides_itself: false }]);
});

test("the proposal arrives live, a member objects with a reason, and the host sees who and why", async ({
  ana,
  person,
  stack,
}) => {
  const table = await layDue(stack, "Objected");
  const host = await ana({ device: "phone" });
  const ben = await person("Ben", { device: "phone" });
  await ben.page.goto("/sign-in");
  await signIn(ben.page, "ben@nosh.test");
  await Promise.all([host.page.goto(table.path), ben.page.goto(table.path)]);
  await expect(host.page.getByText("We'll propose the best match in a few minutes")).toBeVisible();
  await decide(stack, table);
  const card = ben.page.getByRole("article", { name: "Proposal" });
  await expect(card.getByRole("heading", { name: "Momo Sete" })).toBeVisible();
  await expect(card.getByText("unless someone objects")).toBeVisible();
  await expect(host.page.getByRole("button", { name: "Confirm now" })).toBeVisible();
  await expect(card.getByRole("button", { name: "Confirm now" })).toBeHidden();
  await card.getByRole("button", { name: "Object" }).click();
  const sheet = ben.page.getByRole("dialog");
  await sheet.getByRole("textbox").fill("Too far for a weekday");
  await sheet.getByRole("button", { name: "Object" }).click();
  await expect(ben.page.getByText("You objected to the proposal: “Too far for a weekday”")).toBeVisible();
  await expect(sheet).toBeHidden();
  await expect(host.page.getByText("Ben objected to the proposal: “Too far for a weekday”")).toBeVisible();
  await host.page.getByRole("link", { name: "See the matches" }).click();
  await expect(host.page.getByRole("tab", { name: "Best", selected: true })).toBeVisible();
  await host.page.goto("/notifications");
  await expect(host.page.getByText("Ben objected to the proposal for Objected.")).toBeVisible();
});

test("without an objection the plan is confirmed after the window", async ({ ana, stack }) => {
  const table = await layDue(stack, "Nobody minds");
  const { page } = await ana({ device: "phone" });
  await decide(stack, table);
  await page.goto(table.path);
  await expect(page.getByRole("article", { name: "Proposal" })).toBeVisible();
  await stack.backend.sql(
    `update public.plans set veto_until = now() - interval '1 second' where id = '${table.id}'`,
  );
  await stack.backend.sql("select private.decide_plans()");
  await expect(page.getByRole("article", { name: "Ticket" })).toBeVisible();
  await expect(page.getByRole("article", { name: "Proposal" })).toBeHidden();
  await page.goto("/notifications");
  await expect(page.getByText("Nobody minds is confirmed. Nobody objected.")).toBeVisible();
});

test("the host is told why a plan could not decide itself, and can confirm a proposal at once", async ({
  ana,
  stack,
}) => {
  const silent = await layDue(stack, "Silent", { votes: false });
  await decide(stack, silent);
  const { page } = await ana({ device: "phone" });
  await page.goto(silent.path);
  await expect(page.getByText("Nobody voted before the deadline.")).toBeVisible();
  const table = await layDue(stack, "At once");
  await decide(stack, table);
  await page.goto(table.path);
  await page.getByRole("button", { name: "Confirm now" }).click();
  await expect(page.getByRole("article", { name: "Ticket" })).toBeVisible();
});
