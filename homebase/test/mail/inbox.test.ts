/** The inbox through its HTTP interface: Mailpit's API, change events and the page (docs/compat/platform.md 4). */
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type OpenInbox, openInbox } from "../../src/backend/inbox.ts";
import { systemClock } from "../../src/core/clock.ts";
import { silentLog } from "../../src/core/log.ts";
import { codeOf, linkOf } from "../../src/mail/extracted-text.ts";
import { MailStore } from "../../src/mail/store.ts";

const from = { name: "Admin", address: "admin@email.com" };
const mail = (address: string, subject: string, html = `<p>Hello <b>${address}</b></p>`) => ({
  from,
  to: [{ name: "", address }],
  subject,
  html,
});

let folder: string;
let inbox: OpenInbox;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "homebase-inbox-"));
  inbox = await openInbox({ folder, port: 0, clock: systemClock, log: silentLog });
});
afterEach(async () => {
  await inbox.close();
  await rm(folder, { recursive: true });
});

const get = (path: string, init?: RequestInit) =>
  fetch(`${inbox.url}${path}`, { redirect: "manual", ...init });
const JSON_TYPE = { "content-type": "application/json" };
const getJson = async (path: string) => (await get(path)).json() as Promise<Record<string, unknown>>;

describe("the API", () => {
  it("lists summaries, newest first, and counts the unread", async () => {
    await inbox.sendMail(mail("ada@example.com", "First"));
    await inbox.sendMail(mail("bob@example.com", "Second"));
    const answer = await getJson("/api/v1/messages?limit=1");
    expect(answer).toMatchObject({ total: 2, unread: 2, count: 1, messages_count: 2, start: 0, tags: [] });
    expect(answer.messages).toMatchObject([
      {
        Subject: "Second",
        To: [{ Name: "", Address: "bob@example.com" }],
        From: { Name: "Admin", Address: "admin@email.com" },
        Snippet: "Hello bob@example.com",
        Read: false,
      },
    ]);
  });

  it("keeps files that come with a mail: counted, listed, given back as they were, part of the source", async () => {
    const text = "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n";
    const sent = await get("/api/v1/send", {
      method: "POST",
      headers: JSON_TYPE,
      body: JSON.stringify({
        From: { Email: "nosh@example.com" },
        To: [{ Email: "ada@example.com" }],
        Subject: "It's on",
        Text: "See you there",
        Attachments: [
          { Filename: "nosh.ics", ContentType: "text/calendar; method=PUBLISH", Content: btoa(text) },
        ],
      }),
    });
    const { ID } = (await sent.json()) as { ID: string };
    expect(await getJson("/api/v1/messages")).toMatchObject({ messages: [{ Attachments: 1 }] });
    expect((await getJson(`/api/v1/message/${ID}`)).Attachments).toEqual([
      { PartID: "2", FileName: "nosh.ics", ContentType: "text/calendar", ContentID: "", Size: text.length },
    ]);
    const part = await get(`/api/v1/message/${ID}/part/2`);
    expect(await part.text()).toBe(text);
    expect(part.headers.get("content-disposition")).toBe('attachment; filename="nosh.ics"');
    expect((await get(`/api/v1/message/${ID}/part/3`)).status).toBe(404);
    const source = await (await get(`/api/v1/message/${ID}/raw`)).text();
    expect(source).toContain("Content-Type: multipart/mixed;");
    expect(source).toContain(btoa(text));
  });

  it("refuses a file that is no base64", async () => {
    const refused = await get("/api/v1/send", {
      method: "POST",
      headers: JSON_TYPE,
      body: JSON.stringify({
        From: { Email: "a@example.com" },
        To: [{ Email: "b@example.com" }],
        Attachments: [{ Filename: "x", Content: "?" }],
      }),
    });
    expect(refused.status).toBe(400);
    expect(await getJson("/api/v1/messages")).toMatchObject({ total: 0 });
  });

  it("gives the latest message whole and marks it read", async () => {
    await inbox.sendMail(mail("ada@example.com", "First"));
    const whole = await getJson("/api/v1/message/latest");
    expect(whole).toMatchObject({ Subject: "First", HTML: "<p>Hello <b>ada@example.com</b></p>" });
    expect(whole.ID).toMatch(/^[A-Za-z0-9]{22}$/);
    expect(await getJson("/api/v1/messages")).toMatchObject({ unread: 0 });
  });

  it("searches by field, phrase and negation", async () => {
    await inbox.sendMail(mail("ada@example.com", "Reset your password"));
    await inbox.sendMail(mail("bob@example.com", "Your sign-in link"));
    const found = async (query: string) =>
      (await getJson(`/api/v1/search?query=${encodeURIComponent(query)}`)).messages_count;
    expect(await found("to:ADA")).toBe(1);
    expect(await found('subject:"sign-in link" to:bob')).toBe(1);
    expect(await found("-to:ada")).toBe(1);
    expect(await found("hello is:unread")).toBe(2);
    expect((await get("/api/v1/search?query=")).status).toBe(400);
  });

  it("deletes the named ones, and all when none is named", async () => {
    await inbox.sendMail(mail("ada@example.com", "First"));
    await inbox.sendMail(mail("bob@example.com", "Second"));
    const { ID } = await getJson("/api/v1/message/latest");
    await get("/api/v1/messages", {
      method: "DELETE",
      headers: JSON_TYPE,
      body: JSON.stringify({ IDs: [ID] }),
    });
    expect(await getJson("/api/v1/messages")).toMatchObject({ total: 1 });
    expect(await (await get("/api/v1/messages", { method: "DELETE" })).text()).toBe("ok");
    expect(await getJson("/api/v1/messages")).toMatchObject({ total: 0 });
    expect(await readdir(folder)).toEqual([]);
  });

  it("gives source, headers, parts to view, and 404 for an unknown ID", async () => {
    await inbox.sendMail(mail("ada@example.com", "Grüße"));
    expect(await (await get("/api/v1/message/latest/raw")).text()).toContain(
      "Subject: =?utf-8?B?R3LDvMOfZQ==?=",
    );
    expect(await getJson("/api/v1/message/latest/headers")).toMatchObject({ To: ["<ada@example.com>"] });
    const html = await get("/view/latest.html");
    expect(html.headers.get("content-security-policy")).toContain("sandbox");
    expect(await (await get("/view/latest.txt")).text()).toBe("Hello ada@example.com");
    expect((await get("/view/latest")).status).toBe(302);
    expect((await get("/api/v1/message/nothing")).status).toBe(404);
    expect(await (await get("/livez")).text()).toBe("ok");
  });

  it("tells of a new mail by server-sent events", async () => {
    const response = await get("/api/events");
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    await reader?.read();
    await inbox.sendMail(mail("ada@example.com", "First"));
    expect((await reader?.read())?.value).toBe("event: change\ndata: {}\n\n");
    await reader?.cancel();
  });

  it("serves its page with its own style and script only", async () => {
    const page = await (await get("/")).text();
    for (const [, path = ""] of page.matchAll(/(?:href|src)="(\/[^"]+)"/g)) {
      expect((await get(path)).status).toBe(200);
    }
    expect(page).not.toMatch(/https?:/);
  });
});

