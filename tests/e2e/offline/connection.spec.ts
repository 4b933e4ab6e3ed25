/** State that survives a lost connection. */
import type { WebSocketRoute } from "@playwright/test";
import { expect, signIn, test } from "../fixtures.ts";
import { composer, messages, say } from "../plan/conversation.ts";
import { layTable } from "../tables.ts";
import { openConnected } from "./connected.ts";

const NOODLES = "/plans/00000000-0000-4000-8000-0000000000b2";

test("a message that cannot be sent is queued visibly, and sent once when the connection is back", async ({
  ana,
  person,
}) => {
  const [{ page: anas, watch }, { page: bens }] = await Promise.all([ana(), person("Ben")]);
  await bens.goto(`/sign-in?next=${NOODLES}`);
  await Promise.all([signIn(bens, "ben@nosh.test", NOODLES), anas.goto(NOODLES)]);
  await expect(messages(anas, "Noodles after?")).toBeVisible();
  await expect(messages(bens, "Noodles after?")).toBeVisible();

  watch.expect(/ERR_INTERNET_DISCONNECTED/);
  await anas.context().setOffline(true);
  await expect(anas.getByText("You're offline.")).toBeVisible();
  await say(anas, "I bring chopsticks");
  await expect(messages(anas, "I bring chopsticks")).toContainText("Sends when you're online");
  await expect(anas.getByText("1 item will send when you're online.")).toBeVisible();
  await anas.context().setOffline(false);
  await expect(messages(bens, "I bring chopsticks")).toHaveCount(1);
  await expect(anas.getByText("Sends when you're online")).toHaveCount(0);
  await expect(messages(anas, "I bring chopsticks")).toHaveCount(1);
});

test("the connection breaks while the client is loading: plans appear when it is back, without a reload", async ({
  ana,
}) => {
  const { page, watch } = await ana();
  let cut = true;
  let refused = 0;
  await page.route(/\/assets\/(client|supabase)-[^/]+\.js$/, (route) => {
    if (!cut) return route.continue();
    refused += 1;
    return route.abort("internetdisconnected");
  });
  watch.expect(/ERR_INTERNET_DISCONNECTED|Failed to fetch/);
  await page.goto("/home");
  await expect(page.getByRole("alert")).toBeVisible();
  expect(refused).toBeGreaterThan(0);
  cut = false;
  await expect(page.getByRole("link", { name: /^The dumpling evening/ })).toBeVisible();
});

test("changes during an interrupted live connection appear when it is back", async ({
  ana,
  person,
  stack,
}) => {
  const { page: bens, watch } = await person("Ben");
  const { page: anas } = await ana();
  const open = new Set<WebSocketRoute>();
  let cut = false;
  await bens.routeWebSocket(/\/realtime\/v1\/websocket/, (socket) => {
    if (cut) return void socket.close({ code: 1013 });
    open.add(socket);
    socket.connectToServer();
  });
  watch.expect(/WebSocket/i);
  await bens.goto(`/sign-in?next=${NOODLES}`);
  await Promise.all([signIn(bens, "ben@nosh.test", NOODLES), anas.goto(NOODLES)]);
  await expect(messages(bens, "Noodles after?")).toBeVisible();
  await expect(bens.getByText("Connecting")).toHaveCount(0);

  cut = true;
  for (const socket of open) await socket.close({ code: 1013 });
  await expect(bens.getByText("Connecting")).toBeVisible();
  await say(anas, "Bring an umbrella");
  await expect
    .poll(() => stack.backend.sql("select 1 from public.messages where body = 'Bring an umbrella'"))
    .toHaveLength(1);
  await expect(messages(bens, "Bring an umbrella")).toHaveCount(0);

  cut = false;
  await expect(messages(bens, "Bring an umbrella")).toBeVisible({ timeout: 15_000 });
  await expect(bens.getByText("Connecting")).toHaveCount(0);
});

test("with the server down the circles show an error within seconds, and load by themselves afterwards", async ({
  ana,
}) => {
  const { page, watch: watched } = await ana();
  watched.expect(/ERR_CONNECTION_REFUSED|WebSocket/);
  await page.goto("/home");
  await page.getByText("Noodles after climbing").first().waitFor();
  const backend = /\/(rest|auth|realtime)\/v1\//;
  await page.route(backend, (route) => route.abort("connectionrefused"));
  await page.getByRole("link", { name: "Circles" }).click();
  await expect(page.getByRole("alert")).toContainText("We can't reach Nosh.");
  await page.unroute(backend);
  await expect(page.getByText("Climbing crew")).toBeVisible();
  await expect(page.getByRole("alert")).toHaveCount(0);
});

test("a server that accepts and never responds is reported", async ({ ana }) => {
  const { page, watch: watched } = await ana();
  watched.expect(/ERR_ABORTED|WebSocket/);
  await page.goto("/home");
  await page.getByText("Noodles after climbing").first().waitFor();
  const rest = "**/rest/v1/circles**";
  await page.route(rest, () => undefined);
  await page.getByRole("link", { name: "Circles" }).click();
  await expect(page.getByRole("alert")).toContainText("We can't reach Nosh.", { timeout: 12_000 });
  await page.unroute(rest);
  await expect(page.getByText("Climbing crew")).toBeVisible();
});

test("a queued message is visible although the chat was never read on this device", async ({
  ana,
  stack,
}) => {
  const table = await layTable(stack, { title: "Unread", days: 1 });
  const { page, watch: watched } = await ana();
  watched.expect(/ERR_FAILED|ERR_INTERNET_DISCONNECTED|WebSocket/);
  await page.route("**/rest/v1/messages*", (route) => route.abort());
  await openConnected(page, `${table.path}?tab=chat`);
  await composer(page).waitFor();
  await page.context().setOffline(true);
  await say(page, "Is anybody there?");
  await expect(messages(page, "Is anybody there?")).toContainText("Sends when you're online");
  await page.unroute("**/rest/v1/messages*");
  await page.context().setOffline(false);
  await expect(messages(page, "Is anybody there?")).not.toContainText("Sends when");
});

test("when the client's code cannot be loaded nothing fails unseen, and it is loaded later", async ({
  ana,
  stack,
}) => {
  const table = await layTable(stack, { title: "Half a connection", days: 1 });
  const { page, watch } = await ana();
  watch.expect(/ERR_FAILED/);
  let broken = true;
  let refused = 0;
  await page.route(/\/supabase-[\w-]+\.js/, (route) => {
    // A prefetch succeeds; the connection is gone when the code is imported.
    if (!broken || route.request().resourceType() !== "script") return route.continue();
    refused += 1;
    return route.abort();
  });
  await page.goto(table.path);
  await expect.poll(() => refused).toBeGreaterThan(0);
  // It is loaded after the screen and moves what is below it, so a click on its way would miss.
  await expect(page.getByRole("region", { name: "Invite your friends" })).toBeVisible();
  await page.getByRole("radio", { name: "Yes", exact: true }).first().click();
  await expect(page.getByText("1 item will send when you're online.")).toBeVisible();
  broken = false;
  await page.reload();
  const votes = () => stack.backend.sql(`select answer from public.time_votes where plan_id = '${table.id}'`);
  await expect.poll(votes).toContainEqual({ answer: "yes" });
});
