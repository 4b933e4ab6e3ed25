/** A guest whose address already has an account: their plans move to it once, and to another account only if confirmed. */
import type { Page } from "@playwright/test";
import { expect, signIn, test } from "../fixtures.ts";
import { messages, say } from "../plan/conversation.ts";
import { barriers } from "../quality/axe.ts";
import { settle, showIn } from "../screens.ts";
import type { Stack } from "../stack.ts";
import { answersOf, layTable, type Table } from "../tables.ts";

const HEADING = "Your plans as a guest";
const options = (page: Page) =>
  page
    .getByRole("tabpanel")
    .getByRole("listitem")
    .filter({ has: page.getByRole("radiogroup") });

/** Joins a plan of Ana's by a link, as a guest. */
async function join(page: Page, stack: Stack, table: Table, name: string): Promise<void> {
  const token = crypto.randomUUID();
  await stack.backend.sql(
    `insert into public.invites (plan_id, token_hash, expires_at, max_uses)
     values ('${table.id}', extensions.digest('${token}', 'sha256'), now() + interval '1 day', 2)`,
  );
  await page.goto(`/join/${token}`);
  await page.getByRole("textbox", { name: "Your name" }).fill(name);
  await page.getByRole("button", { name: "Take a seat" }).click();
  await page.waitForURL(/\/plans\//);
}

/** Adds an address that has an account under Me, and waits for the message about it. */
async function goToAccount(page: Page, email: string): Promise<void> {
  await page.goto("/me");
  await page.getByRole("textbox", { name: "Email" }).fill(email);
  await page.getByRole("button", { name: "Add email" }).click();
  await expect(page.getByRole("alert")).toContainText(`${email} already has an account.`);
}

/** Nothing that axe finds, in light and dark, and nothing that overflows at 320 px. */
async function inspect(page: Page, name: string): Promise<void> {
  await settle(page);
  expect.soft(await barriers(page), name).toEqual([]);
  const size = page.viewportSize();
  await page.setViewportSize({ width: 320, height: 640 });
  expect.soft(await page.evaluate(() => document.documentElement.scrollWidth), name).toBeLessThanOrEqual(320);
  if (size) await page.setViewportSize(size);
  await showIn(page, "dark");
  expect.soft(await barriers(page, { what: "colours" }), `${name}, dark`).toEqual([]);
  await page.emulateMedia({ colorScheme: "light" });
}

test("a guest adds the address of an account, signs in with a code, and everything is there; others see one person", async ({
  ana,
  person,
  stack,
}) => {
  test.setTimeout(90_000);
  const table = await layTable(stack, { title: "Fatou by the back door" });
  const { page, watch } = await person("Fatou", { device: "phone" });
  await join(page, stack, table, "Tou");
  await options(page).first().getByRole("radio", { name: "Yes", exact: true }).click();
  await expect(options(page).first().getByRole("radio", { name: "Yes", exact: true })).toBeChecked();
  await page.getByRole("tab", { name: "Chat", exact: true }).click();
  await say(page, "I bring plums");
  await expect(messages(page, "I bring plums")).toBeVisible();
  const { page: anas } = await ana();
  await anas.goto(table.path);
  await expect(anas.getByText("Tou", { exact: true }).first()).toBeVisible();

  watch.expect(/422/);
  await goToAccount(page, "fatou@nosh.test");
  await inspect(page, "an address that has an account");
  await page.getByRole("button", { name: "Sign in and move my plans" }).click();
  await page.waitForURL(/\/sign-in\?next=%2Fme|\/sign-in\?next=\/me/);
  await expect(
    page.getByText("Sign in as fatou@nosh.test to move your plans from this device."),
  ).toBeVisible();
  await expect(page.getByRole("tab")).toHaveText(["Password", "Code"]);
  await expect(page.getByRole("textbox", { name: "Email" })).toHaveValue("fatou@nosh.test");
  await inspect(page, "signing in to move");
  const mailed = stack.backend.mails.length;
  await page.getByRole("button", { name: "Send code" }).click();
  const field = page.getByRole("textbox", { name: "Code from the email" });
  await expect(field).toBeVisible();
  await field.fill(/^\d{6}/.exec(stack.backend.mails[mailed]?.subject ?? "")?.[0] ?? "no code");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.waitForURL("/me");
  const moved = page.getByRole("region", { name: HEADING });
  await expect(moved.getByRole("status")).toHaveText("1 plan moved here.");
  await inspect(page, "what moved");

  await moved.getByRole("link", { name: "Show my plans" }).click();
  await page.getByRole("link", { name: /Fatou by the back door/ }).click();
  await page.waitForURL(/\/plans\//);
  await page.getByRole("tab", { name: "When", exact: true }).click();
  await expect(options(page).first().getByRole("radio", { name: "Yes", exact: true })).toBeChecked();
  expect(await answersOf(stack, table, "fatou")).toEqual(["yes", null, null]);
  await page.getByRole("tab", { name: "Chat", exact: true }).click();
  // One's own message can be edited.
  await messages(page, "I bring plums")
    .first()
    .getByRole("button", { name: /^React or reply to/ })
    .click();
  await expect(page.getByRole("dialog").getByRole("button", { name: "Edit", exact: true })).toBeVisible();
  await page.goto("/me");
  await expect(page.getByText("Signed in as fatou@nosh.test.")).toBeVisible();
  await expect(page.getByRole("region", { name: HEADING })).toHaveCount(0);

  // Ana's open page follows, and so does a new one.
  for (const again of [false, true]) {
    if (again) await anas.reload();
    await expect(anas.getByText("Tou", { exact: true })).toHaveCount(0);
    await expect(messages(anas, "I bring plums")).toContainText("Fatou");
  }
  const seats = await stack.backend.sql(
    `select user_id from public.plan_members where plan_id = '${table.id}'`,
  );
  expect(seats).toHaveLength(2);
});

test("the link in the mail opens another tab, and the plans move in the guest's tab", async ({
  person,
  stack,
}) => {
  const table = await layTable(stack, { title: "Two tabs" });
  const { page, watch } = await person("Emre", { device: "phone" });
  await join(page, stack, table, "Em");
  watch.expect(/422/);
  await goToAccount(page, "emre@nosh.test");
  await page.getByRole("button", { name: "Sign in and move my plans" }).click();
  const mailed = stack.backend.mails.length;
  await page.getByRole("button", { name: "Send code" }).click();
  await expect(page.getByRole("textbox", { name: "Code from the email" })).toBeVisible();
  const link = /href="([^"]+)"/.exec(stack.backend.mails[mailed]?.html ?? "")?.[1] ?? "no link";
  const other = await page.context().newPage();
  await other.goto(link.replaceAll("&amp;", "&"));
  await other.waitForURL("/me");
  await expect(other.getByText("Signed in as emre@nosh.test.")).toBeVisible();
  await page.waitForURL("/me");
  await expect(page.getByRole("region", { name: HEADING }).getByRole("status")).toHaveText(
    "1 plan moved here.",
  );
  await expect(other.getByRole("region", { name: HEADING })).toHaveCount(0);
});

