/** What happens besides requests, as lines of the feed in a real browser. */
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { Stage } from "./stage.ts";

vi.setConfig({ testTimeout: 180_000, hookTimeout: 240_000 });

const HOSTILE = "<img src=x onerror=alert(1)>";
const stage = new Stage({
  "migrations/20260103000000_more.sql": `create extension pg_cron; create extension pg_net;
grant select, insert on public.notes to service_role;
alter publication supabase_realtime add table public.notes;`,
  "functions/tells/index.ts": `Deno.serve(async (request) => {
  console.error(await request.text());
  return new Response("told");
});`,
});
const { call, row, label } = stage;
let client: SupabaseClient;

beforeAll(() => {
  client = createClient(stage.project.url, stage.project.key, { accessToken: async () => stage.token });
});
afterAll(() => client.removeAllChannels());

const rail = (gate: string) => stage.page.locator(".rail li", { hasText: gate }).innerText();

test("a mail stands beneath the request that sent it, with its code, its link and its place in the inbox", async () => {
  await call("/auth/v1/otp", "POST", { email: "eve@example.com", create_user: false }, "");
  await row("auth/otp").last().waitFor();
  await row("Your sign-in link").last().waitFor();
  await expect.poll(() => label("Your sign-in link")).toBe("mail Your sign-in link, eve@…, inbox");
  // The line comes before or after the record of the request that it stands beneath.
  await expect.poll(() => row("Your sign-in link").last().getAttribute("class")).toContain("child");
  await row("Your sign-in link").last().click();
  await stage.page.getByRole("button", { name: /^Copy \d{6}$/ }).waitFor();
  const link = stage.page.getByRole("link", { name: "Open in the inbox" });
  expect(await link.getAttribute("href")).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#\w/);
  await expect.poll(() => stage.page.locator(".pane .links a").count()).toBe(2);
  const mail = stage.page.frameLocator("iframe.mail");
  await mail.locator("a").first().waitFor();
  const frame = await stage.page.locator("iframe.mail").getAttribute("src");
  const again = await stage.page.request.get(stage.console + frame, {
    headers: { "sec-fetch-dest": "iframe" },
  });
  expect([again.status(), await stage.page.locator("iframe.mail").getAttribute("sandbox")]).toEqual([
    404,
    "allow-popups allow-popups-to-escape-sandbox",
  ]);
  await stage.check("mail");
  await stage.page.getByRole("button", { name: "Show it" }).click();
  await stage.page.locator(".caused", { hasText: "mail Your sign-in link inbox" }).waitFor();
});

test("a request for a mail that nobody gets says that none was sent", async () => {
  await call("/auth/v1/recover", "POST", { email: "nobody@example.com" }, "");
  await row("auth/recover").last().click();
  await stage.page.locator(".pane", { hasText: "It sent no mail: no user" }).waitFor();
  expect(await label("auth/recover")).toBe("POST auth/recover, anon, 200");
});

test("a function's log lines stand beneath its call, and are text whatever they say", async () => {
  const alarms: string[] = [];
  stage.page.on("dialog", (dialog) => {
    alarms.push(dialog.message());
    void dialog.dismiss();
  });
  await call(
    "/functions/v1/tells",
    "POST",
    `${HOSTILE} \u001b[31mred\u001b[0m \u202Egnp.exe javascript:alert(1)`,
  );
  const line = row("onerror=alert(1)").last();
  await line.waitFor();
  await expect.poll(() => line.getAttribute("class")).toContain("child");
  await line.click();
  await stage.page.locator(".pane .title", { hasText: HOSTILE }).waitFor();
  expect([alarms, await stage.page.locator("img").count()]).toEqual([[], 0]);
});

test("a refused join stops at the policy, and says why", async () => {
  const channel = client.channel("kitchen", { config: { private: true } });
  await new Promise((resolve) => channel.subscribe(resolve));
  await client.removeChannel(channel);
  await row("kitchen").last().waitFor();
  await row("kitchen").last().click();
  await expect.poll(() => label("kitchen")).toBe("join kitchen, eve@…, refused by policy");
  await stage.page
    .locator(".pane .title", { hasText: "join kitchen (private) refused to authenticated eve@example.com" })
    .waitFor();
  await expect.poll(() => rail("Policy")).toMatch(/permission[\s\S]*shut$/i);
  await stage.page.locator(".reasons", { hasText: "Hears no broadcasts" }).waitFor();
});

