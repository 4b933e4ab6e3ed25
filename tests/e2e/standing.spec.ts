/** Standing dinners: admins add, skip, pause and end them, the schedule makes their plans, and members see them. */
import { expect, signIn, test } from "./fixtures.ts";

const CIRCLE = "/circles/00000000-0000-4000-8000-0000000000c1";

test("an admin starts a standing dinner, the schedule makes the plan, and a member sees who hosts", async ({
  ana,
  person,
  stack,
}) => {
  const { page } = await ana({ device: "phone" });
  await page.goto(CIRCLE);
  await page.getByRole("button", { name: "Add a standing dinner" }).click();
  const sheet = page.getByRole("dialog");
  await sheet.getByRole("button", { name: "Save" }).click();
  await expect(sheet.getByText("Give the dinner a name.")).toBeVisible();
  await sheet.getByRole("textbox", { name: "Name" }).fill("Thursday table");
  await sheet.getByRole("combobox", { name: "How often" }).selectOption("Every two weeks");
  await sheet.getByRole("button", { name: "Save" }).click();
  await expect(sheet).toBeHidden();
  const section = page.getByRole("region", { name: "Standing dinners" });
  await expect(section.getByText(/^Every other \w+day at 19:30$/)).toBeVisible();
  await expect(section.getByText(/^Next: .+ hosts?$/)).toBeVisible();

  await stack.backend.sql("select private.make_standing_plans()");
  await stack.backend.sql("select private.make_standing_plans()");
  await page.reload();
  await page.getByRole("link", { name: /Thursday table/ }).click();
  await expect(page.getByText("From your circle's standing dinner")).toBeVisible();
  expect(await stack.backend.sql("select 1 from public.plans where title = 'Thursday table'")).toHaveLength(
    1,
  );

  const member = await person("Chiara", { device: "phone" });
  await member.page.goto("/sign-in");
  await signIn(member.page, "chiara@nosh.test");
  await member.page.goto("/notifications");
  await expect(member.page.getByText("The next Thursday table is set up. Can you make it?")).toBeVisible();
  await member.page.goto(CIRCLE);
  await expect(member.page.getByText(/^Next: /)).toBeVisible();
  await expect(member.page.getByRole("button", { name: "Pause" })).toBeHidden();
});

test("an admin skips a day, and pauses, resumes, changes and ends the standing dinner", async ({
  ana,
  stack,
}) => {
  await stack.backend.sql(
    `insert into public.standing_dinners (circle_id, title, rhythm, first_on, starts_at, time_zone, next_on)
     values ('00000000-0000-4000-8000-0000000000c1', 'Sunday soup', 'weekly', current_date + 20, '13:00', 'Europe/Lisbon', current_date + 20)`,
  );
  const nextOn = () =>
    stack.backend.sql(
      "select next_on - current_date as days from public.standing_dinners where title = 'Sunday soup'",
    );
  const { page } = await ana({ device: "phone" });
  await page.goto(CIRCLE);
  await page.getByRole("button", { name: /^Skip this one: Sunday soup/ }).click();
  await expect.poll(nextOn).toEqual([{ days: 27 }]);
  await page.getByRole("button", { name: "Pause" }).click();
  await expect(page.getByText("Paused. No new plans for now.")).toBeVisible();
  await page.getByRole("button", { name: "Resume" }).click();
  await expect(page.getByText(/^Next: /)).toBeVisible();
  await page.getByRole("button", { name: "Change Sunday soup" }).click();
  const sheet = page.getByRole("dialog");
  await sheet.getByRole("textbox", { name: "Name" }).fill("Sunday stew");
  await sheet.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("heading", { name: "Sunday stew" })).toBeVisible();
  await page.getByRole("button", { name: "Change Sunday stew" }).click();
  await sheet.getByRole("button", { name: "End this standing dinner" }).click();
  await sheet.getByRole("button", { name: "End standing dinner" }).click();
  await expect(page.getByRole("heading", { name: "Sunday stew" })).toBeHidden();
  await expect(page.getByText("Meet every week or month?")).toBeVisible();
});
