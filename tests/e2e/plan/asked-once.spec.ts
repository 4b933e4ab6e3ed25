/** A person is asked once for diets and starting point, and finds addresses by typing, without any third party. */
import type { Page } from "@playwright/test";
import { expect, test } from "../fixtures.ts";
import type { Stack } from "../stack.ts";
import { layTable, type Table } from "../tables.ts";

/** Priya takes a seat by a link of its own. */
async function takeSeat(page: Page, stack: Stack, table: Table): Promise<void> {
  const token = crypto.randomUUID();
  await stack.backend.sql(
    `insert into public.invites (plan_id, token_hash, created_by, expires_at, max_uses)
     values ('${table.id}', extensions.digest('${token}', 'sha256'), '00000000-0000-4000-8000-0000000000a1',
       now() + interval '1 day', 2)`,
  );
  await page.goto(`/join/${token}`);
  await page.getByRole("textbox", { name: "Your name" }).fill("Priya");
  await page.getByRole("button", { name: "Take a seat" }).click();
  await page.waitForURL(`${table.path}*`);
}

for (const device of ["phone", "desktop"] as const) {
  test(`a guest says what they eat and where they start, once (${device})`, async ({ person, stack }) => {
    const table = await layTable(stack, { title: "Asked once" });
    const { page } = await person("Priya", { device });
    await takeSeat(page, stack, table);
    await page.goto(`${table.path}?tab=where`);
    const card = page.getByRole("region", { name: "So the place works for you" });
    await card.getByRole("button", { name: "I eat everything" }).click();
    await card.getByRole("textbox", { name: "Address or district" }).fill("zzzz");
    await expect(card.getByText("Nothing found.")).toBeVisible();
    // A typed text has no position: the field shows an error.
    await card.getByRole("textbox", { name: "Address or district" }).press("Enter");
    await expect(card.getByRole("textbox", { name: "Address or district" })).toHaveAttribute(
      "aria-invalid",
      "true",
    );
    await expect(card.getByRole("textbox", { name: "Address or district" })).toBeFocused();
    // Nor does Save drop it: the card stays, and the text outlives the page on this device.
    await card.getByRole("button", { name: "Save" }).click();
    await expect(card.getByText("Choose one of the results")).toBeVisible();
    await page.reload();
    await expect(card.getByRole("textbox", { name: "Address or district" })).toHaveValue("zzzz");
    await card.getByRole("button", { name: "I eat everything" }).click();
    await card.getByRole("textbox", { name: "Address or district" }).fill("campo de our");
    await card.getByRole("button", { name: "Use Campo de Ourique, Lisbon" }).click();
    await expect(card.getByText("Where do your trips start?")).toBeHidden();
    await card.getByRole("button", { name: "Save" }).click();
    await expect(card).toBeHidden();
    const [mine] = await stack.backend.sql<{ diets_known: boolean; near: boolean }>(
      `select p.diets_known, abs(m.start_latitude - 38.7175) < 0.01 as near
       from public.profiles as p join public.private_profiles as m using (id) where p.display_name = 'Priya'`,
    );
    expect(mine).toEqual({ diets_known: true, near: true });
    await page.reload();
    await expect(page.getByRole("button", { name: "Suggest" }).first()).toBeVisible();
    await expect(card).toBeHidden();
  });
}

test("the tab When asks after the first answer, not before", async ({ person, stack }) => {
  const table = await layTable(stack, { title: "Answered first" });
  const { page } = await person("Priya", { device: "phone" });
  await takeSeat(page, stack, table);
  await page.goto(`${table.path}?tab=when`);
  const yes = page.getByRole("radio", { name: "Yes", exact: true }).first();
  await expect(yes).toBeVisible();
  const card = page.getByRole("region", { name: "So the place works for you" });
  await expect(card).toHaveCount(0);
  await yes.click();
  await expect(card.getByRole("button", { name: "I eat everything" })).toBeVisible();
});

test("a person who skips is not asked again, and no place is called safe for them", async ({
  person,
  ana,
  stack,
}) => {
  const table = await layTable(stack, { title: "Skipped" });
  const { page } = await person("Priya", { device: "phone" });
  await takeSeat(page, stack, table);
  await page.goto(`${table.path}?tab=where`);
  const card = page.getByRole("region", { name: "So the place works for you" });
  await card.getByRole("button", { name: "Skip" }).click();
  await expect(card).toBeHidden();
  await page.reload();
  await expect(page.getByRole("button", { name: "Suggest" }).first()).toBeVisible();
  await expect(card).toBeHidden();
  const dinner = "00000000-0000-4000-8000-0000000000b1";
  await stack.backend.sql(
    `insert into public.plan_members (plan_id, user_id)
     select '${dinner}', p.id from public.profiles as p where p.display_name = 'Priya'`,
  );
  const { page: anas } = await ana({ device: "desktop" });
  await anas.goto(`/plans/${dinner}?tab=where`);
  await expect(anas.getByText("Priya hasn't said what they eat.").first()).toBeVisible();
  await anas.goto(`/plans/${dinner}?tab=best`);
  await expect(anas.getByText("Choose this").first()).toBeVisible();
  await expect(anas.getByText("Confirmed safe for everyone who might come")).toBeHidden();
});
