/**
 * Notifications on a device, from the offer to the click, and the hosts' notes about people whom no message reaches.
 * The decrypted message is delivered to the real service worker.
 */
import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { newDevice } from "../../integration/push-service.ts";
import { linkTo, sitDown } from "../entry/links.ts";
import { devices, expect, type PersonOptions, signIn, test, wholeBrowser } from "../fixtures.ts";
import type { Stack } from "../stack.ts";
import { layTable, people, type Table } from "../tables.ts";
import { subscribeAs } from "./push-device.ts";

test.use(wholeBrowser);

const allowed: PersonOptions = { serviceWorkers: "allow", permissions: ["notifications"] };
const offer = (page: Page) => page.getByRole("region", { name: "Notifications" });

const subscriptions = (stack: Stack) =>
  stack.backend.sql<{ user_id: string; endpoint: string }>(
    "select user_id, endpoint from public.push_subscriptions",
  );

/** Confirms the plan as its host does, at its first time and place. */
async function confirm(page: Page, table: Table): Promise<void> {
  await page.goto(`${table.path}?tab=best`);
  await page.getByRole("button", { name: "Choose this" }).click();
  await page.getByRole("article", { name: "Ticket" }).waitFor();
}

/** Gives the worker of the page's browser a push message, as the browser's push service does. */
async function deliver(page: Page, app: string, data: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const registration = new Promise<string>((resolve) => {
    session.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      const found = registrations.find((one) => one.scopeURL === `${app}/`);
      if (found) resolve(found.registrationId);
    });
  });
  await session.send("ServiceWorker.enable");
  await session.send("ServiceWorker.deliverPushMessage", {
    origin: app,
    registrationId: await registration,
    data,
  });
}