test("a broadcast that a request may not send stands beneath it with its sender, and says why", async () => {
  const messages = [{ topic: "larder", event: "full", payload: {}, private: true }];
  expect((await call("/realtime/v1/api/broadcast", "POST", { messages })).status).toBe(202);
  const line = row("larder").last();
  await line.waitFor();
  await expect.poll(() => line.getAttribute("class")).toContain("child");
  await expect.poll(() => label("larder")).toBe("send larder, eve@…, refused");
  await line.click();
  await stage.page.locator(".reasons", { hasText: "Sends no broadcasts" }).waitFor();
  await expect.poll(() => rail("Policy")).toMatch(/unauthorized[\s\S]*shut$/);
});

test("who may not be present on a channel is told so, and why", async () => {
  await stage.project.run(
    "db",
    "query",
    `create policy "members hear" on realtime.messages for select to authenticated
    using (realtime.topic() = 'pantry')`,
  );
  const channel = client.channel("pantry", {
    config: { private: true, presence: { key: "eve", enabled: true } },
  });
  await new Promise<void>((resolve) => channel.subscribe((status) => status === "SUBSCRIBED" && resolve()));
  await channel.track({ typing: true });
  await expect.poll(() => label("pantry")).toBe("track pantry, eve@…, refused");
  await row("pantry").last().click();
  await expect.poll(() => rail("Policy")).toMatch(/unauthorized[\s\S]*shut$/);
  await stage.page.locator(".reasons", { hasText: "Is not present for others" }).waitFor();
  const open = client.channel("porch", { config: { presence: { key: "eve", enabled: true } } });
  await new Promise<void>((resolve) => open.subscribe((status) => status === "SUBSCRIBED" && resolve()));
  await open.track({ typing: true });
  await expect.poll(() => label("porch")).toBe("track porch, eve@…, to 1 of 1");
  await client.removeAllChannels();
});

test("a change that a policy hides says from how many, and from whom", async () => {
  const channel = client
    .channel("rows")
    .on("postgres_changes", { event: "*", schema: "public", table: "notes" }, () => undefined);
  await new Promise<void>((resolve) => {
    channel.on("system", {}, ({ status }) => status === "ok" && resolve()).subscribe();
  });
  await stage.project.rest("notes", { method: "POST", body: JSON.stringify({ id: 77, team_id: 1 }) });
  await row("notes (77)").last().waitFor();
  await expect.poll(() => label("notes (77)")).toBe("insert notes, to 0 of 1");
  await row("notes (77)").last().click();
  await expect.poll(() => rail("Policy")).toContain("1 hidden");
  await stage.page.locator(".caused", { hasText: "policy" }).waitFor();
  await stage.page.locator(".reasons", { hasText: 'policy "members read notes"' }).waitFor();
  await client.removeChannel(channel);
});

test("jobs, requests of pg_net and migrations are lines, which the filter tells apart", async () => {
  const sql = (text: string) => stage.project.run("db", "query", text);
  await sql("select cron.schedule('bad', '1 second', 'select 1/0')");
  await sql(`select net.http_get('${stage.project.url}/auth/v1/settings?x=1')`);
  await row("division by zero").last().waitFor();
  expect(await row("division by zero").last().locator(".path b").innerText()).toBe("bad");
  await sql("select cron.unschedule('bad')");
  await row("pg_net").last().click();
  // The id that net._http_response has.
  await stage.page.getByText(/^net 1 GET http.* \d+ after \d+ ms$/).waitFor();
  await stage.page.keyboard.press("Escape");
  const shown = () => stage.page.locator(".row .verb").allInnerTexts();
  for (const [filter, verbs] of [
    ["is:job is:failed", ["job"]],
    ["is:net", ["GET"]],
    ["is:file", ["file"]],
    ["is:mail user:eve", ["mail"]],
    ["channel:kitchen user:eve@example.com", ["join"]],
    ["is:event table:notes", ["insert"]],
  ] as const) {
    await stage.page.getByRole("searchbox").fill(filter);
    await expect.poll(async () => [...new Set(await shown())]).toEqual(verbs);
  }
});
