/** A seat with a name only: the ways back to it, and hearing of its plan by mail. */
import { expect, signIn, test } from "../fixtures.ts";
import { layTable } from "../tables.ts";
import { linkTo, sitDown } from "./links.ts";

test("a personal link continues as the same guest on a second device, after confirmation", async ({
  person,
  stack,
}) => {
  const table = await layTable(stack, { title: "One guest, two devices" });
  const [{ page: phone }, { page: desk, watch }] = await Promise.all([
    person("Gus", { device: "phone" }),
    person("Gus at the desk"),
  ]);
  await sitDown(phone, await linkTo(stack, table.id), "Gus");
  await phone.goto("/me");
  await phone.getByRole("button", { name: "Create my link" }).click();
  const link = await phone.getByRole("textbox", { name: "My personal link" }).inputValue();

  await desk.goto("/sign-in");
  await signIn(desk, "ben@nosh.test");
  await desk.goto(link);
  await expect(desk.getByText(/Ben .*is signed in on this device/)).toBeVisible();
  await desk.getByRole("button", { name: "Continue" }).click();
  await desk.waitForURL("/home");
  await expect(desk.getByRole("heading", { level: 1, name: "Gus" })).toBeVisible();
  await expect(desk.getByRole("link", { name: /One guest, two devices/ })).toBeVisible();

  watch.expect(/410/);
  await phone.getByRole("button", { name: "Create a new link" }).click();
  await expect(phone.getByRole("textbox", { name: "My personal link" })).not.toHaveValue(link);
  await desk.goto(link);
  await desk.getByRole("button", { name: "Continue" }).click();
  await expect(desk.getByRole("alert")).toContainText("no longer works");
});

test("after the first vote a guest opens the plan on another phone, and revoking signs that phone out", async ({
  person,
  stack,
}) => {
  const table = await layTable(stack, { title: "On both phones", days: 3 });
  const [{ page: old }, { page: other }] = await Promise.all([
    person("Ines", { device: "phone" }),
    person("Ines elsewhere", { device: "phone" }),
  ]);
  await sitDown(old, await linkTo(stack, table.id), "Ines");
  const yes = old.getByRole("radio", { name: "Yes", exact: true }).first();
  await expect(yes).toBeVisible();
  const offer = old.getByRole("button", { name: "Open it on another phone" });
  await expect(offer).toHaveCount(0);
  await yes.click();
  await offer.click();
  const sheet = old.getByRole("dialog", { name: "Open it on another phone" });
  const revoke = sheet.getByRole("button", { name: "Revoke my link" });
  await expect(revoke).toHaveCount(0);
  await sheet.getByRole("button", { name: "Create my link" }).click();
  await other.goto(await sheet.getByRole("textbox", { name: "My personal link" }).inputValue());
  await other.getByRole("button", { name: "Continue" }).click();
  await other.getByRole("link", { name: /On both phones/ }).click();
  await expect(other.getByRole("radio", { name: "Yes", exact: true }).first()).toBeChecked();

  await revoke.click();
  await expect(sheet.getByText("Your personal links no longer work.")).toBeVisible();
  await expect(revoke).toHaveCount(0);
  const left = await stack.backend.sql(
    "select 1 from auth.sessions s join public.profiles p on p.id = s.user_id where p.display_name = 'Ines'",
  );
  expect(left).toHaveLength(1);
});

test("after the first vote a guest leaves an address, confirms it by the mail's link, and stops it", async ({
  person,
  stack,
}) => {
  const table = await layTable(stack, { title: "Told by mail", days: 3 });
  const { page } = await person("Noa", { device: "phone" });
  await sitDown(page, await linkTo(stack, table.id), "Noa");
  const offer = page.getByRole("region", { name: "News by email" });
  await expect(page.getByRole("radio", { name: "Yes", exact: true }).first()).toBeVisible();
  await expect(offer).toHaveCount(0);
  await page.getByRole("radio", { name: "Yes", exact: true }).first().click();
  await offer.getByRole("textbox", { name: "Get news of this plan by email" }).fill("noa@nosh.test");
  await offer.getByRole("button", { name: "Email me" }).click();
  await expect(offer.getByText("open the email to n…@nosh.test")).toBeVisible();

  const [mail] = await stack.backend.sql<{ secret: string }>(
    "select secret from private.outgoing_mail where address = 'noa@nosh.test'",
  );
  const { page: elsewhere, watch } = await person("Noa's mail");
  await elsewhere.goto(`/mail/confirm/${mail?.secret}`);
  await elsewhere.getByRole("button", { name: "Confirm my address" }).click();
  await expect(elsewhere.getByText("Confirmed.")).toBeVisible();
  watch.expect(/410/);
  await elsewhere.goto("/mail/confirm/nonsense");
  await elsewhere.getByRole("button", { name: "Confirm my address" }).click();
  await expect(elsewhere.getByRole("alert")).toContainText("confirmation link no longer works");

  await page.reload();
  await expect(offer.getByText("You'll get emails about this plan at n…@nosh.test.")).toBeVisible();
  await offer.getByRole("button", { name: "Stop emails" }).click();
  await expect(offer.getByRole("button", { name: "Email me" })).toBeVisible();
  expect(await stack.backend.sql("select 1 from private.left_addresses")).toEqual([]);
});

