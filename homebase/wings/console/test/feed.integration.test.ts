/** The feed in a real browser: what it shows of requests, by mouse, keyboard and screen reader. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { type Browser, type BrowserContext, chromium, type Page } from "@playwright/test";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { findBrowser, testBrowserArguments } from "../../../../scripts/browser.ts";
import { Project } from "../../../test/cli/project.ts";
import { PROJECT } from "../../../test/explain/project.ts";
import { buildPage } from "../build.ts";

vi.setConfig({ testTimeout: 180_000, hookTimeout: 240_000 });

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const project = new Project({
  "migrations/20260101000000_notes.sql": PROJECT,
  "functions/hello/index.ts": `Deno.serve(async () => {
  const key = Deno.env.get("SUPABASE_SERVICE_ROLE_KEY");
  const headers = { apikey: key, authorization: "Bearer " + key };
  await fetch(Deno.env.get("SUPABASE_URL") + "/rest/v1/notes?select=id", { headers });
  return new Response("hi");
});`,
});
let browser: Browser;
let context: BrowserContext;
let page: Page;
let token = "";

beforeAll(async () => {
  await project.start();
  browser = await chromium.launch({ executablePath: findBrowser("shell"), args: testBrowserArguments });
  const signedUp = await call("/auth/v1/signup", "POST", {
    email: "eve@example.com",
    password: "correct horse battery",
  });
  token = ((await signedUp.json()) as { access_token: string }).access_token;
});
beforeEach(async () => {
  context = await browser.newContext();
  page = await opened(context);
  // Rows of earlier tests are not this one's.
  await page.keyboard.press("x");
});
afterEach(() => context.close());
afterAll(async () => {
  await browser.close();
  await project.remove();
});

async function opened(within: BrowserContext): Promise<Page> {
  const one = await within.newPage();
  await one.goto((await project.run("console")).stdout.trim());
  await one.getByText("Live", { exact: true }).waitFor();
  return one;
}

function call(path: string, method = "GET", body?: unknown, bearer = token): Promise<Response> {
  return fetch(project.url + path, {
    method,
    headers: {
      apikey: project.key,
      ...(bearer === "" ? {} : { authorization: `Bearer ${bearer}` }),
      "content-type": "application/json",
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

const row = (text: string) => page.locator(".row", { hasText: text });
const label = (text: string) => row(text).last().getAttribute("aria-label");

test("a request is a row with who asked, its answer and where it stopped", async () => {
  await call("/rest/v1/notes?select=id");
  await call("/rest/v1/notes", "POST", { id: 9, team_id: 1 });
  await expect.poll(() => row("notes").count()).toBe(2);
  expect(await label("select=id")).toBe("GET notes, eve@…, 200, empty");
  expect(await label("POST")).toBe("POST notes, eve@…, 403, stopped at policy");
});

test("what a function asked for stands beneath its call", async () => {
  await call("/functions/v1/hello");
  await row("functions/hello").waitFor();
  const rows = await page
    .locator(".row")
    .evaluateAll((all) => all.map((one) => [one.className, one.getAttribute("aria-label")]));
  expect(rows).toEqual([
    ["row open", "GET functions/hello, 200"],
    ["row open child last", "GET notes, secret, 200, 4 rows"],
  ]);
  await row("functions/hello").click();
  await page.getByRole("heading", { name: "Caused 1 request" }).waitFor();
});

test("repeats are one row, which enter unfolds", async () => {
  for (const id of [1, 2, 3]) await call(`/rest/v1/teams?id=eq.${id}`);
  await row("×3").waitFor();
  await row("×3").click();
  await page.keyboard.press("Enter");
  await expect.poll(() => row("teams").count()).toBe(3);
});

describe("the details", () => {
  test("of an empty answer say by themselves what the policies hid", async () => {
    await call("/rest/v1/notes?done=is.false");
    await row("done=is.false").click();
    await page
      .getByText(/Hidden \(2 rows/)
      .first()
      .waitFor();
    expect(await page.locator(".rail li", { hasText: "Policy" }).innerText()).toMatch(
      /members read notes\s+2 hidden/,
    );
  });

  test("of a refused one never contradict its record", async () => {
    await call("/rest/v1/notes", "POST", { id: 9, team_id: 1 });
    await row("POST").click();
    await page.locator(".reasons", { hasText: "no policy that lets authenticated INSERT" }).waitFor();
    expect(await page.locator(".rail li", { hasText: "Policy" }).innerText()).toMatch(/shut$/);
  });

  test("of one that was let in ask the policies only when the reader does", async () => {
    await call("/rest/v1/audit", "POST", { id: Math.floor(Math.random() * 1e9), what: "x" });
    await row("audit").click();
    await page.locator(".rail").waitFor();
    expect(await page.locator(".reasons").count()).toBe(0);
    await page.keyboard.press("y");
    await page.locator(".reasons p:not(.note)").first().waitFor();
  });

  test("copy a command that runs in a shell", async () => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await call("/rest/v1/tags?label=eq.it's");
    await row("tags").click();
    await page.getByRole("button", { name: "Copy as curl" }).waitFor();
    await page.keyboard.press("c");
    await page.getByText("Copied").waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      `curl '${project.url}/rest/v1/tags?label=eq.it%27s' -H 'apikey: ${project.key}'`,
    );
  });
});

describe("the filter", () => {
  test.each([
    ["user:eve", ["done=is.true"]],
    ["status:4", ["nothing"]],
    ["service:auth", ["auth/settings"]],
    ["is:failed", ["nothing"]],
    ["is:empty", ["done=is.true"]],
    ["is:empty service:auth", []],
    ["NOTHING", ["nothing"]],
    ["unknown:word", []],
  ])("%s finds its rows among all", async (filter, found) => {
    await project.stop();
    await project.start();
    await call("/rest/v1/notes?done=is.true");
    await call("/rest/v1/nothing", "GET", undefined, "");
    await call("/auth/v1/settings", "GET", undefined, "");
    page = await opened(context);
    await row("auth/settings").waitFor();
    await page.getByRole("searchbox").fill(filter);
    await expect
      .poll(() => page.locator(".row .path").allInnerTexts())
      .toEqual(found.map((one) => expect.stringContaining(one)));
    if (found.length === 0) await page.getByText("No row matches.").waitFor();
    await page.reload();
    expect(await page.getByRole("searchbox").inputValue()).toBe(filter);
  });
});

test("by keyboard alone: j and k choose, escape closes, a typed letter is text in the filter", async () => {
  await call("/rest/v1/tags?id=eq.1", "GET", undefined, "");
  await call("/rest/v1/notes?id=eq.1");
  await row("notes").waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  expect(await page.locator(".row.selected .path").innerText()).toContain("notes");
  await page.keyboard.press("k");
  expect(await page.locator(".row.selected .path").innerText()).toContain("tags");
  await page.keyboard.press("Escape");
  expect(await page.locator(".pane").count()).toBe(0);
  await page.keyboard.press("/");
  await page.keyboard.type("jk");
  expect(await page.getByRole("searchbox").inputValue()).toBe("jk");
});

test("single keys can be turned off", async () => {
  await page.keyboard.press("?");
  await page.getByLabel("Use single keys").uncheck();
  await page.getByRole("button", { name: "Close" }).click();
  await page.keyboard.press("p");
  expect(await page.getByText("Paused").count()).toBe(0);
});

test("while it is paused rows wait, and are counted", async () => {
  await page.keyboard.press("p");
  await call("/rest/v1/tags");
  await page.getByRole("button", { name: "Resume, 1 new" }).click();
  await row("tags").waitFor();
});

test("preflights are not rows, and are counted", async () => {
  await fetch(`${project.url}/rest/v1/tags`, {
    method: "OPTIONS",
    headers: { origin: "http://127.0.0.1:3000", "access-control-request-method": "GET" },
  });
  await page.getByText(/preflights? or probes? hidden|preflight or probe hidden/).waitFor();
});

test("more than a tick shows are left out by their exact number, and failures are shown first", async () => {
  await page.getByText(/^\d+ rows?$/).waitFor();
  const before = await page.evaluate(() => document.querySelector(".foot")?.textContent ?? "");
  expect(before).not.toContain("left out");
  const every = Array.from({ length: 700 }, (_, at) =>
    call(at === 3 ? "/rest/v1/nothing" : `/auth/v1/settings?n=${at}`, "GET", undefined, ""),
  );
  await Promise.all(every);
  await expect
    .poll(async () => {
      const text = (await page.locator(".foot").innerText()).replaceAll(",", "");
      const shown = Number(/(\d+) rows?/.exec(text)?.[1] ?? 0);
      return shown + Number(/(\d+) left out/.exec(text)?.[1] ?? 0);
    })
    .toBe(700);
  expect(await row("nothing").count()).toBeGreaterThan(0);
});

test("rows stay when the stack stops, and a new link wakes the tab after the next start", async () => {
  await call("/rest/v1/tags");
  await row("tags").waitFor();
  await project.stop();
  await page.getByText(/Stopped at .* Rows stay/).waitFor();
  await project.start();
  await page.getByText(/was started again/).waitFor();
  expect(await row("tags").count()).toBe(1);
  await opened(context);
  await page.getByText("Live", { exact: true }).waitFor();
});

describe.each([
  [1280, "light"],
  [1280, "dark"],
  [390, "light"],
  [390, "dark"],
] as const)("at %i px, %s", (width, colorScheme) => {
  test("axe finds nothing in any state, and nothing is wider than the window", async () => {
    await page.setViewportSize({ width, height: 720 });
    await page.emulateMedia({ colorScheme });
    const check = async (state: string) => {
      // Not as an element, which the page's own policy would refuse.
      const found = await page.evaluate(`${axe}; axe.run({ resultTypes: ["violations"] })`);
      const { violations } = found as { violations: { id: string; nodes: { html: string }[] }[] };
      expect([state, violations.map(({ id, nodes }) => [id, nodes[0]?.html])]).toEqual([state, []]);
      expect([state, await page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([
        state,
        width,
      ]);
    };
    await check("cleared");
    await page.getByRole("searchbox").fill("zzz");
    await page.getByText("No row matches.").waitFor();
    await check("no match");
    await page.getByRole("button", { name: "Clear the filter" }).click();
    await call("/rest/v1/notes?select=*");
    await call("/rest/v1/notes", "POST", { id: 9, team_id: 1 });
    await row("POST").last().waitFor();
    await check("rows");
    await row("POST").last().click();
    await page.locator(".reasons p:not(.note)").first().waitFor();
    await check("details");
    await page.keyboard.press("?");
    await check("keys");
    const other = await browser.newContext({ colorScheme, viewport: { width, height: 720 } });
    page = await other.newPage();
    await page.goto(`http://127.0.0.1:${54_323 + project.offset}/`);
    await page.getByText("This page opens with a link").waitFor();
    await check("locked");
    await other.close();
  });
});

test("the first view is at most 150 KB packed", async () => {
  const folder = mkdtempSync(join(project.folder, "page-"));
  await buildPage(folder);
  const sizes = readdirSync(folder).map((name) => gzipSync(readFileSync(join(folder, name))).length);
  rmSync(folder, { recursive: true });
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(150 * 1024);
});
