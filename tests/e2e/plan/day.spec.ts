/**
 * On the day: sharing a live position that ends by itself, announcing that the table is ready, and what each
 * person sees.
 */
import type { Page, Request } from "@playwright/test";
import { createClient } from "@supabase/supabase-js";
import { demoPassword } from "../../../scripts/demo-accounts.ts";
import type { Database } from "../../../web/src/lib/backend/database.types.ts";
import { expect, type PersonOptions, signIn, test } from "../fixtures.ts";
import { settle } from "../screens.ts";
import { people } from "../tables.ts";

const LUNCH = "/plans/00000000-0000-4000-8000-0000000000b4";

const live = (page: Page) => page.getByRole("tabpanel").getByRole("region", { name: "Live location" });
const row = (page: Page, name: string) =>
  page.getByRole("table", { name: "Who is on their way" }).getByRole("row", { name: new RegExp(name) });
/** The notice above all tabs while sharing. */
const bar = (page: Page) => page.getByText(/^Sharing your location, \d+ min left$/);

/** A person whose phone may share its position. */
const onTheWay = {
  device: "phone",
  geolocation: { latitude: 38.71, longitude: -9.14 },
  permissions: ["geolocation"],
} as const satisfies PersonOptions;

test("others see a live position with its age; it moves, and disappears when it is stopped", async ({
  ana,
  person,
}) => {
  // Two people, and a position update every ten seconds.
  test.setTimeout(80_000);
  const [{ page: anas }, { page: bens }] = await Promise.all([ana(onTheWay), person("Ben")]);
  await bens.goto(`/sign-in?next=${LUNCH}`);
  await Promise.all([signIn(bens, "ben@nosh.test", LUNCH), anas.goto(LUNCH)]);
  await expect(bens.getByText("Connecting")).toHaveCount(0);
  await expect(row(bens, "Ana")).toBeVisible();

  await anas.getByRole("button", { name: "Share for 30 min" }).click();
  await expect(bar(anas)).toBeVisible();
  await expect(live(bens)).toContainText("Ana is sharing their location, 30 min left");
  await expect(row(bens, "Ana")).toContainText("2.6 km away");

  await test.step("it goes along to another tab of the plan, and can be made longer", async () => {
    await anas.getByRole("tab", { name: "Photos" }).click();
    await expect(bar(anas)).toBeVisible();
    await anas.getByRole("button", { name: "Add 30 min" }).click();
    await expect(anas.getByText("Sharing your location, 60 min left")).toBeVisible();
  });

  await test.step("Ben sees her as a dot, and comes closer as she does", async () => {
    await live(bens).getByRole("button", { name: "Show on a map" }).click();
    const dot = bens.getByRole("region", { name: "Where everyone is" }).getByRole("button", { name: /Ana/ });
    await expect(dot).toBeVisible();
    await anas.context().setGeolocation({ latitude: 38.728, longitude: -9.138 });
    await expect(row(bens, "Ana")).toContainText("550 m away", { timeout: 15_000 });
  });

  await test.step("stopped, nobody sees it any more", async () => {
    await anas.getByRole("button", { name: "Stop sharing" }).click();
    await expect(bar(anas)).toHaveCount(0);
    await expect(live(bens).filter({ hasText: "Ana is sharing" })).toHaveCount(0);
    await expect(row(bens, "Ana")).not.toContainText("away");
  });

  await test.step("it ends by itself when she leaves the plan", async () => {
    await anas.getByRole("tab", { name: "On the day" }).click();
    await anas.getByRole("button", { name: "Share for 30 min" }).click();
    await expect(live(bens)).toContainText("Ana is sharing");
    await anas.getByRole("link", { name: "Plans" }).click();
    await expect(live(bens).filter({ hasText: "Ana is sharing" })).toHaveCount(0);
  });
});

test("a live position ends when its page is closed, even without a working socket", async ({
  ana,
  person,
}) => {
  const [{ page: anas }, { page: bens }] = await Promise.all([ana(onTheWay), person("Ben")]);
  let stuck = false;
  await anas.routeWebSocket(/\/realtime\/v1\/websocket/, (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((message) => {
      if (!stuck) server.send(message);
    });
  });
  await bens.goto(`/sign-in?next=${LUNCH}`);
  await Promise.all([signIn(bens, "ben@nosh.test", LUNCH), anas.goto(LUNCH)]);
  await expect(bens.getByText("Connecting")).toHaveCount(0);
  // Another page of hers has the plan open, so presence does not tell whether the sharing page is closed.
  const second = await anas.context().newPage();
  await second.goto(LUNCH);
  await expect(second.getByText("Connecting")).toHaveCount(0);
  await anas.getByRole("button", { name: "Share for 30 min" }).click();
  await expect(live(bens)).toContainText("Ana is sharing");
  stuck = true;
  await anas.goto("about:blank");
  await expect(live(bens).filter({ hasText: "Ana is sharing" })).toHaveCount(0);
});

test("without permission for the location a message is shown, and nothing is shared", async ({ ana }) => {
  const { page } = await ana({ device: "phone" });
  await page.goto(LUNCH);
  await page.getByRole("button", { name: "Share for 30 min" }).click();
  await expect(page.getByText("Your browser isn't allowed to share your location.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Stop sharing" })).toHaveCount(0);
});