test("after a vote notifications are offered; the decision arrives, and a click opens the plan", async ({
  ana,
  person,
  stack,
}) => {
  test.setTimeout(60_000);
  await stack.callFunctions();
  // The message waits until the decision can no longer be undone.
  await stack.backend.sql("update private.limits set value = 1 where name = 'undo_seconds'");
  const table = await layTable(stack, { title: "Told at once", guests: ["ben"], days: 1, withPlaces: true });
  const device = newDevice(stack.push.publicKey);
  const { page } = await person("Ben", { ...allowed, device: "phone" });
  await subscribeAs(page, device);
  await page.goto(`/sign-in?next=${table.path}`);
  await signIn(page, "ben@nosh.test", table.path);
  await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  await expect(page.getByRole("radiogroup").first()).toBeVisible();
  await expect(offer(page)).toHaveCount(0);

  await page.getByRole("radio", { name: "Yes", exact: true }).first().click();
  await expect(offer(page)).toContainText("Want to know when it's decided?");
  await offer(page).getByRole("button", { name: "Notify me" }).click();
  await expect(page.getByText("You'll get a notification on this device.")).toBeVisible();
  expect(await subscriptions(stack)).toEqual([
    { user_id: people.ben, endpoint: device.subscription.endpoint },
  ]);

  const { page: anas } = await ana();
  await confirm(anas, table);
  await expect.poll(() => device.messages(stack.push).length).toBe(1);
  const [message] = device.messages(stack.push);
  expect(message).toMatchObject({ title: "Told at once", path: table.path });
  expect(message?.body).toMatch(/^It's on: \w{3},? \d+ \w+, \d\d:\d\d, /);

  await page.goto("/home");
  await page.getByRole("heading", { level: 1 }).waitFor();
  const [worker] = page.context().serviceWorkers();
  // Asking for the notifications while one is on its way to the screen removes it, so this waits for its end.
  await worker?.evaluate(() => {
    const scope = self as unknown as { registration: ServiceWorkerRegistration; shown: Promise<void> };
    const show = scope.registration.showNotification.bind(scope.registration);
    scope.shown = new Promise((ended) => {
      scope.registration.showNotification = (...given) => show(...given).finally(ended);
    });
  });
  await deliver(page, stack.app, JSON.stringify(message));
  await worker?.evaluate(() => (self as unknown as { shown: Promise<void> }).shown);
  const shown = () =>
    page.evaluate(async () => {
      const registration = await navigator.serviceWorker.ready;
      return (await registration.getNotifications()).map(({ title, body, tag, lang }) => ({
        title,
        body,
        tag,
        lang,
      }));
    });
  await expect
    .poll(shown)
    .toEqual([{ title: "Told at once", body: message?.body, tag: `plan:${table.id}`, lang: "en" }]);
  await worker?.evaluate(async () => {
    const scope = self as unknown as {
      registration: ServiceWorkerRegistration;
      dispatchEvent(event: Event): boolean;
      NotificationEvent: new (type: string, init: { notification: Notification | undefined }) => Event;
    };
    const [notification] = await scope.registration.getNotifications();
    scope.dispatchEvent(new scope.NotificationEvent("notificationclick", { notification }));
  });
  await page.waitForURL(table.path);
  await expect(page.getByRole("article", { name: "Ticket" })).toBeVisible();
  await expect.poll(shown).toEqual([]);
});

test("under Me notifications are turned on and off, and signing out ends them", async ({ person, stack }) => {
  const device = newDevice(stack.push.publicKey);
  const { page } = await person("Ben", allowed);
  await subscribeAs(page, device);
  await page.goto("/sign-in?next=/me");
  await signIn(page, "ben@nosh.test", "/me");
  const toggle = page.getByRole("switch", {
    name: "Notify me on this device of decisions, changes and reminders",
  });
  await expect(toggle).not.toBeChecked();
  await toggle.press("Space");
  await expect(toggle).toBeChecked();
  await expect.poll(() => subscriptions(stack)).toHaveLength(1);
  await page.reload();
  await expect(toggle).toBeChecked();
  await toggle.press("Space");
  await expect(toggle).not.toBeChecked();
  await expect.poll(() => subscriptions(stack)).toEqual([]);

  await expect(page.getByText("Notifications are off.")).toBeAttached();
  await toggle.press("Space");
  await expect(toggle).toBeChecked();
  await expect(page.getByText("Notifications are on.")).toBeAttached();
  await page.getByRole("button", { name: "Sign out on this device" }).click();
  await page.waitForURL("/");
  await expect
    .poll(() =>
      page.evaluate(() => [localStorage.getItem("nosh.push"), localStorage.getItem("test.subscribed")]),
    )
    .toEqual([null, null]);
});

test("Me gives the reason why there are no notifications", async ({ ana }) => {
  const notifications = (page: Page) => page.getByRole("region", { name: "Notifications" });
  const [blocked, none, iphone, unconfigured] = await Promise.all([
    ana(),
    ana(allowed),
    ana({ ...allowed, userAgent: "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)" }),
    ana(allowed),
  ]);
  // Permissions that are not granted are denied from here on.
  await blocked.page.context().grantPermissions([]);
  for (const { page } of [none, iphone]) {
    await page.addInitScript(() => void Reflect.deleteProperty(window, "PushManager"));
  }
  await unconfigured.page.route("**/functions/v1/web-push", (route) =>
    route.fulfill({ json: { public_key: null }, headers: { "access-control-allow-origin": "*" } }),
  );
  for (const [{ page }, text] of [
    [blocked, "Notifications are blocked for Nosh."],
    [none, "This browser can't show notifications."],
    [iphone, "add Nosh to your home screen first"],
    [unconfigured, "Notifications aren't set up on this server."],
  ] as const) {
    await page.goto("/me");
    await expect(notifications(page)).toContainText(text);
  }
});

test("a host nudges people who have not voted, once a day", async ({ ana, stack }) => {
  const table = await layTable(stack, { title: "Still waiting", guests: ["ben", "chiara"], days: 1 });
  await stack.backend.sql(
    `insert into public.time_votes (option_id, plan_id, user_id, answer)
     values ('${table.times[0]}', '${table.id}', '${people.chiara}', 'yes')`,
  );
  const { page } = await ana();
  await page.goto(table.path);
  await page.getByRole("button", { name: "Nudge 1 person" }).click();
  await expect(page.getByRole("button", { name: "Nudged today" })).toBeDisabled();
  expect(
    await stack.backend.sql(
      `select user_id from public.notifications where kind = 'vote_nudge' and plan_id = '${table.id}'`,
    ),
  ).toEqual([{ user_id: people.ben }]);
});

test("a host sees who gets neither mail nor notifications, and guests do not", async ({
  ana,
  person,
  stack,
}) => {
  const table = await layTable(stack, {
    title: "Word of mouth",
    guests: ["ben", "dev"],
    days: 1,
    withPlaces: true,
  });
  await stack.backend.sql(
    `update public.private_profiles set mail_reminders = false where id = '${people.dev}'`,
  );
  const { page } = await ana();
  await confirm(page, table);
  await expect(page.getByText("Dev won't hear from Nosh. Send this message:")).toBeVisible();
  await expect(page.getByRole("listitem").filter({ hasText: "gets no email or notifications" })).toHaveCount(
    1,
  );

  const { page: bens } = await person("Ben");
  await bens.goto(`/sign-in?next=${table.path}`);
  await signIn(bens, "ben@nosh.test", table.path);
  await bens.getByRole("article", { name: "Ticket" }).waitFor();
  await expect(bens.getByText("won't hear from Nosh")).toHaveCount(0);

  // Somebody who joins while the host looks is among them at once.
  await sitDown((await person("Lea")).page, await linkTo(stack, table.id), "Lea");
  await expect(page.getByText("Dev and Lea won't hear from Nosh. Send this message:")).toBeVisible();
});

test("a ticket is saved as a picture, and its calendar sheet has the calendar link", async ({ ana }) => {
  const { page } = await ana({ colorScheme: "dark" });
  await page.addInitScript(() => void Reflect.deleteProperty(Navigator.prototype, "canShare"));
  await page.goto("/plans/00000000-0000-4000-8000-0000000000b3?tab=when");
  const ticket = page.getByRole("article", { name: "Ticket" });
  const [download] = await Promise.all([
    page.waitForEvent("download", { timeout: 20_000 }),
    ticket.getByRole("button", { name: "Save as picture" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("nosh-ticket.png");
  const bytes = await readFile(await download.path());
  expect(bytes.subarray(1, 4).toString()).toBe("PNG");
  expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([1080, 1350]);
  await expect(ticket.getByRole("status").filter({ hasText: "Picture saved." })).toBeVisible();

  await ticket.getByRole("button", { name: "Add to calendar" }).click();
  const sheet = page.getByRole("dialog");
  await sheet.getByRole("button", { name: "Get calendar link" }).click();
  await expect(sheet.getByRole("textbox", { name: "Calendar link" })).toHaveValue(/plan-calendar\?token=/);
});

test("the share sheet gets the picture as a file", async ({ ana }) => {
  const { page } = await ana({ ...devices.phone });
  await page.addInitScript(() => {
    Object.assign(Navigator.prototype, {
      canShare: ({ files }: ShareData) => files !== undefined,
      share: async ({ files }: ShareData) => {
        const [file] = files ?? [];
        document.title = `${file?.name} ${file?.type} ${(file?.size ?? 0) > 20_000}`;
      },
    });
  });
  await page.goto("/plans/00000000-0000-4000-8000-0000000000b3?tab=when");
  await page.getByRole("button", { name: "Save as picture" }).click();
  await expect.poll(() => page.title()).toBe("nosh-ticket.png image/png true");
});
