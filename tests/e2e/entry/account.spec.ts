/** One's own account: activity, two-step verification, devices, mails, calendar; and one's circles. */
import { digits } from "../authenticator.ts";
import { expect, signIn, test } from "../fixtures.ts";
import { draw } from "../pictures.ts";

test("activity appears at once, links to its plan, and is marked as seen", async ({ person, stack }) => {
  const { page } = await person("Ben", { device: "phone" });
  await page.goto("/sign-in");
  await signIn(page, "ben@nosh.test");
  const fresh = page.getByRole("main").getByRole("link", { name: /^\d+ new$/ });
  await stack.backend.sql("update public.notifications set read_at = now()");
  const hears = new Promise<void>((resolve) => {
    page.on("websocket", (socket) =>
      socket.on("framereceived", ({ payload }) => {
        const frame = String(payload);
        if (frame.includes("notifications:") && /"status":\s*"ok"/.test(frame) && frame.includes("system")) {
          resolve();
        }
      }),
    );
  });
  await page.reload();
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await expect(fresh).toHaveCount(0);
  await expect(page.getByRole("link", { name: "Plans", exact: true })).toBeVisible();
  const [plan] = await stack.backend.sql<{ id: string; title: string }>(
    `select p.id, p.title from public.plans as p join public.plan_members as m on m.plan_id = p.id
     where m.user_id = '00000000-0000-4000-8000-0000000000a2' and p.status = 'polling' limit 1`,
  );
  // Row changes are delivered from now on.
  await hears;
  await stack.backend.sql(
    `insert into public.notifications (user_id, kind, plan_id, actor_id) values
     ('00000000-0000-4000-8000-0000000000a2', 'plan_confirmed', $1, '00000000-0000-4000-8000-0000000000a1')`,
    [plan?.id],
  );
  await expect(page.getByRole("link", { name: "Plans 1 new", exact: true })).toBeVisible();
  await fresh.click();
  const row = page.getByRole("link", { name: `Ana confirmed ${plan?.title}.` });
  await expect(row).toContainText("new");
  await row.click();
  await expect(page.getByRole("heading", { level: 1, name: plan?.title ?? "" })).toBeVisible();
  await page.goBack();
  await expect(page.getByRole("link", { name: `Ana confirmed ${plan?.title}.` })).not.toContainText(", new");
});

test("a new picture of oneself replaces the old one, which is deleted", async ({ ana, stack }) => {
  const { page } = await ana();
  await page.goto("/me");
  const shown = page.getByRole("main").locator('img[src*="/avatars/"]');
  const stored = async () => {
    const files = await stack.backend.sql<{ name: string }>(
      `select name from storage.objects
       where bucket_id = 'avatars' and name like '00000000-0000-4000-8000-0000000000a1/%'`,
    );
    return files.map(({ name }) => name);
  };
  // The seed's own picture, so that the first wait is for the first upload.
  let earlier = (await shown.getAttribute("src")) ?? "";
  for (const file of ["first.png", "second.png"]) {
    const [chooser] = await Promise.all([
      page.waitForEvent("filechooser"),
      page.getByRole("button", { name: "Change picture" }).click(),
    ]);
    await chooser.setFiles(await draw(page, file));
    await expect(shown).not.toHaveAttribute("src", earlier);
    earlier = (await shown.getAttribute("src")) ?? "";
  }
  await expect.poll(stored).toEqual([earlier.split("/avatars/")[1]]);
});

test("two-step verification is turned on with an app, and off with a code", async ({ person }) => {
  const { page, watch } = await person("Emre");
  await page.goto("/sign-in");
  await signIn(page, "emre@nosh.test");
  await page.getByRole("link", { name: "Me", exact: true }).click();
  const section = page.getByRole("region", { name: "Two-step verification" });
  await section.getByRole("button", { name: "Turn on" }).click();
  const dialog = page.getByRole("dialog");
  const key = await dialog.getByLabel("Key").inputValue();
  const drawn = dialog
    .getByRole("img")
    .evaluate((code: HTMLImageElement) => code.decode().then(() => code.naturalWidth));
  expect(await drawn).toBeGreaterThan(0);
  watch.expect(/422|mfa_verification_failed|400/);
  await dialog.getByLabel("Six-digit code").fill("000000");
  await dialog.getByRole("button", { name: "Confirm" }).click();
  await expect(dialog.getByText("That code is wrong")).toBeVisible();
  await dialog.getByLabel("Six-digit code").fill(digits(key));
  await dialog.getByRole("button", { name: "Confirm" }).click();
  await expect(section.getByText("You sign in with a code")).toBeVisible();

  await section.getByRole("button", { name: "Turn off" }).click();
  // A code is accepted once: wait for the next one.
  await page
    .getByRole("dialog")
    .getByLabel("Six-digit code")
    .fill(digits(key, Date.now() + 30_000));
  await page.getByRole("dialog").getByRole("button", { name: "Confirm" }).click();
  await expect(section.getByRole("button", { name: "Turn on" })).toBeVisible();
});