test("only a host can announce that the table is ready", async ({ ana, stack }) => {
  const { page } = await ana({ device: "phone" });
  await page.goto(LUNCH);
  await expect(page.getByRole("table", { name: "Who is on their way" })).toBeVisible();
  await expect(page.getByText("Connecting")).toHaveCount(0);
  const emre = createClient<Database>(stack.backend.url, stack.backend.publishableKey, {
    auth: { persistSession: false, autoRefreshToken: false },
  });
  await emre.auth.signInWithPassword({ email: "emre@nosh.test", password: demoPassword });
  const plan = LUNCH.slice("/plans/".length);
  const refused = await emre.rpc("call_to_table", { plan, said: "Come in" });
  expect(refused.error?.details).toBe("not_host");
  const channel = emre.channel(`plan:${plan}:0:${people.emre}`, {
    config: { private: true, broadcast: { ack: true } },
  });
  await new Promise<void>((resolve) => {
    channel.subscribe((status) => {
      if (status === "SUBSCRIBED") resolve();
    });
  });
  // The app reads the plan on a change, and once more a moment later.
  // Only reads that begin from here on: an earlier one may end later.
  const reads = new Set<Request>();
  page.on("request", (request) => {
    if (request.url().includes("/rest/v1/plans?") && request.url().includes(plan)) reads.add(request);
  });
  page.on("requestfinished", (request) => reads.delete(request));
  page.on("requestfailed", (request) => reads.delete(request));
  // In the former format, and as the database reports a change of the plan.
  const ready = { id: plan, ready_at: new Date().toISOString(), ready_by: people.ben };
  for (const [event, payload] of [
    ["table_ready", { user_id: people.ben }],
    ["UPDATE", { table: "plans", operation: "UPDATE", record: ready, old_record: null }],
  ] as const) {
    expect(await channel.send({ type: "broadcast", event, payload })).toBe("ok");
  }
  // Once a later message has arrived, so have the earlier ones.
  await channel.send({
    type: "broadcast",
    event: "position",
    payload: { user_id: people.emre, latitude: 38.7, longitude: -9.1, until: Date.now() + 60_000 },
  });
  await expect(live(page)).toContainText("Emre is sharing");
  // The app ignores changes on a member's own topic, so it causes no read either.
  await expect.poll(() => reads.size).toBe(0);
  await settle(page);
  await expect(page.getByText("the table is ready")).toHaveCount(0);
  await emre.removeAllChannels();
});

test("a browser that refuses to keep the screen on is shown as what it is, and can be asked again", async ({
  ana,
}) => {
  const { page } = await ana({ device: "phone" });
  // A browser without windows refuses by itself, one with windows would grant the lock.
  const devtools = await page.context().newCDPSession(page);
  const { targetInfo } = await devtools.send("Target.getTargetInfo");
  const permission = { name: "screen-wake-lock" };
  const { browserContextId } = targetInfo;
  if (!browserContextId) throw new Error("The page has no browser context.");
  await devtools.send("Browser.setPermission", { permission, setting: "denied", browserContextId });
  await page.goto(LUNCH);
  const keep = page.getByRole("switch", { name: "Keep the screen on" });
  const refused = page.getByText("Your browser didn't allow it. It may be saving power.");
  // Nobody has asked for it yet.
  await expect(page.getByText("The screen turns off as usual.")).toBeVisible();
  await expect(refused).toHaveCount(0);
  await expect(keep).not.toBeChecked();
  await page.getByText("Keep the screen on", { exact: true }).tap();
  await expect(refused).toBeVisible();
  await expect(keep).not.toBeChecked();
  await devtools.send("Browser.resetPermissions", { browserContextId });
});

test("the announcement that the table is ready appears on every tab at once, and stays in the chat", async ({
  ana,
  person,
  stack,
}) => {
  const [{ page: anas }, { page: bens }] = await Promise.all([ana({ device: "phone" }), person("Ben")]);
  await bens.goto(`/sign-in?next=${LUNCH}`);
  await Promise.all([signIn(bens, "ben@nosh.test", LUNCH), anas.goto(`${LUNCH}?tab=chat`)]);
  await expect(anas.getByRole("textbox", { name: "Message to everyone" })).toBeVisible();
  await expect(anas.getByText("Connecting")).toHaveCount(0);
  await expect(bens.getByRole("button", { name: "Tell everyone the table is ready" })).toBeVisible();
  await bens.getByRole("button", { name: "Tell everyone the table is ready" }).click();
  await expect(bens.getByText("Everyone on the plan can see it.")).toBeVisible();
  await expect(anas.getByText("Ben says: the table is ready.").first()).toBeVisible();
  await anas.reload();
  await expect(anas.getByText("Ben says: the table is ready.").first()).toBeVisible();
  await expect(anas.getByRole("list", { name: "Messages" })).toContainText(
    "The table at Mercado Comum is ready.",
  );
  await anas.getByRole("button", { name: "Got it" }).click();
  await anas.reload();
  await expect(anas.getByRole("textbox", { name: "Message to everyone" })).toBeVisible();
  await expect(anas.getByText("Ben says: the table is ready.")).toHaveCount(0);
  // Guests of the plan cannot say it.
  await anas.getByRole("tab", { name: "On the day" }).click();
  await expect(row(anas, "Ben")).toBeVisible();
  await expect(anas.getByRole("button", { name: "Tell everyone the table is ready" })).toHaveCount(0);
  await stack.backend.sql("update public.plans set ready_at = null, ready_by = null");
});
