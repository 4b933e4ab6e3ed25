/** Choosing: a date that everybody has refused asks first, and on a phone every tab shows what was decided. */
import { devices, expect, test } from "../fixtures.ts";
import { layTable, people } from "../tables.ts";

test("a host is warned before choosing or suggesting a date that everyone has refused", async ({
  ana,
  stack,
}) => {
  const table = await layTable(stack, { title: "Bad evening", guests: ["ben"], days: 1 });
  const [time = ""] = table.times;
  await stack.backend.sql(
    `insert into public.time_votes (plan_id, option_id, user_id, answer)
     values ('${table.id}', '${time}', '${people.ana}', 'no'), ('${table.id}', '${time}', '${people.ben}', 'no')`,
  );
  const { page } = await ana();
  await page.goto(`${table.path}?tab=best`);
  await page.getByRole("button", { name: "Choose this" }).first().click();
  const sheet = page.getByRole("dialog", { name: "Not everyone can come" });
  await expect(sheet.getByText("Ana and Ben can't come then.")).toBeVisible();
  await expect(sheet.getByRole("button", { name: "Back" })).toBeFocused();
  await sheet.getByRole("button", { name: "Back" }).click();
  await page.getByRole("tab", { name: "When" }).click();
  await page.getByRole("button", { name: "Suggest another time" }).click();
  const form = page.getByRole("dialog");
  const [row] = await stack.backend.sql<{ date: string }>(
    `select (starts_at at time zone 'Europe/Lisbon')::date::text as date from public.time_options where id = '${time}'`,
  );
  await expect(form.getByText("Everyone who has voted said no to this day.")).toHaveCount(0);
  await form.getByLabel("Day").fill(row?.date ?? "");
  await expect(form.getByText("Everyone who has voted said no to this day.")).toBeVisible();
  await form.getByLabel("From").fill("12:00");
  await form.getByLabel("Until").fill("13:00");
  await form.getByRole("button", { name: "Suggest anyway" }).click();
  await expect(form).toHaveCount(0);

  // The same when a decided plan gets another time.
  await stack.backend.sql(
    `update public.plans set status = 'confirmed', chosen_time_id = (select id from public.time_options
       where plan_id = '${table.id}' and id <> '${time}') where id = '${table.id}'`,
  );
  await page.reload();
  await page.getByRole("button", { name: "Manage plan" }).click();
  await page.getByRole("button", { name: "Change time or place" }).click();
  await page.getByRole("radio", { name: /19:00/ }).click({ force: true });
  await expect(page.getByRole("status").getByText("Everyone who has voted said no.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Change it anyway and tell everyone" })).toBeEnabled();
});

test("on a phone a decision is brought into view from wherever one has scrolled to", async ({
  ana,
  stack,
}) => {
  for (const reducedMotion of ["no-preference", "reduce"] as const) {
    const table = await layTable(stack, { title: "Far down", guests: ["ben"], days: 20 });
    const { page } = await ana({ ...devices.phone, reducedMotion });
    await page.goto(`${table.path}?tab=when`);
    await expect(page.getByText("Voting is open")).toBeVisible();
    await page.getByRole("heading", { name: "At the table" }).scrollIntoViewIfNeeded();
    await expect(page.getByText("Voting is open")).not.toBeInViewport();
    await stack.backend.sql(
      `update public.plans set status = 'confirmed', chosen_time_id = '${table.times[0]}' where id = '${table.id}'`,
    );
    await expect(page.getByRole("article", { name: "Ticket" })).toBeInViewport({ ratio: 0.9 });
  }
});

test("on a phone every tab shows what was decided, as soon as it is", async ({ ana, stack }) => {
  const table = await layTable(stack, { title: "Seen everywhere", guests: ["ben"], days: 1 });
  const { page } = await ana({ ...devices.phone });
  await page.goto(`${table.path}?tab=chat`);
  await page.getByRole("textbox", { name: "Message" }).waitFor();
  await expect(page.getByText("Voting is open")).toBeVisible();
  await stack.backend.sql(
    `update public.plans set status = 'confirmed', chosen_time_id = '${table.times[0]}' where id = '${table.id}'`,
  );
  const line = page.getByRole("link", { name: /^\w+ \d+ \w+, 19:00, Place to be decided$/ });
  await expect(line).toBeInViewport();
  await line.click();
  await expect(page.getByRole("article", { name: "Ticket" })).toBeInViewport();
  for (const tab of ["Where", "Best", "Photos", "On the day"]) {
    await page.getByRole("tab", { name: tab }).click();
    await expect(page.getByRole("tab", { name: tab })).toHaveAttribute("aria-selected", "true");
    await expect(page.getByRole("article", { name: "Ticket" }), tab).toBeInViewport();
  }
});