describe("the store", () => {
  it("keeps mails across a restart", async () => {
    await inbox.sendMail(mail("ada@example.com", "Still here"));
    const again = new MailStore({ clock: systemClock, folder });
    expect(again.messages.map(({ subject }) => subject)).toEqual(["Still here"]);
  });

  it("keeps no more than its capacity, and removes the files of the others", async () => {
    const small = new MailStore({ clock: systemClock, folder, capacity: 2 });
    for (const subject of ["1", "2", "3"]) await small.add(mail("ada@example.com", subject));
    expect(small.messages.map(({ subject }) => subject)).toEqual(["3", "2"]);
    expect(await readdir(folder)).toHaveLength(2);
  });
});

describe("what a person looks for", () => {
  it("finds the code but not digits of a link, and the link that confirms", () => {
    const html =
      '<a href="http://x/about">About</a> <a href="http://x/verify?token=123456789&amp;type=signup">Go</a> <p>Code: <b>048151</b></p>';
    expect(codeOf({ subject: "", html })).toBe("048151");
    expect(linkOf({ subject: "", html })).toBe("http://x/verify?token=123456789&type=signup");
    expect(codeOf({ subject: "", text: "http://x/123456 only" })).toBeUndefined();
  });
});

it("writes links out in the text of an HTML mail, as Mailpit does", async () => {
  const html =
    '<p>Hi.<br><a class="b" href="http://x.test/verify?token=1&amp;type=signup">Confirm</a></p><a href="http://x.test">http://x.test</a>';
  await inbox.sendMail(mail("ada@example.com", "Links", html));
  const { messages } = (await getJson("/api/v1/messages")) as { messages: { ID: string }[] };
  const { Text } = await getJson(`/api/v1/message/${messages[0]?.ID}`);
  expect(Text).toBe("Hi.\nConfirm ( http://x.test/verify?token=1&type=signup )\nhttp://x.test");
});