test("for another account the person is asked first, and a failed move can be retried", async ({
  person,
  stack,
}) => {
  const table = await layTable(stack, { title: "Which of us" });
  const { page, watch } = await person("Gus", { device: "phone" });
  await join(page, stack, table, "Gus");
  watch.expect(/422|ERR_FAILED|Failed to fetch/);
  await goToAccount(page, "Ben@nosh.test");
  await page.getByRole("button", { name: "Sign in and move my plans" }).click();
  // Going back leaves the guest as before.
  await page.getByRole("link", { name: "Stay a guest" }).click();
  await expect(page.getByRole("heading", { name: "Keep your seat" })).toBeVisible();
  await goToAccount(page, "Ben@nosh.test");
  await page.getByRole("button", { name: "Sign in and move my plans" }).click();
  await page.getByRole("tab", { name: "Password" }).click();
  await signIn(page, "dev@nosh.test", "/me");

  const region = page.getByRole("region", { name: HEADING });
  await expect(region).toContainText("You're signed in as dev@nosh.test.");
  await inspect(page, "another account than wanted");
  const inPlan = () =>
    stack.backend.sql(`select user_id from public.plan_members where plan_id = '${table.id}'`);
  await region.getByRole("button", { name: "Not now" }).click();
  await expect(region).toHaveCount(0);
  await page.reload();
  await page.route("**/rpc/take_over_guest", (route) => route.abort());
  await region.getByRole("button", { name: "Move my plans" }).click();
  await expect(region.getByRole("alert")).toContainText("We can't reach Nosh.");
  await inspect(page, "a move that failed");
  await page.unroute("**/rpc/take_over_guest");
  await region.getByRole("button", { name: "Try again" }).click();
  await expect(region.getByRole("status")).toHaveText("1 plan moved here.");
  expect(await inPlan()).toContainEqual({ user_id: "00000000-0000-4000-8000-0000000000a4" });
});