test("signing out of a seat with a name only asks first, and the personal link gets the seat back", async ({
  person,
  stack,
}) => {
  const table = await layTable(stack, { title: "Left and found" });
  const { page, watch } = await person("Lou", { device: "phone" });
  await sitDown(page, await linkTo(stack, table.id), "Lou");
  await page.goto("/me");
  const signOut = page.getByRole("button", { name: "Sign out on this device" });
  await signOut.click();
  const dialog = page.getByRole("dialog", { name: "Sign out and lose your seat?" });
  await dialog.getByRole("button", { name: "Stay signed in" }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page).toHaveURL(/\/me$/);

  await signOut.click();
  await expect(dialog.getByRole("button", { name: "Add email" })).toBeVisible();
  await dialog.getByRole("button", { name: "Create my link" }).click();
  const link = await dialog.getByRole("textbox", { name: "My personal link" }).inputValue();
  await dialog.getByRole("button", { name: "Sign out", exact: true }).click();
  await page.waitForURL((url) => url.pathname === "/");
  await page.goto(table.path);
  await expect(page.getByRole("button", { name: "Ask to join" })).toBeVisible();

  await page.goto(link);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.waitForURL("/home");
  await expect(page.getByRole("link", { name: /Left and found/ })).toBeVisible();

  await page.goto("/me");
  await page.getByRole("button", { name: "Create my link" }).click();
  const other = await page.getByRole("textbox", { name: "My personal link" }).inputValue();
  await page.getByRole("button", { name: "Revoke my link" }).click();
  await expect(page.getByText("Your personal links no longer work.")).toBeVisible();
  watch.expect(/410/);
  await page.goto(other);
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(page.getByRole("alert")).toContainText("no longer works");
  await page.goto(link);
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(page.getByRole("alert")).toContainText("no longer works");
});

test("a guest who adds an address before signing out keeps the seat", async ({ person, stack }) => {
  const table = await layTable(stack, { title: "Left with an address" });
  const { page } = await person("Mia");
  await sitDown(page, await linkTo(stack, table.id), "Mia");
  await page.goto("/me");
  await page.getByRole("button", { name: "Sign out on this device" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Email" }).fill("mia@nosh.test");
  await dialog.getByRole("button", { name: "Add email" }).click();
  await expect(dialog.getByText("Everything you did as a guest is yours.")).toBeVisible();
  await dialog.getByRole("button", { name: "Sign out", exact: true }).click();
  await page.waitForURL((url) => url.pathname === "/");
});

test("a host with a name only is offered a way back to the plan they have just made", async ({ person }) => {
  const { page } = await person("Hedda", { device: "phone" });
  await page.goto("/start");
  await page.getByRole("textbox", { name: "Your name" }).fill("Hedda");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.waitForURL("/plans/new");
  await page.getByRole("textbox", { name: "Plan name" }).fill("Hedda's soup");
  await page.getByRole("button", { name: "Create plan" }).click();
  await page.waitForURL(/\/plans\/[0-9a-f]/);
  await page.getByRole("button", { name: "Make sure you can come back" }).click();
  const dialog = page.getByRole("dialog", { name: "Your way back" });
  await dialog.getByRole("button", { name: "Create my link" }).click();
  const link = await dialog.getByRole("textbox", { name: "My personal link" }).inputValue();
  const { page: other } = await person("Hedda elsewhere");
  await other.goto(link);
  await other.getByRole("button", { name: "Continue" }).click();
  await other.getByRole("link", { name: /Hedda's soup/ }).click();
  await expect(other.getByRole("button", { name: "Manage plan" }).first()).toBeVisible();
});

test("a guest reads what deleting deletes, a name and answers, and no account", async ({ person, stack }) => {
  const table = await layTable(stack, { title: "Only a name", days: 3 });
  const { page, watch } = await person("Gus", { device: "small" });
  // The session ended with the person.
  watch.expect(/403/);
  await sitDown(page, await linkTo(stack, table.id), "Gus");
  await page.goto("/me");
  await page.getByRole("button", { name: "Delete my name and answers" }).click();
  const sheet = page.getByRole("dialog", { name: "Delete your name and answers?" });
  await expect(sheet).toContainText("You leave all your plans.");
  await expect(sheet).not.toContainText("ccount?");
  await sheet.getByRole("button", { name: "Delete my name and answers" }).click();
  await page.waitForURL((url) => url.pathname === "/");
  const seats = await stack.backend.sql(
    `select 1 from public.plan_members where plan_id = '${table.id}' and role = 'guest'`,
  );
  expect(seats).toEqual([]);
});
