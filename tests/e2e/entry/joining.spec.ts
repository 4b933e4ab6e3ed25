/** Joining: links in every state, invitations by mail, adding an address, and two-step verification. */
import { demoPassword } from "../../../scripts/demo-accounts.ts";
import { digits } from "../authenticator.ts";
import { expect, type Person, signIn, test } from "../fixtures.ts";
import { layTable } from "../tables.ts";
import { linkTo, sitDown } from "./links.ts";

test("the page of a link has its title, host and picture for chats, and a decided meal its date", async ({
  person,
  stack,
}) => {
  const table = await layTable(stack, { title: "Table in a chat", withPlaces: true });
  const link = await linkTo(stack, table.id);
  const page = await (await fetch(`${stack.app}${link}`)).text();
  expect(page).toContain('<meta property="og:title" content="Table in a chat" />');
  expect(page).toMatch(/<meta name="description" content="Ana invites you\. When and where are still open\./);
  expect(page.match(/<meta name="description"/g)).toHaveLength(1);
  expect(await (await fetch(`${stack.app}/join/nonsense`)).text()).not.toContain("og:title");
  expect(await (await fetch(`${stack.app}/places`)).text()).not.toContain("og:title");

  await stack.backend.sql(`update public.plans set status = 'confirmed', chosen_time_id = (select id from public.time_options where plan_id = '${table.id}' limit 1),
      chosen_place_id = (select id from public.place_options where plan_id = '${table.id}' limit 1) where id = '${table.id}'`);
  const decided = await (await fetch(`${stack.app}${link}`)).text();
  expect(decided).toMatch(/Ana invites you\. \w{3},? \d+ \w{3,4},? \d\d:\d\d\./);
  const { page: phone } = await person("Jo", { device: "phone" });
  await phone.goto(link);
  await expect(phone.getByText(/Decided: \w{3} \d+ \w{3,4}, \d\d:\d\d/)).toBeVisible();
});

test("each reason why an invitation is closed has its own text and next step", async ({ person, stack }) => {
  const { page, watch } = await person("Somebody", { device: "small" });
  watch.expect(/404|409|410/);
  const open = await layTable(stack, { title: "Table with links" });
  const cancelled = await layTable(stack, { title: "Table that is off" });
  await stack.backend.sql(`update public.plans set status = 'cancelled' where id = '${cancelled.id}'`);
  const cases: [string, string][] = [
    ["/join/no-such-token", "This link doesn't work"],
    [await linkTo(stack, open.id, "expires_at = now()"), "This link has expired"],
    [await linkTo(stack, open.id, "revoked_at = now()"), "This link was revoked"],
    [await linkTo(stack, open.id, "uses = 2"), "This link is used up"],
    [await linkTo(stack, cancelled.id), "This plan is cancelled"],
  ];
  for (const [path, heading] of cases) {
    await page.goto(path);
    await expect(page.getByRole("heading", { level: 1, name: heading })).toBeVisible();
    await expect(page.getByRole("link", { name: "What is Nosh?" })).toBeVisible();
  }

  const full = await layTable(stack, { title: "A crowd", strangers: 19 });
  await page.goto(await linkTo(stack, full.id));
  await expect(page.getByText("20 people have joined.")).toBeVisible();
  await page.getByRole("textbox", { name: "Your name" }).fill("Late Lea");
  await page.getByRole("button", { name: "Take a seat" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "The table is full" })).toBeVisible();
});

test("an invited person sees seats fill, and a member goes straight to the plan", async ({
  ana,
  person,
  stack,
}) => {
  const table = await layTable(stack, { title: "Seats that fill" });
  const link = await linkTo(stack, table.id);
  const { page } = await person("Guest", { device: "phone" });
  await page.clock.install();
  await page.goto(link);
  await expect(page.getByText("1 person has joined.")).toBeVisible();
  await stack.backend.sql(
    `insert into public.plan_members (plan_id, user_id, accepted_at) values ('${table.id}', '00000000-0000-4000-8000-0000000000a2', now())`,
  );
  await page.clock.runFor(11_000);
  await expect(page.getByText("2 people have joined.")).toBeVisible();
  const { page: anas } = await ana();
  await anas.goto(link);
  await anas.waitForURL(table.path);
});

