/** Changing the time or place of a decided plan, on a phone and on a desktop, with another host and a bad connection. */
import type { Page } from "@playwright/test";
import { devices, expect, loseResponse, signIn, test } from "../fixtures.ts";
import type { Stack } from "../stack.ts";
import { layTable, people, type Table } from "../tables.ts";

const ticket = (page: Page) => page.getByRole("article", { name: "Ticket" });
const sheet = (page: Page) => page.getByRole("dialog");
const times = (page: Page) => sheet(page).getByRole("radiogroup", { name: "When" }).getByRole("radio");
const place = (page: Page, name: string) =>
  sheet(page).getByRole("radiogroup", { name: "Where" }).getByRole("radio", { name });
/** The radios themselves are invisible: people press their rows. */
const timeRow = (page: Page, at: number) =>
  sheet(page).getByRole("radiogroup", { name: "When" }).locator("label").nth(at);
const placeRow = (page: Page, name: string) =>
  sheet(page).getByRole("radiogroup", { name: "Where" }).locator("label").filter({ hasText: name });
const submit = (page: Page) => sheet(page).getByRole("button", { name: "Change it and tell everyone" });

/** Ana's plan with Chiara as cohost and Ben, who is going, confirmed for the first of three evenings at Momo Sete. */
async function layConfirmed(stack: Stack, title: string): Promise<Table> {
  const table = await layTable(stack, { title, cohost: "chiara", guests: ["ben"], withPlaces: true });
  await stack.backend.sql("update public.profiles set diets = '{}'");
  await stack.backend.sql("delete from public.place_hours");
  await stack.backend.sql(
    `update public.plans as p set status = 'confirmed', chosen_time_id = '${table.times[0]}',
       chosen_place_id = (select o.id from public.place_options as o join public.places as k on k.id = o.place_id
         where o.plan_id = p.id and k.name = 'Momo Sete')
     where id = '${table.id}'`,
  );
  await stack.backend.sql(
    `update public.plan_members set rsvp = 'going' where plan_id = '${table.id}' and role <> 'cohost'`,
  );
  return table;
}

async function openChange(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Manage plan" }).click();
  await sheet(page).getByRole("button", { name: "Change time or place" }).click();
  await expect(times(page).first()).toBeVisible();
}

const choiceOf = async (stack: Stack, table: Table) => {
  const [row] = await stack.backend.sql(
    `select p.chosen_time_id as time, k.name as place, p.revision from public.plans as p
     join public.place_options as o on o.id = p.chosen_place_id join public.places as k on k.id = o.place_id
     where p.id = '${table.id}'`,
  );
  return row;
};

for (const device of ["phone", "desktop"] as const) {
  test(`a host changes time and place on a ${device}, and a guest who said yes is asked again`, async ({
    ana,
    person,
    stack,
  }) => {
    const table = await layConfirmed(stack, `Moves on a ${device}`);
    const [{ page }, bens] = await Promise.all([ana({ device }), person("Ben", { device })]);
    await bens.page.goto(`/sign-in?next=${table.path}`);
    await Promise.all([signIn(bens.page, "ben@nosh.test", table.path), page.goto(table.path)]);
    const coming = bens.page.getByRole("radio", { name: "I'm coming" });
    await expect(coming).toBeChecked();

    await openChange(page);
    await expect(times(page)).toHaveCount(3);
    await expect(times(page).first()).toBeChecked();
    await expect(sheet(page).getByText("chosen", { exact: true })).toHaveCount(2);
    await expect(submit(page)).toBeInViewport({ ratio: 1 });
    await expect(submit(page)).toBeDisabled();
    await timeRow(page, 2).click();
    await placeRow(page, "Casa Tâmara").click();
    await submit(page).click();
    await expect(sheet(page)).toBeHidden();
    await expect(ticket(page).getByRole("heading", { name: "Casa Tâmara" })).toBeVisible();
    expect(await choiceOf(stack, table)).toEqual({
      time: table.times[2],
      place: "Casa Tâmara",
      revision: 1,
    });

    await expect(ticket(bens.page).getByRole("heading", { name: "Casa Tâmara" })).toBeVisible();
    await expect(coming).not.toBeChecked();
    await bens.page.goto("/notifications");
    await expect(
      bens.page.getByText(`Ana changed the time or place of Moves on a ${device}. Are you still coming?`),
    ).toBeVisible();
  });
}