test("signing out on another device, choosing mails, and getting a calendar address", async ({
  person,
  stack,
}) => {
  // Other tests may have signed Ana in before.
  await stack.backend.sql("delete from auth.sessions where user_id = '00000000-0000-4000-8000-0000000000a3'");
  const [{ page: desk }, { page: phone, watch }] = await Promise.all([
    person("Chiara at the desk"),
    person("Chiara on the phone", { device: "phone" }),
  ]);
  for (const page of [desk, phone]) {
    await page.goto("/sign-in");
    await signIn(page, "chiara@nosh.test");
  }
  await desk.getByRole("link", { name: "Me", exact: true }).click();
  const devices = desk.getByRole("region", { name: "Where you are signed in" });
  await expect(devices.getByRole("listitem")).toHaveCount(2);
  await devices.getByRole("button", { name: /^Sign out/ }).click();
  await expect(devices.getByRole("listitem")).toHaveCount(1);
  watch.expect(/40[0-3]|refresh_token/);

  const mail = desk.getByRole("region", { name: "Email", exact: true });
  const reminders = mail.getByRole("switch", { name: /^Decisions/ });
  await expect(reminders).toBeChecked();
  await mail.getByText(/^Decisions/).click();
  await expect(reminders).not.toBeChecked();
  await desk.reload();
  await expect(reminders).not.toBeChecked();

  const calendar = desk.getByRole("region", { name: "Calendar" });
  await calendar.getByRole("button", { name: "Get calendar link" }).click();
  const address = await calendar.getByLabel("Calendar link").inputValue();
  const answer = await fetch(address);
  expect(await answer.text()).toMatch(/^BEGIN:VCALENDAR/);
});

test("the unsubscribe link of a mail leads to the mail settings, without an account", async ({
  person,
  stack,
}) => {
  const { page } = await person("Somebody", { device: "small" });
  const token = "00000000-0000-4000-8000-0000000000e1";
  await page.goto(`/mail/${token}`);
  await expect(page.getByRole("heading", { name: "Emails to a…@nosh.test" })).toBeVisible();
  await page.getByRole("button", { name: "Stop all emails" }).click();
  await expect(page.getByText("Saved.", { exact: true })).toBeVisible();
  await expect(page.getByRole("link", { name: "Go to Nosh" })).toBeVisible();
  expect(
    await stack.backend.sql(
      "select no_invites_since is null as invites, no_reminders_since is null as reminders from private.mail_recipients where token = $1",
      [token],
    ),
  ).toEqual([{ invites: false, reminders: false }]);
  await page.getByText("Invitations to a plan").click();
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("switch", { name: "Invitations to a plan" })).toBeChecked();
  await page.goto("/mail/abc");
  await expect(page.getByText("This link doesn't match any of our emails.")).toBeVisible();
});

test("a circle is renamed, handed over and left, each after confirmation", async ({ person }) => {
  const { page } = await person("Fatou", { device: "phone" });
  await page.goto("/sign-in");
  await signIn(page, "fatou@nosh.test");
  await page.getByRole("link", { name: "Circles" }).click();
  await page.getByRole("button", { name: "Start a circle" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Start circle" }).click();
  await expect(page.getByText("Give the circle a name.")).toBeVisible();
  await page.getByRole("textbox", { name: "Name" }).fill("Short lived");
  await page.getByRole("button", { name: "Start circle" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Short lived" })).toBeVisible();
  await page.getByRole("button", { name: "Rename" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Still short lived");
  await page.getByRole("button", { name: "Save name" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Still short lived" })).toBeVisible();
  await page.getByRole("button", { name: "Delete circle" }).click();
  await page.getByRole("button", { name: "Cancel", exact: true }).click();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page.getByRole("heading", { level: 1, name: "Still short lived" })).toBeVisible();
  await page.getByRole("button", { name: "Delete circle" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete circle" }).click();
  await page.waitForURL("/circles");
  await expect(page.getByText("Still short lived")).toHaveCount(0);
});

test("the title names a circle, a place and a link that are gone", async ({ ana }) => {
  const { page } = await ana();
  for (const [path, title] of [
    ["/circles/00000000-0000-4000-8000-00000000dead", "You're not in this circle"],
    ["/places/00000000-0000-4000-8000-00000000dead", "This place is gone"],
    ["/auth/callback?error_description=gone", "This link no longer works"],
  ] as const) {
    await page.goto(path);
    await expect(page).toHaveTitle(`${title} · Nosh`);
  }
});