test("a link has a number of days and uses, and stops working once it is revoked", async ({
  ana,
  person,
  stack,
}) => {
  const table = await layTable(stack, { title: "A link with limits" });
  const { page } = await ana();
  await page.goto(table.path);
  await page.getByRole("button", { name: "Invite" }).click();
  await page.getByLabel("Works for").selectOption({ label: "3 days" });
  await page.getByLabel("For up to", { exact: true }).selectOption({ label: "2 people" });
  await page.getByRole("button", { name: "Create link" }).click();
  const address = await page
    .getByRole("region", { name: "By link" })
    .getByRole("textbox", { name: "Invite link" })
    .inputValue();
  const out = page.getByRole("region", { name: "Active links" });
  await expect(out.getByRole("listitem")).toHaveText([/used 0 of 2/]);

  // The page has the link for as long as it is open; after that, nobody does.
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Invite" }).click();
  const shown = page.getByRole("region", { name: "By link" }).getByRole("textbox", { name: "Invite link" });
  await expect(shown).toHaveValue(address);
  await page.getByRole("button", { name: "Get a new link" }).click();
  await expect(page.getByText("Links you've already shared keep working")).toBeVisible();
  await expect(shown).toHaveValue(address);

  await out.getByRole("button", { name: /^Revoke/ }).click();
  await expect(page.getByText("Nobody can use it any more.")).toBeVisible();
  await expect(out).toHaveCount(0);
  await expect(shown).toHaveCount(0);
  const { page: late, watch } = await person("Late");
  watch.expect(/410/);
  await late.goto(address);
  await expect(late.getByRole("heading", { name: "This link was revoked" })).toBeVisible();
});

test("a host alone sees the link again while the page is open, then a new one beside the old", async ({
  ana,
  person,
  stack,
}) => {
  const table = await layTable(stack, { title: "Alone so far" });
  const { page } = await ana({ device: "phone" });
  await page.goto(table.path);
  const invite = page.getByRole("region", { name: "Invite your friends" });
  await invite.getByRole("button", { name: "Get a link" }).click();
  const field = invite.getByRole("textbox", { name: "Invite link" });
  const first = await field.inputValue();
  await page.reload();
  await expect(invite.getByText("Links you've already shared keep working")).toBeVisible();
  await invite.getByRole("button", { name: "Get a new link" }).click();
  await expect(field).not.toHaveValue(first);
  const { page: friend } = await person("Friend");
  await friend.goto(first);
  await expect(friend.getByText("1 person has joined.")).toBeVisible();
});

test("invitations by mail: addresses are pasted and corrected, and each shows its outcome", async ({
  ana,
  stack,
}) => {
  const table = await layTable(stack, { title: "By email" });
  const { page } = await ana();
  await page.goto(table.path);
  await page.getByRole("button", { name: "Invite" }).click();
  const form = page.getByRole("form", { name: "By email" });
  const field = form.getByRole("textbox", { name: "Email addresses" });
  await field.pressSequentially("Gil <gil@nosh.test>, hana@nosh.test not-one ");
  await expect(form.getByRole("row")).toHaveText([/gil@nosh\.test/, /hana@nosh\.test/]);
  await form.getByRole("button", { name: "Send 3 invitations" }).click();
  await expect(form.getByText("not-one isn't a valid email address.")).toBeVisible();
  await field.fill("ida@nosh.test");
  await form.getByRole("row", { name: /hana/ }).getByRole("button").click();
  await form.getByRole("button", { name: "Send 2 invitations" }).click();
  await expect(form.getByRole("status").getByRole("listitem")).toHaveText(
    [/^gil@nosh\.test: will be sent in a moment$/, /^ida@nosh\.test: will be sent in a moment$/],
    { timeout: 20_000 },
  );
  // The button is disabled again: the focus is on what it did.
  await expect(form.getByRole("status")).toBeFocused();
  expect(
    await stack.backend.sql(
      `select address from private.outgoing_mail where plan_id = '${table.id}' order by address`,
    ),
  ).toEqual([{ address: "gil@nosh.test" }, { address: "ida@nosh.test" }]);
});

