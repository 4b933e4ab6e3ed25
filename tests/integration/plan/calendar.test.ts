/**
 * Plans as a calendar: the file, the live feed that follows the plan, and reading a person's own calendar.
 */

import { beforeAll, expect, test } from "vitest";
import { createBackend, forThisFile } from "../../target/integration.ts";
import { dataOf, guest, type Name, type NoshClient, signedIn } from "../people.ts";

/** From the seed: a confirmed upcoming plan, and a client of its host. */
let confirmed: string;
let host: NoshClient;
let token: string;

const backend = await forThisFile(createBackend());
beforeAll(async () => {
  const [row] = await backend.sql<{ id: string; name: Name }>(
    `select p.id, split_part(u.email, '@', 1) as name
     from public.plans as p
     join public.plan_members as m on m.plan_id = p.id and m.role = 'host'
     join auth.users as u on u.id = m.user_id
     join public.time_options as t on t.id = p.chosen_time_id and t.starts_at > now()
     where p.status = 'confirmed' limit 1`,
  );
  if (!row) throw new Error("The seed has no confirmed plan.");
  confirmed = row.id;
  host = await signedIn(backend, row.name);
  token = dataOf(await host.rpc("create_calendar_feed"));
});

const feed = (secret: string, headers: Record<string, string> = {}) =>
  fetch(`${backend.url}/functions/v1/plan-calendar?token=${secret}`, { headers });
/** The lines of one plan's event. */
async function eventOf(plan: string): Promise<string[]> {
  const text = (await (await feed(token)).text()).replace(/\r\n /g, "");
  const event = text.split("BEGIN:VEVENT").find((part) => part.includes(`UID:${plan}@nosh`));
  return event?.split("\r\n") ?? [];
}
const sequence = (lines: string[]) => Number(lines.find((line) => line.startsWith("SEQUENCE:"))?.slice(9));

test("the feed needs its address and nothing else, and says when nothing has changed", async () => {
  const first = await feed(token);
  expect([first.status, first.headers.get("content-type")]).toEqual([200, "text/calendar; charset=utf-8"]);
  expect(await first.text()).toMatch(/^BEGIN:VCALENDAR\r\n[\s\S]*END:VCALENDAR\r\n$/);
  const again = await feed(token, { "If-None-Match": first.headers.get("etag") ?? "" });
  expect(again.status).toBe(304);
  const wrong = await feed("nonsense");
  expect([wrong.status, ((await wrong.json()) as { code: string }).code]).toEqual([404, "feed_not_found"]);
});

test("a new title, a cancelled plan and one that comes back move the same event", async () => {
  const before = await eventOf(confirmed);
  dataOf(await host.from("plans").update({ title: "Another title" }).eq("id", confirmed).select());
  const renamed = await eventOf(confirmed);
  expect(renamed).toContain("SUMMARY:Another title");
  expect(sequence(renamed)).toBe(sequence(before) + 1);
  expect((await host.rpc("cancel_plan", { plan: confirmed })).error).toBeNull();
  const cancelled = await eventOf(confirmed);
  expect(cancelled).toContain("STATUS:CANCELLED");
  expect(sequence(cancelled)).toBe(sequence(renamed) + 1);
  expect((await host.rpc("restore_plan", { plan: confirmed })).error).toBeNull();
  expect(await eventOf(confirmed)).not.toContain("STATUS:CANCELLED");
});

test("the file of one plan is for who sits at it", async () => {
  const get = async (client: NoshClient, plan: string) => {
    const { data } = await client.auth.getSession();
    return fetch(`${backend.url}/functions/v1/plan-calendar?plan=${plan}`, {
      headers: { Authorization: `Bearer ${data.session?.access_token}` },
    });
  };
  const file = await get(host, confirmed);
  expect([file.status, file.headers.get("content-disposition")]).toEqual([
    200,
    'attachment; filename="nosh.ics"',
  ]);
  expect((await file.text()).match(/BEGIN:VEVENT/g)?.length).toBe(1);
  const stranger = await guest(backend, "Stranger");
  expect((await get(stranger.client, confirmed)).status).toBe(404);
  expect((await get(host, "nonsense")).status).toBe(400);
  expect((await fetch(`${backend.url}/functions/v1/plan-calendar`)).status).toBe(401);
});

test("a new address ends the old one, and a withdrawn one shows nothing", async () => {
  const old = token;
  token = dataOf(await host.rpc("create_calendar_feed"));
  expect((await feed(old)).status).toBe(404);
  expect((await feed(token)).status).toBe(200);
  expect(dataOf(await host.rpc("has_calendar_feed"))).toBe(true);
  expect((await host.rpc("revoke_calendar_feed")).error).toBeNull();
  expect((await feed(token)).status).toBe(404);
});

test("reading a calendar reaches no address that is not public, and needs somebody signed in", async () => {
  const read = async (client: NoshClient, url: unknown) => {
    const { error } = await client.functions.invoke("read-calendar", { body: { url } });
    return { status: error?.context?.status, ...(await error?.context?.json()) };
  };
  for (const url of [
    `${backend.url}/rest/v1/`,
    "https://127.0.0.1/a.ics",
    "https://localhost/",
    "ftp://a.b/c",
    "x",
  ]) {
    expect(await read(host, url)).toMatchObject({ status: 400, code: "address_not_allowed" });
  }
  expect(await read(host, 7)).toMatchObject({ status: 400, code: "invalid_request" });
  const anybody = await fetch(`${backend.url}/functions/v1/read-calendar`, {
    method: "POST",
    headers: { apikey: backend.publishableKey, "content-type": "application/json" },
    body: JSON.stringify({ url: "https://127.0.0.1/" }),
  });
  expect(anybody.status).toBe(401);
});