test("a closed place and one that is not known to be safe are named before the change", async ({
  ana,
  stack,
}) => {
  const table = await layConfirmed(stack, "With care");
  const sql = stack.backend.sql.bind(stack.backend);
  await sql(`update public.profiles set diets = '{gluten_free}' where id = '${people.ben}'`);
  await sql(
    `insert into public.place_hours (place_id, weekday, opens, closes)
     select id, 1, '03:00', '03:01' from public.places where name = 'Casa Tâmara'`,
  );
  const { page } = await ana({ device: "phone" });
  await page.goto(table.path);
  await openChange(page);
  await placeRow(page, "Casa Tâmara").click();
  await expect(place(page, "Casa Tâmara")).toBeChecked();
  await expect(sheet(page).getByText("This place is closed then.")).toBeVisible();
  await expect(submit(page)).toBeDisabled();
  await sql("delete from public.place_hours");
  await page.reload();
  await openChange(page);
  await placeRow(page, "Casa Tâmara").click();
  await expect(sheet(page).getByText("Not confirmed gluten-free (Ben)").first()).toBeVisible();
  await sheet(page).getByRole("button", { name: "Change it anyway and tell everyone" }).click();
  await expect(ticket(page).getByRole("heading", { name: "Casa Tâmara" })).toBeVisible();
  await expect(ticket(page).getByText("Not confirmed")).toBeVisible();
});

test("another host who changes it meanwhile is seen, and a lost connection changes nothing twice", async ({
  ana,
  person,
  stack,
}) => {
  const table = await layConfirmed(stack, "Two hands");
  const [anas, chiaras] = await Promise.all([ana({ device: "phone" }), person("Chiara")]);
  await chiaras.page.goto(`/sign-in?next=${table.path}`);
  await Promise.all([signIn(chiaras.page, "chiara@nosh.test", table.path), anas.page.goto(table.path)]);
  await Promise.all([openChange(anas.page), openChange(chiaras.page)]);
  await timeRow(anas.page, 1).click();
  await timeRow(chiaras.page, 2).click();

  await test.step("the first change is on the other host's sheet, whose choice stays", async () => {
    await submit(anas.page).click();
    await expect(sheet(anas.page)).toBeHidden();
    await expect(sheet(chiaras.page).getByText("Another host just changed it: Momo Sete,")).toBeVisible();
    await expect(times(chiaras.page).nth(2)).toBeChecked();
    await expect(timeRow(chiaras.page, 1)).toContainText("chosen");
  });

  await test.step("a change whose response is lost has arrived once", async () => {
    chiaras.watch.expect(/ERR_FAILED/);
    await loseResponse(chiaras.page, "**/rpc/change_choice");
    await submit(chiaras.page).click();
    await expect(sheet(chiaras.page)).toBeHidden();
    expect(await choiceOf(stack, table)).toMatchObject({ time: table.times[2], revision: 2 });
  });

  await test.step("one that did not arrive says so and keeps what was picked", async () => {
    await openChange(chiaras.page);
    await timeRow(chiaras.page, 0).click();
    await chiaras.page.route("**/rpc/change_choice", (route) => route.abort("failed"), { times: 1 });
    await submit(chiaras.page).click();
    await expect(sheet(chiaras.page).getByRole("alert")).toContainText("We can't reach Nosh.");
    await expect(times(chiaras.page).first()).toBeChecked();
    expect(await choiceOf(stack, table)).toMatchObject({ revision: 2 });
  });

  await test.step("a plan that the other host cancels closes the sheet", async () => {
    await stack.backend.sql(`update public.plans set status = 'cancelled' where id = '${table.id}'`);
    await expect(sheet(chiaras.page)).toBeHidden();
  });
});

test("the sheet is worked by keyboard, and a time is added where there is no other", async ({
  ana,
  stack,
}) => {
  const table = await layConfirmed(stack, "By keys");
  const { page } = await ana({ ...devices.desktop });
  await page.goto(table.path);
  await openChange(page);
  await times(page).first().focus();
  await page.keyboard.press("ArrowDown");
  await expect(times(page).nth(1)).toBeChecked();
  await page.keyboard.press("Enter");
  await expect(sheet(page)).toBeHidden();
  await expect.poll(() => choiceOf(stack, table)).toMatchObject({ time: table.times[1], revision: 1 });
  await stack.backend.sql(
    `update public.plans set moved_from_time_id = null, moved_from_place_id = null where id = '${table.id}'`,
  );
  await stack.backend.sql(
    `delete from public.time_options where plan_id = '${table.id}' and id <> '${table.times[1]}'`,
  );
  await stack.backend.sql(
    `delete from public.place_options as o using public.plans as p where p.id = o.plan_id and p.id = '${table.id}'
     and o.id <> p.chosen_place_id`,
  );
  await page.reload();
  await page.getByRole("button", { name: "Manage plan" }).click();
  await sheet(page).getByRole("button", { name: "Change time or place" }).click();
  await expect(times(page)).toHaveCount(1);
  await sheet(page).getByRole("button", { name: "Add another time" }).click();
  await sheet(page).getByRole("button", { name: "Suggest", exact: true }).click();
  await expect(times(page)).toHaveCount(2);
  await expect(times(page).last()).toBeChecked();
  await sheet(page).getByRole("button", { name: "Change it and tell everyone" }).click();
  await expect(sheet(page)).toBeHidden();
  await expect(page.getByRole("article", { name: "Ticket" })).toContainText(
    "Earlier answers no longer count.",
  );
});