test("a guest adds an email address, and keeps everything", async ({ person, stack }) => {
  const table = await layTable(stack, { title: "Stays mine" });
  const { page } = await person("Kim");
  await sitDown(page, await linkTo(stack, table.id), "Kim");
  await page.goto("/me");
  await page.getByRole("textbox", { name: "Email" }).fill("kim@nosh.test");
  await page.getByRole("button", { name: "Add email" }).click();
  // When addresses must be confirmed by mail, the form asks for its six digits in between.
  await expect(page.getByText("Signed in as kim@nosh.test.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Create my link" })).toHaveCount(0);
  await page.goto("/home");
  await expect(page.getByRole("link", { name: /Stays mine/ })).toBeVisible();
});

/** Turns on two-step verification for a person, and returns their app's key. */
async function twoSteps({ page }: Person): Promise<string> {
  await page.getByRole("link", { name: "Me", exact: true }).click();
  await page
    .getByRole("region", { name: "Two-step verification" })
    .getByRole("button", { name: "Turn on" })
    .click();
  const key = await page.getByRole("dialog").getByLabel("Key").inputValue();
  await page.getByRole("dialog").getByLabel("Six-digit code").fill(digits(key));
  await page.getByRole("dialog").getByRole("button", { name: "Confirm" }).click();
  await expect(page.getByText("You sign in with a code")).toBeVisible();
  return key;
}

test("with two-step verification the password alone opens nothing; the code continues to the requested page", async ({
  person,
  stack,
}) => {
  const first = await person("Dev");
  await first.page.goto("/sign-in");
  await signIn(first.page, "dev@nosh.test");
  const key = await twoSteps(first);

  const { page, watch } = await person("Dev elsewhere", { device: "phone" });
  await page.goto("/sign-in?next=/circles");
  await page.getByRole("textbox", { name: "Email" }).fill("dev@nosh.test");
  await page.getByLabel("Password", { exact: true }).last().fill(demoPassword);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("heading", { name: "One more step" })).toBeVisible();
  await page.goto("/home");
  await page.waitForURL(/\/sign-in/);
  await page.goto("/sign-in?next=/circles");
  const field = page.getByRole("textbox", { name: "Code from your app" });
  await expect(field).toHaveAttribute("autocomplete", "one-time-code");
  watch.expect(/422/);
  await field.fill("000000");
  await expect(page.getByRole("alert")).toBeVisible();
  // A code is accepted once: wait for the next one.
  await field.fill(digits(key, Date.now() + 30_000));
  await page.waitForURL("/circles");
  // In other tests, Dev signs in with one step.
  await stack.backend.sql(
    "delete from auth.mfa_factors where user_id = (select id from auth.users where email = 'dev@nosh.test')",
  );
});

test("other services are offered only where they are configured", async ({ person }) => {
  const { page } = await person("Somebody");
  const asked = page.waitForResponse(/auth\/v1\/settings/);
  await page.goto("/sign-in");
  await asked;
  await expect(page.getByRole("button", { name: /^Continue with/ })).toHaveCount(0);
});

test("the language is chosen on the landing page and kept", async ({ person }) => {
  const { page } = await person("Somebody", { device: "small" });
  await page.goto("/");
  await page.getByRole("radio", { name: "Deutsch" }).click();
  await expect(page.getByRole("button", { name: "Mit Beispiel ausprobieren" })).toBeVisible();
  await page.goto("/sign-in");
  await expect(page.getByRole("heading", { level: 1, name: "Nimm Platz" })).toBeVisible();
  await expect(page.locator("html")).toHaveAttribute("lang", "de");
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  await page.getByRole("radio", { name: "English" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Take your seat" })).toBeVisible();
});
