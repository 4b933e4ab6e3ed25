/** Offline: cached screens open, changes are queued and sent once, and new versions are offered. */
import { readFile, writeFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { expect, signIn, test } from "../fixtures.ts";
import { messages, say } from "../plan/conversation.ts";
import { storedCache } from "../stored-cache.ts";
import { layTable, people } from "../tables.ts";
import { openConnected } from "./connected.ts";

/** The stored reads of a page, by the first part of each key. */
const storedKinds = async (page: Page) => (await storedCache(page)).map(({ key }) => key[0]);

test("offline: votes and messages survive a reload, and others see each once afterwards", async ({
  person,
  stack,
}) => {
  test.setTimeout(60_000);
  const table = await layTable(stack, { title: "Under the ground", guests: ["ben"], days: 2 });
  const [{ page: anas, watch }, { page: bens }] = await Promise.all([
    person("Ana", { serviceWorkers: "allow", device: "phone" }),
    person("Ben"),
  ]);
  await Promise.all([anas.goto(`/sign-in?next=${table.path}`), bens.goto(`/sign-in?next=${table.path}`)]);
  await Promise.all([signIn(anas, "ana@nosh.test", table.path), signIn(bens, "ben@nosh.test", table.path)]);
  await expect(anas.getByRole("radiogroup").first()).toBeVisible();
  await anas.evaluate(async () => void (await navigator.serviceWorker.ready));
  await anas.getByRole("tab", { name: "Chat" }).click();
  // Leaving the tab earlier would end the read of its messages.
  await expect(anas.getByText("No messages yet")).toBeVisible();
  await anas.getByRole("tab", { name: "When" }).click();
  // The cache is persisted a moment later.
  await expect.poll(() => storedKinds(anas)).toEqual(expect.arrayContaining(["messages", "plan"]));

  watch.expect(/ERR_INTERNET_DISCONNECTED|WebSocket|ERR_FAILED/);
  await anas.context().setOffline(true);
  await anas.getByRole("radio", { name: "Yes", exact: true }).first().click();
  await anas.getByRole("tab", { name: "Chat" }).click();
  await say(anas, "No signal down here");
  await expect(messages(anas, "No signal down here")).toContainText("Sends when you're online");

  await test.step("the reloaded page opens, says how old it is, and has both", async () => {
    await anas.reload();
    await expect(anas.getByRole("heading", { level: 1, name: "Under the ground" })).toBeVisible();
    await expect(anas.getByText(/Last updated at \d\d:\d\d/)).toBeVisible();
    await expect(anas.getByText("2 items will send when you're online.")).toBeVisible();
    // One notice of it, not three.
    await expect(anas.getByText(/You're offline|will send when you're online|Connecting/)).toHaveCount(1);
    await expect(messages(anas, "No signal down here")).toContainText("Sends when you're online");
    await anas.getByRole("tab", { name: "When" }).click();
    await expect(anas.getByRole("radio", { name: "Yes", exact: true }).first()).toBeChecked();
  });

  await test.step("a screen that was never seen says so", async () => {
    await anas.getByRole("link", { name: "Saved" }).click();
    await expect(anas.getByText("Not on this device yet")).toBeVisible();
    await anas.goBack();
  });

  // Two tabs share an outbox; one of them sends it.
  const second = await anas.context().newPage();
  await second.goto(table.path);
  await expect(second.getByText("2 items will send when you're online.")).toBeVisible();
  await anas.context().setOffline(false);
  await expect(messages(bens, "No signal down here")).toHaveCount(1);
  await expect(anas.getByText(/will send when you're online/)).toHaveCount(0);
  await expect(second.getByText(/will send when you're online/)).toHaveCount(0);
  const votes = await stack.backend.sql(
    `select answer from public.time_votes where plan_id = '${table.id}' and user_id = '00000000-0000-4000-8000-0000000000a1'`,
  );
  expect(votes).toEqual([{ answer: "yes" }]);
  expect(
    await stack.backend.sql(`select body from public.messages where plan_id = '${table.id}'`),
  ).toHaveLength(1);
});

test("a queued vote that arrives too late is shown with its reason, and can be discarded", async ({
  ana,
  stack,
}) => {
  const table = await layTable(stack, { title: "Too late for this", days: 1 });
  const { page, watch } = await ana();
  await openConnected(page, table.path);
  await expect(page.getByRole("radiogroup").first()).toBeVisible();
  // The notice is a part that loads after the screen; without a worker it is not kept for later.
  await page.waitForLoadState("networkidle");
  watch.expect(/ERR_INTERNET_DISCONNECTED|WebSocket|409/);
  await page.context().setOffline(true);
  await page.getByRole("radio", { name: "Yes", exact: true }).first().click();
  await expect(page.getByText("1 item will send when you're online.")).toBeVisible();
  await stack.backend.sql(`update public.plans set vote_deadline = now() where id = '${table.id}'`);
  await page.context().setOffline(false);
  const refused = page.getByRole("alert").filter({ hasText: "Your vote couldn't be sent." });
  await expect(refused).toContainText("The deadline for votes has passed.");
  await refused.getByRole("button", { name: "Try again" }).click();
  await expect(refused).toBeVisible();
  await refused.getByRole("button", { name: "Discard" }).click();
  await expect(refused).toHaveCount(0);
  await expect(page.getByRole("radio", { name: "Yes", exact: true }).first()).not.toBeChecked();
});

test("a vote that waits in an earlier version's database is sent", async ({ ana, stack }) => {
  const table = await layTable(stack, { title: "Before the update", days: 1 });
  const { page } = await ana();
  await page.goto("/icon-96.png");
  const entry = {
    id: crypto.randomUUID(),
    person: people.ana,
    madeAt: 1,
    mutation: { kind: "votes", plan_id: table.id, times: { [table.times[0] ?? ""]: "yes" }, places: {} },
    refused: null,
  };
  await page.evaluate(async (stored) => {
    const open = indexedDB.open("nosh", 1);
    open.onupgradeneeded = () => {
      open.result.createObjectStore("outbox").put(stored, stored.id);
      open.result.createObjectStore("seen");
    };
    await new Promise((resolve) => {
      open.onsuccess = resolve;
    });
    open.result.close();
  }, entry);
  await page.goto(table.path);
  const votes = () => stack.backend.sql(`select answer from public.time_votes where plan_id = '${table.id}'`);
  await expect.poll(votes).toEqual([{ answer: "yes" }]);
  await expect.poll(async () => (await storedCache(page)).length).toBeGreaterThan(0);
});

test("signing out leaves no data on the device", async ({ person }) => {
  const { page, watch } = await person("Ana");
  watch.expect(/403/);
  await page.goto("/sign-in");
  await signIn(page, "ana@nosh.test");
  await expect(page.getByRole("link", { name: /Dinner before the holidays/ })).toBeVisible();
  const stored = async () => (await storedCache(page)).length;
  await expect.poll(stored).toBeGreaterThan(0);
  await page.goto("/me");
  await page.getByRole("button", { name: "Sign out on this device" }).click();
  await page.waitForURL((url) => url.pathname === "/");
  await expect.poll(stored).toBe(0);
});

test("a new version is offered, and loads only when accepted", async ({ person, stack }) => {
  const { page } = await person("Ana", { serviceWorkers: "allow" });
  await page.goto("/sign-in");
  await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true);
  await page.getByRole("textbox", { name: "Email" }).fill("half an addre");

  const path = `${stack.files}/service-worker.js`;
  const worker = await readFile(path, "utf8");
  await writeFile(path, worker.replace("nosh-shell-", "nosh-shell-next-"));
  try {
    // A page loaded before the first worker gets no offer to update.
    await page.reload();
    await page.getByRole("textbox", { name: "Email" }).fill("half an addre");
    await page.evaluate(async () => void (await (await navigator.serviceWorker.ready).update()));
    await expect(page.getByText("A new version is ready.")).toBeVisible();
    await expect(page.getByRole("textbox", { name: "Email" })).toHaveValue("half an addre");
    const loaded = page.waitForEvent("load");
    await page.getByRole("button", { name: "Update" }).click();
    await loaded;
    await expect(page.getByText("A new version is ready.")).toHaveCount(0);
  } finally {
    await writeFile(path, worker);
  }
});

test("offline: a guest who never opened home finds the plan, on its page and on home", async ({ person }) => {
  test.setTimeout(60_000);
  const { page, watch } = await person("Noa", { serviceWorkers: "allow", device: "phone" });
  await page.goto("/join/demo-table");
  await page.getByRole("textbox", { name: "Your name" }).fill("Noa");
  await page.getByRole("button", { name: "Take a seat" }).click();
  await expect(page.getByRole("radiogroup").first()).toBeVisible();
  await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  await expect.poll(() => storedKinds(page)).toContain("plan");
  watch.expect(/ERR_INTERNET_DISCONNECTED|WebSocket|ERR_FAILED/);
  await page.context().setOffline(true);
  await page.reload();
  await expect(page.getByRole("heading", { level: 1, name: "Dinner before the holidays" })).toBeVisible();
  await page.goto("/home");
  await expect(page.getByText("Dinner before the holidays")).toBeVisible();
  await expect(page.getByText("Not on this device yet")).toHaveCount(0);
});

test("offline: a map has its basemap once it was shown online", async ({ person, stack }) => {
  const table = await layTable(stack, { title: "On the map", withPlaces: true, days: 1 });
  const { page, watch } = await person("Ana", { serviceWorkers: "allow", device: "phone" });
  await page.goto(`/sign-in?next=${table.path}`);
  await signIn(page, "ana@nosh.test", table.path);
  await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  const basemapFiles = () =>
    Promise.all(
      [/\/world-.+\.geojson$/, /\/cities-.+\.geojson$/].map((file) =>
        page.waitForResponse((response) => file.test(response.url())),
      ),
    );
  const openMap = async () => {
    const parts = basemapFiles();
    await page.goto(`${table.path}?tab=where`);
    await page.getByRole("radio", { name: "With map" }).click();
    const answers = await parts;
    await expect(
      page.getByRole("region", { name: "Map of the places on the plan" }).locator("canvas"),
    ).toBeVisible();
    return answers.map((response) => [response.status(), response.fromServiceWorker()]);
  };
  await openMap();
  await expect.poll(() => storedKinds(page)).toEqual(expect.arrayContaining(["plan"]));
  watch.expect(/ERR_INTERNET_DISCONNECTED|WebSocket|ERR_FAILED/);
  await page.context().setOffline(true);
  expect(await openMap()).toEqual([
    [200, true],
    [200, true],
  ]);
});
