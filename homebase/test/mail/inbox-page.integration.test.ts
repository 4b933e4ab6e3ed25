/** What a hostile mail does in the inbox's page, in a real browser. */
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "@playwright/test";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { findBrowser, testBrowserArguments } from "../../../scripts/browser.ts";
import { type OpenInbox, openInbox } from "../../src/backend/inbox.ts";
import { systemClock } from "../../src/core/clock.ts";
import { silentLog } from "../../src/core/log.ts";

/** One picture of 1 × 1. */
const GIF = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==";

let browser: Browser;
let elsewhere: Server;
let address = "";
let asked: string[] = [];
let folder: string;
let inbox: OpenInbox;
let page: Page;
let complaints: string[] = [];

beforeAll(async () => {
  browser = await chromium.launch({ executablePath: findBrowser("shell"), args: testBrowserArguments });
  elsewhere = createServer((request, response) => {
    asked.push(request.url ?? "");
    response
      .writeHead(200, { "content-type": "image/svg+xml" })
      .end("<svg xmlns='http://www.w3.org/2000/svg'/>");
  });
  await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await browser.close();
  elsewhere.close();
});
beforeEach(async () => {
  asked = [];
  complaints = [];
  folder = await mkdtemp(join(tmpdir(), "homebase-inbox-"));
  inbox = await openInbox({ folder, port: 0, clock: systemClock, log: silentLog });
  page = await (await browser.newContext()).newPage();
  page.on("pageerror", (error) => complaints.push(error.message));
});
afterEach(async () => {
  await page.context().close();
  await inbox.close();
  await rm(folder, { recursive: true });
});

async function show(html: string): Promise<void> {
  await inbox.sendMail({
    from: { name: "", address: "a@example.com" },
    to: [{ name: "", address: "b@example.com" }],
    subject: "Hello",
    html: `<p>Hello.</p>${html}`,
  });
  await page.goto(inbox.url ?? "");
  await page.getByText("Hello").first().click();
  await page.frameLocator("iframe").getByText("Hello.").waitFor();
}

it.each([
  ["a picture", (url: string) => `<img src="${url}/a.gif"><img srcset="${url}/b.gif 2x">`],
  [
    "a background",
    (url: string) => `<table background="${url}/c.gif"></table><p style="background: url(${url}/d)">x`,
  ],
  [
    "a style sheet, a font and an import",
    (url: string) =>
      `<link rel="stylesheet" href="${url}/e.css"><style>@import "${url}/f.css"; @font-face { font-family: x; src: url(${url}/g) } p { font-family: x }</style>`,
  ],
  [
    "a frame, an object and a video",
    (url: string) =>
      `<iframe src="${url}/h"></iframe><object data="${url}/i"></object><embed src="${url}/j"><video src="${url}/k" autoplay poster="${url}/l"></video>`,
  ],
  [
    "a prefetch and a preconnect",
    (url: string) =>
      `<link rel="prefetch" href="${url}/m"><link rel="preload" as="image" href="${url}/n"><link rel="dns-prefetch" href="${url}/o">`,
  ],
  ["a base address", (url: string) => `<base href="${url}/p/"><img src="q.gif">`],
  ["a refresh", (url: string) => `<meta http-equiv="refresh" content="0; url=${url}/r">`],
  [
    "a script and handlers",
    (url: string) =>
      `<script>fetch("${url}/s")</script><img src="x" onerror="fetch('${url}/t')"><svg onload="top.location='${url}/u'">`,
  ],
  [
    "a form that a reader sends",
    (url: string) => `<form action="${url}/v" method="post"><button>Send</button></form>`,
  ],
  ["a link to the window's top", (url: string) => `<a id="top" target="_top" href="${url}/w">Top</a>`],
])("%s in a mail asks nothing of another server, and leads the page nowhere", async (name, html) => {
  await show(html(address));
  const frame = page.frameLocator("iframe");
  if (name.startsWith("a form")) await frame.getByRole("button", { name: "Send" }).click();
  const top = frame.locator("#top");
  if ((await top.count()) > 0) await top.click();
  await page.frames()[1]?.waitForLoadState("load");
  await frame.getByText("Hello.").waitFor();
  await fetch(`${address}/last`);
  expect([asked, new URL(page.url()).origin, complaints]).toEqual([["/last"], inbox.url, []]);
});

it("shows pictures that are in the mail, and those of other servers when the reader asks for them", async () => {
  await show(`<img id="own" src="${GIF}"><img id="other" src="${address}/a.gif">`);
  const frame = page.frameLocator("iframe");
  expect(
    await frame
      .locator("#own")
      .evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth),
  ).toBe(1);
  expect(asked).toEqual([]);
  await page.getByRole("button", { name: "Show pictures" }).click();
  await expect.poll(() => asked).toEqual(["/a.gif"]);
  expect(await page.getByRole("button", { name: "Show pictures" }).count()).toBe(0);
});

it("offers no pictures of other servers where a mail has none", async () => {
  await show(`<a href="${address}/link">A link</a>`);
  expect(await page.getByRole("button", { name: "Show pictures" }).count()).toBe(0);
});
